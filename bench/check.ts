// `sextant check` of a whole store, against a walk over the same rows in raw lmdb that hashes, with node:crypto's SHA3,
// the newest values of all items and the spans of all records, which are what the check hashes besides trees. Measured
// in processor time.
import { join } from "node:path";
import { sha3 } from "../src/base/sha3.ts";
import { createLocalChain } from "../src/chain/local-chain.ts";
import { openLmdbStore } from "../src/store/lmdb/store.ts";
import { HASH_BYTES } from "../src/store/lmdb/tables.ts";
import { openStoreWalk } from "../src/store/lmdb/walk.ts";
import { createMemoryStore } from "../src/store/memory/store.ts";
import { checkStore } from "../src/sync/maintenance/check/store-check.ts";
import { ChainRun } from "../test/support/chain-run.ts";
import { readRecords } from "../test/support/follow.ts";
import { type BenchOptions, type BenchRow, compare, cpuNanosecondsEach, withDirectory } from "./harness.ts";
import { recordedUpstream, replicate, spansOf } from "./replication.ts";
import { openRaw } from "./store-data.ts";

const TABLES = ["items", "stale", "blocks", "records", "tree", "side", "meta", "index"];

/** Checks until the engine has compiled their code. */
const WARM_ROUNDS = 4;

/** The row of a check. */
export async function benchmarkCheck({ quick, scale }: BenchOptions): Promise<readonly BenchRow[]> {
  const blocks = quick ? 60 : Math.max(60, Math.round(800 * scale));
  const run = await new ChainRun(createLocalChain({ seed: "replication" }), createMemoryStore()).start();
  await run.steps(blocks);
  const records = await readRecords(run.store);
  const spans = spansOf(records);
  return withDirectory(async (folder) => {
    const path = join(folder, "store");
    const store = await openLmdbStore({ path });
    await replicate(store, recordedUpstream(records), records.length);
    await store.close();
    const rows = await walkRaw(path, []);
    const check = async (): Promise<void> => {
      const walk = await openStoreWalk(path);
      const { faults } = await checkStore(walk);
      await walk.close();
      if (faults > 0) throw new Error(`the check found ${faults} faults`);
    };
    for (let i = 0; i < WARM_ROUNDS; i++) await check();
    const row = await compare(
      "check of a store, over a raw walk that hashes the same values",
      {
        ours: async () => {
          const before = process.cpuUsage();
          await check();
          return 1e9 / cpuNanosecondsEach(before, rows);
        },
        base: async () => {
          const before = process.cpuUsage();
          await walkRaw(path, spans);
          return 1e9 / cpuNanosecondsEach(before, rows);
        },
      },
      { unit: "rows/s", target: { min: 0.5 } },
    );
    return [{ ...row, note: `${rows} rows` }];
  });
}

/** Walks over all rows, hashes the items' newest values and the spans, and returns the number of rows. */
async function walkRaw(path: string, spans: readonly Uint8Array[]): Promise<number> {
  const root = openRaw(path);
  let rows = 0;
  for (const name of TABLES) {
    const table = root.openDB<Buffer, Uint8Array>({ name, encoding: "binary", keyEncoding: "binary" });
    for (const { key, value } of table.getRange({})) {
      rows++;
      if (name === "items" && Buffer.from(key).readBigUInt64BE(HASH_BYTES) === 0n) sha3(value);
    }
  }
  for (const span of spans) sha3(span);
  await root.close();
  return rows;
}
