// Memory that a closed node leaves in its process.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { endWithTest } from "../support/children.ts";
import type { Held } from "../support/closed-nodes-run.ts";
import { RUNS } from "../support/property.ts";
import { AS_BUILT } from "../support/typescript.ts";

const RUN = fileURLToPath(new URL("../support/closed-nodes-run.ts", import.meta.url));
/** Bytes; a leaked node has a ledger of several hundred kilobytes. */
const MOST_PER_NODE = 30_000;
/** Bytes of a closed node whose handle the caller keeps: its metrics and empty caches, not its ledger. */
const MOST_PER_HANDLE = 150_000;
/** Nodes of each kind; more with SEXTANT_RUNS. */
const COUNT = Math.ceil(RUNS / 5);

interface Report {
  readonly dropped: Held;
  readonly kept: Held;
}

function reportOf(kind: string, count: number): Promise<Report> {
  return new Promise((resolve, reject) => {
    const child = endWithTest(
      fork(RUN, [kind, `${count}`], {
        execArgv: ["--expose-gc", "--disable-warning=ExperimentalWarning", ...AS_BUILT],
      }),
    );
    child.once("message", (report: Report) => resolve(report));
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`ended with ${code} and said nothing`)));
  });
}

describe("closed nodes", () => {
  it.each(["local chain on disk with a port", "follower", "lazy follower"])(
    `leave nothing behind: %s, ${COUNT} times`,
    async (kind) => {
      const { dropped, kept } = await reportOf(kind, COUNT);
      expect(Object.keys(dropped.instances)).toHaveLength(5);
      // One instance for each node would be a leak; fewer come from caches that fill up.
      for (const [name, left] of Object.entries(dropped.instances)) {
        expect(left, `${name} instances left by each node`).toBeLessThan(0.5);
      }
      expect(dropped.bytes).toBeLessThan(MOST_PER_NODE);
      expect(kept.bytes, "bytes of a kept handle").toBeLessThan(MOST_PER_HANDLE);
      expect(kept.instances.Uint8Array, "byte arrays of a kept handle").toBeLessThan(1);
    },
  );
});
