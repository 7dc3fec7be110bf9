// Memory that a closed node leaves in its process.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { endWithTest } from "../support/children.ts";
import { RUNS } from "../support/property.ts";

const RUN = fileURLToPath(new URL("../support/closed-nodes-run.ts", import.meta.url));
/** Bytes; a leaked node has a ledger of several hundred kilobytes. */
const MOST_PER_NODE = 30_000;
/** Nodes of each kind; more with SEXTANT_RUNS. */
const COUNT = Math.ceil(RUNS / 10);

function bytesPerNode(kind: string, count: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = endWithTest(
      fork(RUN, [kind, `${count}`], { execArgv: ["--expose-gc", "--import", "tsx"] }),
    );
    child.once("message", (bytes: number) => resolve(bytes));
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`ended with ${code} and said nothing`)));
  });
}

describe("closed nodes", () => {
  it.each([
    "local chain in memory",
    "local chain with a port",
    "local chain on disk",
    "follower",
    "lazy follower",
  ])(`leave nothing behind: %s, ${COUNT} times`, { timeout: 600_000 }, async (kind) => {
    expect(await bytesPerNode(kind, COUNT)).toBeLessThan(MOST_PER_NODE);
  });
});
