// What the rows say: whether they meet their targets, what a quick run raises an alarm for, what changed since another run,
// and all of it as tables.
import type { BenchRow, Target } from "./harness.ts";
import type { Machine } from "./machine.ts";
import { CONFIDENCE, type Interval } from "./statistics.ts";

/** The results of a run, as they are written to a file. */
export interface Results {
  readonly machine: Machine;
  readonly quick: boolean;
  readonly scale: number;
  readonly seconds: number;
  readonly rows: readonly BenchRow[];
  /** Rows that were not measured; absent in older files. */
  readonly leftOut?: readonly LeftOut[];
}

/** A row that was not measured. */
export interface LeftOut {
  readonly name: string;
  /** Why, and how to measure it. */
  readonly reason: string;
}

/** Where an interval lies: within the bounds, outside, or on both sides. */
type Place = "inside" | "outside" | "both";

/** The factor by which a row must miss its target for an alarm. */
const ALARM_FACTOR = 2;

function placeOf({ low, high }: Pick<Interval, "low" | "high">, target: Target): Place {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = target;
  if (low >= min && high <= max) return "inside";
  return high < min || low > max ? "outside" : "both";
}

/** The bounds of a row's ratio with at least the usual confidence; undefined if it has too few rounds. */
function boundsOf({ basis, ratio, interval }: BenchRow): Pick<Interval, "low" | "high"> | undefined {
  if (basis === "size") return { low: ratio, high: ratio };
  return interval === undefined || interval.confidence < CONFIDENCE ? undefined : interval;
}

/** True if the ratio is within its target; the interval may reach beyond it. */
export function meetsTarget({ ratio, target }: BenchRow): boolean {
  return target === undefined || placeOf({ low: ratio, high: ratio }, target) === "inside";
}

/** True if the interval of a row with a target lies on one side of it. */
export function isDecided(row: BenchRow): boolean {
  const bounds = boundsOf(row);
  return row.target !== undefined && bounds !== undefined && placeOf(bounds, row.target) !== "both";
}

/** What a quick run says about a row with a target. */
export type Alarm =
  | "ok"
  | "ALARM"
  | "too noisy to judge"
  | "too few rounds to judge"
  | "not judged: wall clock"
  | "not judged: busy machine";

/** Processes that want to run, for each processor, above which no time is judged. */
const BUSY_LOAD = 3;

/**
 * True if the machine was so busy that CPU time does not tell: other programs take the caches, which costs a large program
 * more than a small one.
 */
export function isBusy({ processors, loadBefore, loadAfter }: Machine): boolean {
  return Math.max(loadBefore[0] ?? 0, loadAfter[0] ?? 0) > BUSY_LOAD * processors;
}

/** The alarm of a row: it misses its target by more than a factor of two, with confidence. */
export function alarmOf(row: BenchRow, isMachineBusy: boolean): Alarm | undefined {
  if (row.target === undefined) return undefined;
  if (isMachineBusy && row.basis !== "size") return "not judged: busy machine";
  // What else the machine does is no alarm.
  if (row.basis === "clock") return "not judged: wall clock";
  const { min, max } = row.target;
  const bounds = boundsOf(row);
  if (bounds === undefined) return "too few rounds to judge";
  const place = placeOf(bounds, {
    ...(min === undefined ? {} : { min: min / ALARM_FACTOR }),
    ...(max === undefined ? {} : { max: max * ALARM_FACTOR }),
  });
  return place === "inside" ? "ok" : place === "outside" ? "ALARM" : "too noisy to judge";
}

/** True if a higher ratio is better: by the target, else by the unit. */
function isHigherBetter({ target, unit }: BenchRow): boolean {
  if (target !== undefined) return target.min !== undefined;
  return /\/s\b|per (?:CPU )?second/.test(unit);
}

/** A row that is in two runs. */
export interface Change {
  readonly name: string;
  readonly verdict: "slower" | "faster" | "same" | "not judged";
  readonly old: BenchRow;
  readonly now: BenchRow;
}

/** What became of the rows of an older run: one got slower or faster if the two intervals do not overlap. */
export function changesSince(old: readonly BenchRow[], now: readonly BenchRow[]): Change[] {
  const before = new Map(old.map((row) => [row.name, row]));
  return now.flatMap((row): Change[] => {
    const last = before.get(row.name);
    return last === undefined ? [] : [{ name: row.name, verdict: judge(last, row), old: last, now: row }];
  });
}

function judge(old: BenchRow, now: BenchRow): Change["verdict"] {
  // Two single measurements, of a size too, do not tell how much they vary.
  if (old.interval === undefined || now.interval === undefined) return "not judged";
  if (Math.min(old.interval.confidence, now.interval.confidence) < CONFIDENCE) return "not judged";
  const isHigher = now.interval.low > old.interval.high;
  const isLower = now.interval.high < old.interval.low;
  if (!isHigher && !isLower) return "same";
  return isHigher === isHigherBetter(now) ? "faster" : "slower";
}

