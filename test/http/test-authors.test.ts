// What authors of tests do with a local chain: accounts, balances, table items, modules, clock and snapshots. Every
// change is a transaction that a follower verifies.
import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { toPrefixedHex } from "../../src/base/hex.ts";
import { encodeWith } from "../../src/bcs/codec.ts";
import { u64 } from "../../src/bcs/scalars.ts";
import { demoModuleCode } from "../../src/chain/genesis.ts";
import { createKeypair, formatPrivateKey } from "../../src/chain/keys.ts";
import { chainSeed } from "../../src/chain/local-chain.ts";
import { formatAddressLong, parseAddress } from "../../src/move/address.ts";
import { addressCodec } from "../../src/move/wire.ts";
import { createNode, type Node, type NodeOptions } from "../../src/node.ts";
import { userTransactionCodec } from "../../src/transaction/user-transaction.ts";
import { EventReader } from "../support/event-client.ts";
import { signCall } from "../support/submitter.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const APT = "0x1::aptos_coin::AptosCoin";
const ALICE = createKeypair(chainSeed("authors"), "alice");
const ALICE_ADDRESS = formatAddressLong(ALICE.address);
const TABLE = `0x${"7a".repeat(32)}`;

async function start(options: NodeOptions = {}): Promise<Node> {
  const localChain = { traffic: false, seed: "authors", ...options.localChain };
  const node = await createNode({
    pruneWindow: "off",
    ...options,
    ...(options.follow ? {} : { localChain }),
  });
  onTestFinished(() => node.close());
  return node;
}

function accountOf(node: Node, name: string): { address: string; asset(symbol: string): string } {
  const found = node.guide()?.accounts.find((account) => account.name === name);
  if (found === undefined) throw new Error(`no account ${name}`);
  return {
    address: found.address,
    asset: (symbol) => found.assets.find((asset) => asset.symbol === symbol)?.asset ?? "",
  };
}

/** Follows a node to its head, which recomputes every hash and root; returns both waypoints. */
async function followed(node: Node): Promise<readonly [unknown, unknown]> {
  const { genesis_waypoint, waypoint, ledger_version } = await node.info();
  const follower = await start({
    follow: { upstreams: [node.url ?? ""], upstreamRate: 0, pollTimeMs: 5 },
    waypoint: `${genesis_waypoint}`,
  });
  const minLedgerVersion = BigInt(`${ledger_version}`);
  await until(async () => (await follower.ledgerInfo().catch(() => undefined)) !== undefined);
  await follower.ledgerInfo({ minLedgerVersion, waitMs: 30_000 });
  return [waypoint, (await follower.info()).waypoint];
}

/** The supply of the native coin in primary stores, by the view function. */
async function supplyOf(node: Node, metadata: string): Promise<bigint> {
  const response = await fetch(`${node.url}/view`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      function: "0x1::fungible_asset::supply",
      type_arguments: ["0x1::fungible_asset::Metadata"],
      arguments: [metadata],
    }),
  });
  const [supply] = (await response.json()) as [{ vec: [string] }];
  return BigInt(supply.vec[0]);
}

