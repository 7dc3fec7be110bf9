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

/** Times of the parser with a part of the text, the shortest first. */
async function tryParser(): Promise<number[]> {
  const tries: number[] = [];
  for (let i = 0; i < TRIES; i++) tries.push((await cpuMsOf(() => JSON.parse(numbers))) * SHARE);
  return tries.sort((a, b) => a - b);
}

/** Time of the parser: median of three tries. */
export async function yardstickMs(): Promise<number> {
  return (await tryParser())[1] ?? 0;
}

/** The shortest time of the parser in this process, measured once. */
let shortest: Promise<number> | undefined;

/**
 * Processor time of the work in yardsticks: the best of three tries; one below `good` ends early. Slow code is slow in
 * every try, a loaded machine is not.
 */
export async function timesYardstick(work: () => unknown, good: number): Promise<number> {
  // Measured by the shortest yardstick the work looks slow rather than fast; then the others decide.
  shortest ??= tryParser().then(([first = 0]) => first);
  let best = (await cpuMsOf(work)) / (await shortest);
  for (let i = 1; i < TRIES && best > good; i++) {
    const before = await yardstickMs();
    const ms = await cpuMsOf(work);
    best = Math.min(best, ms / Math.max(before, await yardstickMs()));
  }
  return best;
}
