// Verified replication from recorded pages in one process, against the minimum work: node:crypto's SHA3 over the
// same spans, and raw lmdb puts of the same pairs in transactions of the same size. Measured in processor time, so
// that other programs on the machine do not count.
import { join } from "node:path";
import { silentLogger } from "../src/base/log.ts";
import { sha3 } from "../src/base/sha3.ts";
import { decodeWith, encodeWith } from "../src/bcs/codec.ts";
import { createLocalChain } from "../src/chain/local-chain.ts";
import { decodePage } from "../src/ledger/formats/record.ts";
import { stateKeyCodec } from "../src/ledger/formats/state-key.ts";
import { writeSetCodec } from "../src/ledger/formats/write-set.ts";
import type { CommitBatch, Store } from "../src/store/contract.ts";
import { openLmdbStore } from "../src/store/lmdb/store.ts";
import { createMemoryStore } from "../src/store/memory/store.ts";
import { Committer } from "../src/sync/committer.ts";
import { Follower } from "../src/sync/follow/follower.ts";
import { MAX_JOINED } from "../src/sync/follow/verdict-queue.ts";
import type { Upstream } from "../src/sync/upstream/upstream.ts";
import type { BaseStart } from "../src/sync/verify/verifier.ts";
import { ChainRun } from "../test/support/chain-run.ts";
import { readRecords } from "../test/support/follow.ts";
import { createRecordedUpstream, encodePage } from "../test/support/recorded-upstream.ts";
import {
  type BenchOptions,
  type BenchRow,
  compare,
  cpuNanosecondsEach,
  median,
  withDirectory,
} from "./harness.ts";
import { writeBase } from "./mainnet/base.ts";
import { BASE, DAYS, MainnetChain } from "./mainnet/chain.ts";
import { openRaw } from "./store-data.ts";

const PAGE = 100;
const MAINNET_NAME = "verified replication of mainnet's shape, records per second of processor time";
const MAINNET_ACCOUNTS = 2500;

