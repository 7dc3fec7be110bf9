// A program for tests: changes one byte of a copy of a store's file, opens the copy for reading and then for writing, and
// compares every answer with that of the sound store; again and again. Arguments: directory for the stores, seed, number
// of changes. Prints a line before each change, so that a signal shows its cause, and one with the outcome after it:
// `refused` (the copy cannot be opened), `errors` (some reads fail), `right` (none does) or `WRONG` and what was.
import { closeSync, copyFileSync, mkdirSync, openSync, readSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { StateItem } from "../../src/ledger/view.ts";
import type { CommitBatch, Store } from "../../src/store/contract.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { plain } from "./check-store.ts";
import { createRandom, SYNTHETIC_IDENTITY, SyntheticLedger, versions } from "./synthetic-ledger.ts";

const [folder = "", seed = "0", changes = "1"] = process.argv.slice(2);
const KEYS = 24;
const FLOOR = 90n;
const HEAD = 150n;
const NEXT = 160n;
/** Values of these keys are so large that lmdb gives them pages of their own. */
const LARGE_KEYS = 3;
const ledger = new SyntheticLedger(11, KEYS);
const sideKeys = Array.from({ length: 30 }, (_, index) => Buffer.from(`side row ${index}`));

function makeBatch(previous: bigint | undefined, last: bigint): CommitBatch {
  const batch = ledger.batch(previous, last);
  const large = ledger.keys.slice(0, LARGE_KEYS);
  const writes = batch.writes.map((write) => {
    const { keyHash, value } = write;
    if (value === undefined || !large.includes(keyHash)) return write;
    return { ...write, value: Buffer.concat(Array.from({ length: 100 }, () => value)) };
  });
  const sideRows = sideKeys.map((key) => ({ key, value: Buffer.from(`value at ${last} `.repeat(5)) }));
  return { ...batch, writes, sideRows };
}

async function fill(path: string): Promise<void> {
  const store = await openLmdbStore({ path });
  // Few commits, so that few pages of the file are free.
  await store.commit(makeBatch(undefined, HEAD - 40n), SYNTHETIC_IDENTITY);
  await store.commit(makeBatch(HEAD - 40n, HEAD));
  await prune(store, FLOOR);
  await store.close();
}

async function prune(store: Store, floor: bigint): Promise<void> {
  const { firstVersion } = ledger.blockAt(floor, HEAD);
  while (!(await store.prune(firstVersion, 1000)).done);
}

/** Commits and prunes. */
async function write(path: string): Promise<void> {
  const store = await openLmdbStore({ path });
  try {
    await store.commit(makeBatch(HEAD, NEXT));
    await prune(store, FLOOR + 20n);
  } finally {
    await store.close();
  }
}

/** The answers to all reads by name; of those that fail, the error's name. */
async function readAll(path: string): Promise<ReadonlyMap<string, string | Error>> {
  const answers = new Map<string, string | Error>();
  const answer = async (name: string, read: () => unknown): Promise<void> => {
    try {
      answers.set(
        name,
        JSON.stringify(await read(), (_, value) => (typeof value === "bigint" ? `${value}` : value)),
      );
    } catch (error) {
      answers.set(name, error instanceof Error ? error : new Error(String(error)));
    }
  };
  const plainAll = (items: readonly (StateItem | undefined)[]): string => items.map(plain).join();
  const store = await openLmdbStore({ path, readOnly: true });
  try {
    const view = await store.openView();
    await answer("identity", () => store.identity);
    await answer("position", () => view.position);
    // The keys of the ledger, and some that no version wrote.
    const keys = [...ledger.keys, ...ledger.keys.slice(0, 8).map((key) => key.toReversed())];
    for (const [index, key] of keys.entries()) {
      for (const version of versions(FLOOR, NEXT)) {
        await answer(`item ${index} at ${version}`, async () =>
          plainAll(await view.getItems([key], version)),
        );
      }
      const range = { from: FLOOR + 20n, to: HEAD, limit: 1000 };
      await answer(`history ${index}`, async () => plainAll(await view.getHistory(key, range)));
    }
    for (const version of versions(FLOOR, NEXT)) {
      await answer(`block of ${version}`, () => view.getBlockByVersion(version));
      await answer(`block at ${version}`, () => view.getBlockAtTime(version * 50_000n));
      await answer(`block ${version}`, () => view.getBlockByHeight(version / 4n));
      await answer(`record ${version}`, async () =>
        (await view.getRecords(version, 2, 10_000)).map(({ bytes }) => Buffer.from(bytes).toString("hex")),
      );
    }
    for (const key of sideKeys) await answer(`side ${key}`, () => store.getSideRows([key]));
    for (let node = 0; node < 5; node++) {
      await answer(`node ${node}`, () => store.getTreeNodes([Buffer.from([node])]));
    }
    view.release();
  } finally {
    await store.close();
  }
  return answers;
}

/** Number of reads that fail. Throws if one gives another answer. */
function compare(answers: Awaited<ReturnType<typeof readAll>>, truth: typeof answers): number {
  let errors = 0;
  for (const [name, right] of truth) {
    const answer = answers.get(name);
    if (answer instanceof Error && !(right instanceof Error)) errors++;
    else if (String(answer) !== String(right)) {
      throw new WrongAnswer(
        `${name}: ${String(answer).slice(0, 200)} instead of ${String(right).slice(0, 200)}`,
      );
    }
  }
  return errors;
}

class WrongAnswer extends Error {}

/** Runs an action; undefined if it fails. */
async function attempt<T>(action: () => Promise<T>): Promise<T | undefined> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof WrongAnswer) throw error;
    return undefined;
  }
}

