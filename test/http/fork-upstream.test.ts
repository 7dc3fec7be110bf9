// A fork whose network's node lies, dies, or is not what a fork needs: an error that says so, never a wrong number.
import { describe, expect, it, onTestFinished } from "vitest";
import { createNode, type Node, type NodeOptions } from "../../src/node.ts";
import { type Meddle, type Meddler, type Passing, startProxy } from "../support/proxy.ts";
import { until } from "../support/until.ts";

const APT = "0x1::aptos_coin::AptosCoin";
const SEED = "fork upstream";
const RAW_ITEMS = "/v1/experimental/state_values/raw";

async function startNode(options: NodeOptions): Promise<Node> {
  const node = await createNode(options);
  onTestFinished(() => node.close());
  return node;
}

interface Network {
  readonly origin: Node;
  readonly proxy: Meddler;
  /** The origin behind the proxy. */
  readonly url: string;
}

async function startNetwork(seed = SEED, blocks = 6): Promise<Network> {
  const origin = await startNode({ localChain: { seed }, pruneWindow: "off", http: { port: 0 } });
  await origin.mine(blocks);
  const proxy = await startProxy(origin.url ?? "", true);
  onTestFinished(() => proxy.close());
  return { origin, proxy, url: proxy.url };
}

const on =
  (path: string, change: (passing: Passing) => Passing): Meddle =>
  (passing) =>
    passing.path.startsWith(path) ? change(passing) : passing;

const refuse = (status: number, errorCode: string) => (passing: Passing) => ({
  ...passing,
  status,
  headers: { ...passing.headers, "content-type": "application/json" },
  body: Buffer.from(JSON.stringify({ message: "no", error_code: errorCode, vm_error_code: null })),
});

const otherChain = (passing: Passing): Passing => ({
  ...passing,
  headers: { ...passing.headers, "x-node-chain-id": "7" },
});

const flip = (passing: Passing): Passing => {
  const body = Buffer.from(passing.body);
  body[body.length >> 1] = (body[body.length >> 1] ?? 0) ^ 1;
  return { ...passing, body };
};

describe("a network that cannot be forked", () => {
  it.each<[string, Meddle, RegExp]>([
    [
      "keeps no raw items",
      on(RAW_ITEMS, refuse(403, "api_disabled")),
      /^fork: .* does not serve raw state items/,
    ],
    [
      "pruned the version",
      on("/v1/transactions", refuse(410, "version_pruned")),
      /^start-version: .* does not keep/,
    ],
    ["names another chain in its headers", otherChain, /^fork: .* chain/],
    [
      "serves records whose hashes are wrong",
      on("/v1/transactions", flip),
      /^fork: .* cannot be forked at version \d+/,
    ],
    ["is no node", refuse(404, "web_framework_error"), /^fork: .* cannot be forked/],
    ["is busy", refuse(503, "internal_error"), /^fork: .* gave no answer/],
  ])("%s", async (_, meddle, message) => {
    const { origin, proxy, url } = await startNetwork(SEED, 3);
    proxy.meddle = meddle;
    const version = BigInt((await origin.ledgerInfo()).ledger_version);
    await expect(createNode({ fork: { url, version } })).rejects.toThrow(message);
    // Nothing was kept of it.
    proxy.meddle = (passing) => passing;
    const fork = await startNode({ fork: { url, version } });
    expect(BigInt((await fork.ledgerInfo()).ledger_version)).toBe(version);
  });

  it("is not there, or not at that version yet", async () => {
    await expect(createNode({ fork: { url: "http://127.0.0.1:9" } })).rejects.toThrow(
      /^fork: http:\/\/127\.0\.0\.1:9\/v1 gave no answer/,
    );
    const { url } = await startNetwork(SEED, 2);
    await expect(createNode({ fork: { url, version: 1_000_000n } })).rejects.toThrow(
      /^start-version: .* does not have version 1000000 yet/,
    );
    await expect(createNode({ fork: { url: "node.example" } })).rejects.toThrow(
      'fork: expected an http or https URL, got "node.example"',
    );
    await expect(createNode({ fork: { url, version: -1n } })).rejects.toThrow(
      "start-version: expected a version",
    );
    await expect(createNode({ fork: { url }, genesis: new Uint8Array(3) })).rejects.toThrow(
      "genesis: a fork",
    );
  });
});

