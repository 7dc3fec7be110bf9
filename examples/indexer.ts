// The smallest indexer: every deposit, once and in order, also after a restart. Run with: npx tsx examples/indexer.ts
import { createNode } from "sextant";

const node = await createNode();
for (let i = 0; i < 5; i++) await node.produceBlock();
const { ledger_version: to } = await node.ledgerInfo();

const filter = { eventType: "0x1::fungible_asset::Deposit" };
const database = { cursor: undefined as string | undefined, deposits: 0n };
// Leave `to` out, and the loop goes on with each new version.
for await (const { items, cursor } of node.events({ from: 0n, after: database.cursor, to, filter })) {
  for (const { data } of items) database.deposits += BigInt((data.data as { amount: string }).amount);
  // In one write with what was made of the items: then a kill loses and doubles nothing.
  database.cursor = cursor;
}
console.log(`deposits up to version ${to}: ${database.deposits}, cursor ${database.cursor}`);
await node.close();