async function tryOne(path: string): Promise<string> {
  const answers = await attempt(() => readAll(path));
  const errors = answers === undefined ? undefined : compare(answers, before);
  const wasWritten = (await attempt(() => write(path).then(() => true))) === true;
  const later = await attempt(() => readAll(path));
  if (later !== undefined) {
    // A write that fails may have failed after its commit, in the pruning: then either is right.
    if (wasWritten || String(later.get("position")) === String(after.get("position"))) compare(later, after);
    else if (String(later.get("position")) !== String(committed.get("position"))) compare(later, before);
    else compare(later, committed);
  }
  if (errors === undefined) return "refused";
  return errors === 0 && wasWritten ? "right" : "errors";
}

const sound = join(folder, "sound");
await fill(sound);
const before = await readAll(sound);
const file = (path: string): string => join(path, "data.mdb");
const copy = (path: string): string => {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path);
  copyFileSync(file(sound), file(path));
  return path;
};
const half = copy(join(folder, "committed"));
const halfStore = await openLmdbStore({ path: half });
await halfStore.commit(makeBatch(HEAD, NEXT));
await halfStore.close();
const committed = await readAll(half);
const whole = copy(join(folder, "written"));
await write(whole);
const after = await readAll(whole);

const size = statSync(file(sound)).size;
const random = createRandom(Number(seed));
const PAGE_BYTES = 4096;
const META_BYTES = 168;
/** Header and the first pointers of a page. */
const HEADER_BYTES = 48;

/** Every other byte is any byte of the file; the rest are those that lmdb itself relies on. */
function pickByte(change: number): number {
  const number = random();
  if (change % 2 === 0) return number % size;
  if (change % 8 === 1) return (number % 2) * PAGE_BYTES + ((number >>> 8) % META_BYTES);
  return (number % (size / PAGE_BYTES)) * PAGE_BYTES + (random() % HEADER_BYTES);
}

process.stdout.write(`store of ${size} bytes, ${before.size} reads\n`);
for (let i = 0; i < Number(changes); i++) {
  const path = copy(join(folder, "copy"));
  const at = pickByte(i);
  const change = 1 + (random() % 255);
  process.stdout.write(`change ${i}: byte ${at} by ${change}\n`);
  const target = openSync(file(path), "r+");
  const byte = Buffer.alloc(1);
  readSync(target, byte, 0, 1, at);
  byte[0] = (byte[0] ?? 0) ^ change;
  writeSync(target, byte, 0, 1, at);
  closeSync(target);
  const outcome = await tryOne(path).catch((error: unknown) => {
    if (error instanceof WrongAnswer) return `WRONG ${error.message}`;
    throw error;
  });
  process.stdout.write(`${outcome}\n`);
}
