// What in-process calls take: names of a local chain in the place of addresses, and options that exist. A refusal names the
// parameter.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ConfigError, createNode, type Node } from "../../src/index.ts";

const COIN = "0x1::aptos_coin::AptosCoin";

let node: Node;

beforeAll(async () => {
  node = await createNode({});
});

afterAll(() => node.close());

function addressOf(name: string): string {
  const found = node.guide()?.accounts.find((account) => account.name === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found.address;
}

async function listOf<T>(list: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of list) {
    all.push(one);
    // Watching goes on for ever.
    if (all.length === 3) break;
  }
  return all;
}

async function firstOf<T>(list: AsyncIterable<T>): Promise<T | undefined> {
  for await (const one of list) return one;
  return undefined;
}

describe("a name of the local chain", () => {
  const CALLS: readonly [string, (node: Node, account: string, asset: string) => Promise<unknown>][] = [
    ["balance", (one, account, asset) => one.balance(account, asset)],
    ["balances", (one, address, asset) => one.balances([{ address, asset }])],
    ["balanceDetail", (one, account, asset) => one.balanceDetail(account, asset)],
    ["balanceHistory", (one, account, asset) => listOf(one.balanceHistory(account, asset))],
    ["holdings", (one, account) => listOf(one.holdings(account))],
    ["account", (one, account) => one.account(account)],
    ["resource", (one, account) => one.resource(account, "0x1::account::Account")],
    ["resources", (one, account) => listOf(one.resources(account))],
    ["modules", (one, account) => listOf(one.modules(account))],
    ["accountTransactions", (one, account) => one.accountTransactions(account)],
    ["watchBalance", (one, account, asset) => firstOf(one.watchBalance(account, asset))],
  ];

  it.each(CALLS)("stands for its address: %s", async (_, call) => {
    expect(await call(node, "anna", "APT")).toEqual(await call(node, addressOf("anna"), COIN));
  });

  it("stands for its address where a test author changes the chain", async () => {
    const own = await createNode({});
    await own.fund("fay", 5n);
    expect(await own.balance("fay", "apt")).toBe(5n);
    await own.setBalance("Fay", "APT", 7n);
    expect(await own.balance(addressOf("fay"), COIN)).toBe(7n);
    const call = { function: "0x1::aptos_account::transfer", arguments: [addressOf("anna"), 1n] };
    expect((await own.impersonate("fay", call)).success).toBe(true);
    await own.close();
  });

  it("stands for the handle of a table", async () => {
    const [table] = node.guide()?.tables ?? [];
    if (table === undefined) throw new Error("the chain has no table");
    expect(await node.countTableItems(table.name)).toBe(await node.countTableItems(table.handle));
  });

  it("leads to the address itself", async () => {
    expect((await node.account("anna")).address).toBe(addressOf("anna"));
  });

  it("is no name of another ledger", async () => {
    const other = await createNode({ localChain: { seed: "another" } });
    expect((await other.account("anna")).address).not.toBe(addressOf("anna"));
    await other.close();
  });
});

/** Calls as JavaScript may make them. */
type Loose = { readonly [K in keyof Node]: (...args: unknown[]) => never };