describe("changes", () => {
  it("accounts are there from the start, with keys that sign for them", async () => {
    const other = createKeypair(chainSeed("authors"), "other");
    const node = await start({
      accounts: [
        { key: formatPrivateKey(ALICE.privateKey), balances: { [APT]: 5_000_000_000n } },
        { address: "0xb0b", key: other.privateKey, balances: { [APT]: 7n } },
        { address: "0xcafe" },
      ],
      http: { port: 0 },
    });
    expect(await node.balance(ALICE_ADDRESS, APT)).toBe(5_000_000_000n);
    expect(await node.balance("0xb0b", APT)).toBe(7n);
    const read = async (address: string) => (await fetch(`${node.url}/accounts/${address}`)).json();
    expect(await read("0xb0b")).toEqual({
      sequence_number: "0",
      authentication_key: formatAddressLong(other.address),
    });
    expect(await read("0xcafe")).toMatchObject({
      authentication_key: formatAddressLong(parseAddress("0xcafe")),
    });

    const transaction = signCall(ALICE, {
      function: "aptos_account::transfer",
      args: [encodeWith(addressCodec, parseAddress("0xb0b")), encodeWith(u64, 1000n)],
    });
    await node.submit(encodeWith(userTransactionCodec, transaction));
    await node.mine();
    expect(await node.balance("0xb0b", APT)).toBe(1007n);
  });

  it("are verified by a follower, every one", async () => {
    const node = await start({
      accounts: [{ address: "0xb0b", balances: { [APT]: 7n } }],
      http: { port: 0 },
    });
    const anna = accountOf(node, "anna");
    const clio = accountOf(node, "clio");
    const demo = accountOf(node, "demo");
    const funded = await node.fund("0xb0b", 100n);
    expect(await node.balance("0xb0b", APT)).toBe(107n);
    expect(await node.balance("0xb0b", APT, { ledgerVersion: funded.version - 1n })).toBe(7n);
    await node.setBalance(anna.address, APT, 42n);
    await node.setBalance(clio.address, APT, 43n);
    await node.setBalance(clio.address, clio.asset("GOLD"), 0n);
    await node.setBalance("0xf00d", clio.asset("SHELL"), 9n);
    const put = await node.putTableItem(TABLE, "0x01", "0xabcd");
    await node.putTableItem(TABLE, Uint8Array.of(2), Uint8Array.of(1, 2, 3));
    await node.putTableItem(TABLE, "0x01", undefined);
    const module = demoModuleCode(parseAddress("0x5ca1e"));
    expect(await node.publish(module)).toMatchObject({ modules: ["0x5ca1e::demo"] });
    const { ledger_version: before } = await node.ledgerInfo();
    const later = await node.advanceTime(86_400_000);
    await node.mine(3);

    expect(await node.balance(anna.address, APT)).toBe(42n);
    expect((await node.balanceDetail(anna.address, APT)).coin).toMatchObject({ amount: "42" });
    expect(await node.balance(clio.address, clio.asset("GOLD"))).toBe(0n);
    expect(await node.balance("0xf00d", clio.asset("SHELL"))).toBe(9n);
    expect(await node.rawItem(TABLE, "0x01")).toBeUndefined();
    expect(await node.rawItem(TABLE, "0x01", { ledgerVersion: put.version })).toEqual(
      Uint8Array.of(0xab, 0xcd),
    );
    expect(await node.rawItem(TABLE, "0x02")).toEqual(Uint8Array.of(1, 2, 3));
    const served = await fetch(`${node.url}/accounts/0x5ca1e/module/demo`);
    expect((await served.json()) as object).toMatchObject({ bytecode: toPrefixedHex(module) });
    const stepUsec = BigInt(later.ledger_timestamp) - BigInt((await timeOf(node, BigInt(before))).toString());
    expect(stepUsec).toBe(86_400_000_000n);
    expect(demo.address).not.toBe("");
    const [here, there] = await followed(node);
    expect(here).toBeDefined();
    expect(there).toEqual(here);
  });

  it("change the supply by what they change balances by", async () => {
    const node = await start({ http: { port: 0 } });
    const shell = accountOf(node, "basil").asset("SHELL");
    const before = await supplyOf(node, shell);
    await node.setBalance("0xf00d", shell, 500n);
    await node.setBalance("0xf00d", shell, 200n);
    expect((await supplyOf(node, shell)) - before).toBe(200n);
    const native = await supplyOf(node, "0xa");
    await node.fund("0xf00d", 11n);
    await node.setBalance("0xf00d", APT, 1n);
    expect((await supplyOf(node, "0xa")) - native).toBe(1n);
  });

  it("are transactions that clients can read, and that a revert takes back", async () => {
    const node = await start({ http: { port: 0 } });
    const snapshot = await node.snapshot();
    const read = async (path: string) => {
      const response = await fetch(`${node.url}${path}`);
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    const { version, hash } = await node.setBalance("0xb0b", APT, 5n);
    const wanted = { type: "genesis_transaction", version: `${version}`, hash, success: true };
    expect((await read(`/transactions/by_hash/${hash}`)).body).toMatchObject(wanted);
    expect((await read(`/transactions/by_version/${version}`)).body).toMatchObject(wanted);
    const block = await read(`/blocks/by_version/${version}?with_transactions=true`);
    expect((block.body.transactions as unknown[])[1]).toMatchObject(wanted);
    await node.revert(snapshot);
    expect((await read(`/transactions/by_hash/${hash}`)).status).toBe(404);
    const other = await node.setBalance("0xcafe", APT, 6n);
    expect(other.version).toBe(version);
    expect((await read(`/transactions/by_version/${version}`)).body).toMatchObject({ hash: other.hash });
    expect((await read(`/transactions/by_hash/${hash}`)).status).toBe(404);
  });

  it("set an account back, whose next transactions begin again", async () => {
    const node = await start();
    const anna = accountOf(node, "anna").address;
    const type = "0x1::account::Account";
    const data = (await node.resource(anna, type))?.data as { readonly sequence_number: string };
    const call = { function: "0x1::aptos_account::transfer", arguments: ["0xb0b", 1n] };
    for (const back of [data, { ...data, sequence_number: "0" }]) {
      for (let i = 0; i < 2; i++) expect(await node.impersonate(anna, call)).toMatchObject({ success: true });
      await node.setResource(anna, type, back);
      expect(await node.resource(anna, type)).toMatchObject({ data: back });
    }
    expect(await node.impersonate(anna, call)).toMatchObject({ success: true });
    expect(await node.resource(anna, type)).toMatchObject({ data: { sequence_number: "1" } });
  });

  it("of the same kind made twice are two transactions", async () => {
    const node = await start();
    const first = await node.putTableItem(TABLE, "0x01", "0x05");
    const second = await node.putTableItem(TABLE, "0x01", "0x05");
    const third = await node.putTableItem(TABLE, "0x01", "0x05");
    expect(new Set([first.hash, second.hash, third.hash]).size).toBe(3);
    expect(third.version).toBeGreaterThan(second.version);
  });

  it.each<[string, (node: Node) => Promise<unknown>, string]>([
    ["an amount that is no bigint", (n) => n.setBalance("0x1", APT, 5 as never), "amount: expected a bigint"],
    ["an amount above u64", (n) => n.setBalance("0x1", APT, 1n << 64n), "amount: expected a bigint from 0"],
    [
      "an asset that is not there",
      (n) => n.setBalance("0x1", "0x1::no::Coin", 1n),
      "this ledger has no coin 0x1::no::Coin",
    ],
    ["metadata that is not there", (n) => n.setBalance("0x1", "0x77", 1n), "asset: balances of 0x77"],
    ["bytes that are no module", (n) => n.publish("0x0102"), "bytecode: expected that of a module"],
    [
      "an odd number of digits",
      (n) => n.putTableItem(TABLE, "0x01", "0x1"),
      "value: expected an even number of hex digits",
    ],
    ["a frozen store", (n) => n.fund(accountOf(n, "emil").address, 1n), "cannot fund"],
    ["a time in the past", (n) => n.setTime("2020-01-01T00:00:00Z"), "the chain's clock never goes back"],
    ["no time", (n) => n.advanceTime(0), "ms: expected a whole number from 1"],
    ["a time that is no time", (n) => n.setTime(true as never), "time: expected a Date, or "],
    ["no blocks", (n) => n.mine(0), "blocks: expected a whole number from 1"],
    [
      "a snapshot of nobody",
      (n) => n.revert({ version: 0n, timestampUsec: 0n, bytes: 0 }),
      "expected one that this node made",
    ],
  ])("that make no sense are refused, and nothing is committed: %s", async (_, change, message) => {
    const node = await start();
    await node.mine();
    const before = await node.ledgerInfo();
    await expect(change(node)).rejects.toThrow(message);
    const after = await node.ledgerInfo();
    // A funding that failed is in the ledger, as on the network.
    if (message !== "cannot fund") expect(after).toEqual(before);
    expect(BigInt((await node.mine()).ledger_version)).toBeGreaterThan(BigInt(after.ledger_version));
  });

  it("of accounts are refused with the name of the field", async () => {
    await expect(createNode({ accounts: [{}] })).rejects.toThrow("accounts[0]: expected an address or a key");
    await expect(createNode({ accounts: [{ key: "0x12" }] })).rejects.toThrow(
      "accounts[0].key: expected an Ed25519",
    );
    for (const [accounts, message] of [
      ["0x1", "accounts: expected a list of objects, got"],
      [[null], "accounts: expected a list of objects, got"],
      [[{ address: "zz" }], 'accounts[0].address: "z" at position 0'],
      [[{ address: "0x1", balances: null }], "accounts[0].balances: expected an object"],
      [[{ address: "0x1", balances: { foo: 1n } }], 'accounts[0].balances["foo"]: '],
    ] as const) {
      await expect(createNode({ accounts: accounts as never })).rejects.toThrow(message);
    }
    const balances = { [APT]: 1 as never };
    await expect(createNode({ accounts: [{ address: "0x1", balances }] })).rejects.toThrow(
      `accounts[0].balances["${APT}"]: expected a bigint`,
    );
    const follow = { upstreams: ["http://127.0.0.1:9"] };
    await expect(createNode({ accounts: [{ address: "0x1" }], follow })).rejects.toThrow(
      "accounts: expected a local chain",
    );
    const { privateKey } = generateKeyPairSync("ed25519");
    const der = privateKey.export({ format: "der", type: "pkcs8" });
    await expect(createNode({ accounts: [{ key: der }] })).rejects.not.toThrow(der.toString("hex"));
  });
});

async function timeOf(node: Node, version: bigint): Promise<bigint> {
  const answer = await node.balances([], { ledgerVersion: version });
  return answer.timestampUsec;
}

describe("a clock far in the future", () => {
  it("does not stop the faucet, nor calls of any account", async () => {
    const node = await start();
    await node.setTime("9999-12-31T00:00:00Z");
    await node.fund("0xa1", 5n);
    const call = { function: "0x1::aptos_account::transfer", arguments: ["0xa2", 2n] };
    expect(await node.impersonate("0xa1", call)).toMatchObject({ success: true });
    expect(await node.balance("0xa1", APT)).toBe(3n);
  });
});

const MOST = `${(1n << 64n) - 1n}`;

describe("a state that no next block can have", () => {
  it.each([
    ["no height", "0x1::block::BlockResource", undefined],
    ["another height", "0x1::block::BlockResource", { height: "7000" }],
    ["the last height", "0x1::block::BlockResource", { height: MOST }],
    ["another epoch", "0x1::reconfiguration::Configuration", { epoch: "7000" }],
  ])(
    "such as one with %s does not end the node, which makes blocks again once it is taken back",
    async (_, type, change) => {
      const node = await start({ localChain: { blockTimeMs: 5 } });
      const faults: Error[] = [];
      void node.faulted.then((error) => faults.push(error));
      await node.mine(2);
      const snapshot = await node.snapshot();
      const data = change && { ...((await node.resource("0x1", type))?.data as object), ...change };
      await node.setResource("0x1", type, data);
      await expect(node.mine()).rejects.toMatchObject({ code: "unavailable" });
      await until(async () => (await node.unreadyReason()) !== undefined);
      await node.revert(snapshot);
      await until(async () => (await node.unreadyReason()) === undefined);
      await node.fund("0xb0b", 5n);
      expect(faults).toEqual([]);
    },
  );
});

describe("snapshots", () => {
  it("put everything back: state, index, history, root, clock and transactions that wait", async () => {
    const options = { accounts: [{ key: ALICE.privateKey, balances: { [APT]: 5_000_000_000n } }] };
    const node = await start({ ...options, http: { port: 0 } });
    await node.mine(2);
    const transaction = signCall(ALICE, {
      function: "aptos_account::transfer",
      args: [encodeWith(addressCodec, parseAddress("0xb0b")), encodeWith(u64, 1000n)],
    });
    await node.submit(encodeWith(userTransactionCodec, transaction));
    const head = await node.ledgerInfo();
    const snapshot = await node.snapshot();
    expect(snapshot.version).toBe(BigInt(head.ledger_version));

    const info = async () => {
      const { waypoint } = await node.info();
      return { head: await node.ledgerInfo(), waypoint };
    };
    const before = await info();
    const play = async (): Promise<unknown> => {
      await node.mine();
      await node.putTableItem(TABLE, "0x01", "0x05");
      await node.advanceTime(3_600_000);
      await node.mine();
      return info();
    };
    const first = await play();
    expect(await node.balance("0xb0b", APT)).toBe(1000n);
    await node.fund("0xb0b", 5n);

    expect(await node.revert(snapshot)).toEqual(head);
    expect(await info()).toEqual(before);
    expect(await node.balance("0xb0b", APT)).toBe(0n);
    expect(await node.rawItem(TABLE, "0x01")).toBeUndefined();
    expect(await node.countTableItems(TABLE)).toBe(0n);
    await expect(node.balance("0xb0b", APT, { ledgerVersion: snapshot.version + 1n })).rejects.toThrow();

    // The same steps give the same ledger, down to the root, with the transaction that waited.
    expect(await play()).toEqual(first);
    expect(await node.balance("0xb0b", APT)).toBe(1000n);

    await node.revert(snapshot);
    await node.setBalance("0xb0b", APT, 3n);
    expect(await node.balance("0xb0b", APT)).toBe(3n);
    const [here, there] = await followed(node);
    expect(there).toEqual(here);
  });

  it("can be reverted to after pruning removed their history", async () => {
    const node = await start({ pruneWindow: "1h" });
    await node.mine(3);
    const snapshot = await node.snapshot();
    await node.advanceTime(86_400_000);
    await node.mine(2);
    await until(async () => BigInt((await node.ledgerInfo()).oldest_ledger_version) > snapshot.version);
    await node.revert(snapshot);
    const { ledger_version, oldest_ledger_version } = await node.ledgerInfo();
    expect([ledger_version, oldest_ledger_version]).toEqual([snapshot.version, 0n]);
    await node.mine(3);
  });

  it("tell watchers the state again", async () => {
    const node = await start();
    const snapshot = await node.snapshot();
    const told: [bigint, bigint][] = [];
    const signal = new AbortController();
    const watching = (async () => {
      for await (const { version, balance } of node.watchBalance("0xb0b", APT, { signal: signal.signal })) {
        told.push([version, balance]);
      }
    })();
    await until(() => told.length === 1);
    const first = await node.fund("0xb0b", 10n);
    await until(() => told.length === 2);
    await node.revert(snapshot);
    await until(() => told.length === 3);
    const second = await node.setBalance("0xb0b", APT, 4n);
    await until(() => told.length === 4);
    signal.abort();
    await watching;
    expect(told).toEqual([
      [snapshot.version, 0n],
      [first.version, 10n],
      [snapshot.version, 0n],
      [second.version, 4n],
    ]);
  });

  it("end streams, and tell clients that come back of the gap", async () => {
    const node = await start({ http: { port: 0 } });
    const snapshot = await node.snapshot();
    const stream = await EventReader.open(`${node.url}/blocks/stream`);
    await node.mine(2);
    await until(() => stream.events.length === 3);
    await node.revert(snapshot);
    await until(() => stream.isOver);
    const last = stream.events[2]?.id ?? "";
    // As many versions again, with another history.
    await node.advanceTime(60_000);
    await node.mine(3);
    const { ledger_version: head } = await node.ledgerInfo();
    const again = await fetch(`${node.url}/blocks/stream`, { headers: { "Last-Event-ID": last } });
    const reader = again.body?.getReader();
    let got = "";
    while (!got.includes("event: block")) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) break;
      got += Buffer.from(value ?? []).toString();
    }
    await reader?.cancel();
    expect(got).toContain("event: gap");
    expect(got).toContain("the ledger went back");
    expect(got).toContain(`"last_version":"${head}"`);
  });

  it("refuse the next page of a list that was begun before", async () => {
    const node = await start({ http: { port: 0 } });
    await node.fund("0xb0b", 10n);
    await node.fund("0xb0b", 20n);
    const snapshot = await node.snapshot();
    await node.fund("0xb0b", 30n);
    const lists = ["0x1/resources?limit=1", "0x1/modules?limit=1", `0xb0b/balance/${APT}/history?limit=2`];
    const urls = lists.map((list) => `${node.url}/accounts/${list}`);
    const next: string[] = [];
    for (const url of urls) {
      const page = await fetch(url);
      next.push(`${url}&start=${page.headers.get("x-node-cursor")}`);
    }
    const statuses = async () => Promise.all(next.map(async (url) => (await fetch(url)).status));
    expect(await statuses()).toEqual([200, 200, 200]);
    await node.revert(snapshot);
    await node.advanceTime(60_000);
    await node.fund("0xb0b", 40n);
    await node.mine(3);
    expect(await statuses()).toEqual([404, 404, 404]);
    const refused = await fetch(next[0] ?? "");
    expect(await refused.json()).toMatchObject({
      error_code: "version_not_found",
      message: expect.stringContaining("the ledger went back"),
    });
  });

  it("wake waiting reads only for versions of the ledger as it is now", async () => {
    const node = await start();
    const snapshot = await node.snapshot();
    const { ledger_version } = await node.mine(2);
    await node.revert(snapshot);
    const minLedgerVersion = BigInt(ledger_version);
    await expect(node.balance("0xb0b", APT, { minLedgerVersion, waitMs: 50 })).rejects.toMatchObject({
      code: "behind",
    });
    const waiting = node.balance("0xb0b", APT, { minLedgerVersion, waitMs: 30_000 });
    await node.mine(2);
    expect(await waiting).toBe(0n);
  });

  it("are for chains in memory", async () => {
    const node = await start();
    const other = await start({ localChain: { seed: "other" } });
    await expect(other.revert(await node.snapshot())).rejects.toThrow("expected one that this node made");
    const onDisk = await start({ data: temporaryFolder() });
    await expect(onDisk.snapshot()).rejects.toThrow("keeps its ledger in memory");
    // The rest is for every local chain.
    await onDisk.putTableItem(TABLE, "0x01", "0x05");
    expect(await onDisk.rawItem(TABLE, "0x01")).toEqual(Uint8Array.of(5));
  });
});

