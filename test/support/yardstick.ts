// Machine-independent time: processor time as a multiple of what JSON.parse takes for 8 MiB of plain numbers, measured in
// the same process right next to the work. About 0.1 s on a fast core.

const BYTES = 8 * 1024 * 1024;
const SHARE = 8;
const TRIES = 3;
const numbers = JSON.stringify(Array(BYTES / 2 / SHARE).fill(1));

async function cpuMsOf(work: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** Time of the parser: median of three tries with a part of the text. */
export async function yardstickMs(): Promise<number> {
  const tries: number[] = [];
  for (let i = 0; i < TRIES; i++) tries.push(await cpuMsOf(() => JSON.parse(numbers)));
  return (tries.sort((a, b) => a - b)[1] ?? 0) * SHARE;
}

/**
 * Processor time of the work in yardsticks: the best of three tries; one below `good` ends early. Slow code is slow in
 * every try, a loaded machine is not.
 */
export async function timesYardstick(work: () => unknown, good: number): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < TRIES && best > good; i++) {
    const before = await yardstickMs();
    const ms = await cpuMsOf(work);
    best = Math.min(best, ms / Math.max(before, await yardstickMs()));
  }
  return best;
}
