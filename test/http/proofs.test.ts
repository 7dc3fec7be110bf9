// Proofs over HTTP and in-process: what a node says about a balance or a table item, it can prove to others.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNode, type Node } from "../../src/index.ts";
import { parseWaypoint } from "../../src/ledger/waypoint.ts";
import { BundleVerifier, decodeBundle, type VerifiedProof } from "../../src/proof/bundle.ts";
import { decodeBundleJson } from "../../src/proof/bundle-json.ts";
import { fastestBls } from "../../src/proof/native-bls.ts";

const COIN = "0x1::aptos_coin::AptosCoin";
const BLOCKS = 50;

let node: Node;
let base: string;
let genesis: string;
let owner: string;
let table: { readonly handle: string; readonly key: string };

beforeAll(async () => {
  node = await createNode({
    http: { port: 0 },
    localChain: { seed: "http proofs", epochTimeMs: 4000 },
    proofWindow: "6s",
  });
  for (let i = 0; i < BLOCKS; i++) await node.produceBlock();
  base = node.url ?? "";
  const info = await node.info();
  genesis = String(info.genesis_waypoint);
  const guide = node.guide();
  owner = guide?.accounts[0]?.address ?? "";
  const [first] = guide?.tables ?? [];
  table = { handle: first?.handle ?? "", key: first?.keys[0]?.key ?? "" };
});
afterAll(() => node.close());

function check(bundle: ReturnType<typeof decodeBundle>, waypoint = genesis): VerifiedProof {
  return new BundleVerifier(parseWaypoint(waypoint), fastestBls()).verify(bundle);
}

/** The only balance of a proof. */
function balanceOf({ claim }: VerifiedProof): unknown {
  if (claim.kind !== "balances") throw new Error("expected balances");
  return claim.accounts.flatMap(({ balances }) => balances)[0];
}

const bcs = { accept: "application/x-bcs" };

describe("a proof of a balance", () => {
  it("holds in JSON and BCS, from the genesis waypoint, at the latest block end", async () => {
    const url = `${base}/accounts/${owner}/balance/${COIN}`;
    const response = await fetch(`${url}/proof?from_waypoint=${genesis}`);
    expect(response.status).toBe(200);
    const proven = check(decodeBundleJson(await response.text()));
    const balance = await (await fetch(`${url}?quoted=true`)).json();
    expect(balanceOf(proven)).toMatchObject({ asset: COIN, balance: BigInt(balance as string) });
    expect(response.headers.get("x-node-read-version")).toBe(`${proven.ledgerVersion}`);
    expect(proven.ledgerVersion).toBe((await node.ledgerInfo()).ledger_version);
    const binary = await fetch(`${url}/proof?from_waypoint=${genesis}`, { headers: bcs });
    const bytes = new Uint8Array(await binary.arrayBuffer());
    expect(check(decodeBundle(bytes))).toEqual(proven);
    expect(await node.proveBalance(owner, COIN, { fromWaypoint: genesis })).toEqual(bytes);
  });

  it("holds for an account that does not exist, and for a metadata address", async () => {
    const [nobody, native] = [
      await fetch(`${base}/accounts/0xdead/balance/${COIN}/proof?from_waypoint=${genesis}`),
      await fetch(`${base}/accounts/${owner}/balance/0xa/proof?from_waypoint=${genesis}`),
    ];
    expect(balanceOf(check(decodeBundleJson(await nobody.text())))).toMatchObject({ balance: 0n });
    const shown = balanceOf(check(decodeBundleJson(await native.text())));
    expect(shown).toEqual({ asset: "0xa", balance: await node.balance(owner, "0xa") });
  });

  it("begins at the end of the epoch before where no waypoint is given", async () => {
    const response = await fetch(`${base}/accounts/${owner}/balance/${COIN}/proof`);
    const bundle = decodeBundleJson(await response.text());
    expect(() => check(bundle)).toThrow(/the proof begins at \d+:[0-9a-f]{64}, not at the waypoint 0:/);
    if (bundle.ledger.kind !== "signed") throw new Error("expected signatures");
    expect(bundle.ledger.epochChanges).toEqual([]);
  });

  it.each([
    ["a version in the middle of a block", "ledger_version=3", 400, "expected the last version of a block"],
    ["a version before the window", "ledger_version=1", 410, "outside of the window"],
    ["a version above the latest", "ledger_version=99999999", 404, "above the latest version"],
    ["a text that is no waypoint", "from_waypoint=1", 400, "from_waypoint: expected a waypoint"],
    [
      "a waypoint of no epoch's end",
      `from_waypoint=2:${"0".repeat(64)}`,
      400,
      "from_waypoint: expected the waypoint of an epoch's end that this node knows",
    ],
    [
      "a version and a time",
      "ledger_version=1&at=2024-01-01T00:00:00Z",
      400,
      "expected one of them, got both",
    ],
  ])("is refused for %s", async (_, query, status, message) => {
    const response = await fetch(`${base}/accounts/${owner}/balance/${COIN}/proof?${query}`);
    expect(response.status).toBe(status);
    expect((await response.json()) as unknown).toMatchObject({ message: expect.stringContaining(message) });
  });

  it("is refused by a node that has no signatures", async () => {
    const silent = await createNode({
      http: { port: 0 },
      genesis: (await import("../../src/chain/local-chain.ts")).createLocalChain({ seed: "x" }).genesisBlob(),
    });
    try {
      const response = await fetch(`${silent.url}/accounts/0x1/balance/0xa/proof`);
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ error_code: "api_disabled" });
    } finally {
      await silent.close();
    }
  });
});

