import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RUNS } from "../../test/support/property.ts";
import { SYNTHETIC_IDENTITY, SyntheticLedger } from "../../test/support/synthetic-ledger.ts";
import { ConfigError } from "../base/errors.ts";
import { createMemoryStore } from "../store/memory/store.ts";
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
      const readable = ledger.blocksOf(0n, 200n).filter((block) => block.timestampUsec >= cutoff);
      expect(floor).toBe(readable[0]?.firstVersion);
    }
    view.release();
  });
});
