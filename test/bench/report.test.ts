import { describe, expect, it } from "vitest";
import { type BenchRow, type RowOptions, toPlainRow, toRow } from "../../bench/harness.ts";
import type { Machine } from "../../bench/machine.ts";
import {
  alarmOf,
  changesSince,
  formatTable,
  isBusy,
  isDecided,
  meetsTarget,
  summarize,
} from "../../bench/report.ts";

/** A row whose interval reaches from the first to the last of six ratios. */
function rowOf(low: number, high: number, options: Partial<RowOptions> = {}, name = "row"): BenchRow {
  const middle = (low + high) / 2;
  const ours = [low, middle, middle, middle, middle, high];
  return toRow(name, { ours, base: ours.map(() => 1) }, { unit: "s", ...options });
}

const QUIET: Machine = {
  date: "2026-01-31T12:00:00.000Z",
  commit: "unknown",
  node: process.version,
  kernel: "Linux",
  model: "a processor",
  processors: 2,
  memoryBytes: 1,
  loadBefore: [1, 9, 9],
  loadAfter: [6, 9, 9],
};

describe("targets", () => {
  it("are decided where the interval lies on one side", () => {
    const verdict = (row: BenchRow): string => `${meetsTarget(row)} ${isDecided(row)}`;
    expect(verdict(rowOf(1, 2, { target: { max: 2 } }))).toBe("true true");
    expect(verdict(rowOf(1, 2, { target: { max: 1.7 } }))).toBe("true false");
    expect(verdict(rowOf(1, 2, { target: { max: 1.3 } }))).toBe("false false");
    expect(verdict(rowOf(1, 2, { target: { max: 0.9 } }))).toBe("false true");
    expect(verdict(rowOf(1, 2, { target: { min: 1 } }))).toBe("true true");
    expect(verdict(rowOf(1, 2, { target: { min: 2.1 } }))).toBe("false true");
  });

  it("of a single measurement are decided only for a size", () => {
    const target = { max: 2 };
    expect(isDecided(toPlainRow("bytes", 1, 1, { unit: "bytes", basis: "size", target }))).toBe(true);
    expect(isDecided(toPlainRow("time", 1, 1, { unit: "s", target }))).toBe(false);
  });

  it("are counted", () => {
    const target = { max: 1.5 };
    const rows = [rowOf(1, 1.2), rowOf(1, 1.2, { target }), rowOf(1, 2, { target }), rowOf(2, 3, { target })];
    expect(summarize(rows)).toBe("3 targets: 1 met, 1 missed, 1 unclear (marked with ?)");
  });
});

describe("the alarm of a quick run", () => {
  it("needs the whole interval beyond twice the target", () => {
    expect(alarmOf(rowOf(5, 6), false)).toBeUndefined();
    expect(alarmOf(rowOf(1.5, 2, { target: { max: 1 } }), false)).toBe("ok");
    expect(alarmOf(rowOf(2.1, 3, { target: { max: 1 } }), false)).toBe("ALARM");
    expect(alarmOf(rowOf(1.9, 30, { target: { max: 1 } }), false)).toBe("too noisy to judge");
    expect(alarmOf(rowOf(0.5, 0.6, { target: { min: 1 } }), false)).toBe("ok");
    expect(alarmOf(rowOf(0.3, 0.45, { target: { min: 1 } }), false)).toBe("ALARM");
    expect(alarmOf(rowOf(0.01, 0.6, { target: { min: 1 } }), false)).toBe("too noisy to judge");
  });

  it("judges no wall clock and no few rounds, but a single size", () => {
    const target = { max: 1 };
    expect(alarmOf(rowOf(5, 6, { target, basis: "clock" }), false)).toBe("not judged: wall clock");
    const few = { ours: [5, 5, 5], base: [1, 1, 1] };
    expect(alarmOf(toRow("few", few, { unit: "s", target }), false)).toBe("too few rounds to judge");
    expect(alarmOf(toPlainRow("size", 3, 1, { unit: "bytes", basis: "size", target }), false)).toBe("ALARM");
  });
});

describe("a busy machine", () => {
  it("has three processes for each processor, before or after the run", () => {
    expect(isBusy(QUIET)).toBe(false);
    expect(isBusy({ ...QUIET, loadBefore: [6.1, 0, 0] })).toBe(true);
    expect(isBusy({ ...QUIET, loadAfter: [6.1, 0, 0] })).toBe(true);
  });

  it("raises no alarm for a time, only for a size", () => {
    const target = { max: 1 };
    expect(alarmOf(rowOf(5, 6, { target }), true)).toBe("not judged: busy machine");
    expect(alarmOf(toPlainRow("size", 3, 1, { unit: "bytes", basis: "size", target }), true)).toBe("ALARM");
  });

  it("changes the table of a quick run alone", () => {
    const rows = [rowOf(4, 5, { target: { max: 1 } })];
    const busy = { ...QUIET, loadBefore: [60, 0, 0] };
    expect(formatTable({ rows, quick: true, machine: QUIET })).toContain("<= 1 ALARM");
    expect(formatTable({ rows, quick: true, machine: busy })).toContain("<= 1 not judged: busy machine");
    expect(formatTable({ rows, quick: false, machine: busy })).toContain("<= 1 MISSED");
  });
});

describe("changes since an older run", () => {
  const verdicts = (old: BenchRow, now: BenchRow): string[] =>
    changesSince([old], [now]).map(({ verdict }) => verdict);

  it("are those whose intervals do not overlap, and the better direction is that of the target or the unit", () => {
    expect(verdicts(rowOf(1, 2), rowOf(1.9, 3))).toEqual(["same"]);
    expect(verdicts(rowOf(1, 2), rowOf(2.1, 3))).toEqual(["slower"]);
    expect(verdicts(rowOf(2.1, 3), rowOf(1, 2))).toEqual(["faster"]);
    const rate = { unit: "requests per CPU second" };
    expect(verdicts(rowOf(1, 2, rate), rowOf(2.1, 3, rate))).toEqual(["faster"]);
    expect(verdicts(rowOf(1, 2, { unit: "writes/s" }), rowOf(0.1, 0.9, { unit: "writes/s" }))).toEqual([
      "slower",
    ]);
    const share = { target: { min: 0.5 } };
    expect(verdicts(rowOf(1, 2, share), rowOf(2.1, 3, share))).toEqual(["faster"]);
    const most = { ...rate, target: { max: 5 } };
    expect(verdicts(rowOf(1, 2, most), rowOf(2.1, 3, most))).toEqual(["slower"]);
  });

  it("leave out rows of one run alone, and judge no single measurement", () => {
    expect(changesSince([rowOf(1, 2, {}, "old")], [rowOf(5, 6, {}, "new")])).toEqual([]);
    const one = (value: number): BenchRow => toPlainRow("one", value, 1, { unit: "bytes", basis: "size" });
    expect(verdicts(one(1), one(9))).toEqual(["not judged"]);
  });
});
