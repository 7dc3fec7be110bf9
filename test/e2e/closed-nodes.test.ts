// Memory that a closed node leaves in its process.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const RUN = fileURLToPath(new URL("../support/closed-nodes-run.ts", import.meta.url));
/** Bytes; a leaked node has a ledger of several hundred kilobytes. */
const MOST_PER_NODE = 30_000;

function bytesPerNode(kind: string, count: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = fork(RUN, [kind, `${count}`], { execArgv: ["--expose-gc", "--import", "tsx"] });
    child.once("message", (bytes: number) => resolve(bytes));
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`ended with ${code} and said nothing`)));
  });
}

describe("closed nodes", () => {
  it.each([
    ["local chain in memory", 200],
    ["local chain with a port", 50],
    ["local chain on disk", 50],
    ["follower", 200],
    ["lazy follower", 50],
  ])("leave nothing behind: %s, %i times", { timeout: 600_000 }, async (kind, count) => {
    expect(await bytesPerNode(kind, count)).toBeLessThan(MOST_PER_NODE);
  });
});
