// Loading a genesis: checked and committed to LMDB, against hashing the same bytes with node:crypto's SHA3 and
// putting the same pairs into raw LMDB. "The same bytes" are the file once, or everything that a check must hash:
// the transaction, its write set and every value, three times the bytes. We also write three times the bytes: the record
// holds the transaction and its write set, and the items hold the values. So the first row cannot be below three, whatever
// trees, checksums and index rows cost. Uses devnet's genesis if the shared networks are available, else the local
// chain's. Measured in processor time after some rounds; the note has the ratio of wall-clock time and the first round,
// whose code is not compiled.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { open } from "lmdb";
import { silentLogger } from "../src/base/log.ts";
import { createLocalChain } from "../src/chain/local-chain.ts";
import { checkGenesis } from "../src/ledger/formats/genesis.ts";
import { openLmdbStore } from "../src/store/lmdb/store.ts";
import { Committer } from "../src/sync/committer.ts";
import { bootstrapGenesis } from "../src/sync/genesis.ts";
import { hasShared, sharedBytes } from "../test/support/shared.ts";
import { type BenchRow, compare, median, withDirectory } from "./harness.ts";

interface Cost {
  readonly cpuMs: number;
  readonly clockMs: number;
}

async function measure(work: () => Promise<void>): Promise<Cost> {
  const [started, usage] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(usage);
  return { cpuMs: (user + system) / 1000, clockMs: performance.now() - started };
}

function loadBlob(): { name: string; blob: Uint8Array } {
  if (!hasShared) return { name: "local chain", blob: createLocalChain({ seed: "bench" }).genesisBlob() };
  return { name: "devnet", blob: sharedBytes("networks/devnet/genesis.blob") };
}

type Pairs = readonly (readonly [Buffer, Buffer])[];

/** Hashes the file and, if thorough, everything else that a check must hash. */
function hashRaw(blob: Uint8Array, pairs: Pairs, isThorough: boolean): void {
  createHash("sha3-256").update(blob).digest();
  if (!isThorough) return;
  // The write set is the file except for a few events at its end.
  createHash("sha3-256").update(blob).digest();
  for (const [key, value] of pairs) {
    createHash("sha3-256").update(key).digest();
    createHash("sha3-256").update(value).digest();
  }
}

async function loadRaw(path: string, blob: Uint8Array, pairs: Pairs, isThorough: boolean): Promise<Cost> {
  const root = open<Buffer, Buffer>({
    path,
    noSubdir: false,
    encoding: "binary",
    keyEncoding: "binary",
    overlappingSync: false,
  });
  const cost = await measure(async () => {
    hashRaw(blob, pairs, isThorough);
    root.transactionSync(() => {
      for (const [key, value] of pairs) root.putSync(key, value);
    });
  });
  await root.close();
  return cost;
}

async function loadChecked(path: string, blob: Uint8Array): Promise<Cost> {
  const store = await openLmdbStore({ path });
  const committer = new Committer({ store, logger: silentLogger });
  const cost = await measure(async () => {
    await bootstrapGenesis({ store, committer, check: checkGenesis(blob) });
  });
  await store.close();
  return cost;
}

/** Rounds of both sides until the engine has compiled their code. */
const WARM_ROUNDS = 10;

/** Rows of a genesis. */
export async function benchmarkGenesis(): Promise<readonly BenchRow[]> {
  const { name, blob } = loadBlob();
  const { writes, items, record } = checkGenesis(blob);
  const pairs = writes.flatMap(({ keyHash, value }) =>
    value === undefined ? [] : [[Buffer.from(keyHash), Buffer.from(value)] as const],
  );
  return withDirectory(async (folder) => {
    const rows: BenchRow[] = [];
    let turn = 0;
    const nextPath = (): string => join(folder, `${turn++}`);
    const first = await loadChecked(nextPath(), blob);
    for (let i = 0; i < WARM_ROUNDS; i++) {
      await loadRaw(nextPath(), blob, pairs, true);
      await loadChecked(nextPath(), blob);
    }
    const written = record.length + pairs.reduce((sum, [, value]) => sum + value.length, 0);
    for (const isThorough of [false, true]) {
      const clock = { ours: [] as number[], base: [] as number[] };
      const side =
        (of: "ours" | "base", load: (path: string) => Promise<Cost>) => async (): Promise<number> => {
          const { cpuMs, clockMs } = await load(nextPath());
          clock[of].push(clockMs);
          return cpuMs;
        };
      const against = isThorough ? "every hash a check needs" : "the file hashed once";
      const row = await compare(
        `genesis of ${name}, against ${against} and raw puts`,
        {
          ours: side("ours", (path) => loadChecked(path, blob)),
          base: side("base", (path) => loadRaw(path, blob, pairs, isThorough)),
        },
        { unit: "ms", target: { max: 3 } },
      );
      const byClock = (median(clock.ours) / median(clock.base)).toFixed(2);
      const sizes = `${items} items, ${blob.length} bytes, of which records and items hold ${written}`;
      rows.push({
        ...row,
        note: `${sizes}; by the clock ${byClock}; first round ${first.cpuMs.toFixed(0)} ms`,
      });
    }
    return rows;
  });
}
