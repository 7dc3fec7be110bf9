// Confidence in a median of rounds. A round's ratio lies below the true median with probability one half, whatever its
// distribution is; this needs independent rounds and nothing else. So the number of rounds below it is a random walk, and
// the probability that an interval between two order statistics misses it at any of the planned looks is computed exactly.
// A run may therefore look at its interval, stop as soon as that is clear, and still state the confidence of the plan.

/** Confidence of the intervals of all looks together. */
export const CONFIDENCE = 0.95;

/** Numbers of rounds after which a run may stop. */
export const LOOKS: readonly number[] = [8, 12, 18, 27, 40];

/** Fewest rounds whose smallest and largest ratio are an interval with this confidence. */
export const FEWEST_ROUNDS = 6;

/** Bounds of a median. */
export interface Interval {
  readonly low: number;
  readonly high: number;
  /** Probability that such an interval covers the true median. */
  readonly confidence: number;
}

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

/**
 * For each look, the number of values to leave out at either end of the sorted rounds, so that the intervals of all looks
 * cover the median with the confidence. Each look may use an equal share of the error, and what earlier ones left of theirs.
 * -1 means that no interval of so few rounds has the confidence.
 */
export function planCuts(looks: readonly number[], confidence = CONFIDENCE): number[] {
  const error = 1 - confidence;
  // Probability of each number of rounds below the median, of the walks that no look has missed yet.
  let walk = [1];
  let missed = 0;
  return looks.map((rounds, index) => {
    while (walk.length <= rounds) walk = nextRound(walk);
    const allowed = (error * (index + 1)) / looks.length;
    let cut = -1;
    for (;;) {
      const more = (walk[cut + 1] ?? 0) + (walk[rounds - cut - 1] ?? 0);
      if (2 * (cut + 2) > rounds || missed + more > allowed) break;
      missed += more;
      cut++;
      walk[cut] = 0;
      walk[rounds - cut] = 0;
    }
    return cut;
  });
}

/** Half of each walk has its next round below the median, half above. */
function nextRound(walk: readonly number[]): number[] {
  return Array.from({ length: walk.length + 1 }, (_, below) => {
    return ((walk[below - 1] ?? 0) + (walk[below] ?? 0)) / 2;
  });
}

/** The interval that leaves out `cut` values at either end; undefined if there is none. */
export function intervalAt(
  values: readonly number[],
  cut: number,
  confidence = CONFIDENCE,
): Interval | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  const low = sorted[cut];
  const high = sorted[sorted.length - 1 - cut];
  return low === undefined || high === undefined ? undefined : { low, high, confidence };
}

/**
 * The interval of a number of rounds that was fixed beforehand, with its exact confidence. That of fewer than six rounds
 * is below the usual one; a single round has no interval.
 */
export function fixedInterval(values: readonly number[]): Interval | undefined {
  if (values.length < 2) return undefined;
  const [cut = 0] = planCuts([values.length]);
  const left = Math.max(0, cut);
  return intervalAt(values, left, coverage(values.length, left));
}

/** Probability that the number of rounds below the median lies above `cut` and below `rounds - cut`. */
function coverage(rounds: number, cut: number): number {
  let walk = [1];
  while (walk.length <= rounds) walk = nextRound(walk);
  return walk.slice(cut + 1, rounds - cut).reduce((sum, part) => sum + part, 0);
}
