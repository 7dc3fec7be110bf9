// A fork of a network that another node serves: its state at one version, local blocks on top.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { toPrefixedHex } from "../../src/base/hex.ts";
import { encodeWith } from "../../src/bcs/codec.ts";
import { u64 } from "../../src/bcs/scalars.ts";
import { createKeypair } from "../../src/chain/keys.ts";
import { chainSeed, createLocalChain } from "../../src/chain/local-chain.ts";
import { pairedMetadata, primaryStoreAddress } from "../../src/ledger/balances/asset.ts";
import { decodePage } from "../../src/ledger/formats/record.ts";
import { formatAddress, parseAddress } from "../../src/move/address.ts";
import { parseStructTag } from "../../src/move/type-text.ts";
import { addressCodec } from "../../src/move/wire.ts";
import { createNode, type Node, type NodeOptions } from "../../src/node.ts";
import { userTransactionCodec } from "../../src/transaction/user-transaction.ts";
import { signCall } from "../support/submitter.ts";
import { until } from "../support/until.ts";

const APT = "0x1::aptos_coin::AptosCoin";
const SEED = "fork origin";
const guide = createLocalChain({ seed: SEED }).guide();

function newDirectory(): string {
  return mkdtempSync(join(tmpdir(), "fork-test-"));
}

/** A node that ends with the test. */
async function startNode(options: NodeOptions): Promise<Node> {
  const node = await createNode(options);
  onTestFinished(() => node.close());
  return node;
}

async function startOrigin(blocks = 12): Promise<Node> {
  const node = await startNode({ localChain: { seed: SEED }, pruneWindow: "off", http: { port: 0 } });
  await node.mine(blocks);
  return node;
}

const headOf = async (node: Node): Promise<bigint> => BigInt((await node.ledgerInfo()).ledger_version);

/** Every balance of the demo accounts, by account and asset. */
async function balancesOf(node: Node, ledgerVersion?: bigint): Promise<Map<string, bigint>> {
  const balances = new Map<string, bigint>();
  for (const { name, address, assets } of guide.accounts) {
    for (const { asset, symbol } of assets) {
      balances.set(`${name} ${symbol}`, await node.balance(address, asset, { ledgerVersion }));
    }
  }
  return balances;
}

async function itemsOf(node: Node, ledgerVersion?: bigint): Promise<(string | undefined)[]> {
  const items: (string | undefined)[] = [];
  for (const { handle, keys } of guide.tables) {
    for (const { key } of keys) {
      const item = await node.rawItem(handle, key, { ledgerVersion });
      items.push(item && toPrefixedHex(item));
    }
  }
  return items;
}

