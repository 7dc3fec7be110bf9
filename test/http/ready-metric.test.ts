// The metric sextant_ready says what the ready check says, for each reason of a node not to be ready.
import { describe, expect, it } from "vitest";
import { createNode, type NodeOptions } from "../../src/node.ts";

const CASES: readonly (readonly [string, NonNullable<NodeOptions["http"]>, number])[] = [
  ["a node without trouble", {}, 200],
  ["a ledger older than --max-lag", { maxLagMs: 1 }, 503],
  ["a ledger below --min-trust", { minTrust: "chained" }, 503],
];

describe("sextant_ready", () => {
  it.each(CASES)("agrees with the ready check of %s", async (_, http, status) => {
    const node = await createNode({ http: { ...http, port: 0 }, localChain: { blockTimeMs: 3_600_000 } });
    const ready = await fetch(`${node.url}/-/ready`);
    const page = await (await fetch(new URL("/metrics", node.url))).text();
    await node.close();
    expect(ready.status).toBe(status);
    expect(/^sextant_ready (\d)$/m.exec(page)?.[1]).toBe(status === 200 ? "1" : "0");
    expect(Number(/^sextant_start_time_seconds (\S+)$/m.exec(page)?.[1])).toBeGreaterThan(1e9);
  });
});
