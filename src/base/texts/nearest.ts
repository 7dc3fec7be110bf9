// The nearest name to a mistyped one, for "did you mean".

function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(substituted, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}

/** Letters of a beginning that stands for a name. */
const MIN_BEGINNING = 3;

/** The candidate closest to the given name; undefined when none is near. */
function nearestName(given: string, candidates: readonly string[]): string | undefined {
  // An abbreviation: "stat" is the beginning of "status", though one letter away from "start".
  const begun = given.length < MIN_BEGINNING ? [] : candidates.filter((one) => one.startsWith(given));
  if (begun.length > 0) return begun.reduce((a, b) => (b.length < a.length ? b : a));
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(given.length / 2)) + 1;
  for (const candidate of candidates) {
    const d = distance(given.slice(0, 64), candidate);
    if (d < bestDistance) {
      best = candidate;
      bestDistance = d;
    }
  }
  return best;
}

/** ` (did you mean X?)`, or nothing. */
export function didYouMean(given: string, candidates: readonly string[], prefix = ""): string {
  const near = nearestName(given, candidates);
  return near === undefined ? "" : ` (did you mean ${prefix}${near}?)`;
}
