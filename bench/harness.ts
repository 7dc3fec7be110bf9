// How the benchmarks measure: all sides in turn, so that they see the same machine, and every second round in reverse
// order, so that no side gains from its place. A row is the median of the rounds' ratios with its confidence interval. A
// row stops early once it is clear: its interval lies on one side of its target, or is narrow.
import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  FEWEST_ROUNDS,
  fixedInterval,
  type Interval,
  intervalAt,
  LOOKS,
  median,
  planCuts,
  quantile,
} from "./statistics.ts";

export { median, quantile } from "./statistics.ts";

/** Options of a run. */
export interface BenchOptions {
  /** Little data, and only as many rounds as an alarm needs. */
  readonly quick: boolean;
  /** Size of the data sets as a part of the full size. */
  readonly scale: number;
  /** How long rows at a given pace last, if not as long as usual. */
  readonly seconds?: number | undefined;
  /** URL of a PostgreSQL server to compare with, if not a temporary one. */
  readonly postgres?: string | undefined;
  /** Two running nodes to compare, if any. */
  readonly running?: RunningNodes | undefined;
}

/** Nodes that somebody runs, and an account that both know. */
export interface RunningNodes {
  readonly node: string;
  readonly fullNode: string;
  readonly account: string;
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
  /** Bounds of the ratio; none for a single measurement. */
  readonly interval?: Interval;
  readonly rounds: number;
  /** Medians of both sides, in `unit`. */
  readonly ours: number;
  readonly base: number;
  readonly unit: string;
  readonly target?: Target;
  /**
   * What the figures depend on besides the program: `clock` also on what else the machine does; `size` (bytes, counts) on
   * nothing, so that one measurement is enough. CPU time where it is absent.
   */
  readonly basis?: "clock" | "size";
  /** Further observations. */
  readonly note?: string;
  /** Belongs in the short table of the README. */
  readonly headline?: boolean;
}

/** A named set of measurements. */
export type Benchmark = (options: BenchOptions) => Promise<readonly BenchRow[]>;

/** One side of a comparison: does some work and returns a number in the row's unit. */
export type Side = () => number | Promise<number>;

/** The fields of a row besides its numbers. */
export type RowOptions = Pick<BenchRow, "unit" | "target" | "basis" | "note" | "headline">;

/** A row to make of two of the sides. */
export interface Pairing extends RowOptions {
  readonly name: string;
  readonly ours: string;
  readonly base: string;
}

/** Limits of a measurement. */
export interface Limits {
  /** Most rounds, for sides that take seconds. */
  readonly rounds?: number;
  /** The sides depend on their order: `base` prepares what `ours` needs. */
  readonly inOrder?: boolean;
  /** Share of the usual time; 1 where it is absent. */
  readonly budget?: number;
}

/** What a run tells the harness. */
export interface Run {
  readonly quick: boolean;
  /** Rows that nobody asked for get a single round, because other rows may be derived from them. */
  readonly isWanted: (name: string) => boolean;
  readonly onRow: (row: BenchRow) => void;
  /** Milliseconds. */
  readonly now: () => number;
  /** Share of the usual time for a measurement, if the run is behind its schedule. */
  readonly pace: number;
}

/** Time for one measurement, unless the fewest rounds take longer. */
const BUDGET_MS = 6000;
const QUICK_BUDGET_MS = 2500;
/** An interval is narrow if its upper bound is at most this many times its lower bound. */
const NARROW = 1.05;

let run: Run = {
  quick: false,
  isWanted: () => true,
  onRow: () => {},
  now: () => performance.now(),
  pace: 1,
};

/** Sets what the following measurements are for. */
export function beginRun(begun: Partial<Run>): void {
  run = { ...run, ...begun };
}

/** Measures both sides in turn and returns their row. */
export async function compare(
  name: string,
  sides: { readonly ours: Side; readonly base: Side },
  { rounds, inOrder, budget, ...row }: RowOptions & Limits,
): Promise<BenchRow> {
  const limits = {
    ...(rounds === undefined ? {} : { rounds }),
    ...(inOrder === undefined ? {} : { inOrder }),
    ...(budget === undefined ? {} : { budget }),
  };
  const pairing = { name, ours: "ours", base: "base", ...row };
  const [made] = await compareAll({ base: sides.base, ours: sides.ours }, [pairing], limits);
  if (made === undefined) throw new Error(`${name}: no row`);
  return made;
}

