// Time that says something on any machine: processor time as a multiple of what the engine's own parser takes
// for 8 MiB of plain numbers, in the same process and right beside the work. Some 0.1 s where a core is quick.

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

/** What the parser takes: the middle of three tries with a part of it. */
export async function yardstickMs(): Promise<number> {
  const tries: number[] = [];
  for (let i = 0; i < TRIES; i++) tries.push(await cpuMsOf(() => JSON.parse(numbers)));
  return (tries.sort((a, b) => a - b)[1] ?? 0) * SHARE;
}

/**
 * Processor time of the work in yardsticks; the best of three tries, of which one below `good` spares the rest.
 * What the code is to blame for comes again in every try; what the machine is to blame for does not.
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
