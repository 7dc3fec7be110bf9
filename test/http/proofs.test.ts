// Proofs over HTTP and in-process: what a node says about a balance or a table item, it can prove to others.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNode, type Node } from "../../src/index.ts";
import { parseWaypoint } from "../../src/ledger/waypoint.ts";
import { decodeBundle, type Proven, verifyBundle } from "../../src/proof/bundle.ts";
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

function check(bundle: ReturnType<typeof decodeBundle>, waypoint = genesis): Proven {
  return verifyBundle(bundle, parseWaypoint(waypoint), fastestBls());
}

const bcs = { accept: "application/x-bcs" };

describe("a proof of a balance", () => {
  it("holds in JSON and BCS, from the genesis waypoint, at the latest block end", async () => {
    const url = `${base}/accounts/${owner}/balance/${COIN}`;
    const response = await fetch(`${url}/proof?from_waypoint=${genesis}`);
    expect(response.status).toBe(200);
    const proven = check(decodeBundleJson(await response.text()));
    const balance = await (await fetch(`${url}?quoted=true`)).json();
    expect(proven.claim).toMatchObject({ kind: "balance", asset: COIN, amount: BigInt(balance as string) });
    expect(response.headers.get("x-node-read-version")).toBe(`${proven.version}`);
    expect(proven.version).toBe((await node.ledgerInfo()).ledger_version);
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
    expect(check(decodeBundleJson(await nobody.text())).claim).toMatchObject({ amount: 0n });
    const { claim } = check(decodeBundleJson(await native.text()));
    expect(claim).toMatchObject({ asset: "0xa", amount: await node.balance(owner, "0xa") });
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
    if (claim.kind !== "tableItem") throw new Error("expected a table item");
    const item = await node.rawItem(table.handle, table.key);
    expect(claim.value && Buffer.from(claim.value)).toEqual(item && Buffer.from(item));
    const absent = check(decodeBundleJson(await (await ask("0xffff")).text()));
    expect(absent.claim).toMatchObject({ kind: "tableItem", value: undefined });
    const binary = await ask(table.key, bcs);
    expect(check(decodeBundle(new Uint8Array(await binary.arrayBuffer()))).claim).toEqual(claim);
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
