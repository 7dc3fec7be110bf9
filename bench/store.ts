// The store against raw lmdb: reads of the latest and of old versions at two sizes, commits, and disk space. Reads are
// measured in processor time, so that other programs on the machine do not count.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { StateWrite } from "../src/store/contract.ts";
import { openLmdbStore } from "../src/store/lmdb/store.ts";
import { cachedFolder } from "./data-set.ts";
import {
  type BenchOptions,
  type BenchRow,
  compare,
  cpuNanosecondsEach,
  toPlainRow,
  withDirectory,
} from "./harness.ts";
import { Feeder, makeKey, makeValue, openRaw, VALUE_BYTES } from "./store-data.ts";

const HOT_KEY = 0x7fff_ffff;
const WRITES_PER_BATCH = 5000;

/** Rows of the store. */
export async function benchmarkStore(options: BenchOptions): Promise<readonly BenchRow[]> {
  const sizes = [10_000, Math.max(50_000, 5_000_000 * options.scale)];
  const hotVersions = Math.max(10_000, 1_000_000 * options.scale);
  const reads: BenchRow[][] = [];
  for (const size of sizes) {
    const fill = (folder: string): Promise<void> => fillItems(folder, size, hotVersions);
    reads.push(
      await benchmarkReads(await cachedFolder(`store-${size}-${hotVersions}`, fill), size, hotVersions),
    );
  }
  const [small = [], large = []] = reads;
  return [
    ...small,
    ...large,
    ...flatness(small, large),
    ...(await withDirectory((path) => benchmarkCommits(path, options))),
    await withDirectory((path) => measurePruning(path, options)),
    await withDirectory((path) => measureDisk(path, options)),
  ];
}

async function benchmarkReads(path: string, items: number, hotVersions: number): Promise<BenchRow[]> {
  const store = await openLmdbStore({ path });
  const opened = await store.openView();
  const head = opened.position.version;
  opened.release();
  const raw = openRaw(path);
  const table = raw.openDB<Buffer, Uint8Array>({ name: "items", encoding: "binary", keyEncoding: "binary" });
  const count = 2000;
  const keys = Array.from({ length: count }, () => makeKey(Math.floor(Math.random() * items)));
  const rawKeys = keys.map((key) => Buffer.concat([key, Buffer.alloc(8)]));
  const hot = makeKey(HOT_KEY);
  const first = head - BigInt(hotVersions) + 1n;
  const old = Array.from(
    { length: count },
    () => first + BigInt(Math.floor(Math.random() * (hotVersions - 1))),
  );
  const base = (): number => {
    const started = process.cpuUsage();
    for (const key of rawKeys) table.get(key);
    return cpuNanosecondsEach(started, count);
  };
  const latest = async (): Promise<number> => {
    const view = await store.openView();
    const started = process.cpuUsage();
    for (const key of keys) await view.getItems([key], head);
    const time = cpuNanosecondsEach(started, count);
    view.release();
    return time;
  };
  const atVersion = async (): Promise<number> => {
    const view = await store.openView();
    const started = process.cpuUsage();
    for (const version of old) await view.getItems([hot], version);
    const time = cpuNanosecondsEach(started, count);
    view.release();
    return time;
  };
  const withView = async (): Promise<number> => {
    const started = process.cpuUsage();
    for (const key of keys) {
      const view = await store.openView();
      await view.getItems([key], view.position.version);
      view.release();
    }
    return cpuNanosecondsEach(started, count);
  };
  const shared = { unit: "ns" };
  const at = `${items.toLocaleString("en-US")} items`;
  const rows = [
    await compare(`latest read, ${at}`, { ours: latest, base }, { ...shared, target: { max: 1.5 } }),
    await compare(
      `random version of ${hotVersions.toLocaleString("en-US")}, ${at}`,
      { ours: atVersion, base },
      {
        ...shared,
        target: { max: 3 },
      },
    ),
    await compare(`view opened for one latest read, ${at}`, { ours: withView, base }, shared),
  ];
  await raw.close();
  await store.close();
  return rows;
}