describe("a fork", () => {
  it("has the network's state at the fork version, although the network goes on", async () => {
    const origin = await startOrigin();
    const at = await headOf(origin);
    const fork = await startNode({ fork: { url: origin.url ?? "", upstreamRate: 0 } });
    expect(await headOf(fork)).toBe(at);
    // Nothing was read yet: the fork and the network are both at other versions by now.
    await origin.mine(10);
    await fork.mine(3);
    const expected = await balancesOf(origin, at);
    expect(expected.size).toBeGreaterThan(5);
    expect(await balancesOf(fork)).toEqual(expected);
    expect(await balancesOf(fork, at)).toEqual(expected);
    expect(await balancesOf(origin)).not.toEqual(expected);
    expect(await itemsOf(fork)).toEqual(await itemsOf(origin, at));
    await fork.mine();
    expect(await headOf(fork)).toBeGreaterThan(at);
    expect(await balancesOf(fork)).toEqual(expected);
    expect(await itemsOf(fork)).toEqual(await itemsOf(origin, at));
  });

  it("changes only the accounts that a submitted transaction touches, and pays with the network's own rules", async () => {
    const origin = await startOrigin();
    const fork = await startNode({ fork: { url: origin.url ?? "", upstreamRate: 0 }, pruneWindow: "off" });
    const before = await balancesOf(fork);
    const sender = createKeypair(chainSeed(SEED), "traveller");
    const owner = formatAddress(sender.address);
    expect(await fork.balance(owner, APT)).toBe(0n);
    await fork.fund(owner, 1_000_000_000n);
    await fork.mine();
    expect(await fork.balance(owner, APT)).toBe(1_000_000_000n);
    const [target] = guide.accounts;
    const to = target?.address ?? "";
    const call = {
      function: "aptos_account::transfer",
      args: [encodeWith(addressCodec, parseAddress(to)), encodeWith(u64, 12_345n)],
    };
    const hash = await fork.submit(encodeWith(userTransactionCodec, signCall(sender, call)));
    expect(hash).toMatch(/^0x[0-9a-f]{64}$/);
    await fork.mine();
    const after = await balancesOf(fork);
    const touched = [...after].filter(([name, amount]) => amount !== before.get(name));
    expect(touched).toEqual([[`${target?.name} APT`, (before.get(`${target?.name} APT`) ?? 0n) + 12_345n]]);
    const left = await fork.balance(owner, APT);
    expect(left).toBeLessThan(1_000_000_000n - 12_345n);
    const changes: (readonly [bigint, bigint])[] = [];
    for await (const { before: held, after: holds } of fork.balanceHistory(to, APT))
      changes.push([held, holds]);
    expect(changes.at(-1)).toEqual([before.get(`${target?.name} APT`), after.get(`${target?.name} APT`)]);
    // The network knows nothing of it.
    expect(await origin.balance(owner, APT)).toBe(0n);
  });

  it("answers below the fork with what the network says of that version", async () => {
    const origin = await startOrigin();
    const fork = await startNode({ fork: { url: origin.url ?? "", upstreamRate: 0 }, http: { port: 0 } });
    const at = await headOf(fork);
    await fork.mine(2);
    for (const version of [0n, at / 3n, at - 1n]) {
      expect(await balancesOf(fork, version)).toEqual(await balancesOf(origin, version));
      expect(await itemsOf(fork, version)).toEqual(await itemsOf(origin, version));
      const records = `/transactions?start=${version}&limit=${at - version < 3n ? at - version + 1n : 3n}`;
      const headers = { accept: "application/x-bcs" };
      const [theirs, ours] = await Promise.all(
        [origin, fork].map(async ({ url }) => (await fetch(`${url}${records}`, { headers })).arrayBuffer()),
      );
      expect(Buffer.from(ours ?? new ArrayBuffer(0)).equals(Buffer.from(theirs ?? new ArrayBuffer(1)))).toBe(
        true,
      );
      const batch = { queries: [{ address: "0xa", asset_type: APT }], ledger_version: `${version}` };
      const answers = await Promise.all(
        [origin, fork].map(async ({ url }) => {
          const response = await fetch(`${url}/balances`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(batch),
          });
          return { status: response.status, body: await response.text() };
        }),
      );
      expect(answers[1]).toEqual(answers[0]);
      expect(answers[1]?.status).toBe(200);
    }
  });

  it("answers questions about the network's blocks and transactions, and its own", async () => {
    const origin = await startOrigin();
    const at = await headOf(origin);
    const fork = await startNode({ fork: { url: origin.url ?? "", upstreamRate: 0 }, http: { port: 0 } });
    await fork.fund("0xb0b", 5n);
    await origin.mine(3);
    const ask = async ({ url }: Node, path: string): Promise<{ status: number; body: unknown }> => {
      const response = await fetch(`${url}${path}`);
      return { status: response.status, body: await response.json() };
    };
    const height = BigInt((await fork.ledgerInfo()).block_height);
    for (const path of [
      ...[0n, 1n, at / 2n, at - 1n, at].map((version) => `/transactions/by_version/${version}`),
      ...[0n, 3n, 7n].map((old) => `/blocks/by_height/${old}?with_transactions=true`),
      ...[0n, 5n, at / 2n, at].map((version) => `/blocks/by_version/${version}`),
    ]) {
      const theirs = await ask(origin, path);
      expect(theirs.status).toBe(200);
      expect(await ask(fork, path)).toEqual(theirs);
    }
    const [one, two] = [`/blocks/by_height/${height}`, `/transactions/by_version/${at + 1n}`];
    expect((await ask(fork, one)).status).toBe(200);
    expect(await ask(fork, one)).not.toEqual(await ask(origin, one));
    expect(await ask(fork, two)).not.toEqual(await ask(origin, two));
    const spanning = (await ask(fork, `/transactions?start=${at - 9n}&limit=11`)).body;
    const [below, above] = [
      `/transactions?start=${at - 9n}&limit=10`,
      `/transactions?start=${at + 1n}&limit=1`,
    ];
    const parts = [await ask(origin, below), await ask(fork, above)];
    expect(spanning).toEqual(parts.flatMap(({ body }) => body));
    // The network's later blocks are not the fork's.
    expect((await ask(fork, `/blocks/by_height/${height + 1n}`)).status).toBe(404);
    // A time in the network's history.
    const block = (await ask(origin, `/blocks/by_version/${at / 2n}`)).body as { block_timestamp: string };
    const seconds = BigInt(block.block_timestamp) / 1_000_000n;
    const old = `/accounts/${guide.accounts[0]?.address}/balance/${APT}?at=${seconds}`;
    expect(await ask(fork, old)).toEqual(await ask(origin, old));
  });

  it("says of every answer that it is forked, and what it rests on", async () => {
    const origin = await startOrigin();
    const at = await headOf(origin);
    const fork = await startNode({
      fork: { url: origin.url ?? "", upstreamRate: 0 },
      http: { port: 0, headerBrands: ["NODE", "APTOS"] },
    });
    await fork.mine();
    const label = `forked at ${at} from ${origin.url}`;
    const levelAt = async (query: string): Promise<string | null> => {
      const { headers, status } = await fetch(`${fork.url}/accounts/0xa/balance/${APT}${query}`);
      expect(status).toBe(200);
      expect(headers.get("x-node-fork")).toBe(label);
      expect(headers.get("x-aptos-fork")).toBe(label);
      return headers.get("x-node-trust");
    };
    expect(await levelAt("")).toBe("forked");
    expect(await levelAt(`?ledger_version=${at + 1n}`)).toBe("forked");
    expect(await levelAt(`?ledger_version=${at}`)).toBe("trusted");
    expect(await levelAt(`?ledger_version=${at - 3n}`)).toBe("trusted");
    expect((await fetch(`${fork.url}/nothing`)).headers.get("x-node-fork")).toBeNull();
    const info = await fork.info();
    expect(info).toMatchObject({
      sync_mode: "fork",
      fork: label,
      fork_version: at,
      fork_url: origin.url,
      trust_level: "forked",
      weakest_trust_level: "forked",
    });
    // A root would be a claim about state that is not here.
    expect(info.waypoint).toBeUndefined();
    expect(info.genesis_waypoint).toBeUndefined();
    expect((await origin.info()).fork).toBeUndefined();
    expect(BigInt((await fork.ledgerInfo()).chain_id)).toBe(4n);
  });

  it("lists the resources and modules of an account: the network's, with local changes over them", async () => {
    const origin = await startOrigin();
    const at = await headOf(origin);
    const fork = await startNode({ fork: { url: origin.url ?? "", upstreamRate: 0 }, http: { port: 0 } });
    await origin.mine(4);
    const list = async ({ url }: Node, path: string): Promise<Record<string, unknown>[]> => {
      const response = await fetch(`${url}/accounts/${path}`);
      if (response.status === 404) return [{ status: 404 }];
      expect(response.status).toBe(200);
      const rows = (await response.json()) as Record<string, unknown>[];
      return rows.sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
    };
    for (const { address } of [...guide.accounts, { address: "0x1" }, { address: "0xa" }]) {
      for (const kind of ["resources", "modules"]) {
        const theirs = await list(origin, `${address}/${kind}?ledger_version=${at}`);
        expect(await list(fork, `${address}/${kind}`)).toEqual(theirs);
        expect(await list(fork, `${address}/${kind}?ledger_version=${at}`)).toEqual(theirs);
        const old = `${address}/${kind}?ledger_version=${at / 2n}`;
        expect(await list(fork, old)).toEqual(await list(origin, old));
      }
    }
    expect(await list(fork, "0x1/modules")).not.toEqual([]);
    const [target] = guide.accounts;
    const path = `${target?.address}/resources`;
    const before = await list(fork, path);
    await fork.fund(target?.address ?? "", 7n);
    await fork.mine();
    const after = await list(fork, path);
    expect(after.map(({ type }) => type)).toEqual(before.map(({ type }) => type));
    expect(after).not.toEqual(before);
    // An account that only the fork has.
    await fork.fund("0xb0b", 7n);
    await fork.mine();
    const store = primaryStoreAddress(parseAddress("0xb0b"), pairedMetadata(parseStructTag(APT)));
    const types = (await list(fork, `${formatAddress(store)}/resources`)).map(({ type }) => type);
    expect(types).toContain("0x1::fungible_asset::FungibleStore");
    expect((await fetch(`${fork.url}/accounts/${target?.address}/balances`)).status).toBe(403);
  });

  it("answers at the fork version after its own pruner removed it", async () => {
    const origin = await startOrigin();
    const url = origin.url ?? "";
    const at = await headOf(origin);
    const fork = await startNode({ fork: { url, upstreamRate: 0 }, pruneWindow: "3", http: { port: 0 } });
    const expected = await balancesOf(origin, at);
    await fork.fund(guide.accounts[0]?.address ?? "", 9n);
    await fork.mine(5);
    await until(async () => BigInt((await fork.ledgerInfo()).oldest_ledger_version) > at + 3n);
    const { trust_ranges, oldest_ledger_version, ledger_version } = await fork.info();
    expect(trust_ranges).toEqual([
      { first_version: oldest_ledger_version, last_version: ledger_version, level: "forked" },
    ]);
    expect(await balancesOf(fork, at)).toEqual(expected);
    expect(await balancesOf(fork, at - 1n)).toEqual(await balancesOf(origin, at - 1n));
    expect((await balancesOf(fork)).get("anna APT")).toBe((expected.get("anna APT") ?? 0n) + 9n);
    const gone = await fetch(`${fork.url}/accounts/0xa/balance/${APT}?ledger_version=${at + 1n}`);
    expect(gone.status).toBe(410);
  });

  it("lets its owner act as any account, which over HTTP needs a signature", async () => {
    const origin = await startOrigin();
    const fork = await startNode({
      fork: { url: origin.url ?? "", upstreamRate: 0 },
      accounts: [{ address: "0xcafe", balances: { [APT]: 3n } }],
      http: { port: 0 },
    });
    expect(await fork.balance("0xcafe", APT)).toBe(3n);
    const [whale] = guide.accounts;
    const owner = whale?.address ?? "";
    const held = await fork.balance(owner, APT);
    const call = { function: "0x1::aptos_account::transfer", arguments: ["0xb0b", held] };
    const done = await fork.impersonate(owner, call);
    expect(done).toMatchObject({ success: true, vmStatus: "Executed successfully" });
    expect(done.hash).toMatch(/^0x[0-9a-f]{64}$/);
    expect(await fork.balance(owner, APT)).toBe(0n);
    expect(await fork.balance("0xb0b", APT)).toBe(held);
    expect(await fork.impersonate(owner, call)).toMatchObject({ success: false });
    expect(await fork.balance("0xb0b", APT)).toBe(held);
    await expect(fork.impersonate(owner, { function: "0x1::coin::nothing" })).rejects.toThrow();
    await expect(
      fork.impersonate(owner, { function: "0x1::code::publish_package_txn", arguments: ["0x", []] }),
    ).rejects.toThrow("not modelled here");
    const unsigned = {
      sender: owner,
      sequence_number: "0",
      max_gas_amount: "2000",
      gas_unit_price: "100",
      expiration_timestamp_secs: "4000000000",
      payload: {
        type: "entry_function_payload",
        function: call.function,
        type_arguments: [],
        arguments: ["0xb0b", "1"],
      },
      signature: { type: "no_account_signature" },
    };
    const response = await fetch(`${fork.url}/transactions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(unsigned),
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("INVALID_SIGNATURE");
    expect(await origin.balance(owner, APT)).not.toBe(0n);
  });

  it("dumps what it added, and another fork of that version loads it", async () => {
    const origin = await startOrigin();
    const version = await headOf(origin);
    const options = { fork: { url: origin.url ?? "", version, upstreamRate: 0 } };
    const fork = await startNode(options);
    const [account] = guide.accounts;
    await fork.setBalance(account?.address ?? "", APT, 42n);
    const called = { function: "0x1::aptos_account::transfer", arguments: ["0xb0b", 7n] };
    await fork.impersonate(guide.accounts[2]?.address ?? "", called);
    const state = await fork.dumpState();
    await origin.mine(2);
    const other = await startNode(options);
    await other.mine(3);
    expect((await other.loadState(state)).ledger_version).toBe(await headOf(fork));
    expect(await other.balance("0xb0b", APT)).toBe(7n);
    expect(await balancesOf(other)).toEqual(await balancesOf(fork));
    expect(await itemsOf(other)).toEqual(await itemsOf(fork));
    expect(await other.dumpState()).toEqual(state);
    await other.mine();
    const later = await startNode({ fork: { url: origin.url ?? "", upstreamRate: 0 } });
    const before = await later.ledgerInfo();
    await expect(later.loadState(state)).rejects.toThrow("state: ");
    await expect(later.loadState(await origin.dumpState())).rejects.toThrow("another genesis");
    expect(await later.ledgerInfo()).toEqual(before);
  });

  it("lets its owner set balances, resources and table items, and go back to a snapshot", async () => {
    const origin = await startOrigin();
    const fork = await startNode({ fork: { url: origin.url ?? "", upstreamRate: 0 } });
    const before = { balances: await balancesOf(fork), items: await itemsOf(fork) };
    const snapshot = await fork.snapshot();
    const [account, other] = guide.accounts;
    const [table] = guide.tables;
    await fork.setBalance(account?.address ?? "", APT, 42n);
    const stored = `0x1::coin::CoinStore<${APT}>`;
    const { data } = (await fork.resource(account?.address ?? "", stored)) ?? {};
    await fork.setResource(account?.address ?? "", stored, { ...(data as object), coin: { value: 43n } });
    await fork.putTableItem(table?.handle ?? "", table?.keys[0]?.key ?? "", "0x0102");
    await fork.putTableItem(table?.handle ?? "", table?.keys[1]?.key ?? "", undefined);
    expect(await fork.balance(account?.address ?? "", APT)).toBe(43n);
    expect(await fork.balance(other?.address ?? "", APT)).toBe(
      before.balances.get(`${other?.name} APT`) ?? 0n,
    );
    const items = await itemsOf(fork);
    expect(items.slice(0, 2)).toEqual(["0x0102", undefined]);
    expect(items.slice(2)).toEqual(before.items.slice(2));
    await fork.revert(snapshot);
    expect({ balances: await balancesOf(fork), items: await itemsOf(fork) }).toEqual(before);
    await fork.mine();
    expect({ balances: await balancesOf(fork), items: await itemsOf(fork) }).toEqual(before);
  });

  it("claims no root: nobody can verify it, and a follower that takes its word says so", async () => {
    const origin = await startOrigin();
    // The origin's blocks are of 2024, which a window by time prunes.
    const fork = await startNode({
      fork: { url: origin.url ?? "", upstreamRate: 0 },
      pruneWindow: "off",
      http: { port: 0 },
    });
    const at = await headOf(fork);
    await fork.fund("0xb0b", 5n);
    const head = await headOf(fork);
    const made = await fetch(`${fork.url}/transactions/by_version/${head}`);
    expect(await made.json()).toMatchObject({
      accumulator_root_hash: `0x${"0".repeat(64)}`,
      state_checkpoint_hash: `0x${"0".repeat(64)}`,
    });
    const proof = await fetch(`${fork.url}/accounts/0xb0b/balance/${APT}/proof?ledger_version=${head}`);
    expect(proof.status).not.toBe(200);
    // From genesis on, its records do not verify beyond the fork.
    const strict = await startNode({
      follow: { upstreams: [fork.url ?? ""], upstreamRate: 0, pollTimeMs: 20 },
      genesis: createLocalChain({ seed: SEED }).genesisBlob(),
    });
    await until(async () => (await strict.info()).upstreams?.some(({ state }) => state === "set_aside"));
    expect(await headOf(strict)).toBeLessThanOrEqual(at);
    const trusting = await startNode({
      follow: { upstreams: [fork.url ?? ""], upstreamRate: 0, pollTimeMs: 20, startVersion: `${head}` },
    });
    await trusting.untilReady();
    expect(await trusting.balance("0xb0b", APT)).toBe(5n);
    expect((await trusting.info()).trust_level).toBe("trusted");
    // A fork of a fork.
    const second = await startNode({ fork: { url: fork.url ?? "", upstreamRate: 0 } });
    expect(await second.balance("0xb0b", APT)).toBe(5n);
    expect(await balancesOf(second)).toEqual(await balancesOf(fork));
    expect(await balancesOf(second, at - 2n)).toEqual(await balancesOf(origin, at - 2n));
  });

  it("tells its histories apart, although its records show no root", async () => {
    const origin = await startOrigin();
    const fork = await startNode({
      fork: { url: origin.url ?? "", upstreamRate: 0 },
      pruneWindow: "off",
      http: { port: 0 },
    });
    const cursorsOf = async (options: Parameters<Node["transactions"]>[0]): Promise<string[]> => {
      const found: string[] = [];
      for await (const { cursor } of fork.transactions(options)) found.push(cursor);
      return found;
    };
    const at = await headOf(fork);
    const atFork = await cursorsOf({ from: at, to: at });
    const snapshot = await fork.snapshot();
    await fork.fund("0xb0b", 5n);
    const head = await headOf(fork);
    const [after] = await cursorsOf({ from: head, to: head });
    const state = await fork.dumpState();
    const headers = { accept: "application/x-bcs", "last-event-id": after ?? "" };
    const page = await fetch(`${fork.url}/transactions?start=${head}`, { headers });
    const [record] = decodePage(new Uint8Array(await page.arrayBuffer()));
    expect(record?.accumulatorRoot).toEqual(new Uint8Array(32));
    await fork.revert(snapshot);
    await fork.fund("0xb0b", 6n);
    await fork.mine(2);
    expect(await cursorsOf({ from: at, to: at })).toEqual(atFork);
    await expect(cursorsOf({ after, to: head })).rejects.toThrow("another one now");
    const stream = await fetch(`${fork.url}/blocks/stream`, {
      headers: { ...headers, accept: "text/event-stream" },
    });
    const { value } = (await stream.body?.getReader().read()) ?? {};
    expect(Buffer.from(value ?? []).toString()).toContain("event: gap");
    await fork.loadState(state);
    expect(await cursorsOf({ after, to: head })).toEqual([]);
  });

  it("goes on with its time from the fork on", async () => {
    const origin = await startOrigin();
    const forkOptions = { url: origin.url ?? "", upstreamRate: 0 };
    const fork = await startNode({ fork: forkOptions, localChain: { seed: SEED } });
    const [before] = [await fork.ledgerInfo()];
    const after = await fork.mine();
    expect(BigInt(after.ledger_timestamp)).toBe(BigInt(before.ledger_timestamp) + 1_000_000n);
    const onWallClock = await startNode({ fork: forkOptions });
    const startMs = Date.now();
    expect(BigInt((await onWallClock.mine()).ledger_timestamp)).toBeGreaterThanOrEqual(
      BigInt(startMs) * 1000n,
    );
    expect(BigInt(after.block_height)).toBe(BigInt(before.block_height) + 1n);
    expect(after.epoch).toBe(before.epoch);
  });

  it("forks at a version inside a block", async () => {
    const origin = await startOrigin();
    const head = await headOf(origin);
    for (const version of [head - 1n, head - 2n, head - 3n, 1n, 0n]) {
      const fork = await startNode({ fork: { url: origin.url ?? "", version, upstreamRate: 0 } });
      expect(await headOf(fork)).toBe(version);
      const expected = await balancesOf(origin, version);
      expect(await balancesOf(fork)).toEqual(expected);
      await fork.mine(2);
      expect(await balancesOf(fork)).toEqual(expected);
      expect(await balancesOf(fork, version)).toEqual(expected);
    }
  });
});

describe("a fork with a data directory", () => {
  it("goes on where it was, and refuses another network, another version and another kind of ledger", async () => {
    const origin = await startOrigin();
    const url = origin.url ?? "";
    const data = newDirectory();
    const at = await headOf(origin);
    const first = await createNode({ data, fork: { url } });
    await first.fund("0xb0b", 5n);
    await first.mine();
    const expected = await balancesOf(first);
    const head = await headOf(first);
    await first.close();
    await origin.mine(5);
    const second = await createNode({ data, fork: { url, version: at } });
    expect(await headOf(second)).toBe(head);
    expect(await second.balance("0xb0b", APT)).toBe(5n);
    expect(await balancesOf(second)).toEqual(expected);
    await second.mine();
    expect(await second.balance("0xb0b", APT)).toBe(5n);
    await second.close();
    await expect(createNode({ data, fork: { url, version: at - 1n } })).rejects.toThrow(
      `start-version: the store holds a fork of ${url} at version ${at}, not at ${at - 1n}`,
    );
    await expect(createNode({ data, fork: { url: "http://127.0.0.1:1" } })).rejects.toThrow(
      `fork: the store holds a fork of ${url} at version ${at}, not of http://127.0.0.1:1/v1`,
    );
    await expect(createNode({ data })).rejects.toThrow("began in the middle, as a fork or by start-version");
    await expect(createNode({ data, follow: { upstreams: [url] } })).rejects.toThrow(
      `the store holds a fork of ${url} at version ${at}: start it with fork ${url}, or use another directory`,
    );
    const own = newDirectory();
    await (await createNode({ data: own })).close();
    await expect(createNode({ data: own, fork: { url } })).rejects.toThrow(
      "fork: the store holds a ledger that is no fork",
    );
  });

  it("serves what it read before when its network is gone, and says 503 for the rest", async () => {
    const origin = await startOrigin();
    const url = origin.url ?? "";
    const at = await headOf(origin);
    const data = newDirectory();
    const first = await createNode({ data, fork: { url } });
    const expected = await balancesOf(first);
    await first.mine();
    await first.close();
    await origin.close();
    const fork = await startNode({ data, fork: { url }, http: { port: 0 } });
    await fork.mine(2);
    expect(await balancesOf(fork)).toEqual(expected);
    const unread = await fetch(`${fork.url}/accounts/0xfeed/balance/${APT}`);
    expect(unread.status).toBe(503);
    expect(await unread.json()).toMatchObject({ error_code: "internal_error" });
    const below = await fetch(`${fork.url}/accounts/0xa/balance/${APT}?ledger_version=${at - 1n}`);
    expect(below.status).toBe(503);
    const { message } = (await below.json()) as { message: string };
    expect(message).toContain(
      `version ${at - 1n} is below the fork at version ${at}, and ${url} gave no answer`,
    );
  });
});
