// Readiness and liveness: what takes a node out of rotation, and what restarts it.
import { describe, expect, it, onTestFinished } from "vitest";
import { type LogFields, silentLogger } from "../../src/base/log.ts";
import { createNode, type Node, type NodeOptions } from "../../src/node.ts";
import { startServer } from "../support/http-server.ts";
import { startProxy } from "../support/proxy.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

async function ask(url: string): Promise<{ ready: number; healthy: number; message: string }> {
  const [ready, healthy] = [await fetch(`${url}/v1/-/ready`), await fetch(`${url}/v1/-/healthy`)];
  const { message } = (await ready.json()) as { message: string };
  return { ready: ready.status, healthy: healthy.status, message };
}

describe("readiness", () => {
  it("is there for a node that is well", async () => {
    const { url } = await startServer();
    expect(await ask(url)).toEqual({ ready: 200, healthy: 200, message: "sextant:ready" });
    const bcs = await fetch(`${url}/v1/-/ready`, { headers: { accept: "application/x-bcs" } });
    expect(Buffer.from(await bcs.arrayBuffer()).toString()).toBe("\x0dsextant:ready");
  });

  it("goes while the store cannot be written, and the node stays healthy", async () => {
    let reason: string | undefined = "the store cannot be written just now (full)";
    const { url } = await startServer({ unreadyReason: () => reason });
    expect(await ask(url)).toEqual({ ready: 503, healthy: 200, message: reason });
    reason = undefined;
    expect((await ask(url)).ready).toBe(200);
  });

  it("goes with health when the node is not well", async () => {
    const { url } = await startServer({ unhealthyReason: () => "nothing can be verified" });
    expect(await ask(url)).toEqual({ ready: 503, healthy: 503, message: "nothing can be verified" });
  });

  it("goes when the ledger is too old, and the node stays healthy", async () => {
    const { url } = await startServer({ maxLagMs: 5000, clock: () => 1_700_000_008_001 });
    expect(await ask(url)).toMatchObject({ ready: 503, healthy: 200 });
  });
});

describe("the log of refused requests", () => {
  it("has one line without a stack for each 503, and for a probe one until it succeeds again", async () => {
    let reason: string | undefined = "the node is 3 versions behind";
    const lines: LogFields[] = [];
    const { url } = await startServer({
      maxLagMs: 5000,
      clock: () => 1_700_000_000_000 + 30 * 86_400_000,
      unhealthyReason: () => reason,
      logger: { ...silentLogger, warn: (fields) => lines.push(fields) },
    });
    const probe = async (): Promise<number> => (await fetch(`${url}/v1/-/healthy`)).status;
    for (let i = 0; i < 3; i++) expect(await probe()).toBe(503);
    reason = undefined;
    expect(await probe()).toBe(200);
    reason = "the node is 4 versions behind";
    expect(await probe()).toBe(503);
    expect(lines.map(({ err }) => err)).toEqual([
      "the node is 3 versions behind",
      "the node is 4 versions behind",
    ]);
    for (let i = 0; i < 2; i++) await fetch(`${url}/v1`);
    expect(lines.slice(2).map(({ operation, err }) => [operation, err])).toEqual(
      Array(2).fill(["get_ledger_info", "the latest block is 29d 23h old, more than the max-lag of 5s"]),
    );
  });
});

describe("readiness of a follower", () => {
  async function start(options: NodeOptions): Promise<Node & { url: string; root: string }> {
    const node = (await createNode({ ...options, http: { port: 0, maxWaitMs: 0 } })) as Node & {
      url: string;
    };
    onTestFinished(() => node.close());
    return Object.assign(node, { root: node.url.replace(/\/v1$/, "") });
  }

  /** A chain of blocks that are years old, behind a proxy. */
  async function startUpstream(blocks: number) {
    const chain = await start({ localChain: { seed: "ready" }, pruneWindow: "off" });
    for (let i = 0; i < blocks; i++) await chain.produceBlock();
    const proxy = await startProxy(chain.url);
    onTestFinished(() => proxy.close());
    return proxy;
  }

  const quick = { upstreamRate: 0, pollTimeMs: 20, retryTimeMs: 5 };

  it("does not come while no upstream can be reached, however long the node runs", async () => {
    const gone = await startProxy("http://127.0.0.1:9");
    await gone.close();
    const node = await start({ follow: { upstreams: [gone.url], ...quick } });
    expect(await ask(node.root)).toMatchObject({ ready: 503 });
    expect(await node.unreadyReason()).toContain("no ledger yet");
    await expect(node.untilReady({ signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow(
      "enough",
    );
    const waiting = node.untilReady();
    waiting.catch(() => {});
    await node.close();
    await expect(waiting).rejects.toThrow("closed");
  });

  it("does not come while the upstream stalls behind its head, and comes at the head", async () => {
    const proxy = await startUpstream(60);
    let resume = (): void => {};
    const stall = new Promise<void>((resolve) => {
      resume = resolve;
    });
    proxy.meddle = async (passing) => {
      if (/start=[1-9]\d\d/.test(passing.path)) await stall;
      return passing;
    };
    const node = await start({ follow: { upstreams: [proxy.url], ...quick } });
    const claims = await until(async () => {
      const now = await ask(node.root);
      return now.message.includes("versions behind") && now;
    });
    expect(claims).toMatchObject({ ready: 503, healthy: 200 });
    expect(claims.message).toMatch(/the node is \d+ versions behind; .*ready-lag of 30s/);
    // What it has can be read.
    expect((await fetch(node.url)).status).toBe(200);
    resume();
    await node.untilReady();
    expect(await ask(node.root)).toEqual({ ready: 200, healthy: 200, message: "sextant:ready" });
    expect((await node.info()).versions_behind).toBe(0n);
  });

  it("does not come from an old store whose upstream is gone", async () => {
    const data = temporaryFolder();
    const proxy = await startUpstream(3);
    const first = await start({ data, follow: { upstreams: [proxy.url], ...quick } });
    await first.untilReady();
    await first.close();
    await proxy.close();
    const node = await start({ data, follow: { upstreams: [proxy.url], ...quick } });
    const { message, ready } = await ask(node.root);
    expect(ready).toBe(503);
    expect(message).toMatch(/does not know the head; its ledger may be \d+d( \d+h)? old/);
    expect((await fetch(node.url)).status).toBe(200);
  });
});