describe("a proof of a table item", () => {
  const ask = (key: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${base}/tables/${table.handle}/raw_item/proof?from_waypoint=${genesis}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ key }),
    });

  it("holds for an item and for its absence", async () => {
    const { claim } = check(decodeBundleJson(await (await ask(table.key)).text()));
    if (claim.kind !== "table_item") throw new Error("expected a table item");
    const item = await node.rawItem(table.handle, table.key);
    expect(claim.value && Buffer.from(claim.value)).toEqual(item && Buffer.from(item));
    const absent = check(decodeBundleJson(await (await ask("0xffff")).text()));
    expect(absent.claim).toMatchObject({ kind: "table_item", value: undefined });
    const binary = await ask(table.key, bcs);
    expect(check(decodeBundle(new Uint8Array(await binary.arrayBuffer()))).claim).toEqual(claim);
  });
});

describe("a proof of", () => {
  const get = async (path: string): Promise<VerifiedProof> => {
    const url = `${base}/${path}${path.includes("?") ? "&" : "?"}from_waypoint=${genesis}`;
    const [json, binary] = [await fetch(url), await fetch(url, { headers: bcs })];
    const proven = check(decodeBundleJson(await json.text()));
    expect(check(decodeBundle(new Uint8Array(await binary.arrayBuffer())))).toEqual(proven);
    expect(json.headers.get("x-node-read-version")).toBe(`${proven.ledgerVersion}`);
    return proven;
  };

  it.each(["proof", "events/0/proof"])(
    "genesis is named by its waypoint where none is given: %s",
    async (what) => {
      const response = await fetch(`${base}/transactions/by_version/0/${what}`);
      expect(response.status).toBe(200);
      expect(check(decodeBundleJson(await response.text())).ledgerVersion).toBe(0n);
    },
  );

  it.each([
    ["a resource", "0x1/resource/0x1::chain_id::ChainId", { kind: "resource", group: undefined }],
    [
      "a member of a group",
      "0xa/resource/0x1::fungible_asset::Metadata",
      { group: "0x1::object::ObjectGroup" },
    ],
    ["a module", "0x1/module/coin", { kind: "module", name: "coin" }],
  ])("%s holds, and says what the read says", async (_, path, claim) => {
    const proven = await get(`accounts/${path}/proof`);
    const read = await fetch(`${base}/accounts/${path}?ledger_version=${proven.ledgerVersion}`, {
      headers: bcs,
    });
    const value = new Uint8Array(await read.arrayBuffer());
    expect(proven.claim).toMatchObject({ ...claim, value });
  });

  it.each([
    ["a resource", "0xdead/resource/0x1::chain_id::ChainId"],
    ["a member of a group", "0xdead/resource/0x1::fungible_asset::Metadata"],
    ["a module", "0x1/module/no_such_module"],
  ])("the absence of %s holds", async (_, path) => {
    expect((await get(`accounts/${path}/proof`)).claim).toMatchObject({ value: undefined });
  });

  it("a transaction by its version and its hash, and of its events, holds; in the process too", async () => {
    const { ledger_version: latest } = await node.ledgerInfo();
    const page = (await (await fetch(`${base}/transactions?start=${latest - 30n}&limit=30`)).json()) as {
      readonly version: string;
      readonly hash: string;
      readonly type: string;
      readonly events?: readonly { readonly type: string }[];
    }[];
    const sent = page.find(({ type, events = [] }) => type === "user_transaction" && events.length > 1);
    if (sent === undefined) throw new Error("no transaction with events");
    const { version, hash, events = [] } = sent;
    const proven = await get(`transactions/by_version/${version}/proof`);
    expect(proven.claim).toMatchObject({ kind: "transaction", hash, isSuccess: true });
    expect(await get(`transactions/by_hash/${hash}/proof`)).toEqual(proven);
    const options = { fromWaypoint: genesis };
    expect(check(decodeBundle(await node.proveTransaction(BigInt(version), options)))).toEqual(proven);
    expect(check(decodeBundle(await node.proveTransaction(hash, options)))).toEqual(proven);
    for (const [index, { type }] of events.entries()) {
      const event = await get(`transactions/by_version/${version}/events/${index}/proof`);
      expect(event.claim).toMatchObject({ kind: "event", type, hash });
      expect(event.timestampUsec).toBe(proven.timestampUsec);
      expect(check(decodeBundle(await node.proveEvent(BigInt(version), BigInt(index), options)))).toEqual(
        event,
      );
    }
    const beyond = await fetch(`${base}/transactions/by_version/${version}/events/${events.length}/proof`);
    expect(beyond.status).toBe(400);
    expect((await fetch(`${base}/transactions/by_version/99999999/proof`)).status).toBe(404);
    expect((await fetch(`${base}/transactions/by_hash/0x${"0".repeat(64)}/proof`)).status).toBe(404);
  });

  it("many balances holds, each account once, with totals, authentication keys and the time", async () => {
    const accounts = node.guide()?.accounts.map(({ address }) => address) ?? [];
    const pairs = ["0xdead", ...accounts].flatMap((address) =>
      [COIN, "0xa"].map((asset) => ({ address, asset })),
    );
    const queries = [...pairs, ...pairs.slice(0, 1)].map(({ address, asset }) => ({
      address,
      asset_type: asset,
    }));
    const response = await fetch(`${base}/balances/proof?from_waypoint=${genesis}&authentication_keys=true`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ queries }),
    });
    const proven = check(decodeBundleJson(await response.text()));
    const { claim, ledgerVersion, timestampUsec } = proven;
    if (claim.kind !== "balances") throw new Error("expected balances");
    const read = await node.balances(pairs, { ledgerVersion });
    expect(timestampUsec).toBe(read.timestampUsec);
    const shown = new Map(
      claim.accounts.flatMap(({ address, balances }) =>
        balances.map(({ asset, balance }) => [`${BigInt(address)} ${asset}`, balance] as const),
      ),
    );
    expect(shown.size).toBe(pairs.length);
    for (const [i, { address, asset }] of pairs.entries()) {
      expect(shown.get(`${BigInt(address)} ${asset}`)).toBe(read.answers[i]);
    }
    const sum = [...shown].reduce((all, [name, one]) => (name.endsWith(COIN) ? all + one : all), 0n);
    expect(claim.totals.get(COIN)).toBe(sum);
    for (const { address, authenticationKey } of claim.accounts) {
      // Without an Account resource the key is the address.
      const account = address === "0xdead" ? undefined : await node.account(address);
      expect(authenticationKey).toBe(account?.authenticationKey ?? `0x${address.slice(2).padStart(64, "0")}`);
    }
    const options = { fromWaypoint: genesis, authenticationKeys: true, ledgerVersion };
    expect(check(decodeBundle(await node.proveBalances(pairs, options)))).toEqual(proven);
  });

  it("balances is refused for a query that cannot be asked, by its number", async () => {
    const queries = [
      { address: "0x1", asset_type: COIN },
      { address: "0x1", asset_type: "0xzz" },
    ];
    const body = JSON.stringify({ queries });
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${base}/balances/proof`, { method: "POST", headers, body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      message: expect.stringContaining("queries[1]: asset_type"),
    });
  });
});

describe("a hostile request for a proof is refused by its size or count", () => {
  const post = (body: unknown): RequestInit => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const queries = (count: number, asset_type: string) =>
    post({ queries: Array.from({ length: count }, () => ({ address: "0x1", asset_type })) });
  const many = (count: number): string =>
    `0x1::a::B<${Array.from({ length: count }, () => "0x1::c::D").join()}>`;
  const deep = `${"0x1::a::B<".repeat(200)}u8${">".repeat(200)}`;
  const digits = "9".repeat(5000);

  it.each<[what: string, path: string, status: number, reason: string, init?: RequestInit]>([
    ["more queries", "balances/proof", 400, "an array of 1 to 1000 queries, got more", queries(1001, "0xa")],
    ["no query", "balances/proof", 400, "an array of 1 to 1000 queries, got none", queries(0, "0xa")],
    ["a megabyte", "balances/proof", 413, "at most 1048576 bytes", post(`${" ".repeat(1 << 20)}{}`)],
    ["a long type", "balances/proof", 400, "at most 16384 are taken", queries(1, many(3000))],
    ["a deep type", "balances/proof", 400, "queries[0]: asset_type", queries(1, deep)],
    ["deep JSON", "balances/proof", 400, "nested deeper than", post(`{"queries":${"[".repeat(100_000)}`)],
    [
      "a long key",
      "tables/0x1/raw_item/proof",
      413,
      "262144 bytes",
      post({ key: `0x${"00".repeat(1 << 20)}` }),
    ],
    ["a long path", `accounts/0x1/resource/${encodeURIComponent(many(3000))}/proof`, 431, "too long"],
    ["a deep resource type", `accounts/0x1/resource/${encodeURIComponent(deep)}/proof`, 400, "resource_type"],
    ["a long name", `accounts/0x1/module/${"a".repeat(9000)}/proof`, 400, "module_name"],
    ["a long version", `transactions/by_version/${digits}/proof`, 400, "txn_version"],
    ["a long number of an event", `transactions/by_version/1/events/${digits}/proof`, 400, "event_index"],
    ["a long hash", `transactions/by_hash/0x${digits}/proof`, 400, "txn_hash"],
    ["a long waypoint", `accounts/0x1/balance/0xa/proof?from_waypoint=${digits}`, 400, "from_waypoint"],
  ])("%s", async (_, path, status, reason, init) => {
    const response = await fetch(`${base}/${path}`, init);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ message: expect.stringContaining(reason) });
  });

  it("except a type whose one spelling is longer than a node takes", async () => {
    const response = await fetch(`${base}/balances/proof?from_waypoint=${genesis}`, queries(1, many(1630)));
    expect(balanceOf(check(decodeBundleJson(await response.text())))).toMatchObject({ balance: 0n });
  });

  it("more pairs in the process", async () => {
    const pairs = Array.from({ length: 1001 }, () => ({ address: "0x1", asset: "0xa" }));
    await expect(node.proveBalances(pairs)).rejects.toThrow("pairs: expected a list of 1 to 1000 pairs");
  });
});

it("the window moves with the ledger", async () => {
  const { ledger_version } = await node.ledgerInfo();
  const url = `${base}/accounts/${owner}/balance/${COIN}/proof?ledger_version=${ledger_version}`;
  expect((await fetch(url)).status).toBe(200);
  for (let i = 0; i < 6; i++) await node.produceBlock();
  expect((await fetch(url)).status).toBe(200);
  // Block ends leave in groups.
  for (let i = 0; i < 36; i++) await node.produceBlock();
  expect((await fetch(url)).status).toBe(410);
});
