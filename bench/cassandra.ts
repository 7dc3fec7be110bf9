// The store on a cluster against the bare driver sending the same statements: reads of the latest and of old
// versions, commits with all their rows, and readers in two processes against one. The cluster is the one that
// scripts/cassandra.sh runs, started when it does not answer; SEXTANT_CASSANDRA names another.
import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Client, types } from "cassandra-driver";
import { planBatch } from "../src/store/cassandra/rows.ts";
import type { Request } from "../src/store/cassandra/session.ts";
import { Splits } from "../src/store/cassandra/splits.ts";
import { createStatements } from "../src/store/cassandra/statements.ts";
import { type CassandraStore, openCassandraStore } from "../src/store/cassandra/store.ts";
import type { CommitBatch, StateWrite, Store } from "../src/store/contract.ts";
import { type BenchOptions, type BenchRow, compare, toRow } from "./harness.ts";
import { Feeder, makeKey, makeValue } from "./store-data.ts";

const HOSTS = (process.env.SEXTANT_CASSANDRA ?? "127.0.0.1").split(",");
/** Requests in flight of one reader. */
const IN_FLIGHT = 32;
const WRITES_PER_BATCH = 500;
const WRITE_CONCURRENCY = 128;

/** What a reader process is told, and what the benchmark reads. */
export interface ReadTask {
  readonly keyspace: string;
  readonly items: number;
  readonly reads: number;
  readonly inFlight: number;
}

/** All rows of the cluster. */
export async function benchmarkCassandra(options: BenchOptions): Promise<readonly BenchRow[]> {
  const script = fileURLToPath(new URL("../scripts/cassandra.sh", import.meta.url));
  let isOurs = false;
  try {
    execFileSync(script, ["status"], { stdio: "ignore" });
  } catch {
    execFileSync(script, ["up", "3"], { stdio: ["ignore", "ignore", "inherit"] });
    isOurs = true;
  }
  const keyspace = `bench_${randomBytes(5).toString("hex")}`;
  const store = await openCassandraStore({ hosts: HOSTS, keyspace, ledger: "ours" });
  await store.lease.acquire();
  const client = new Client({
    contactPoints: [...HOSTS],
    localDataCenter: await dataCentre(),
    encoding: { useBigIntAsLong: true, useUndefinedAsUnset: true },
    queryOptions: { consistency: types.consistencies.quorum, prepare: true },
  });
  await client.connect();
  try {
    const sized = { ...options, items: options.quick ? 2000 : Math.round(20_000 * options.scale) + 1000 };
    const feeder = new Feeder(store);
    return [
      ...(await benchmarkReads(store, feeder, client, keyspace, sized)),
      await benchmarkCommits(feeder, client, keyspace, options),
      await benchmarkProcesses(keyspace, sized),
    ];
  } finally {
    await client.execute(`DROP KEYSPACE ${keyspace}`, [], { prepare: false, readTimeout: 60_000 });
    await client.shutdown();
    await store.close();
    if (isOurs) execFileSync(script, ["down", "--wipe"]);
  }
}

async function benchmarkReads(
  store: CassandraStore,
  feeder: Feeder,
  client: Client,
  keyspace: string,
  options: BenchOptions & { readonly items: number },
): Promise<BenchRow[]> {
  for (let index = 0; index < options.items; index += WRITES_PER_BATCH) {
    await feeder.commitSpread(writesFrom(index, WRITES_PER_BATCH, 0));
  }
  const versions = feeder.next;
  const count = options.quick ? 1000 : 4000;
  const picks = Array.from({ length: count }, () => Math.floor(Math.random() * options.items));
  const keys = picks.map(makeKey);
  /** Each item is written once; every version from there on sees it. */
  const old = picks.map((index) => BigInt(Math.floor(index / 10)) + BigInt(Math.floor(Math.random() * 100)));
  const capped = old.map((version) => (version < versions ? version : versions - 1n));
  const { findItem } = createStatements(keyspace);
  const bare = (versionOf: (at: number) => bigint) => () =>
    perSecond(count, IN_FLIGHT, async (at) => {
      await client.execute(findItem, ["ours", keys[at], 0, versionOf(at)], {
        prepare: true,
        isIdempotent: true,
      });
    });
  const ours = (versionOf: ((at: number) => bigint) | undefined) => () =>
    perSecond(count, IN_FLIGHT, async (at) => {
      const view = await store.openView();
      const [item] = await view.getItems([keys[at]!], versionOf?.(at) ?? view.position.version);
      view.release();
      if (item?.value === undefined) throw new Error(`item ${picks[at]} is not there`);
    });
  const settings = { unit: "reads/s", rounds: options.quick ? 5 : 15, target: { min: 0.7 } };
  const at = (index: number) => capped[index]!;
  return [
    await compare(
      "cluster: latest reads",
      { ours: ours(undefined), base: bare(() => versions - 1n) },
      settings,
    ),
    await compare("cluster: reads at old versions", { ours: ours(at), base: bare(at) }, settings),
  ];
}

