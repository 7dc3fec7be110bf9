// A start in the middle with proofs: the accumulator, the state root and every item follow from signatures.
import { describe, expect, it } from "vitest";
import { createNode, type Node, type NodeOptions } from "../../src/node.ts";
import {
  followSigned,
  headOf,
  infoOf,
  opened,
  produce,
  startSignedChain,
  untilLevel,
  untilSetAside,
} from "../support/proving.ts";
import { flipped, startProxy } from "../support/proxy.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const COIN = "0x1::aptos_coin::AptosCoin";

const startOrigin = (blocks: number): Promise<Node> => startSignedChain("proven-start", blocks);

const follow = (truth: Node, proofs: readonly string[], more: { data?: string; upstreams?: string[] } = {}) =>
  followSigned({ truth, startVersion: "latest", proofs, ...more });

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
    await produce(origin, 8);
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
    await produce(origin, 3);
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

    await produce(origin, 20);
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

  it.each([
    ["items", "/state_snapshot_chunk", -1],
    ["siblings of items", "/state_range_proof", -1],
    ["infos of versions", "/state_root_proof", 40],
  ])(
    "is refused by a source that lies about %s: it is set aside, and nothing is stored",
    async (_, path, at) => {
      const origin = await startOrigin(33);
      const proxy = opened(await startProxy(origin.proofUrl ?? ""));
      const lie = flipped(at);
      proxy.meddle = (passing, response) =>
        passing.path.startsWith(path) ? lie(passing, response) : passing;
      const follower = await follow(origin, [proxy.url]);
      await untilSetAside(follower);
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
    const lie = flipped(-1);
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