describe("a network that changes under a fork", () => {
  const read = async (fork: Node, address: string, query = ""): Promise<{ status: number; text: string }> => {
    const response = await fetch(`${fork.url}/accounts/${address}/balance/${APT}${query}`);
    return { status: response.status, text: await response.text() };
  };

  async function startFork(): Promise<Network & { readonly fork: Node; readonly at: bigint }> {
    const network = await startNetwork();
    const fork = await startNode({
      fork: { url: network.url, answerTimeoutMs: 3000 },
      http: { port: 0 },
    });
    return { ...network, fork, at: BigInt((await fork.ledgerInfo()).ledger_version) };
  }

  it.each<[string, Meddle]>([
    ["another chain id", otherChain],
    [
      "a value that is none",
      on(RAW_ITEMS, (passing) => ({
        ...passing,
        status: 200,
        headers: { ...passing.headers, "content-type": "application/x-bcs" },
        body: Buffer.from("nonsense"),
      })),
    ],
    [
      "another version",
      on(RAW_ITEMS, (passing) => ({
        ...passing,
        headers: { ...passing.headers, "x-node-read-version": "1" },
      })),
    ],
    ["a fault", on(RAW_ITEMS, refuse(500, "internal_error"))],
    ["no answer at all", () => undefined],
    ["a pruned version", on(RAW_ITEMS, refuse(410, "version_pruned"))],
  ])("%s is a 503, and the truth comes when the node tells it again", async (_, meddle) => {
    const { fork, origin, proxy, at } = await startFork();
    const [one, two] =
      origin.guide()?.accounts.filter(({ assets }) => assets.some(({ symbol }) => symbol === "APT")) ?? [];
    const known = await read(fork, one?.address ?? "");
    expect(known).toEqual({
      status: 200,
      text: `${await origin.balance(one?.address ?? "", APT, { ledgerVersion: at })}`,
    });
    // What blocks read of the network is at hand from now on.
    await fork.mine();
    proxy.meddle = meddle;
    const unknown = await read(fork, two?.address ?? "");
    expect(unknown.status).toBe(503);
    expect(unknown.text).toContain(`where this ledger forks ${proxy.url}/v1`);
    // What was read before needs nobody.
    expect(await read(fork, one?.address ?? "")).toEqual(known);
    await fork.mine();
    proxy.meddle = (passing) => passing;
    await until(async () => (await read(fork, two?.address ?? "")).status === 200);
    expect((await read(fork, two?.address ?? "")).text).toBe(
      `${await origin.balance(two?.address ?? "", APT, { ledgerVersion: at })}`,
    );
  });

  it("another ledger of the same chain id is noticed", async () => {
    const { fork, proxy, origin, at } = await startFork();
    const other = await startNode({ localChain: { seed: "another" }, pruneWindow: "off", http: { port: 0 } });
    await other.mine(2);
    proxy.target = other.url ?? "";
    const address = origin.guide()?.accounts[1]?.address ?? "";
    expect((await read(fork, address)).status).toBe(503);
    expect((await read(fork, address, `?ledger_version=${at - 1n}`)).status).toBe(503);
    proxy.target = origin.url ?? "";
    await until(async () => (await read(fork, address)).status === 200);
  });

  it("versions that it no longer keeps are gone", async () => {
    const { fork, proxy, at } = await startFork();
    proxy.meddle = on(RAW_ITEMS, refuse(410, "version_pruned"));
    const below = await read(fork, "0xa", `?ledger_version=${at / 2n}`);
    expect(below.status).toBe(410);
    expect(below.text).toContain("does not keep it any more");
  });
});