describe("the clock", () => {
  it("goes on from a time that was set, also on a chain that follows the wall clock", async () => {
    const node = await start({ localChain: { blockTimeMs: 86_400_000 } });
    const inTenYears = new Date(Date.now() + 10 * 365 * 86_400_000);
    const at = await node.setTime(inTenYears);
    expect(BigInt(at.ledger_timestamp)).toBe(BigInt(inTenYears.getTime()) * 1000n);
    const next = BigInt((await node.mine()).ledger_timestamp) - BigInt(at.ledger_timestamp);
    // The wall clock's own pace since, not ten years back or one step on.
    expect(next).toBeGreaterThan(0n);
    expect(next).toBeLessThan(86_400_000_000n);
    await expect(node.setTime(new Date())).rejects.toThrow("never goes back");
  });
});

describe("a block on submission", () => {
  it("is made without a timer", async () => {
    const node = await start({
      accounts: [{ key: ALICE.privateKey, balances: { [APT]: 5_000_000_000n } }],
      localChain: { blockOnSubmit: true },
    });
    const version = BigInt((await node.ledgerInfo()).ledger_version);
    const transaction = signCall(ALICE, {
      function: "aptos_account::transfer",
      args: [encodeWith(addressCodec, parseAddress("0xb0b")), encodeWith(u64, 1000n)],
    });
    await node.submit(encodeWith(userTransactionCodec, transaction));
    await node.ledgerInfo({ minLedgerVersion: version + 1n, waitMs: 30_000 });
    expect(await node.balance("0xb0b", APT)).toBe(1000n);
  });
});
