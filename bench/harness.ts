// How the benchmarks measure: two sides in turn, A B A B, so that both see the same machine. The result is the median
// ratio of the rounds, with its spread. Rows of all benchmarks print as one table.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Options of a run. */
export interface BenchOptions {
  /** Little data and few rounds. */
  readonly quick: boolean;
  /** Size of the data sets as a part of the full size. */
  readonly scale: number;
}

/** Bounds of a ratio. */
export interface Target {
  readonly min?: number;
  readonly max?: number;
}

/** One line of the table. */
export interface BenchRow {
  readonly name: string;
  /** Median of the rounds: ours over base. */
  readonly ratio: number;
  /** First and last quartile of the rounds. */
  readonly spread: readonly [number, number];
  /** Medians of both sides, in `unit`. */
  readonly ours: number;
  readonly base: number;
  readonly unit: string;
  readonly target?: Target;
  /** Further observations. */
  readonly note?: string;
  /** Belongs in the short table of the README. */
  readonly headline?: boolean;
}

/** A named set of measurements. */
export type Benchmark = (options: BenchOptions) => Promise<readonly BenchRow[]>;

/** One side of a comparison: does some work and returns a number in the row's unit. */
export type Side = () => number | Promise<number>;

/** The middle value. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The quantile of `part`, linearly interpolated. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = part * (sorted.length - 1);
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}

/** Measures both sides in turn, after one unmeasured round. */
export async function compare(
  name: string,
  sides: { readonly ours: Side; readonly base: Side },
  options: RowOptions & { readonly rounds: number },
): Promise<BenchRow> {
  await sides.base();
  await sides.ours();
  const ours: number[] = [];
  const base: number[] = [];
  for (let round = 0; round < options.rounds; round++) {
    base.push(await sides.base());
    ours.push(await sides.ours());
  }
  return toRow(name, { ours, base }, options);
}

/** The fields of a row besides its numbers. */
export type RowOptions = Pick<BenchRow, "unit" | "target" | "note" | "headline">;

/** The row of two series measured in turn. */
export function toRow(
  name: string,
  series: { readonly ours: readonly number[]; readonly base: readonly number[] },
  { unit, target, note, headline }: RowOptions,
): BenchRow {
  const ratios = series.ours.map((value, round) => value / (series.base[round] ?? Number.NaN));
  return {
    name,
    ratio: median(ratios),
    spread: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    ours: median(series.ours),
    base: median(series.base),
    unit,
    ...(target === undefined ? {} : { target }),
    ...(note === undefined ? {} : { note }),
    ...(headline === undefined ? {} : { headline }),
  };
}

/** The row of one figure and a fixed base. */
export function toPlainRow(name: string, ours: number, base: number, options: RowOptions): BenchRow {
  return toRow(name, { ours: [ours], base: [base] }, options);
}

/** Nanoseconds for one of `count` repetitions. */
export function nanosecondsEach(started: bigint, count: number): number {
  return Number(process.hrtime.bigint() - started) / count;
}

/** Nanoseconds of processor time for one of `count` repetitions. */
export function cpuNanosecondsEach(started: NodeJS.CpuUsage, count: number): number {
  const { user, system } = process.cpuUsage(started);
  return (1000 * (user + system)) / count;
}

/** True if the row is within its target or has none. */
export function meetsTarget(row: BenchRow): boolean {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = row.target ?? {};
  return row.ratio >= min && row.ratio <= max;
}

/** Runs with a temporary directory. */
export async function withDirectory<T>(use: (path: string) => Promise<T>): Promise<T> {
  const cache = fileURLToPath(new URL("../.cache/bench/", import.meta.url));
  await mkdir(cache, { recursive: true });
  const path = await mkdtemp(join(cache, "run-"));
  try {
    return await use(path);
  } finally {
    await rm(path, { recursive: true });
  }
}

/** The rows as an aligned table. */
export function formatTable(rows: readonly BenchRow[]): string {
  const cells = rows.map((row) => [
    row.name,
    row.ratio.toFixed(2),
    `${row.spread[0].toFixed(2)}–${row.spread[1].toFixed(2)}`,
    formatTarget(row),
    formatSides(row),
    row.note ?? "",
  ]);
  const table = [["what", "ratio", "spread", "target", "ours / base", "also seen"], ...cells];
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

/** The headline rows as Markdown, for the README. */
export function formatReadme(rows: readonly BenchRow[]): string {
  const lines = rows
    .filter(({ headline }) => headline === true)
    .map((row) => {
      const cells = [row.name, row.ratio.toFixed(2), formatTarget(row), formatSides(row)];
      return `| ${cells.join(" | ")} |`;
    });
  return ["| what | ratio | target | ours / base |", "|---|---|---|---|", ...lines].join("\n");
}

function formatSides(row: BenchRow): string {
  return `${formatNumber(row.ours)} / ${formatNumber(row.base)} ${row.unit}`;
}

function formatTarget(row: BenchRow): string {
  if (row.target === undefined) return "";
  const { min, max } = row.target;
  const bound = [min === undefined ? "" : `>= ${min}`, max === undefined ? "" : `<= ${max}`]
    .filter(Boolean)
    .join(", ");
  return `${bound} ${meetsTarget(row) ? "ok" : "MISSED"}`;
}

function formatNumber(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en-US") : value.toFixed(2);
}
