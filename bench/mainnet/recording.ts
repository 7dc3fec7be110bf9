// Records of a chain shaped like mainnet in a file, with the store that a follower of it begins with. Both are made once, so
// that making them costs a follower nothing.
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { cp, open, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { silentLogger } from "../../src/base/log.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { Committer } from "../../src/sync/committer.ts";
import { cachedFolder } from "../data-set.ts";
import { openRaw } from "../store-data.ts";
import { writeBase } from "./base.ts";
import { BASE, DAYS, MainnetChain } from "./chain.ts";
import { ITEMS_PER_ACCOUNT } from "./state.ts";

/** Nodes of the state tree that making keeps in memory. */
const KEPT_NODES = 50_000;
const BLOCKS_AT_ONCE = 100;

/** A made chain: `records` has the records, `heads` the head after each block, `start` the state before them. */
export interface Recording {
  readonly folder: string;
  readonly versions: number;
}

/** Where a recording has its parts. */
export function partsOf(folder: string): Record<"records" | "offsets" | "heads", string> {
  return {
    records: join(folder, "records.bin"),
    offsets: join(folder, "offsets.bin"),
    heads: join(folder, "heads.json"),
  };
}

/** The head after a block, and how many records there are up to it. */
export interface RecordedHead {
  readonly records: number;
  readonly height: string;
  readonly epoch: string;
  readonly timestampUsec: string;
}

/** A store with the whole state before the first block, and that block. */
function startStore(items: number): Promise<string> {
  const accounts = Math.ceil(items / ITEMS_PER_ACCOUNT);
  return cachedFolder(`mainnet-start-${items}`, async (folder) => {
    const store = await openLmdbStore({ path: join(folder, "store") });
    await writeBase(store, accounts);
    await store.close();
  });
}

/** At least `versions` versions of a day on a state of `items` items. */
export async function recordDay(day: keyof typeof DAYS, items: number, versions: number): Promise<Recording> {
  const start = await startStore(items);
  const folder = await cachedFolder(`mainnet-${day}-${items}-${versions}`, async (made) => {
    const base = await openLmdbStore({ path: join(start, "store"), readOnly: true });
    const scratch = openRaw(join(made, "tree"));
    const nodes = scratch.openDB<Buffer, Uint8Array>({
      name: "nodes",
      encoding: "binary",
      keyEncoding: "binary",
    });
    const accounts = Math.ceil(items / ITEMS_PER_ACCOUNT);
    const chain = new MainnetChain({ seed: day, accounts, ...DAYS[day] }, async (keys) => {
      const below = await base.getTreeNodes(keys);
      return keys.map((key, i) => nodes.get(key) ?? below[i]);
    });
    const parts = partsOf(made);
    const records = createWriteStream(parts.records);
    const offsets = [0];
    const heads: RecordedHead[] = [];
    while (offsets.length <= versions) {
      for (let i = 0; i < BLOCKS_AT_ONCE; i++) {
        for (const record of await chain.nextBlock()) {
          offsets.push((offsets.at(-1) ?? 0) + record.length);
          if (!records.write(record)) await once(records, "drain");
        }
        const { height, epoch, timestampUsec } = chain.head;
        const [text, number] = [{ height: `${height}`, epoch: `${epoch}` }, `${timestampUsec}`];
        heads.push({ records: offsets.length - 1, ...text, timestampUsec: number });
      }
      const changed = chain.takeNodes(chain.nodes > KEPT_NODES);
      scratch.transactionSync(() => {
        // A removed node is not asked for again until it is written again.
        for (const { key, value } of changed) if (value !== undefined) nodes.putSync(key, Buffer.from(value));
      });
    }
    records.end();
    await once(records, "close");
    await writeFile(parts.offsets, Buffer.from(Float64Array.from(offsets).buffer));
    await writeFile(parts.heads, JSON.stringify(heads));
    await scratch.close();
    await base.close();
    await rm(join(made, "tree"), { recursive: true });
  });
  const { heads } = await readHeads(folder);
  return { folder, versions: heads.at(-1)?.records ?? 0 };
}

export async function readHeads(folder: string): Promise<{ readonly heads: readonly RecordedHead[] }> {
  return { heads: JSON.parse(await readFile(partsOf(folder).heads, "utf8")) as RecordedHead[] };
}

/** A copy of the store that a follower begins with, after the first `records` records of a recording. */
export async function beginStore(path: string, items: number, first: readonly Uint8Array[]): Promise<void> {
  await cp(join(await startStore(items), "store"), path, { recursive: true });
  const store = await openLmdbStore({ path });
  const committer = new Committer({ store, logger: silentLogger });
  committer.startAt(BASE);
  await committer.append(first);
  await store.close();
}

/** The records of the first block of a recording. */
export async function firstBlock(folder: string): Promise<readonly Uint8Array[]> {
  const { heads } = await readHeads(folder);
  const parts = partsOf(folder);
  const offsets = new Float64Array(new Uint8Array(await readFile(parts.offsets)).buffer);
  const file = await open(parts.records);
  try {
    return await Promise.all(
      Array.from({ length: heads[0]?.records ?? 0 }, async (_, i) => {
        const [from = 0, to = 0] = [offsets[i], offsets[i + 1]];
        return (await file.read(Buffer.alloc(to - from), 0, to - from, from)).buffer;
      }),
    );
  } finally {
    await file.close();
  }
}
