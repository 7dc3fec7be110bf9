// The store on a cluster against the bare driver with the same statements: reads of the latest and of old versions,
// commits with all their rows, the costs of proofs, and two reader processes against one. Uses the cluster of
// scripts/cassandra.sh, and starts it if it does not respond; SEXTANT_CASSANDRA names another.
import { type ChildProcess, execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { Client, policies, types } from "cassandra-driver";
import { planBatch } from "../src/store/cassandra/rows.ts";
import { Splits } from "../src/store/cassandra/splits.ts";
import { createStatements } from "../src/store/cassandra/statements.ts";
import { type CassandraStore, openCassandraStore } from "../src/store/cassandra/store.ts";
import type { Request } from "../src/store/cassandra/writes.ts";
import type { CommitBatch, StateWrite, Store } from "../src/store/contract.ts";
import { type BenchOptions, type BenchRow, compare, median, toRow } from "./harness.ts";
import { forkFile } from "./own-process.ts";
import { proofCostRows } from "./proofs.ts";
import { Feeder, makeKey, makeValue } from "./store-data.ts";
import { nextMessage } from "./waits.ts";

const NAMED = process.env.SEXTANT_CASSANDRA;
const HOSTS = (NAMED ?? "127.0.0.1").split(",");
const SCRIPT = fileURLToPath(new URL("../scripts/cassandra.sh", import.meta.url));
/** Requests in flight of one reader. */
const IN_FLIGHT = 32;
/** In messages. */
const READER = "a reader process";
const WRITES_PER_BATCH = 500;
const WRITE_CONCURRENCY = 128;
/** Items of an answer whose requests are counted. */
const ANSWER_ITEMS = 100;

/** Processor share of a limited reader: small, so that three nodes and two readers fit on two processors. */
const READER_SHARE = 0.05;

/** Arguments of a reader process. */
export interface ReadTask {
  readonly keyspace: string;
  readonly items: number;
}

/** One turn of a reader. */
export interface ReadTurn {
  readonly roundMs: number;
  readonly inFlight: number;
  /** Share of a processor that it may use. */
  readonly share: number;
}

/** Result of a turn. */
export interface ReadFigures {
  /** Reads per second. */
  readonly rate: number;
  /** Processor time of a read in microseconds. */
  readonly cost: number;
  /** Share of a processor that it used. */
  readonly share: number;
}

/** Rows of the cluster. */
export async function benchmarkCassandra(options: BenchOptions): Promise<readonly BenchRow[]> {
  const isOurs = NAMED === undefined && startCluster();
  try {
    return await benchmarkOn(options);
  } finally {
    if (isOurs) execFileSync(SCRIPT, ["down", "--wipe"]);
  }
}

/** Starts the cluster unless it runs; returns true if it was started. */
function startCluster(): boolean {
  try {
    execFileSync(SCRIPT, ["status"], { stdio: "ignore" });
    return false;
  } catch {
    execFileSync(SCRIPT, ["up", "3"], { stdio: ["ignore", "ignore", "inherit"] });
    return true;
  }
}

async function benchmarkOn(options: BenchOptions): Promise<readonly BenchRow[]> {
  const keyspace = `bench_${randomBytes(5).toString("hex")}`;
  // Without its cache: the driver has none either.
  const store = await openCassandraStore({ hosts: HOSTS, keyspace, ledger: "ours", itemCacheBytes: 0 });
  await store.lease.acquire();
  const client = new Client({
    contactPoints: [...HOSTS],
    protocolOptions: { maxVersion: 4 },
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
      await benchmarkCommits(feeder, client, keyspace),
      ...(await proofCostRows(options, newStores(keyspace), ", in a cluster")),
      ...(await benchmarkProcesses(keyspace, sized)),
    ];
  } finally {
    // The store first: releasing its lease needs the tables.
    await store.close();
    await client.execute(`DROP KEYSPACE ${keyspace}`, [], { prepare: false, readTimeout: 60_000 });
    await client.shutdown();
  }
}

/** Makes ledgers in a keyspace. What they take on disk is not measured. */
function newStores(keyspace: string): Parameters<typeof proofCostRows>[1] {
  return async (ledger) => {
    const store = await openCassandraStore({ hosts: HOSTS, keyspace, ledger });
    await store.lease.acquire();
    return { store, sizeOf: () => 0 };
  };
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
  /** Versions at or after the only write of each item. */
  const old = picks.map((index) => BigInt(Math.floor(index / 10)) + BigInt(Math.floor(Math.random() * 100)));
  const capped = old.map((version) => (version < versions ? version : versions - 1n));
  const { findItem } = createStatements(keyspace);
  const heads = await client.execute(`SELECT birth FROM ${keyspace}.heads WHERE ledger = 'ours'`);
  const ledger = `ours ${heads.rows[0]?.birth}`;
  const bare = (versionOf: (at: number) => bigint) => () =>
    perSecond(roundMs, IN_FLIGHT, async (turn) => {
      const at = turn % count;
      await client.execute(findItem, [ledger, keys[at], 0, versionOf(at)], {
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
      if (item?.value === undefined) throw new Error(`item ${picks[at]} is missing`);
    });
  const settings = { unit: "reads/s", basis: "clock", target: { min: 0.9 } } as const;
  const at = (index: number) => capped[index]!;
  return [
    await compare(
      "cluster: latest reads",
      { ours: ours(undefined), base: bare(() => versions - 1n) },
      settings,
    ),
    await compare("cluster: reads at old versions", { ours: ours(at), base: bare(at) }, settings),
    await countRequests(keyspace, versions),
  ];
}

/** Requests for records with their blocks, by processes that have read nothing yet: two for each are allowed. */
async function countRequests(keyspace: string, versions: bigint): Promise<BenchRow> {
  const series = emptySeries();
  for (let round = 0; round < 5; round++) {
    const reader = await openCassandraStore({ hosts: HOSTS, keyspace, ledger: "ours", readOnly: true });
    const view = await reader.openView();
    const before = reader.figures.responses;
    for (let i = 0; i < ANSWER_ITEMS; i++) {
      const version = BigInt(Math.floor(Math.random() * Number(versions)));
      await view.getRecords(version, 1, 1);
      await view.getBlockByVersion(version);
    }
    series.ours.push((reader.figures.responses - before) / ANSWER_ITEMS);
    series.base.push(2);
    view.release();
    await reader.close();
  }
  return toRow("cluster: requests for a record and its block, over two", series, {
    unit: "requests",
    target: { max: 1 },
  });
}

/** Both sides write the same rows, then one row by a lightweight transaction. */
async function benchmarkCommits(feeder: Feeder, client: Client, keyspace: string): Promise<BenchRow> {
  let batch: CommitBatch | undefined;
  const bareFeeder = new Feeder({
    commit: async (given: CommitBatch) => {
      batch = given;
    },
  } as Store);
  // Planning uses only the statements and the ledger's name.
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
    const requests = planBatch(
      tables,
      batch!,
      { term: 1, seq, blockHeight: undefined },
      new Splits(1_000_000),
    );
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
    { unit: "writes/s", basis: "clock", inOrder: true, target: { min: 1 } },
  );
}

/**
 * Two reader processes against one. If cluster and readers share few processors, the plain rate measures these. So one
 * row limits each reader to a small share of a processor: then a second reader doubles the rate unless readers
 * disturb each other. Another row compares the processor time of a read without the limit.
 */
async function benchmarkProcesses(
  keyspace: string,
  options: BenchOptions & { readonly items: number },
): Promise<BenchRow[]> {
  const task: ReadTask = { keyspace, items: options.items };
  const readers: ChildProcess[] = [];
  try {
    for (let count = 0; count < 2; count++) readers.push(await startReader(task));
    const rounds = options.quick ? 3 : 11;
    const roundMs = options.quick ? 300 : 2000;
    const limited = await readInTurn(readers, { roundMs, inFlight: IN_FLIGHT, share: READER_SHARE }, rounds);
    const free = await readInTurn(readers, { roundMs, inFlight: IN_FLIGHT, share: 1 }, rounds);
    return [
      toRow(`cluster: two readers over one, each with ${READER_SHARE} of a processor`, limited.rates, {
        unit: "reads/s",
        target: { min: 1.6 },
        note: `a reader used ${describeShares(limited)} of a processor`,
      }),
      toRow("cluster: processor time of a read, two readers over one", free.costs, {
        unit: "µs",
        target: { max: 1.2 },
      }),
      toRow("cluster: two readers over one, without limit", free.rates, {
        unit: "reads/s",
        note: "cluster and readers share this machine's processors",
      }),
    ];
  } finally {
    for (const reader of readers) reader.kill();
  }
}

interface Series {
  readonly ours: number[];
  readonly base: number[];
}

/** Measurements of two readers together (`ours`) and of one alone (`base`). */
interface ReaderSeries {
  readonly rates: Series;
  /** Of the reader that was alone. */
  readonly costs: Series;
  readonly shares: Series;
}

/** Measures one reader, then both; the readers take turns at being alone. */
async function readInTurn(
  readers: readonly ChildProcess[],
  turn: ReadTurn,
  rounds: number,
): Promise<ReaderSeries> {
  const [rates, costs, shares] = [emptySeries(), emptySeries(), emptySeries()];
  for (let round = -1; round < rounds; round++) {
    const [one, other] = round % 2 === 0 ? readers : [...readers].reverse();
    const [alone] = await readIn([one!], turn);
    const [first, second] = await readIn([one!, other!], turn);
    if (round < 0) continue;
    rates.base.push(alone!.rate);
    rates.ours.push(first!.rate + second!.rate);
    costs.base.push(alone!.cost);
    costs.ours.push(first!.cost);
    shares.base.push(alone!.share);
    shares.ours.push((first!.share + second!.share) / 2);
  }
  return { rates, costs, shares };
}

const emptySeries = (): Series => ({ ours: [], base: [] });

function describeShares({ shares }: ReaderSeries): string {
  return `${median(shares.base).toFixed(2)} alone and ${median(shares.ours).toFixed(2)} next to another`;
}

async function startReader(task: ReadTask): Promise<ChildProcess> {
  const child = forkFile("./cassandra-reader.ts", [JSON.stringify(task)]);
  await nextMessage(child, READER);
  return child;
}

async function readIn(readers: readonly ChildProcess[], turn: ReadTurn): Promise<ReadFigures[]> {
  return Promise.all(
    readers.map(async (reader) => {
      const found = nextMessage<ReadFigures>(reader, READER);
      reader.send(turn);
      return found;
    }),
  );
}

/** Repeats an action for `ms`, with `inFlight` at once; returns the rate per second. */
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
    protocolOptions: { maxVersion: 4 },
    policies: { loadBalancing: new policies.loadBalancing.RoundRobinPolicy() },
  });
  try {
    const { rows } = await client.execute("SELECT data_center FROM system.local");
    return String(rows[0]?.data_center);
  } finally {
    await client.shutdown();
  }
}
