// A start in the middle with proofs: the accumulator, the state root and every item follow from signatures.
import { afterEach, describe, expect, it } from "vitest";
import { createNode, type Node, type NodeOptions } from "../../src/node.ts";
import { type Meddle, startProxy } from "../support/proxy.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";
import { wideJson } from "../support/wide-json.ts";

const COIN = "0x1::aptos_coin::AptosCoin";
const open: { close(): Promise<unknown> }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

function opened<T extends { close(): Promise<unknown> }>(one: T): T {
  open.push(one);
  return one;
}

async function startOrigin(blocks: number): Promise<Node> {
  const node = opened(
    await createNode({
      http: { port: 0, proofPort: 0 },
      localChain: { seed: "proven-start", epochTimeMs: 5_000 },
      pruneWindow: "off",
    }),
  );
  for (let i = 0; i < blocks; i++) await node.produceBlock();
  return node;
}

interface Info {
  readonly trust_level: string;
  readonly weakest_trust_level: string;
  readonly genesis_waypoint: string;
  readonly ledger_version: string;
  readonly oldest_ledger_version: string;
  readonly sync_reason?: string;
  readonly lazy_fills_by_level?: Readonly<Record<string, number>>;
  readonly refuted_from?: string;
  readonly upstreams: readonly { readonly state: string; readonly last_fault?: string }[];
  readonly proof_sources: readonly { readonly state: string; readonly last_fault?: string }[];
}

/** As HTTP shows it: decimal texts. */
const infoOf = async (node: Node): Promise<Info> => JSON.parse(wideJson(await node.info())) as Info;

async function follow(
  upstream: Node,
  proofs: readonly string[],
  { data, ...more }: { data?: string } & Partial<NonNullable<NodeOptions["follow"]>> = {},
): Promise<Node> {
  const { genesis_waypoint: waypoint } = await infoOf(upstream);
  return opened(
    await createNode({
      data,
      waypoint,
      http: { port: 0 },
      follow: {
        upstreams: [upstream.url ?? ""],
        startVersion: "latest",
        proofs,
        pollTimeMs: 10,
        proofPollTimeMs: 10,
        upstreamRate: 0,
        retryTimeMs: 10,
        ...more,
      },
    }),
  );
}

const headOf = async (node: Node): Promise<bigint> => BigInt((await node.ledgerInfo()).ledger_version);

const untilLevel = (node: Node, level: string, version: bigint) =>
  until(async () => {
    const info = await infoOf(node).catch(() => undefined);
    return info?.trust_level === level && BigInt(info.ledger_version) >= version ? info : undefined;
  });

async function balanceOf(node: Node, address: string, query = ""): Promise<[string, string | null]> {
  const response = await fetch(`${node.url}/accounts/${address}/balance/${COIN}${query}`);
  return [await response.text(), response.headers.get("x-node-trust")];
}