interface Pair {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** Records to replicate, and what a store has before them. */
interface Ledger {
  readonly records: readonly Uint8Array[];
  readonly base?: BaseStart;
  readonly prepare?: (store: Store) => Promise<unknown>;
}

/** Replication from recorded pages. */
export async function benchmarkReplication({ quick, scale }: BenchOptions): Promise<readonly BenchRow[]> {
  const run = await new ChainRun(createLocalChain({ seed: "replication" }), createMemoryStore()).start();
  // Fewer records measure how the code warms up.
  await run.steps(quick ? 400 : Math.max(60, Math.round(1500 * scale)));
  const name = "verified replication, records per second of processor time";
  const row = await replicationRow(name, { records: await readRecords(run.store) });
  // Of mainnet's shape a quick run cannot make enough.
  return quick
    ? [row]
    : [row, await replicationRow(MAINNET_NAME, await mainnetLedger(Math.max(60, 1000 * scale)))];
}

async function mainnetLedger(blocks: number): Promise<Ledger> {
  const prepare = (store: Store): Promise<number> => writeBase(store, MAINNET_ACCOUNTS);
  const store = createMemoryStore();
  await prepare(store);
  const shape = { seed: "replication", accounts: MAINNET_ACCOUNTS, ...DAYS.week };
  const chain = new MainnetChain(shape, (keys) => store.getTreeNodes(keys));
  const records: Uint8Array[] = [];
  for (let i = 0; i < blocks; i++) records.push(...(await chain.nextBlock()));
  return { records, base: BASE, prepare };
}

async function replicationRow(name: string, ledger: Ledger): Promise<BenchRow> {
  const { records, base, prepare } = ledger;
  const first = base?.version ?? 0n;
  const batches = await collectBatches(ledger);
  const spans = spansOf(records);
  const rates: number[] = [];
  let turn = 0;
  let mostBytes = 0;
  const row = await withDirectory((path) =>
    compare(
      name,
      {
        ours: async () => {
          const store = await openLmdbStore({ path: join(path, `ours-${turn++}`) });
          await prepare?.(store);
          const before = process.cpuUsage();
          const started = performance.now();
          const onCommit = (): void => {
            mostBytes = Math.max(mostBytes, process.memoryUsage().arrayBuffers);
          };
          const upstream = createRecordedUpstream({
            ...{ name: "recorded", chainId: base?.chainId ?? 4, records, first },
          });
          await replicate(store, upstream, Number(first) + records.length, onCommit, base);
          rates.push((1000 * records.length) / (performance.now() - started));
          const rate = 1e9 / cpuNanosecondsEach(before, records.length);
          await store.close();
          return rate;
        },
        base: async () => {
          const raw = openRaw(join(path, `base-${turn++}`));
          const table = raw.openDB<Buffer, Uint8Array>({
            name: "pairs",
            encoding: "binary",
            keyEncoding: "binary",
          });
          const before = process.cpuUsage();
          for (const span of spans) sha3(span);
          for (const batch of batches) {
            raw.transactionSync(() => {
              for (const { key, value } of batch) table.putSync(key, value);
            });
          }
          const rate = 1e9 / cpuNanosecondsEach(before, records.length);
          await raw.close();
          return rate;
        },
      },
      { unit: "records/s", target: { min: 0.5 } },
    ),
  );
  const each = (1e6 / row.ours).toFixed(0);
  const note = `${records.length} records; ${each} µs of processor time each; ${Math.round(median(rates))} records/s by the clock; at most ${Math.round(mostBytes / 2 ** 20)} MiB outside the heap`;
  return { ...row, note };
}

/** An upstream that has the records in memory. */
export function recordedUpstream(records: readonly Uint8Array[]): Upstream {
  return createRecordedUpstream({ name: "recorded", chainId: 4, records });
}

/** Follows an upstream from genesis to its head, which ends `count` records. */
export async function replicate(
  store: Store,
  upstream: Upstream,
  count: number,
  onCommit: () => void = () => {},
  base?: BaseStart,
): Promise<void> {
  const committer = new Committer({ store, logger: silentLogger });
  if (base !== undefined) committer.startAt(base);
  await new Promise<void>((resolve, reject) => {
    const follower = new Follower({
      upstreams: [upstream],
      committer,
      ledger: store,
      logger: silentLogger,
      pace: { pageLimit: PAGE },
      onCommit: ({ position }) => {
        onCommit();
        if (position.version === BigInt(count - 1)) void follower.close().then(resolve, reject);
      },
    });
    void follower.faulted.then(reject);
  });
}

/** The pairs that each commit of a replication writes: items, records and nodes of the state tree. */
async function collectBatches({ records, base, prepare }: Ledger): Promise<Pair[][]> {
  const store = createMemoryStore();
  await prepare?.(store);
  const batches: Pair[][] = [];
  const recordingStore: Store = {
    engine: store.engine,
    get identity() {
      return store.identity;
    },
    openView: () => store.openView(),
    openRawView: () => store.openRawView(),
    getTreeNodes: (keys) => store.getTreeNodes(keys),
    getSideRows: (keys) => store.getSideRows(keys),
    writeSide: (change) => store.writeSide(change),
    preload: (base) => store.preload(base),
    prune: (floor, maxRows) => store.prune(floor, maxRows),
    rewind: (batch) => store.rewind(batch),
    close: () => store.close(),
    commit: (batch, identity) => {
      batches.push(pairsOf(batch));
      return store.commit(batch, identity);
    },
  };
  const committer = new Committer({ store: recordingStore, logger: silentLogger });
  if (base !== undefined) committer.startAt(base);
  // A follower joins pages that are there.
  const joined = MAX_JOINED * PAGE;
  for (let start = 0; start < records.length; start += joined) {
    await committer.append(encodePage(records.slice(start, start + joined)));
  }
  return batches;
}

function pairsOf({ writes, records, treeNodes }: CommitBatch): Pair[] {
  const copy = (bytes: Uint8Array | undefined): Buffer => Buffer.from(bytes ?? new Uint8Array(0));
  const numbered = (version: bigint, prefix: Uint8Array): Buffer => {
    const key = Buffer.alloc(prefix.length + 8);
    key.set(prefix);
    key.writeBigUInt64BE(version, prefix.length);
    return key;
  };
  return [
    ...writes.map(({ keyHash, version, value }) => ({ key: numbered(version, keyHash), value: copy(value) })),
    ...records.map(({ version, bytes }) => ({
      key: numbered(version, Uint8Array.of(1)),
      value: copy(bytes),
    })),
    ...treeNodes.map(({ key, value }) => ({ key: Buffer.concat([Buffer.of(2), key]), value: copy(value) })),
  ];
}

/** The spans of the records that verification hashes. */
export function spansOf(records: readonly Uint8Array[]): Uint8Array[] {
  return decodePage(encodePage(records)).flatMap((record) => [
    record.transaction,
    record.infoBytes,
    record.changes,
    ...record.events,
    ...decodeWith(writeSetCodec, record.changes).writes.map(([key]) => encodeWith(stateKeyCodec, key)),
    ...record.writes.flatMap(({ value }) => (value === undefined ? [] : [value])),
  ]);
}
