// `sextant copy` into a cluster against a bare driver that writes the same rows with as many requests in flight. The copy
// also verifies every record, recomputes every state root and moves the head; the driver does none of that.
import { join } from "node:path";
import type { Client } from "cassandra-driver";
import { silentLogger } from "../src/base/log.ts";
import { openWalk } from "../src/node/store-engines.ts";
import { copyData, createNode } from "../src/node.ts";
import { planOwned } from "../src/store/cassandra/owned-rows.ts";
import { planBatch } from "../src/store/cassandra/rows.ts";
import { Splits } from "../src/store/cassandra/splits.ts";
import { createStatements } from "../src/store/cassandra/statements.ts";
import type { Request } from "../src/store/cassandra/writes.ts";
import type { CommitBatch } from "../src/store/contract.ts";
import { createMemoryStore } from "../src/store/memory/store.ts";
import { copyLedger } from "../src/sync/maintenance/copy/copy-ledger.ts";
import { type BenchOptions, type BenchRow, toRow, withDirectory } from "./harness.ts";

export interface CopyBench extends BenchOptions {
  readonly client: Client;
  readonly hosts: readonly string[];
  readonly keyspace: string;
  /** Sends requests as a plain program would. */
  readonly sendAll: (client: Client, requests: readonly Request[]) => Promise<void>;
}

interface Figures {
  /** Versions per second. */
  readonly rate: number;
  /** Processor time of this process for a version, in microseconds. */
  readonly cost: number;
}

const FULL_BLOCKS = 1500;
const QUICK_BLOCKS = 60;

/** Rows of the copy: versions per second, and processor time. */
export async function benchmarkCopy(bench: CopyBench): Promise<BenchRow[]> {
  const rounds = bench.quick ? 3 : 5;
  return withDirectory(async (path) => {
    const data = join(path, "source");
    await makeSource(data, bench.quick ? QUICK_BLOCKS : Math.ceil(FULL_BLOCKS * bench.scale));
    const batches = await batchesOf(data);
    const series = { rates: emptySeries(), costs: emptySeries() };
    for (let round = -1; round < rounds; round++) {
      const base = await writeBare(bench, batches, `bare_${round + 1}`);
      const ours = await copy(bench, data, `copied_${round + 1}`);
      if (round < 0) continue;
      for (const [side, { rate, cost }] of [["base", base] as const, ["ours", ours] as const]) {
        series.rates[side].push(rate);
        series.costs[side].push(cost);
      }
    }
    const note = `${versionsOf(batches)} versions; the copy verifies them too`;
    return [
      toRow("cluster: copy", series.rates, { unit: "versions/s", target: { min: 0.5 }, note }),
      toRow("cluster: processor time of a copied version", series.costs, { unit: "µs", target: { max: 2 } }),
    ];
  });
}

const emptySeries = (): { ours: number[]; base: number[] } => ({ ours: [], base: [] });

async function makeSource(data: string, blocks: number): Promise<void> {
  const node = await createNode({ data, localChain: { seed: "copy" }, pruneWindow: "off" });
  for (let made = 0; made < blocks; made++) await node.produceBlock();
  await node.close();
}

/** The commits of a copy. */
async function batchesOf(data: string): Promise<readonly CommitBatch[]> {
  const batches: CommitBatch[] = [];
  const target = createMemoryStore();
  const commit = target.commit.bind(target);
  target.commit = async (batch, identity) => {
    batches.push(batch);
    await commit(batch, identity);
  };
  const source = await openWalk({ engine: "lmdb", path: data }, "copy from");
  const { signal } = new AbortController();
  await copyLedger({ source, target, logger: silentLogger, onProgress: () => {}, signal });
  await source.close();
  return batches;
}

function versionsOf(batches: readonly CommitBatch[]): number {
  return batches.reduce((sum, { records }) => sum + records.length, 0);
}

async function writeBare(
  { client, keyspace, sendAll }: CopyBench,
  batches: readonly CommitBatch[],
  ledger: string,
): Promise<Figures> {
  // Planning uses only the statements and the ledger's name.
  const tables = { statements: createStatements(keyspace), ledger } as Parameters<typeof planBatch>[0];
  const splits = new Splits(1_000_000);
  const requests = batches.flatMap((batch, at) => [
    ...planBatch(tables, batch, { term: 1, seq: BigInt(at), blockHeight: undefined }, splits),
    ...planOwned(tables, batch.index ?? []),
  ]);
  return measured(versionsOf(batches), () => sendAll(client, requests));
}

/** A copy from its first version to its last; opening the cluster and the comparison at the end do not count. */
async function copy({ hosts, keyspace }: CopyBench, data: string, ledger: string): Promise<Figures> {
  const walk = await openWalk({ engine: "lmdb", path: data }, "copy from");
  const { records: versions } = walk.counts;
  await walk.close();
  let end = (): void => {};
  const copied = new Promise<void>((resolve) => {
    end = resolve;
  });
  let figures: Promise<Figures> | undefined;
  await copyData({
    from: { engine: "lmdb", path: data },
    to: { engine: "cassandra", url: `cassandra://${hosts.join(",")}/${keyspace}/${ledger}` },
    share: 1000,
    logger: silentLogger,
    onProgress: (part) => {
      if (part === "compared") end();
      else figures ??= measured(versions, () => copied);
    },
  });
  if (figures === undefined) throw new Error("the copy copied nothing");
  return figures;
}

async function measured(versions: number, work: () => Promise<void>): Promise<Figures> {
  const started = performance.now();
  const used = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(used);
  return { rate: (1000 * versions) / (performance.now() - started), cost: (user + system) / versions };
}