describe("a start in the middle with proofs", () => {
  it("begins at the last signed end of an epoch, with every balance proven", async () => {
    const origin = await startOrigin(33);
    const follower = await follow(origin, [origin.proofUrl ?? ""]);
    await follower.untilReady();
    const info = await untilLevel(follower, "proven", await headOf(origin));
    expect(BigInt(info.oldest_ledger_version)).toBeGreaterThan(20n);
    expect(info.weakest_trust_level).toBe("proven");
    const accounts = origin.guide()?.accounts ?? [];
    expect(accounts.length).toBeGreaterThan(3);
    for (const { address } of accounts) {
      const [expected] = await balanceOf(origin, address);
      expect(await balanceOf(follower, address)).toEqual([expected, "proven"]);
    }
    expect(await balanceOf(follower, "0xabcdef")).toEqual(["0", "proven"]);
    const { lazy_fills_by_level: fills } = await infoOf(follower);
    expect(Object.keys(fills ?? {})).toEqual(["proven"]);
    expect(fills?.proven).toBeGreaterThan(0);

    // Records after the start are checked by the running accumulator, and proven by the next signatures.
    for (let i = 0; i < 8; i++) await origin.produceBlock();
    await untilLevel(follower, "proven", await headOf(origin));
    for (const { address } of accounts) {
      const [expected] = await balanceOf(origin, address);
      expect(await balanceOf(follower, address)).toEqual([expected, "proven"]);
      const old = `?ledger_version=${info.ledger_version}`;
      expect(await balanceOf(follower, address, old)).toEqual(
        await balanceOf(origin, address, old).then(([text]) => [text, "proven"]),
      );
    }
  });

  it("is chained while signatures do not come, and goes on after a restart", async () => {
    const origin = await startOrigin(33);
    const data = temporaryFolder();
    const proxy = opened(await startProxy(origin.proofUrl ?? ""));
    const first = await follow(origin, [proxy.url], { data });
    await untilLevel(first, "proven", await headOf(origin));
    proxy.meddle = (passing) =>
      passing.path.startsWith("/db_state") ? { ...passing, status: 500, body: Buffer.alloc(0) } : passing;
    await until(async () => (await infoOf(first)).proof_sources[0]?.state === "resting");
    for (let i = 0; i < 3; i++) await origin.produceBlock();
    await untilLevel(first, "chained", await headOf(origin));
    const [account] = origin.guide()?.accounts ?? [];
    const [expected] = await balanceOf(origin, account?.address ?? "");
    expect(await balanceOf(first, account?.address ?? "")).toEqual([expected, "chained"]);
    await first.close();

    const second = await follow(origin, [origin.proofUrl ?? ""], { data });
    await untilLevel(second, "proven", await headOf(origin));
    expect(await balanceOf(second, account?.address ?? "")).toEqual([expected, "proven"]);
  });

  it("proves nothing of a ledger that started without proofs, and blames nobody for that", async () => {
    const origin = await startOrigin(20);
    const data = temporaryFolder();
    const first = await follow(origin, [], { data });
    await untilLevel(first, "trusted", await headOf(origin));
    await first.close();

    for (let i = 0; i < 20; i++) await origin.produceBlock();
    const proxy = opened(await startProxy(new URL(origin.url ?? "").origin));
    proxy.meddle = (passing) => ({ ...passing, status: 500, body: Buffer.alloc(0) });
    const second = await follow(origin, [origin.proofUrl ?? ""], { data, upstreams: [proxy.url] });
    // Signatures of versions that are not stored yet come first.
    await until(async () => (await infoOf(second)).proof_sources[0]?.state === "ok");
    proxy.meddle = (passing) => passing;
    const info = await untilLevel(second, "trusted", await headOf(origin));
    expect(info.upstreams).toMatchObject([
      { state: "ok", last_fault: expect.stringContaining("status 500") },
    ]);
    expect(info.refuted_from).toBeUndefined();
  });

  it("waits, and says why, while no source leads to the present", async () => {
    const origin = await startOrigin(12);
    const proxy = opened(await startProxy(origin.proofUrl ?? ""));
    proxy.meddle = (passing) => ({ ...passing, status: 503, body: Buffer.alloc(0) });
    const follower = await follow(origin, [proxy.url]);
    const reason = await until(async () => {
      const now = await follower.unreadyReason();
      return now?.includes("proof source") === true ? now : undefined;
    });
    expect(reason).toMatch(/no proof source has led to the present yet/);
    proxy.meddle = (passing) => passing;
    await untilLevel(follower, "proven", await headOf(origin));
  });

  const flip =
    (at: number): Meddle =>
    (passing) => {
      const body = Buffer.from(passing.body);
      const place = at < 0 ? body.length + at : at;
      body[place] = (body[place] ?? 0) ^ 1;
      return { ...passing, body };
    };

  it.each([
    ["items", "/state_snapshot_chunk", -1],
    ["siblings of items", "/state_range_proof", -1],
    ["infos of versions", "/state_root_proof", 40],
  ])(
    "is refused by a source that lies about %s: it is set aside, and nothing is stored",
    async (_, path, at) => {
      const origin = await startOrigin(33);
      const proxy = opened(await startProxy(origin.proofUrl ?? ""));
      const lie = flip(at);
      proxy.meddle = (passing, response) =>
        passing.path.startsWith(path) ? lie(passing, response) : passing;
      const follower = await follow(origin, [proxy.url]);
      await until(async () => {
        const info = await infoOf(follower).catch(() => undefined);
        return info?.proof_sources?.[0]?.state === "set_aside" ? info : undefined;
      });
      expect((await infoOf(follower)).ledger_version).toBeUndefined();
      // One honest source is enough.
      const second = await follow(origin, [proxy.url, origin.proofUrl ?? ""]);
      await untilLevel(second, "proven", await headOf(origin));
      const [account] = origin.guide()?.accounts ?? [];
      const [expected] = await balanceOf(origin, account?.address ?? "");
      expect(await balanceOf(second, account?.address ?? "")).toEqual([expected, "proven"]);
    },
  );

  it("serves no item that nothing proves", async () => {
    const origin = await startOrigin(33);
    const proxy = opened(await startProxy(origin.proofUrl ?? ""));
    const follower = await follow(origin, [proxy.url]);
    await untilLevel(follower, "proven", await headOf(origin));
    const lie = flip(-1);
    proxy.meddle = (passing, response) =>
      passing.path.startsWith("/state_snapshot_chunk") ? lie(passing, response) : passing;
    const statuses = new Set<number>();
    let asked = 0;
    // A source that is slow now and then rests for a while, and is then not asked.
    await until(async () => {
      const response = await fetch(`${follower.url}/accounts/0x${++asked}abcdef/balance/${COIN}`);
      statuses.add(response.status);
      if (response.status !== 503) expect(await response.text()).toBe("0");
      return (await infoOf(follower)).proof_sources[0]?.state === "set_aside";
    });
    expect(statuses).toContain(503);
  });

  it("needs a source that proves items", async () => {
    const options: NodeOptions = {
      waypoint: `0:${"00".repeat(32)}`,
      follow: { upstreams: ["http://127.0.0.1:1"], startVersion: "latest", proofs: ["file:///backup"] },
    };
    await expect(createNode(options)).rejects.toThrow(
      "proofs: expected a node's backup service for a start in the middle, not only folders and peers",
    );
  });
});