/** The rows that changed, and how many did not. */
export function formatChanges(changes: readonly Change[]): string {
  const changed = changes.filter(({ verdict }) => verdict === "slower" || verdict === "faster");
  const count = (verdict: Change["verdict"]): number =>
    changes.filter((change) => change.verdict === verdict).length;
  const lines = changed.map(({ name, verdict, old, now }) => [
    verdict,
    name,
    formatRatio(old),
    formatRatio(now),
  ]);
  const table = lines.length === 0 ? [] : [align([["", "what", "before", "now"], ...lines])];
  const counts = `${count("slower")} slower, ${count("faster")} faster, ${count("same")} within both intervals`;
  return [...table, `${counts}, ${count("not judged")} without an interval`].join("\n");
}

/** The ratio of a row with its interval. */
export function formatRatio(row: BenchRow): string {
  return row.interval === undefined
    ? formatShort(row.ratio)
    : `${formatShort(row.ratio)} (${formatInterval(row)})`;
}

/** The rows as an aligned table. */
export function formatTable({
  rows,
  quick,
  machine,
  leftOut = [],
}: Pick<Results, "rows" | "quick" | "machine" | "leftOut">): string {
  const isMachineBusy = isBusy(machine);
  const cells = rows.map((row) => [
    row.name,
    formatShort(row.ratio),
    formatInterval(row),
    `${row.rounds}`,
    quick ? formatAlarm(row, isMachineBusy) : formatTarget(row),
    formatSides(row),
    row.note ?? "",
  ]);
  const missing = leftOut.map(({ name, reason }) => [name, "not run", "", "", "", "", reason]);
  const interval = `interval, ${formatShare(CONFIDENCE)}`;
  const titles = ["what", "ratio", interval, "rounds", "target", "ours / base", "also seen"];
  return align([titles, ...cells, ...missing]);
}

/** The headline rows as Markdown, for the README. */
export function formatReadme(rows: readonly BenchRow[]): string {
  const lines = rows
    .filter(({ headline }) => headline === true)
    .map((row) => {
      const cells = [row.name, formatRatio(row), formatTarget(row), formatSides(row)];
      return `| ${cells.join(" | ")} |`;
    });
  const title = `| what | ratio (interval, ${formatShare(CONFIDENCE)}) | target | ours / base |`;
  return [title, "|---|---|---|---|", ...lines].join("\n");
}

/** How many targets are met. */
export function summarize(rows: readonly BenchRow[]): string {
  const judged = rows.filter(({ target }) => target !== undefined);
  const decided = judged.filter(isDecided);
  const met = decided.filter(meetsTarget).length;
  const open = judged.length - decided.length;
  return `${judged.length} targets: ${met} met, ${decided.length - met} missed, ${open} unclear (marked with ?)`;
}

function align(table: readonly (readonly string[])[]): string {
  const widths =
    table[0]?.map((_, column) => Math.max(...table.map((line) => line[column]?.length ?? 0))) ?? [];
  return table
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function formatInterval({ interval }: BenchRow): string {
  if (interval === undefined) return "";
  const { low, high, confidence } = interval;
  const stated = confidence < CONFIDENCE ? `, ${formatShare(confidence)} only` : "";
  return `${formatShort(low)}–${formatShort(high)}${stated}`;
}

function formatShare(part: number): string {
  return `${Math.floor(100 * part)} %`;
}

function formatSides(row: BenchRow): string {
  return `${formatNumber(row.ours)} / ${formatNumber(row.base)} ${row.unit}`;
}

function formatBounds({ min, max }: Target): string {
  return [
    min === undefined ? "" : `>= ${formatShort(min)}`,
    max === undefined ? "" : `<= ${formatShort(max)}`,
  ]
    .filter(Boolean)
    .join(", ");
}

function formatTarget(row: BenchRow): string {
  if (row.target === undefined) return "";
  const verdict = meetsTarget(row) ? "ok" : "MISSED";
  return `${formatBounds(row.target)} ${verdict}${isDecided(row) ? "" : "?"}`;
}

function formatAlarm(row: BenchRow, isMachineBusy: boolean): string {
  return row.target === undefined ? "" : `${formatBounds(row.target)} ${alarmOf(row, isMachineBusy)}`;
}

/** Two digits after the point, or two significant ones of a small number. */
function formatShort(value: number): string {
  return Math.abs(value) < 0.1 && value !== 0
    ? `${Number(value.toPrecision(2))}`
    : `${Number(value.toFixed(2))}`;
}

function formatNumber(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en-US") : value.toFixed(2);
}
