// A page takes long to verify: other work of the process runs in between.
import { afterEach, describe, expect, it, vi } from "vitest";
import { silentLogger } from "../../src/base/log.ts";
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { Committer } from "../../src/sync/committer.ts";
import { ChainRun } from "../support/chain-run.ts";
import { readRecords } from "../support/follow.ts";
import { encodePage } from "../support/recorded-upstream.ts";

describe("a page of records", () => {
  afterEach(() => vi.restoreAllMocks());

  it("lets the event loop turn while it is verified, whatever number of records it has", async () => {
    const run = await new ChainRun(createLocalChain({ seed: "turns" }), createMemoryStore()).start();
    await run.steps(20);
    const records = await readRecords(run.store);
    // Every look at the clock finds the slice over.
    let nowMs = 0;
    vi.spyOn(performance, "now").mockImplementation(() => {
      nowMs += 100;
      return nowMs;
    });
    const committer = new Committer({ store: createMemoryStore(), logger: silentLogger });
    const turns = vi.spyOn(globalThis, "setImmediate");
    const position = await committer.appendPage(encodePage(records), [], async () => undefined);
    expect(position?.version).toBe(BigInt(records.length - 1));
    expect(turns.mock.calls.length).toBeGreaterThan(records.length);
  });
});