/** Writes every item once, then one hot key in each further version. */
async function fillItems(path: string, items: number, hotVersions: number): Promise<void> {
  const store = await openLmdbStore({ path });
  const feeder = new Feeder(store);
  for (let index = 0; index < items; index += WRITES_PER_BATCH) {
    const version = feeder.next;
    const writes: StateWrite[] = [];
    for (let item = index; item < Math.min(items, index + WRITES_PER_BATCH); item++) {
      writes.push({ keyHash: makeKey(item), version, value: makeValue(item, 0) });
    }
    await feeder.commit(version, writes);
  }
  const keyHash = makeKey(HOT_KEY);
  for (let done = 0; done < hotVersions; done += WRITES_PER_BATCH) {
    const start = feeder.next;
    const writes = Array.from({ length: WRITES_PER_BATCH }, (_, index) => ({
      keyHash,
      version: start + BigInt(index),
      value: makeValue(HOT_KEY, done + index),
    }));
    await feeder.commit(start + BigInt(WRITES_PER_BATCH) - 1n, writes);
  }
  await store.close();
}

/** How the ratio to a raw get changes with size. */
function flatness(small: readonly BenchRow[], large: readonly BenchRow[]): BenchRow[] {
  return ["latest read", "random version"].flatMap((name) => {
    const from = small.find((row) => row.name.startsWith(name));
    const to = large.find((row) => row.name.startsWith(name));
    if (from === undefined || to === undefined) return [];
    const row = toPlainRow(`${name}: ratio at the large size over the small`, to.ratio, from.ratio, {
      unit: "ratio",
      // No lower bound: the ratio may improve with size.
      target: { max: 1.2 },
    });
    if (from.interval === undefined || to.interval === undefined) return [row];
    // Both ratios lie in their intervals at once with the probabilities' product at least.
    const interval = {
      low: to.interval.low / from.interval.high,
      high: to.interval.high / from.interval.low,
      confidence: from.interval.confidence * to.interval.confidence,
    };
    return [{ ...row, rounds: Math.min(from.rounds, to.rounds), interval }];
  });
}

type Mix = "fresh" | "updates" | "half";

async function benchmarkCommits(path: string, options: BenchOptions): Promise<BenchRow[]> {
  const known = options.quick ? 20_000 : 200_000;
  const store = await openLmdbStore({ path: join(path, "store") });
  const feeder = new Feeder(store);
  const raw = openRaw(join(path, "raw"));
  const table = raw.openDB<Buffer, Uint8Array>({ name: "items", encoding: "binary", keyEncoding: "binary" });
  let fresh = 0;
  const put = (writes: readonly StateWrite[]): void => {
    raw.transactionSync(() => {
      for (const { keyHash, value } of writes)
        if (value) table.putSync(keyHash, Buffer.from(value.buffer, value.byteOffset, value.length));
    });
  };
  const batch = (mix: Mix): StateWrite[] => {
    const indexes = new Set<number>();
    while (indexes.size < WRITES_PER_BATCH) {
      const isFresh = mix === "fresh" || (mix === "half" && indexes.size % 2 === 0);
      indexes.add(isFresh ? fresh++ : Math.floor(Math.random() * known));
    }
    return [...indexes].map((index) => ({
      keyHash: makeKey(index),
      version: 0n,
      value: makeValue(index, fresh),
    }));
  };
  while (fresh < known) {
    const writes = batch("fresh");
    await feeder.commitSpread(writes);
    put(writes);
  }
  const rows: BenchRow[] = [];
  for (const mix of ["fresh", "updates", "half"] as const) {
    let prepared: StateWrite[] = [];
    const rate = (started: NodeJS.CpuUsage): number => 1e9 / cpuNanosecondsEach(started, WRITES_PER_BATCH);
    const base = (): number => {
      prepared = batch(mix);
      const started = process.cpuUsage();
      put(prepared);
      return rate(started);
    };
    const ours = async (): Promise<number> => {
      const started = process.cpuUsage();
      await feeder.commitSpread(prepared);
      return rate(started);
    };
    const settings = { unit: "writes per CPU second", inOrder: true, target: { min: 0.5 } };
    rows.push(
      await compare(
        `commit rate, ${mix === "half" ? "half fresh, half updates" : mix}`,
        { ours, base },
        settings,
      ),
    );
  }
  await raw.close();
  await store.close();
  return rows;
}

