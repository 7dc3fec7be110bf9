import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ChainRun } from "../../../test/support/chain-run.ts";
import { RUNS } from "../../../test/support/property.ts";
import { SYNTHETIC_IDENTITY, SyntheticLedger } from "../../../test/support/synthetic-ledger.ts";
import { ConfigError } from "../../base/errors.ts";
import { createLocalChain } from "../../chain/local-chain.ts";
import { createMemoryStore } from "../../store/memory/store.ts";
import { floorFor, formatPruneWindow, parsePruneWindow } from "./prune-window.ts";

describe("prune window text", () => {
  it("parses times, counts and off, and formats them back", () => {
    for (const text of ["24h", "30d", "90m", "3600s", "1000000", "1", "off"]) {
      expect(formatPruneWindow(parsePruneWindow(text))).toBe(text);
    }
  });

  it("refuses everything else and quotes the input", () => {
    for (const text of ["", "0", "0h", "-1", "1w", "1.5h", "h", "24 h", "1e3", "٣h", "9".repeat(13), "Off"]) {
      expect(() => parsePruneWindow(text), text).toThrow(ConfigError);
    }
    expect(() => parsePruneWindow("1w")).toThrow('got "1w"');
  });

  it("throws only ConfigError for any text", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          expect(formatPruneWindow(parsePruneWindow(text))).toBe(text);
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError);
        }
      }),
      { numRuns: RUNS },
    );
  });
});

describe("floor of a window", () => {
  it("keeps the genesis of a young ledger, whose blocks are all within a window of time", async () => {
    const chain = createLocalChain({ seed: "young" });
    const run = await new ChainRun(chain, createMemoryStore()).start(chain.genesisBlob());
    await run.steps(3);
    const view = await run.store.openView();
    const first = (await view.getBlockByHeight(1n))!;
    expect(await floorFor(parsePruneWindow("24h"), view)).toBe(0n);
    // It leaves with the first block that has a time.
    const usec = view.position.timestampUsec - first.timestampUsec;
    const within = { kind: "time", amount: usec / 1_000_000n + 1n, unit: "s" } as const;
    expect(await floorFor(within, view)).toBe(0n);
    const beyond = { ...within, amount: (usec - 1n) / 1_000_000n };
    expect(await floorFor(beyond, view)).toBeGreaterThan(first.lastVersion);
    view.release();
  });

  it("keeps exactly what the window says, rounded to blocks", async () => {
    const ledger = new SyntheticLedger(5, 12);
    const store = createMemoryStore();
    await store.commit(ledger.batch(undefined, 200n), SYNTHETIC_IDENTITY);
    const view = await store.openView();
    const head = view.position;

    expect(await floorFor({ kind: "off" }, view)).toBe(0n);
    for (let versions = 1n; versions <= 220n; versions++) {
      const floor = await floorFor({ kind: "count", versions }, view);
      const wanted = head.version - versions + 1n;
      expect(floor).toBe(wanted <= 0n ? 0n : ledger.blockAt(wanted, 200n).firstVersion);
    }
    for (let amount = 1n; amount <= 30n; amount++) {
      const floor = await floorFor({ kind: "time", amount, unit: "s" }, view);
      const cutoff = head.timestampUsec - amount * 1_000_000n;
      // The genesis has no time: it leaves with the first block after it.
      const blocks = ledger.blocksOf(0n, 200n);
      const readable = blocks.filter(
        ({ timestampUsec }, i) => (timestampUsec || blocks[i + 1]!.timestampUsec) >= cutoff,
      );
      expect(floor).toBe(readable[0]?.firstVersion);
    }
    view.release();
  });
});
