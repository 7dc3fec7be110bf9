// Gives an account of the local chain something to spend: the richest demo account, whose key is public, pays.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { NATIVE_COIN } from "../../../src/cli/asset-texts.ts";
import { type Answer, ask } from "../lib/api.ts";
import { shorten, trimAddress } from "../lib/format.ts";
import { demoName, live } from "../lib/live.ts";
import { linkTo } from "../lib/router.ts";
import { nextSequence, sendNext, waitFor } from "../lib/send.ts";
import { useStore } from "../lib/store.ts";
import { AccountLink, Button, Problem } from "./basics.tsx";

const UNITS = 100n;
const AMOUNT = UNITS * 10n ** 8n;
const EXPIRES_SECONDS = 600;

/** The account that has most. */
async function richest(addresses: readonly string[]): Promise<string> {
  const body = { queries: addresses.map((address) => ({ address, asset_type: NATIVE_COIN })) };
  const { balances } = (await ask<Answer<"get_balances">>("balances", { body })).data;
  const held = addresses.map((address, index) => {
    const found = balances[index];
    return { address, balance: found !== undefined && "balance" in found ? BigInt(found.balance) : 0n };
  });
  const [most] = held.sort((a, b) => (a.balance < b.balance ? 1 : -1));
  if (most === undefined) throw new Error("there is no demo account to pay");
  return most.address;
}

async function transferRequest(sender: string, to: string): Promise<string> {
  return JSON.stringify({
    sender,
    sequence_number: await nextSequence(sender),
    max_gas_amount: "20000",
    gas_unit_price: "100",
    expiration_timestamp_secs: `${Math.floor(Date.now() / 1000) + EXPIRES_SECONDS}`,
    payload: {
      type: "entry_function_payload",
      function: "0x1::aptos_account::transfer",
      type_arguments: [],
      arguments: [to, `${AMOUNT}`],
    },
  });
}

type Paid =
  | { readonly state: "busy" }
  | { readonly state: "paid"; readonly version: string; readonly by: string }
  | { readonly state: "failed"; readonly error: Error };

export function Faucet({
  address,
  onPaid,
}: {
  readonly address: string;
  readonly onPaid?: () => void;
}): JSX.Element | null {
  const info = useStore(live, (value) => value.info);
  const [paid, setPaid] = useState<Paid>();
  const keys = info?.demo_keys ?? {};
  const payers = Object.entries(info?.demo_accounts ?? {}).filter(
    ([name, known]) => keys[name] !== undefined && known !== address,
  );
  if (payers.length === 0) return null;
  const fund = async (): Promise<void> => {
    setPaid({ state: "busy" });
    try {
      const payer = await richest(payers.map(([, known]) => known));
      const key = keys[demoName(info, payer) ?? ""] ?? "";
      const hash = await sendNext(() => transferRequest(payer, address), key);
      const transaction = await waitFor(hash);
      if (transaction?.success === false) throw new Error(transaction.vm_status ?? "it failed");
      setPaid({ state: "paid", version: transaction?.version ?? "", by: payer });
      onPaid?.();
    } catch (error) {
      setPaid({ state: "failed", error: error as Error });
    }
  };
  return (
    <div class="faucet">
      <Button onClick={fund} isOff={paid?.state === "busy"} data-testid="faucet">
        Get {`${UNITS}`} APT for {demoName(info, address) ?? shorten(trimAddress(address), 4)}
      </Button>
      <span role="status">
        {paid?.state === "busy" ? "Waiting for its block…" : undefined}
        {paid?.state === "paid" ? (
          <>
            <AccountLink address={paid.by} /> paid {`${UNITS}`} APT in{" "}
            <a href={linkTo(["transaction", paid.version])}>transaction {paid.version}</a>.
          </>
        ) : undefined}
      </span>
      {paid?.state === "failed" ? <Problem error={paid.error} /> : undefined}
    </div>
  );
}