/** Both write the same rows in the same way, and then one row by a lightweight transaction. */
async function benchmarkCommits(
  feeder: Feeder,
  client: Client,
  keyspace: string,
  options: BenchOptions,
): Promise<BenchRow> {
  let batch: CommitBatch | undefined;
  const bareFeeder = new Feeder({
    commit: async (given: CommitBatch) => {
      batch = given;
    },
  } as Store);
  // Only the names of the tables and of the ledger are used for planning.
  const tables = { statements: createStatements(keyspace), ledger: "bare" } as Parameters<
    typeof planBatch
  >[0];
  await client.execute(
    `INSERT INTO ${keyspace}.heads (ledger, term, seq) VALUES ('bare', 1, 0) IF NOT EXISTS`,
  );
  let seq = 0n;
  let from = 1_000_000;
  const base = async (): Promise<number> => {
    from += WRITES_PER_BATCH;
    await bareFeeder.commitSpread(writesFrom(from, WRITES_PER_BATCH, 1));
    const requests = planBatch(tables, batch!, { term: 1, seq }, new Splits(1_000_000));
    const started = performance.now();
    await perSecond(requests.length, WRITE_CONCURRENCY, (at) => send(client, requests[at]!));
    const query = `UPDATE ${keyspace}.heads SET seq = ?, version = ? WHERE ledger = 'bare' IF term = ? AND seq = ?`;
    await client.execute(query, [seq + 1n, batch!.position.version, 1, seq], { prepare: true });
    seq++;
    return (1000 * WRITES_PER_BATCH) / (performance.now() - started);
  };
  const ours = async (): Promise<number> => {
    const writes = writesFrom(from, WRITES_PER_BATCH, 1);
    const started = performance.now();
    await feeder.commitSpread(writes);
    return (1000 * WRITES_PER_BATCH) / (performance.now() - started);
  };
  return compare(
    `cluster: commits of ${WRITES_PER_BATCH} writes in ${WRITES_PER_BATCH / 10} versions`,
    { ours, base },
    { unit: "writes/s", rounds: options.quick ? 5 : 25, target: { min: 0.5 } },
  );
}

/** Two reader processes against one, each with few requests in flight. */
async function benchmarkProcesses(
  keyspace: string,
  options: BenchOptions & { readonly items: number },
): Promise<BenchRow> {
  const task: ReadTask = { keyspace, items: options.items, reads: options.quick ? 500 : 2000, inFlight: 4 };
  const readers = [await startReader(task), await startReader(task)];
  const [first] = readers;
  const series: { ours: number[]; base: number[] } = { ours: [], base: [] };
  for (let round = 0; round < (options.quick ? 4 : 12); round++) {
    const one = await readIn([first!]);
    const two = await readIn(readers);
    if (round === 0) continue;
    series.base.push(one);
    series.ours.push(two);
  }
  for (const reader of readers) reader.kill();
  return toRow("cluster: two reader processes over one", series, {
    unit: "reads/s",
    target: { min: 1.2 },
    note: "reads of both, 4 in flight each; cluster and readers share this machine's cores",
  });
}

async function startReader(task: ReadTask): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL("cassandra-reader.ts", import.meta.url)), [JSON.stringify(task)], {
    execArgv: ["--import", "tsx"],
  });
  await once(child, "message");
  return child;
}

/** Reads of all readers in a second. */
async function readIn(readers: readonly ChildProcess[]): Promise<number> {
  const rates = await Promise.all(
    readers.map(async (reader) => {
      reader.send("go");
      const [rate] = await once(reader, "message");
      return Number(rate);
    }),
  );
  return rates.reduce((sum, rate) => sum + rate, 0);
}

/** Does something so often, with so many under way at once; gives how often in a second. */
export async function perSecond(
  count: number,
  inFlight: number,
  action: (at: number) => Promise<void>,
): Promise<number> {
  let next = 0;
  const started = performance.now();
  const work = async (): Promise<void> => {
    for (let at = next++; at < count; at = next++) await action(at);
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  return (1000 * count) / (performance.now() - started);
}

async function send(client: Client, { query, values }: Request): Promise<void> {
  await client.execute(query, [...values], { prepare: true, isIdempotent: true });
}

function writesFrom(from: number, count: number, version: number): Omit<StateWrite, "version">[] {
  return Array.from({ length: count }, (_, at) => ({
    keyHash: makeKey(from + at),
    value: makeValue(from + at, version),
  }));
}

async function dataCentre(): Promise<string> {
  const client = new Client({ contactPoints: [...HOSTS], localDataCenter: "none" });
  try {
    await client.connect().catch(() => {});
    const [host] = client.hosts.values();
    return host?.datacenter ?? "datacenter1";
  } finally {
    await client.shutdown();
  }
}
