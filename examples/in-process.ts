// A node inside a test or script: no port, no files. Run with: npx tsx examples/in-process.ts
import { createNode } from "sextant";

const node = await createNode();
await node.produceBlock();
const { ledger_version } = await node.produceBlock();

const [anna, basil] = node.guide()?.accounts ?? [];
if (anna === undefined || basil === undefined) throw new Error("the local chain has demo accounts");
const now = await node.balance(anna.address, "0x1::aptos_coin::AptosCoin");
const before = await node.balance(anna.address, "0x1::aptos_coin::AptosCoin", { ledgerVersion: 1n });
console.log(`version ${ledger_version}: ${anna.name} has ${now} (at version 1: ${before})`);

const message = await node.encodeSubmission({
  sender: anna.address,
  sequence_number: "0",
  max_gas_amount: "2000",
  gas_unit_price: "100",
  expiration_timestamp_secs: "32425224034",
  payload: {
    type: "entry_function_payload",
    function: "0x1::aptos_account::transfer",
    type_arguments: [],
    arguments: [basil.address, "1000"],
  },
});
console.log(`to sign: 0x${Buffer.from(message).toString("hex").slice(0, 80)}… (${message.length} bytes)`);
await node.close();
