// The day of the older npm package `aptos`, whose folder and the URLs of the node and its faucet are the arguments.
import { createRequire } from "node:module";
import { join } from "node:path";
import { same, tell } from "./report.ts";

const [folder = "", nodeUrl = "", faucetUrl = ""] = process.argv.slice(2);
// Not a package of this project: it is fetched for the day.
const { AptosAccount, AptosClient, CoinClient, FaucetClient } = createRequire(join(folder, "package.json"))(
  "aptos",
);

const client = new AptosClient(nodeUrl);
const faucet = new FaucetClient(nodeUrl, faucetUrl);
const coins = new CoinClient(client);
const [alice, bob] = [new AptosAccount(), new AptosAccount()];
const FUNDS = 1_000_000_000n;
const APT = "0x1::aptos_coin::AptosCoin";
const expected = { alice: FUNDS, bob: 0n };

async function balanceOf(account: { address(): unknown }): Promise<bigint> {
  const response = await fetch(`${nodeUrl}/v1/accounts/${account.address()}/balance/${APT}?quoted=true`);
  return BigInt((await response.json()) as string);
}

async function assertBooks(): Promise<string> {
  const [a, b] = [await balanceOf(alice), await balanceOf(bob)];
  return [same("alice", a, expected.alice), same("bob", b, expected.bob)].join(", ");
}

async function settle(hash: string): Promise<{ gas_used: string }> {
  const done = await client.waitForTransactionWithResult(hash, { checkSuccess: true });
  expected.alice -= BigInt(done.gas_used) * BigInt(done.gas_unit_price);
  return done;
}

await tell("getChainId", async () => same("chain id", await client.getChainId(), 4));
await tell("FaucetClient.fundAccount", async () => {
  await faucet.fundAccount(alice.address(), Number(FUNDS));
  return assertBooks();
});
await tell("getAccount", async () => {
  const { sequence_number } = await client.getAccount(alice.address());
  return same("sequence number", sequence_number, 0);
});
await tell("CoinClient.transfer", async () => {
  await settle(await coins.transfer(alice, bob, 1000n, { createReceiverIfMissing: true }));
  [expected.alice, expected.bob] = [expected.alice - 1000n, 1000n];
  return assertBooks();
});
await tell("generateTransaction, simulateTransaction, submitTransaction", async () => {
  const payload = {
    type: "entry_function_payload",
    function: "0x1::aptos_account::transfer",
    type_arguments: [],
    arguments: [bob.address().hex(), "5"],
  };
  const raw = await client.generateTransaction(alice.address(), payload);
  const [simulated] = await client.simulateTransaction(alice, raw);
  const signed = await client.signTransaction(alice, raw);
  const { hash } = await client.submitTransaction(signed);
  const done = await settle(hash);
  [expected.alice, expected.bob] = [expected.alice - 5n, expected.bob + 5n];
  return `${same("gas", done.gas_used, simulated.gas_used)}; ${await assertBooks()}`;
});
await tell("getTableItem", async () => {
  const { demo_tables } = (await (await fetch(`${nodeUrl}/v1/info`)).json()) as {
    demo_tables: { prices: string };
  };
  const { ledger_version } = await client.getLedgerInfo();
  const query = { ledgerVersion: BigInt(ledger_version) };
  const key = { key_type: "0x1::string::String", value_type: "u64", key: "APT" };
  const price = await client.getTableItem(demo_tables.prices, key, query);
  const raw = await fetch(
    `${nodeUrl}/v1/tables/${demo_tables.prices}/raw_item?ledger_version=${ledger_version}`,
    { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"key":"0x03415054"}' },
  );
  return same("price", price, Buffer.from(((await raw.json()) as string).slice(2), "hex").readBigUInt64LE());
});
await tell("getAccountResources, getAccountModules", async () => {
  const resources = await client.getAccountResources(alice.address());
  const account = resources.find(({ type }: { type: string }) => type === "0x1::account::Account");
  const modules = await client.getAccountModules("0x1");
  return `${same("sequence number", account.data.sequence_number, 2)}, ${modules.length} modules`;
});
await tell("getTransactionByHash, getAccountTransactions", async () => {
  const sent = await client.getAccountTransactions(alice.address());
  const again = await client.getTransactionByHash(sent[0].hash);
  return `${sent.length} transactions, ${same("version", again.version, sent[0].version)}`;
});
await tell("getEventsByEventHandle, getEventsByCreationNumber", async () => {
  const page = { start: 0, limit: 3 };
  const handle = ["0x1", "0x1::block::BlockResource", "new_block_events"] as const;
  const events = await client.getEventsByEventHandle(...handle, page);
  const numbered = await client.getEventsByCreationNumber("0x1", events[0].guid.creation_number, page);
  return `${events.length} events, ${same("numbered", JSON.stringify(numbered), JSON.stringify(events))}`;
});
await tell("estimateGasPrice", async () => {
  const { gas_estimate } = await client.estimateGasPrice();
  if (!(gas_estimate > 0)) throw new Error(`gas_estimate ${gas_estimate}`);
  return `gas_estimate ${gas_estimate}`;
});
