// Binary search in lists and among numbers.

/** How many items of a list, from `from` on, come first because they pass: none passes behind one that does not. */
export function passingUpTo<T>(
  items: readonly T[],
  passes: (item: T) => boolean,
  from = 0,
  end: number = items.length,
): number {
  let [low, high] = [from, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (passes(items[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The least number from `first` to `above` that passes, where all greater ones pass too; `above` if none below does. */
export async function firstPassing(
  first: bigint,
  above: bigint,
  passes: (number: bigint) => Promise<boolean>,
): Promise<bigint> {
  let [low, high] = [first, above];
  while (low < high) {
    const middle = (low + high) / 2n;
    if (await passes(middle)) high = middle;
    else low = middle + 1n;
  }
  return low;
}