/** Removals by the pruner, which finds rows through the stale index, against removals by key from a raw table. */
async function measurePruning(path: string, options: BenchOptions): Promise<BenchRow> {
  const items = options.quick ? 20_000 : 200_000;
  const store = await openLmdbStore({ path: join(path, "store") });
  const feeder = new Feeder(store);
  const raw = openRaw(join(path, "raw"));
  const table = raw.openDB<Buffer, Uint8Array>({ name: "items", encoding: "binary", keyEncoding: "binary" });
  const update = async (first: number, count: number): Promise<bigint> => {
    const indexes = new Set<number>();
    while (indexes.size < count) {
      indexes.add(first + (count === items ? indexes.size : Math.floor(Math.random() * items)));
    }
    const writes = [...indexes].map((index) => ({ keyHash: makeKey(index), value: makeValue(index, first) }));
    raw.transactionSync(() => {
      for (const { keyHash, value } of writes) {
        table.putSync(Buffer.concat([keyHash, Buffer.from("old")]), Buffer.from(value));
      }
    });
    removable = writes.map(({ keyHash }) => Buffer.concat([keyHash, Buffer.from("old")]));
    return feeder.commitSpread(writes);
  };
  let removable: Buffer[] = [];
  let floor = await update(0, items);
  const base = async (): Promise<number> => {
    floor = await update(0, WRITES_PER_BATCH);
    const started = process.cpuUsage();
    raw.transactionSync(() => {
      for (const key of removable) table.removeSync(key);
    });
    return 1e9 / cpuNanosecondsEach(started, removable.length);
  };
  const ours = async (): Promise<number> => {
    const started = process.cpuUsage();
    let removed = 0;
    for (let isDone = false; !isDone; ) {
      const step = await store.prune(floor, WRITES_PER_BATCH);
      removed += step.removed;
      isDone = step.done;
    }
    return 1e9 / cpuNanosecondsEach(started, removed);
  };
  const row = await compare("pruning", { ours, base }, { unit: "rows per CPU second", inOrder: true });
  await raw.close();
  await store.close();
  return row;
}

/** Runs rounds of updates with pruning, then compares the file's size with the bytes of the kept values. */
async function measureDisk(path: string, { quick }: BenchOptions): Promise<BenchRow> {
  const items = quick ? 30_000 : 200_000;
  const rounds = 3;
  const batch = items / 200;
  const store = await openLmdbStore({ path });
  const feeder = new Feeder(store);
  for (let round = 0; round < rounds; round++) {
    for (let done = 0; done < items; done += batch) {
      const indexes = new Set<number>();
      while (indexes.size < batch) {
        indexes.add(round === 0 ? done + indexes.size : Math.floor(Math.random() * items));
      }
      const writes = [...indexes].map((index) => ({
        keyHash: makeKey(index),
        value: makeValue(index, round),
      }));
      const floor = await feeder.commitSpread(writes);
      while (!(await store.prune(floor, 500)).done);
    }
  }
  await store.close();
  const bytes = (await stat(join(path, "data.mdb"))).size;
  const kept = items * (32 + VALUE_BYTES);
  const name = `disk after ${rounds} rounds of updates, pruned to the head`;
  const options = { unit: "MiB", basis: "size", target: { max: 2.5 } } as const;
  return toPlainRow(name, bytes / 2 ** 20, kept / 2 ** 20, options);
}
