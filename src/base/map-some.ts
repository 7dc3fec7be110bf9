// Asynchronous work over a list, a few items at a time.

/** Like `Promise.all` over a map, with at most `width` items in work. After a rejection no further item is begun. */
export async function mapSome<T, R>(
  items: readonly T[],
  width: number,
  map: (item: T, index: number) => R | Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  const queue = items.entries();
  let hasFailed = false;
  const work = async (): Promise<void> => {
    for (const [index, item] of queue) {
      if (hasFailed) return;
      try {
        results[index] = await map(item, index);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, work));
  return results;
}
