// A page takes long to verify: other work of the process runs in between.
import { afterEach, describe, expect, it, vi } from "vitest";
import { silentLogger } from "../../src/base/log.ts";
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { Committer } from "../../src/sync/committer.ts";
import { loadPosition } from "../../src/sync/reading.ts";
import { RemotePageVerifier } from "../../src/sync/verify/remote-page-verifier.ts";
import { VerdictReader } from "../../src/sync/verify/verified-page.ts";
import { ChainRun } from "../support/chain-run.ts";
import { readRecords } from "../support/follow.ts";
import { encodePage } from "../support/recorded-upstream.ts";

/** Every look at the clock finds the slice over. */
function endEverySlice(): void {
  let nowMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => {
    nowMs += 100;
    return nowMs;
  });
}

describe("a page of records", () => {
  afterEach(() => vi.restoreAllMocks());

  it.each([
    ["of a page", false],
    ["of an open block before it", true],
  ])("lets the event loop turn while it is verified, whatever number of records %s", async (_, isOpen) => {
    const run = await new ChainRun(createLocalChain({ seed: "turns" }), createMemoryStore()).start();
    await run.steps(20);
    const records = await readRecords(run.store);
    endEverySlice();
    const committer = new Committer({ store: createMemoryStore(), logger: silentLogger });
    const turns = vi.spyOn(globalThis, "setImmediate");
    const openRecords = isOpen ? records.splice(0, records.length - 1) : [];
    const head = openRecords.length + records.length - 1;
    const position = await committer.appendPages([encodePage(records)], openRecords, async () => undefined);
    expect(position?.version).toBe(BigInt(head));
    // Open records, of which there may be thousands, are also decoded one by one.
    expect(turns.mock.calls.length).toBeGreaterThan(head + openRecords.length);
  });

  it("lets the event loop turn also where the node made the records itself", async () => {
    const run = await new ChainRun(createLocalChain({ seed: "turns" }), createMemoryStore()).start();
    await run.steps(20);
    const records = await readRecords(run.store);
    endEverySlice();
    const committer = new Committer({ store: createMemoryStore(), logger: silentLogger });
    const turns = vi.spyOn(globalThis, "setImmediate");
    await committer.append(records);
    expect(turns.mock.calls.length).toBeGreaterThanOrEqual(records.length);
  });

  it("lets the event loop turn while the verdict of another process on it is read", async () => {
    const run = await new ChainRun(createLocalChain({ seed: "turns" }), createMemoryStore()).start();
    await run.steps(20);
    const [genesis = new Uint8Array(), ...records] = await readRecords(run.store);
    const store = createMemoryStore();
    const committer = new Committer({ store, logger: silentLogger });
    await committer.append([genesis]);
    const position = await loadPosition(store);
    if (position === undefined) throw new Error("the store is empty");
    const page = encodePage(records);
    const verdict = await new RemotePageVerifier(store, position, committer.verification).verify(page);
    endEverySlice();
    const reader = new VerdictReader(position.chainId);
    const turns = vi.spyOn(globalThis, "setImmediate");
    const blocks = await reader.read(page, verdict);
    expect(blocks).toHaveLength(20);
    expect(turns.mock.calls.length).toBeGreaterThanOrEqual(records.length);
  });
});
