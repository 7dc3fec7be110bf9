// The progress of a run: the row that was measured last, and how long the rest takes, by the times of the last run.

/** What a run is made of. */
export interface ProgressOptions {
  /** Seconds that each benchmark is expected to take, in their order. */
  readonly expected: ReadonlyMap<string, number>;
  /** Milliseconds. */
  readonly now: () => number;
  readonly write: (text: string) => void;
  /** Rewrites one line at the bottom instead of writing another. */
  readonly isTerminal: boolean;
}

/** Writes progress lines. */
export class Progress {
  readonly #options: ProgressOptions;
  readonly #startedMs: number;
  /** Seconds that each finished benchmark took. */
  readonly taken = new Map<string, number>();
  #current: { readonly name: string; readonly startedMs: number } | undefined;
  readonly #skipped = new Set<string>();
  #rows = 0;

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#startedMs = options.now();
  }

  begin(name: string): void {
    this.#current = { name, startedMs: this.#options.now() };
    this.#writeLine();
  }

  row(text: string): void {
    this.#rows++;
    this.#options.write(`${this.#clear()}${text}\n`);
    if (this.#options.isTerminal) this.#writeLine();
  }

  /** Leaves a benchmark out. */
  skip(name: string): void {
    this.#skipped.add(name);
  }

  end(): void {
    if (this.#current === undefined) return;
    this.taken.set(this.#current.name, this.#secondsSince(this.#current.startedMs));
    this.#current = undefined;
    this.#options.write(this.#clear());
  }

  /** Seconds left: those expected, corrected by how long the finished benchmarks took over what was expected of them. */
  secondsLeft(): number {
    const { expected } = this.#options;
    let [done, planned, left] = [0, 0, 0];
    for (const [name, seconds] of expected) {
      const taken = this.taken.get(name);
      if (this.#skipped.has(name)) continue;
      if (taken === undefined) left += seconds;
      else {
        done += taken;
        planned += seconds;
      }
    }
    const pace = planned > 0 ? done / planned : 1;
    const current = this.#current === undefined ? 0 : this.#secondsSince(this.#current.startedMs);
    const ofCurrent = pace * (expected.get(this.#current?.name ?? "") ?? 0);
    return Math.max(0, pace * left - Math.min(current, ofCurrent));
  }

  #secondsSince(ms: number): number {
    return (this.#options.now() - ms) / 1000;
  }

  #clear(): string {
    return this.#options.isTerminal ? "\r\u001b[2K" : "";
  }

  #writeLine(): void {
    const { expected, write, isTerminal } = this.#options;
    const place = `${this.taken.size + 1} of ${expected.size}: ${this.#current?.name ?? ""}`;
    const times = `${formatTime(this.#secondsSince(this.#startedMs))} so far, about ${formatTime(this.secondsLeft())} left`;
    write(`${this.#clear()}[${place}] ${this.#rows} rows, ${times}${isTerminal ? "" : "\n"}`);
  }
}

/** A duration such as "2 min 5 s". */
export function formatTime(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
