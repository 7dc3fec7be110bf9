// The store against raw lmdb: reads of the latest and of old versions at two sizes, commits, and disk space. Reads are
// measured in processor time, so that other programs on the machine do not count.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { StateWrite } from "../src/store/contract.ts";
import { openLmdbStore } from "../src/store/lmdb/store.ts";
import { type DataSet, hotKeyHash, itemsDataSet, keyHashOf, versionsDataSet } from "./data-set.ts";
import {
  type BenchOptions,
  type BenchRow,
  compare,
  compareAll,
  cpuNanosecondsEach,
  type Pairing,
  type Side,
  toPlainRow,
  withDirectory,
} from "./harness.ts";
import { Feeder, makeKey, makeValue, openRaw, VALUE_BYTES } from "./store-data.ts";

/** Reads of a round. */
const READS = 2000;
const WRITES_PER_BATCH = 5000;

/** Rows of the store. */
export async function benchmarkStore(options: BenchOptions): Promise<readonly BenchRow[]> {
  const sizes = [10_000, Math.max(20_000, 10_000_000 * options.scale)];
  const latest: BenchRow[] = [];
  for (const size of options.quick ? sizes.slice(0, 1) : sizes) {
    latest.push(...(await compareLatest(await itemsDataSet(size))));
  }
  return [
    ...latest,
    await compareVersions(options),
    ...(await withDirectory((path) => benchmarkCommits(path, options))),
    ...(options.quick ? [] : await measureGrown()),
  ];
}

/** Rows of stores that grow for a while, for which a quick run has no time. */
async function measureGrown(): Promise<BenchRow[]> {
  return [await withDirectory(measurePruning), await withDirectory(measureDisk)];
}

/** Nanoseconds of processor time for a raw get of each key. */
async function openRawGets(
  path: string,
  keys: readonly Uint8Array[],
): Promise<{ readonly get: Side; readonly close: () => Promise<void> }> {
  const raw = openRaw(path);
  const table = raw.openDB<Buffer, Uint8Array>({ name: "items", encoding: "binary", keyEncoding: "binary" });
  const rawKeys = keys.map((key) => Buffer.concat([key, Buffer.alloc(8)]));
  return {
    get: () => {
      const started = process.cpuUsage();
      for (const key of rawKeys) table.get(key);
      return cpuNanosecondsEach(started, rawKeys.length);
    },
    close: () => raw.close(),
  };
}

/** Keys of random items of a data set. */
function randomKeys({ items }: DataSet): Uint8Array[] {
  return Array.from({ length: READS }, () => keyHashOf(Math.floor(Math.random() * items)));
}

async function compareLatest(set: DataSet): Promise<BenchRow[]> {
  const store = await openLmdbStore({ path: set.data });
  const keys = randomKeys(set);
  const raw = await openRawGets(set.data, keys);
  const latest = async (): Promise<number> => {
    const view = await store.openView();
    const started = process.cpuUsage();
    for (const key of keys) await view.getItems([key], view.position.version);
    const time = cpuNanosecondsEach(started, keys.length);
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
    return cpuNanosecondsEach(started, keys.length);
  };
  const at = `${set.items.toLocaleString("en-US")} items`;
  const row = (name: string, ours: string): Pairing => ({ name, ours, base: "raw", unit: "ns" });
  const rows = await compareAll({ raw: raw.get, latest, withView }, [
    { ...row(`latest read, ${at}`, "latest"), target: { max: 1.5 } },
    row(`view opened for one latest read, ${at}`, "withView"),
  ]);
  await raw.close();
  await store.close();
  return rows;
}

/** A key of many versions, read at random ones, against raw gets among as many rows. */
async function compareVersions({ scale }: BenchOptions): Promise<BenchRow> {
  const versions = Math.max(10_000, 1_000_000 * scale);
  const set = await versionsDataSet(versions);
  const rows = await itemsDataSet(versions);
  const store = await openLmdbStore({ path: set.data });
  const raw = await openRawGets(rows.data, randomKeys(rows));
  const key = hotKeyHash(2);
  const old = Array.from({ length: READS }, () =>
    BigInt(set.historyFrom + Math.floor(Math.random() * (set.head - set.historyFrom))),
  );
  const atVersion = async (): Promise<number> => {
    const view = await store.openView();
    const started = process.cpuUsage();
    for (const version of old) await view.getItems([key], version);
    const time = cpuNanosecondsEach(started, old.length);
    view.release();
    return time;
  };
  const row = await compare(
    `random version of ${versions.toLocaleString("en-US")}, over raw gets among as many rows`,
    { ours: atVersion, base: raw.get },
    { unit: "ns", target: { max: 3 } },
  );
  await raw.close();
  await store.close();
  return row;
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
async function measurePruning(path: string): Promise<BenchRow> {
  const items = 100_000;
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
async function measureDisk(path: string): Promise<BenchRow> {
  const items = 100_000;
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
