// Signed transactions for the clients to submit: signing is no part of a generated client.
import { randomBytes } from "node:crypto";
import { createKeypair } from "../../src/chain/keys.ts";
import { chainSeed } from "../../src/chain/local-chain.ts";
import { formatAddress } from "../../src/move/address.ts";

const SENDER = createKeypair(chainSeed("sextant"), "anna");
/** With a nonce, the chain takes an expiration at most 100 seconds ahead of its time. */
const EXPIRES_AFTER_SECS = 60;

async function signTransfer(url: string): Promise<object> {
  const { ledger_timestamp } = (await (await fetch(url)).json()) as { ledger_timestamp: string };
  const request = {
    sender: formatAddress(SENDER.address),
    replay_protection_nonce: `${randomBytes(8).readBigUInt64LE()}`,
    max_gas_amount: "20000",
    gas_unit_price: "100",
    expiration_timestamp_secs: `${Math.floor(Number(ledger_timestamp) / 1e6) + EXPIRES_AFTER_SECS}`,
    payload: {
      type: "entry_function_payload",
      function: "0x1::aptos_account::transfer",
      type_arguments: [],
      arguments: ["0x1234", "5"],
    },
  };
  const response = await fetch(`${url}/transactions/encode_submission`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
  });
  const message = Buffer.from(((await response.json()) as string).slice(2), "hex");
  const hex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString("hex")}`;
  const signature = hex(SENDER.sign(message));
  return {
    ...request,
    signature: { type: "ed25519_signature", public_key: hex(SENDER.publicKey), signature },
  };
}

/** JSON of a list of two transfers, one to submit alone and one in a batch. */
export async function signTransfers(url: string): Promise<string> {
  return JSON.stringify([await signTransfer(url), await signTransfer(url)]);
}
