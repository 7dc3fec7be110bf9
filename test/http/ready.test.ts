// Readiness and liveness: what takes a node out of rotation, and what restarts it.
import { describe, expect, it } from "vitest";
import { startServer } from "../support/http-server.ts";

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
    const { url } = await startServer({ unready: () => reason });
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