describe("a refusal", () => {
  it.each<[string, (loose: Loose) => Promise<unknown>, string]>([
    [
      "a mistyped name",
      (one) => one.balance("ana", COIN),
      'address: expected 1 to 64 hex digits, with or without 0x, got "ana": "n" at position 1 is not a hex digit; the local chain has anna, basil, clio, dora, emil, fay, gus, hana, demo (did you mean anna?)',
    ],
    ["no text", (one) => one.balance(undefined, COIN), "address: expected a text, got undefined"],
    ["an asset", (one) => one.balance("0x1", "::"), "asset: expected a hex address or a struct tag"],
    ["a handle", (one) => one.rawItem("zz", "0x00"), "handle: expected"],
    ["a key", (one) => one.rawItem("0x1", "0x0"), "key: expected"],
    ["an account", (one) => one.account("zz"), "address: expected"],
    ["no account", (one) => one.account(), "address: expected a text, got undefined"],
    ["a resource type", (one) => one.resource("0x1", "zz"), "type: expected"],
    ["a module", (one) => one.module("0x1", "0"), "name: expected"],
    ["no module", (one) => one.module("0x1"), "name: expected a text, got undefined"],
    ["a key type", (one) => one.tableItem("0x1", { keyType: "u6", valueType: "u64", key: "1" }), "keyType: "],
    [
      "a version that is a number",
      (one) => one.transaction(3),
      "which: expected a bigint or a text, got number",
    ],
    ["a block", (one) => one.block({ height: "x" }), "height: expected"],
    ["a wait", (one) => one.waitForTransaction(`0x${"1".repeat(64)}`, { waitMs: "1s" }), "waitMs: expected"],
    ["an address to fund", (one) => one.fund("zz", 3n), "address: expected"],
    ["an asset to set", (one) => one.setBalance("0x1", "zz", 3n), "asset: expected"],
    ["no pairs", (one) => one.balances(3), "pairs: expected a list, got number"],
    ["no pair", (one) => one.balances([null]), "pairs[0]: expected an object, got null"],
    ["milliseconds", (one) => one.balance("0x1", COIN, { at: "1700000000000" }), "at: expected a time"],
  ])("names the parameter: %s", async (_, call, message) => {
    await expect(call(node as unknown as Loose)).rejects.toThrow(message);
  });

  it("names the parameter in the place of the answer of one of many", async () => {
    const { answers } = await node.balances([{ address: "zz", asset: COIN }]);
    expect(answers[0]).toBeInstanceOf(ConfigError);
    expect((answers[0] as ConfigError).message).toMatch(/^address: expected/);
  });

  it.each<[string, (loose: Loose) => Promise<unknown>, string]>([
    [
      "balance",
      (one) => one.balance("0x1", COIN, { ledgerVersoin: 3n }),
      "ledgerVersoin: there is no such option (did you mean ledgerVersion?)",
    ],
    ["balances", (one) => one.balances([], { version: 3n }), "version: there is no such option"],
    ["rawItem", (one) => one.rawItem("0x1", "0x00", { atTime: "" }), "atTime: there is no such option"],
    ["balanceDetail", (one) => one.balanceDetail("0x1", COIN, { x: 1 }), "x: there is no such option"],
    [
      "balanceHistory",
      (one) => firstOf(one.balanceHistory("0x1", COIN, { form: 3n })),
      "form: there is no such option (did you mean from?)",
    ],
    ["holdings", (one) => firstOf(one.holdings("0x1", { since: 3n })), "since: there is no such option"],
    ["tableItems", (one) => firstOf(one.tableItems("0x1", { limit: 3 })), "limit: there is no such option"],
    [
      "account",
      (one) => one.account("0x1", { ledger_version: 3n }),
      "ledger_version: there is no such option (did you mean ledgerVersion?)",
    ],
    ["resources", (one) => firstOf(one.resources("0x1", { limit: 3 })), "limit: there is no such option"],
    [
      "view",
      (one) => one.view({ function: "0x1::coin::name", typeArgs: [] }),
      "typeArgs: there is no such option",
    ],
    [
      "transactions",
      (one) => firstOf(one.transactions({ form: 3n })),
      "form: there is no such option (did you mean from?)",
    ],
    [
      "events",
      (one) => firstOf(one.events({ from: 0n, filter: { event_type: COIN } })),
      "event_type: there is no such option (did you mean eventType?)",
    ],
    [
      "block",
      (one) => one.block({ height: 0n, withTransaction: true }),
      "withTransaction: there is no such option (did you mean withTransactions?)",
    ],
    [
      "watchBalance",
      (one) => firstOf(one.watchBalance("0x1", COIN, { aftr: 3n })),
      "aftr: there is no such option (did you mean after?)",
    ],
    ["ledgerInfo", (one) => one.ledgerInfo({ ledgerVersion: 3n }), "ledgerVersion: there is no such option"],
    [
      "untilReady",
      (one) => one.untilReady({ sgnal: 3 }),
      "sgnal: there is no such option (did you mean signal?)",
    ],
    [
      "a bare version",
      (one) => one.balance("0x1", COIN, 3n),
      "options: expected an object, got a value of type bigint",
    ],
    ["null", (one) => firstOf(one.watchBlocks(null)), "options: expected an object, got null"],
    ["no query", (one) => one.view(), "query: expected an object"],
  ])("names an option that the call does not have: %s", async (_, call, message) => {
    await expect(call(node as unknown as Loose)).rejects.toThrow(message);
  });
});
