// Reads of accounts, modules, tables, transactions and blocks as calls: they return what the HTTP interface answers.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNode, type Node } from "../../src/node.ts";

describe("reads as calls", () => {
  let node: Node;
  let head: bigint;
  let account: string;

  beforeAll(async () => {
    node = await createNode({ localChain: { seed: "reads" }, http: { port: 0, maxWaitMs: 0 } });
    for (let i = 0; i < 4; i++) await node.produceBlock();
    head = BigInt((await node.ledgerInfo()).ledger_version);
    account = node.guide()?.accounts[0]?.address ?? "";
  });
  afterAll(() => node.close());

  const get = async (path: string, init?: RequestInit): Promise<unknown> =>
    (await fetch(`${node.url}/${path}`, init)).json();

  it("return accounts, resources and modules", async () => {
    const plain = (await get(`accounts/${account}`)) as Record<string, string>;
    expect(await node.account(account)).toEqual({
      address: account,
      sequenceNumber: BigInt(plain.sequence_number ?? ""),
      authenticationKey: plain.authentication_key,
    });
    const all = (await get("accounts/0x1/resources?ledger_version=1")) as { type: string }[];
    const listed = [];
    for await (const one of node.resources("0x1", { ledgerVersion: 1n })) listed.push(one);
    expect(listed).toEqual(all);
    const [first] = all;
    expect(await node.resource("0x1", first?.type ?? "", { ledgerVersion: 1n })).toEqual(first);
    expect(await node.resource("0x1", "0x1::no::Such")).toBeUndefined();
    const modules = [];
    for await (const one of node.modules("0x1")) modules.push(one);
    expect(modules).toEqual(await get("accounts/0x1/modules"));
    expect(await node.module("0x1", "coin")).toEqual(await get("accounts/0x1/module/coin"));
    expect(await node.module("0x1", "no_such")).toBeUndefined();
    await expect(node.resource("0x1", "no type")).rejects.toThrow(/^type: expected a struct type/);
  });

  it("refuse with codes of the ledger or of calls, and with nothing of HTTP", async () => {
    await expect(node.resource("0x1", "no type")).rejects.toMatchObject({
      name: "CallError",
      code: "invalid",
    });
    await expect(node.resource("0x1", "0x1::no::Such", { ledgerVersion: 9999n })).rejects.toMatchObject({
      name: "LedgerError",
      code: "version_not_found",
    });
    const modules = node.modules(`0x${"ab".repeat(32)}`);
    await expect(modules[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      name: "CallError",
      code: "absent",
    });
  });

  it("return transactions and blocks, with versions as bigint", async () => {
    const json = (await get("transactions/by_version/2")) as { hash: string };
    const second = { version: 2n, hash: json.hash, transaction: json };
    expect(await node.transaction(2n)).toEqual(second);
    expect(await node.transaction(json.hash)).toEqual(second);
    expect(await node.waitForTransaction(json.hash)).toEqual(second);
    expect(await node.transaction(head + 1n)).toBeUndefined();
    expect(await node.waitForTransaction(`0x${"ab".repeat(32)}`, { waitMs: 1 })).toBeUndefined();
    const all: Readonly<Record<string, unknown>>[] = [];
    for await (const { items } of node.transactions({ from: 2n, to: head })) {
      all.push(...items.map(({ data }) => data));
    }
    expect(all[0]).toEqual(json);
    const sender = all.find(
      ({ type, replay_protection_nonce: nonce }) => type === "user_transaction" && nonce === null,
    )?.sender as string;
    expect(
      (await node.accountTransactions(sender, { start: 0n })).map(({ transaction }) => transaction),
    ).toEqual(await get(`accounts/${sender}/transactions?start=0`));
    const block = (await get("blocks/by_height/2?with_transactions=true")) as Record<string, string>;
    const found = await node.block({ height: 2n, withTransactions: true });
    expect(found).toMatchObject({
      height: 2n,
      hash: block.block_hash,
      timestampUsec: BigInt(block.block_timestamp ?? ""),
      firstVersion: BigInt(block.first_version ?? ""),
      lastVersion: BigInt(block.last_version ?? ""),
    });
    expect(found?.transactions?.map(({ transaction }) => transaction)).toEqual(block.transactions);
    expect(await node.block({ version: found?.lastVersion })).toEqual({ ...found, transactions: undefined });
    expect(await node.block({ height: 99n })).toBeUndefined();
    await expect(node.block({})).rejects.toThrow("height, version: expected one of them");
    expect(await node.gasPrices()).toEqual({ deprioritized: 100n, market: 100n, prioritized: 150n });
  });

  it("return table items by their keys in JSON", async () => {
    const table = node.guide()?.tables[0];
    const handle = table?.handle ?? "";
    const [row] = (await get(`tables/${handle}/items?limit=1`)) as { key: string }[];
    expect(row).toBeDefined();
    const missing = { keyType: "u64", valueType: "u64", key: "987654321" };
    expect(await node.tableItem(handle, missing)).toBeUndefined();
  });

  it("are refused where the index is switched off, and after the node is closed", async () => {
    const other = await createNode({ localChain: { seed: "off" }, transactionIndex: false });
    await expect(other.transaction(`0x${"ab".repeat(32)}`)).rejects.toThrow("switched off");
    expect((await other.transaction(0n))?.version).toBe(0n);
    await other.close();
    await expect(other.transaction(0n)).rejects.toThrow();
  });
});