/** Measures all sides in turn, until every row is clear or the time is used up, and returns the rows. */
export async function compareAll(
  sides: Readonly<Record<string, Side>>,
  pairings: readonly Pairing[],
  limits: Limits = {},
): Promise<BenchRow[]> {
  const series = new Map(Object.keys(sides).map((name): [string, number[]] => [name, []]));
  const takeRound = async (isReverse: boolean): Promise<void> => {
    const order = isReverse ? Object.entries(sides).reverse() : Object.entries(sides);
    for (const [name, side] of order) series.get(name)?.push(await side());
  };
  const ratiosOf = ({ ours, base }: Pairing): number[] => {
    const bases = series.get(base);
    return (series.get(ours) ?? []).map((value, round) => value / (bases?.[round] ?? Number.NaN));
  };
  const wanted = pairings.filter(({ name }) => run.isWanted(name));
  const plan = planOf(wanted, limits);
  const judged = wanted.filter(({ target }) => target !== undefined);
  const deciding = judged.length > 0 ? judged : wanted;
  // One unmeasured round warms up the code.
  if (plan.isWarm) {
    await takeRound(false);
    for (const values of series.values()) values.length = 0;
  }
  const startedMs = run.now();
  let cut: number | undefined;
  for (let rounds = 1; ; rounds++) {
    await takeRound(limits.inOrder !== true && rounds % 2 === 0);
    const look = plan.looks.indexOf(rounds);
    cut = plan.cuts[look];
    const eachMs = (run.now() - startedMs) / rounds;
    const isLate = (next: number): boolean => eachMs * next > plan.budgetMs;
    if (look < 0) {
      // A side that takes seconds: the time decides, not the figures, so that the interval is that of a fixed number.
      if (rounds >= plan.fewest && rounds < (plan.looks[0] ?? 0) && isLate(rounds + 1)) break;
      continue;
    }
    const next = plan.looks[look + 1];
    if (next === undefined || isLate(next)) break;
    const at = cut ?? -1;
    if (deciding.every((pairing) => isClear(intervalAt(ratiosOf(pairing), at), pairing.target))) break;
  }
  return pairings.map((pairing) => {
    const { name, ours, base, ...options } = pairing;
    const both = { ours: series.get(ours) ?? [], base: series.get(base) ?? [] };
    const interval =
      cut === undefined || cut < 0 || plan.looks.length === 1
        ? undefined
        : intervalAt(ratiosOf(pairing), cut);
    const row = { ...toRow(name, both, options), ...(interval === undefined ? {} : { interval }) };
    if (wanted.includes(pairing)) run.onRow(row);
    return row;
  });
}

interface Plan {
  readonly looks: readonly number[];
  readonly cuts: readonly number[];
  readonly budgetMs: number;
  /** Rounds that are made in any case. */
  readonly fewest: number;
  readonly isWarm: boolean;
}

function planOf(wanted: readonly Pairing[], limits: Limits): Plan {
  const isJudged = wanted.some(({ target }) => target !== undefined);
  const looks = looksFor(wanted.length > 0, isJudged, limits.rounds);
  return {
    looks,
    cuts: planCuts(looks),
    budgetMs: run.quick ? QUICK_BUDGET_MS : run.pace * BUDGET_MS * (limits.budget ?? 1),
    fewest: run.quick ? 1 : FEWEST_ROUNDS,
    isWarm: wanted.length > 0,
  };
}

function looksFor(isWanted: boolean, isJudged: boolean, most = Number.POSITIVE_INFINITY): readonly number[] {
  // A quick run shows that the others work.
  if (!isWanted || (run.quick && !isJudged)) return [1];
  if (run.quick) return [Math.min(FEWEST_ROUNDS, most)];
  const looks = LOOKS.filter((rounds) => rounds <= most);
  return looks.length > 0 ? looks : [most];
}

/** True if more rounds would not change the verdict, or the interval is narrow. */
export function isClear(interval: Interval | undefined, target: Target | undefined): boolean {
  if (interval === undefined) return false;
  const { low, high } = interval;
  if (low > 0 && high <= NARROW * low) return true;
  if (target === undefined) return false;
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = target;
  return high < min || low > max || (low >= min && high <= max);
}

/** The row of two series measured in turn, whose number of rounds was fixed beforehand. */
export function toRow(
  name: string,
  series: { readonly ours: readonly number[]; readonly base: readonly number[] },
  { unit, target, basis, note, headline }: RowOptions,
): BenchRow {
  const ratios = series.ours.map((value, round) => value / (series.base[round] ?? Number.NaN));
  const interval = fixedInterval(ratios);
  return {
    name,
    ratio: median(ratios),
    spread: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    ...(interval === undefined ? {} : { interval }),
    rounds: ratios.length,
    ours: median(series.ours),
    base: median(series.base),
    unit,
    ...(target === undefined ? {} : { target }),
    ...(basis === undefined ? {} : { basis }),
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

const CACHE = fileURLToPath(new URL("../.cache/bench/", import.meta.url));
const TEMPORARY = "run-";
/** No directory is in use for longer. */
const LEFTOVER_MS = 3_600_000;

/** Removes the temporary directories of runs that were killed. */
export async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(CACHE).catch(() => [])) {
    if (!name.startsWith(TEMPORARY)) continue;
    const path = join(CACHE, name);
    if (Date.now() - (await stat(path)).mtimeMs > LEFTOVER_MS)
      await rm(path, { recursive: true, force: true });
  }
}

/** Runs with a temporary directory. */
export async function withDirectory<T>(use: (path: string) => Promise<T>): Promise<T> {
  await mkdir(CACHE, { recursive: true });
  const path = await mkdtemp(join(CACHE, TEMPORARY));
  try {
    return await use(path);
  } finally {
    await rm(path, { recursive: true });
  }
}
