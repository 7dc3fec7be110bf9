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
    const committer = new Committer({ store: createMemoryStore(), logger: silentLogger });
    // Every look at the clock finds the slice over.
    let nowMs = 0;
    vi.spyOn(performance, "now").mockImplementation(() => {
      nowMs += 100;
      return nowMs;
    });
    let turns = 0;
    let isVerifying = true;
    const countTurn = (): void => {
      turns++;
      if (isVerifying) setImmediate(countTurn);
    };
    setImmediate(countTurn);
    const position = await committer.append(encodePage(records));
    isVerifying = false;
    expect(position?.version).toBe(BigInt(records.length - 1));
    // Both this test and the committer ask for turns, and some turns serve both.
    expect(turns).toBeGreaterThan(records.length / 2);
  });
});
