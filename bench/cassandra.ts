// The store on a cluster against the bare driver sending the same statements: reads of the latest and of old
// versions, commits with all their rows, and readers in two processes against one. The cluster is the one that
// scripts/cassandra.sh runs, started when it does not answer; SEXTANT_CASSANDRA names another.
import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Client, policies, types } from "cassandra-driver";
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
  readonly roundMs: number;
  readonly inFlight: number;
}

/** What a reader process tells. */
export interface ReadFigures {
  readonly rate: number;
  readonly cost: number;
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
    const sized = { ...options, items: options.quick ? 2000 : Math.round(10_000 * options.scale) + 1000 };
    const feeder = new Feeder(store);
    return [
      ...(await benchmarkReads(store, feeder, client, keyspace, sized)),
      await benchmarkCommits(feeder, client, keyspace, options),
      ...(await benchmarkProcesses(keyspace, sized)),
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
  const count = 5000;
  const roundMs = options.quick ? 300 : 1000;
  const picks = Array.from({ length: count }, () => Math.floor(Math.random() * options.items));
  const keys = picks.map(makeKey);
  /** Each item is written once; every version from there on sees it. */
  const old = picks.map((index) => BigInt(Math.floor(index / 10)) + BigInt(Math.floor(Math.random() * 100)));
  const capped = old.map((version) => (version < versions ? version : versions - 1n));
  const { findItem } = createStatements(keyspace);
  const bare = (versionOf: (at: number) => bigint) => () =>
    perSecond(roundMs, IN_FLIGHT, async (turn) => {
      const at = turn % count;
      await client.execute(findItem, ["ours", keys[at], 0, versionOf(at)], {
        prepare: true,
        isIdempotent: true,
      });
    });
  const ours = (versionOf: ((at: number) => bigint) | undefined) => () =>
    perSecond(roundMs, IN_FLIGHT, async (turn) => {
      const at = turn % count;
      const view = await store.openView();
      const [item] = await view.getItems([keys[at]!], versionOf?.(at) ?? view.position.version);
      view.release();
      if (item?.value === undefined) throw new Error(`item ${picks[at]} is not there`);
    });
  const settings = { unit: "reads/s", rounds: options.quick ? 3 : 11, target: { min: 0.7 } };
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
    await sendAll(client, requests);
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
    { unit: "writes/s", rounds: options.quick ? 3 : 11, target: { min: 0.5 } },
  );
}

/**
 * Two reader processes against one, each with one request in flight. Where the cluster and the readers share few
 * processors the rate says more about those than about readers; what a read costs a reader says whether they get
 * in each other's way.
 */
async function benchmarkProcesses(
  keyspace: string,
  options: BenchOptions & { readonly items: number },
): Promise<BenchRow[]> {
  const task: ReadTask = { keyspace, items: options.items, roundMs: options.quick ? 300 : 1000, inFlight: 1 };
  const readers = [await startReader(task), await startReader(task)];
  const [first] = readers;
  const rates: { ours: number[]; base: number[] } = { ours: [], base: [] };
  const costs: { ours: number[]; base: number[] } = { ours: [], base: [] };
  for (let round = 0; round < (options.quick ? 3 : 12); round++) {
    const one = await readIn([first!]);
    const two = await readIn(readers);
    if (round === 0) continue;
    rates.base.push(one.rate);
    rates.ours.push(two.rate);
    costs.base.push(one.cost);
    costs.ours.push(two.cost);
  }
  for (const reader of readers) reader.kill();
  return [
    toRow("cluster: reads of two reader processes over one", rates, {
      unit: "reads/s",
      target: { min: 1.2 },
      note: "cluster and readers share this machine's processors",
    }),
    toRow("cluster: processor time of a read, two readers over one", costs, {
      unit: "µs",
      target: { max: 1.2 },
    }),
  ];
}

async function startReader(task: ReadTask): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL("cassandra-reader.ts", import.meta.url)), [JSON.stringify(task)], {
    execArgv: ["--import", "tsx"],
  });
  await once(child, "message");
  return child;
}

/** Reads of all readers in a second, and microseconds of processor time for one of the first reader's. */
async function readIn(readers: readonly ChildProcess[]): Promise<ReadFigures> {
  const figures = await Promise.all(
    readers.map(async (reader) => {
      reader.send("go");
      const [found] = await once(reader, "message");
      return found as ReadFigures;
    }),
  );
  return { rate: figures.reduce((sum, { rate }) => sum + rate, 0), cost: figures[0]?.cost ?? Number.NaN };
}

/** Does something for a while, with so many under way at once; gives how often in a second. */
export async function perSecond(
  ms: number,
  inFlight: number,
  action: (at: number) => Promise<void>,
): Promise<number> {
  let next = 0;
  const started = performance.now();
  const work = async (): Promise<void> => {
    while (performance.now() - started < ms) await action(next++);
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  return (1000 * next) / (performance.now() - started);
}

async function sendAll(client: Client, requests: readonly Request[]): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    for (let request = requests[next++]; request !== undefined; request = requests[next++]) {
      await send(client, request);
    }
  };
  await Promise.all(Array.from({ length: WRITE_CONCURRENCY }, work));
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
  const client = new Client({
    contactPoints: [...HOSTS],
    policies: { loadBalancing: new policies.loadBalancing.RoundRobinPolicy() },
  });
  try {
    const { rows } = await client.execute("SELECT data_center FROM system.local");
    return String(rows[0]?.data_center);
  } finally {
    await client.shutdown();
  }
}
