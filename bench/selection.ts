// Which benchmarks and rows a run measures.
import type { Benchmark } from "./harness.ts";

/** A benchmark in the list. */
export interface Listed {
  readonly run: Benchmark;
  /** Names of its rows. Numbers in them depend on the size of the run. */
  readonly rows: readonly string[];
  /** About how long it takes on two processors, with the data sets made. */
  readonly seconds: number;
  /** Its rows are by the wall clock, which a quick run does not judge: it takes them last. */
  readonly isByClock?: true;
}

/** Numbers depend on the size of the run. */
function withoutNumbers(text: string): string {
  return text.toLowerCase().replaceAll(/[\d,.]*\d/g, "#");
}

/** A benchmark to run, and which of its rows are wanted. */
export interface Selected extends Listed {
  readonly name: string;
  readonly isWanted: (row: string) => boolean;
}

/** The benchmarks that are named, with all rows, and those that have rows whose names contain a text; all without a text. */
export function select(listed: Readonly<Record<string, Listed>>, only: readonly string[]): Selected[] {
  const texts = only.filter((text) => listed[text] === undefined);
  const asFull = (row: string, text: string): boolean => row.toLowerCase().includes(text.toLowerCase());
  const asAny = (row: string, text: string): boolean => withoutNumbers(row).includes(withoutNumbers(text));
  const isAsked = (row: string): boolean => texts.some((text) => asAny(row, text));
  // A text with the numbers of a full run means the rows that have them.
  const names = Object.values(listed).flatMap(({ rows }) => rows);
  const isListed = (row: string): boolean =>
    texts.some((text) => (names.some((name) => asFull(name, text)) ? asFull : asAny)(row, text));
  return Object.entries(listed).flatMap(([name, benchmark]): Selected[] => {
    if (only.length === 0 || only.includes(name)) return [{ ...benchmark, name, isWanted: () => true }];
    return benchmark.rows.some(isListed) ? [{ ...benchmark, name, isWanted: isAsked }] : [];
  });
}
