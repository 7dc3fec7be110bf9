// The visitor account: it is created with some native coin, receives gold if the framework can send a coin to an
// account without a store for it, then returns everything and is deleted with its stores. Then the cycle starts
// again.
import { u64 } from "../../bcs/scalars.ts";
import { addressCodec } from "../../move/wire.ts";
import type { AssetName } from "../assets.ts";
import type { BalancePart, DemoAccountName } from "../demo-accounts.ts";
import type { Movement } from "../wallet.ts";
import { balanceOf, createAccount } from "../wallet.ts";
import { type Action, type ActionContext, argument, entryCall, structType } from "./action.ts";
import { pickAmount } from "./transfer.ts";

const VISITOR: DemoAccountName = "hana";
/** Largest initial balance of the visitor; enough for its one fee. */
const ALLOWANCE = 500_000_000n;

/** The next step of the visitor's cycle. */
export function advanceVisitor(context: ActionContext): Action | undefined {
  const { state, items } = context;
  if (!state.has(items.accounts[VISITOR].account)) return arrive(context);
  return hasGold(context) ? leave(context) : receiveGold(context);
}

function hasGold({ state, items }: ActionContext): boolean {
  const { gold } = items.accounts[VISITOR].coinStores;
  return gold !== undefined && state.has(gold);
}

/** The part that holds the visitor's native coin. */
const NATIVE_PART: BalancePart = "store";

function arrive(context: ActionContext): Action {
  const { items, random } = context;
  const from: DemoAccountName = "basil";
  const amount = ALLOWANCE / 2n + random.upTo(ALLOWANCE / 2n);
  const recipient = argument(addressCodec, items.demoAccounts[VISITOR].address);
  return {
    sender: from,
    call: entryCall(
      { module: "aptos_account", function: "transfer" },
      [],
      [recipient, argument(u64, amount)],
    ),
    movements: [{ asset: "native", part: NATIVE_PART, from, to: VISITOR, amount }],
    change: (effects) => createAccount(effects, VISITOR),
  };
}

function receiveGold(context: ActionContext): Action | undefined {
  const { items } = context;
  const from: DemoAccountName = "anna";
  const amount = pickAmount(context, "gold", "coin", [from, VISITOR]);
  const { coinType } = items.assets.gold;
  if (amount === undefined || coinType === undefined) return undefined;
  const args = [argument(addressCodec, items.demoAccounts[VISITOR].address), argument(u64, amount)];
  return {
    sender: from,
    call: entryCall({ module: "aptos_account", function: "transfer_coins" }, [structType(coinType)], args),
    movements: [{ asset: "gold", part: "coin", from, to: VISITOR, amount }],
  };
}

/** Everything that the visitor holds, less the fee. It may hold more than it was given, because anyone may send it something. */
function returned(context: ActionContext): Movement[] | undefined {
  const { items, fee } = context;
  const parts = ["coin", "store"] as const;
  const feePart = parts.find((part) => balanceOf(context, VISITOR, "native", part) >= fee);
  if (feePart === undefined) return undefined;
  const movements: Movement[] = [];
  for (const asset of Object.keys(items.assets) as AssetName[]) {
    for (const part of parts) {
      const held = balanceOf(context, VISITOR, asset, part);
      const amount = asset === "native" && part === feePart ? held - fee : held;
      const to = asset === "gold" && part === "coin" ? "anna" : "basil";
      const isTold = asset === "gold" && part === "coin" && hasGold(context);
      if (amount > 0n || isTold) movements.push({ asset, part, from: VISITOR, to, amount });
    }
  }
  return movements;
}

function leave(context: ActionContext): Action | undefined {
  const { items, state } = context;
  // An account that a client used stays: its sequence numbers must not begin again.
  if (state.get(items.accounts[VISITOR].account)?.sequenceNumber !== 0n) return undefined;
  const movements = returned(context);
  if (movements === undefined) return undefined;
  const recipients = [items.demoAccounts.basil.address, items.demoAccounts.anna.address];
  return {
    sender: VISITOR,
    call: entryCall(
      { address: items.demoAddress, module: "demo", function: "close_account" },
      [],
      recipients.map((address) => argument(addressCodec, address)),
    ),
    movements,
    close: ({ state }) => {
      const { account, coinStores, stores } = items.accounts[VISITOR];
      for (const item of [account, ...Object.values(coinStores), ...Object.values(stores)]) {
        if (state.has(item)) state.delete(item);
      }
    },
  };
}
