// A follower whose upstream was reset: the upstream's head is far below the follower's.
import { describe, expect, it, onTestFinished } from "vitest";
import { createNode, type Node, type NodeOptions } from "../../src/node.ts";
import { type Meddler, startProxy } from "../support/proxy.ts";
import { ask } from "../support/questions.ts";
import { until } from "../support/until.ts";

async function start(options: NodeOptions): Promise<Node & { url: string }> {
  const node = await createNode({ ...options, http: { port: 0, maxWaitMs: 0 } });
  onTestFinished(() => node.close());
  return node as Node & { url: string };
}

async function startChain(seed: string, blocks: number): Promise<Node & { url: string }> {
  const node = await start({ localChain: { seed }, pruneWindow: "off" });
  for (let i = 0; i < blocks; i++) await node.produceBlock();
  return node;
}

async function proxied(node: { url: string }): Promise<Meddler> {
  const proxy = await startProxy(node.url);
  onTestFinished(() => proxy.close());
  return proxy;
}

const follow = (...proxies: readonly Meddler[]) => ({
  upstreams: proxies.map(({ url }) => url),
  upstreamRate: 0,
  pollTimeMs: 5,
  retryTimeMs: 5,
});

interface Claims {
  readonly ready: number;
  readonly healthy: number;
  readonly message: string;
  readonly sync_state: string;
  readonly sync_reason?: string;
  readonly versions_behind?: bigint;
  readonly versions_ahead?: bigint;
  readonly upstreams: readonly { readonly state: string; readonly last_fault?: string }[];
}

/** The node's own status. */
async function claimsOf(node: Node & { url: string }): Promise<Claims> {
  const [ready, healthy] = [await fetch(`${node.url}/-/ready`), await fetch(`${node.url}/-/healthy`)];
  const { message } = (await ready.json()) as { message: string };
  return { ...(await node.info()), ready: ready.status, healthy: healthy.status, message } as never;
}

async function untilAtHead(node: Node & { url: string }): Promise<void> {
  await until(async () => {
    const { ready, sync_state, versions_behind } = await claimsOf(node);
    return ready === 200 && sync_state === "at_head" && versions_behind === 0n;
  });
}

const untilNotReady = (node: Node & { url: string }): Promise<Claims> =>
  until(async () => {
    const claims = await claimsOf(node);
    return claims.ready !== 200 && claims;
  });

describe("a follower whose upstream was reset", () => {
  it("is not at head and not ready while the upstream has another ledger, and reports why", async () => {
    const proxy = await proxied(await startChain("reset", 30));
    const node = await start({ follow: follow(proxy) });
    await untilAtHead(node);
    const before = proxy.target;
    proxy.target = (await startChain("another ledger", 3)).url;
    // A head that nobody confirmed for seconds makes the node unreadyReason too, so a slow machine may see that first.
    const claims = await until(async () => {
      const now = await untilNotReady(node);
      return now.upstreams.some(({ state }) => state === "set_aside") && now;
    });
    expect(claims.sync_state).not.toBe("at_head");
    expect(claims.versions_behind).toBeUndefined();
    // Whichever question comes first: where its head is, or whether it has our record of a version that both have.
    const reason = /belongs to another ledger|its record of version \d+ differs from ours/;
    expect(claims.upstreams).toMatchObject([
      { state: "set_aside", last_fault: expect.stringMatching(/^disagrees: /) },
    ]);
    expect(claims.upstreams[0]?.last_fault).toMatch(reason);
    expect(claims.message).toMatch(reason);
    proxy.target = before;
    await untilAtHead(node);
  });

  it("is not at head and not ready while the upstream is back at an old version, and reports why", async () => {
    const proxy = await proxied(await startChain("reset", 30));
    const node = await start({ follow: follow(proxy) });
    await untilAtHead(node);
    const before = proxy.target;
    proxy.target = (await startChain("reset", 3)).url;
    const claims = await untilNotReady(node);
    expect(claims).toMatchObject({
      sync_state: "ahead_of_upstreams",
      sync_reason: expect.stringContaining("behind this node"),
      healthy: 200,
    });
    expect(claims.versions_ahead).toBeGreaterThan(0n);
    expect(claims.versions_behind).toBeUndefined();
    expect(claims.upstreams).toMatchObject([{ state: "ok" }]);
    proxy.target = before;
    await untilAtHead(node);
  });

  it("is not at head and not ready when the upstream's head is too old to compare", async () => {
    const proxy = await proxied(await startChain("reset", 30));
    const node = await start({ follow: { ...follow(proxy), startVersion: "latest" } });
    await untilAtHead(node);
    const short = await startChain("reset", 3);
    const { ledger_version: theirs } = await short.ledgerInfo();
    expect(Number(theirs)).toBeLessThan(Number((await node.ledgerInfo()).oldest_ledger_version));
    proxy.target = short.url;
    expect(await untilNotReady(node)).toMatchObject({ sync_state: "ahead_of_upstreams", healthy: 200 });
  });

  it("stays at head while one of its upstreams is", async () => {
    const good = await proxied(await startChain("reset", 30));
    const reset = await proxied(await startChain("another ledger", 3));
    const node = await start({ follow: follow(good, reset) });
    await untilAtHead(node);
    const claims = await until(async () => {
      const now = await claimsOf(node);
      return now.upstreams[1]?.state === "set_aside" && now;
    });
    expect(claims).toMatchObject({ sync_state: "at_head", versions_behind: 0n, ready: 200 });
    expect(claims.upstreams).toMatchObject([{ state: "ok" }, { state: "set_aside" }]);
  });

  it("fetches no item from another ledger", async () => {
    const chain = await startChain("reset", 30);
    const proxy = await proxied(chain);
    const node = await start({ follow: { ...follow(proxy), startVersion: "5" }, pruneWindow: "off" });
    await untilAtHead(node);
    proxy.target = (await startChain("another ledger", 8)).url;
    await untilNotReady(node);
    const version = BigInt((await node.ledgerInfo()).ledger_version);
    const question = { path: "/accounts/0xabcdef/balance/0xa", accept: "application/json" };
    expect((await ask(node.url, question, version)).status).toBe(503);
    proxy.target = chain.url;
    await untilAtHead(node);
    expect((await ask(node.url, question, version)).status).toBe(200);
  });
});

describe("a follower with a start above the upstream's head", () => {
  it("waits and does not claim to be at head", async () => {
    const proxy = await proxied(await startChain("reset", 3));
    const node = await start({ follow: { ...follow(proxy), startVersion: "1000" } });
    const status = await until(async () => {
      const info = (await (await fetch(`${node.url}/info`)).json()) as Claims;
      return info.sync_state !== "starting" && info;
    });
    expect(status.sync_state).toBe("waiting");
    expect(status.sync_reason).toContain("1000");
  });
});
