// A temporary PostgreSQL cluster on a unix socket, with the accounts of a data set in a table. Uses the installed
// PostgreSQL, and reports if there is none.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { chmod, chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import pg from "pg";
import { toHex } from "../src/base/hex.ts";
import { parseAsset } from "../src/ledger/balances/asset.ts";
import { readBalance } from "../src/ledger/balances/balance.ts";
import type { Address } from "../src/move/address.ts";
import { openLmdbStore } from "../src/store/lmdb/store.ts";
import { accountAddress, COIN, type DataSet, kindOf } from "./data-set.ts";
import { treeCpuMicros } from "./servers.ts";
import { inTime, waitUntil } from "./waits.ts";

const run = promisify(execFile);
/** Debian's folder of PostgreSQL versions. */
const DEBIAN = "/usr/lib/postgresql";
const SERVER_OPTIONS = {
  listen_addresses: "",
  shared_buffers: "512MB",
  max_connections: "64",
  fsync: "off",
  logging_collector: "off",
};

/** Schema of the table in a server that somebody else runs. */
const SCHEMA = "sextant_bench";
const ROWS_AT_ONCE = 10_000;

/** A running cluster. */
export interface Cluster {
  readonly socketFolder: string;
  /** Processor time of all its processes in microseconds. */
  cpuMicros(): Promise<number>;
  stop(): Promise<void>;
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

function findPrograms(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(DEBIAN, version, "bin")),
    ...(process.env.PATH ?? "").split(":"),
  ];
  return folders.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")));
}

/** The user to run as: PostgreSQL refuses root, so root uses the user of its package. */
async function serverOwner(): Promise<Owner | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = await Promise.all(
    ["-u", "-g"].map(async (flag) => Number((await run("id", [flag, "postgres"])).stdout)),
  );
  return { uid: uid ?? 0, gid: gid ?? 0 };
}

/** Starts a cluster with the balances of all accounts, or returns why it cannot. */
export async function startPostgres(set: DataSet): Promise<Cluster | { readonly missing: string }> {
  const folder = findPrograms();
  if (folder === undefined)
    return { missing: "PostgreSQL is not installed (Debian: apt-get install postgresql)" };
  const path = await mkdtemp(join(tmpdir(), "sextant-postgres-"));
  try {
    const owner = await serverOwner();
    if (owner !== undefined) await chown(path, owner.uid, owner.gid);
    await chmod(path, 0o700);
    return await startCluster(folder, path, owner, set);
  } catch (error) {
    await rm(path, { recursive: true, force: true });
    return {
      missing: `PostgreSQL does not start: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

async function startCluster(
  folder: string,
  path: string,
  owner: Owner | undefined,
  set: DataSet,
): Promise<Cluster> {
  const data = join(path, "data");
  const identity = { ...owner, cwd: path };
  await run(
    join(folder, "initdb"),
    ["-D", data, "-U", "bench", "-A", "trust", "-E", "UTF8", "--locale", "C"],
    identity,
  );
  const settings = Object.entries(SERVER_OPTIONS).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const server = spawn(join(folder, "postgres"), ["-D", data, "-k", path, ...settings], {
    ...identity,
    stdio: "ignore",
  });
  const stop = async (): Promise<void> => {
    const ended = once(server, "exit");
    server.kill("SIGINT");
    await inTime("PostgreSQL to end", ended);
    await rm(path, { recursive: true, force: true });
  };
  try {
    const isReady = (): Promise<boolean> =>
      run(join(folder, "pg_isready"), ["-h", path]).then(
        () => true,
        () => false,
      );
    await waitUntil("PostgreSQL to be ready", isReady);
    await fill(folder, path, set);
  } catch (error) {
    await stop();
    throw error;
  }
  return { socketFolder: path, cpuMicros: () => treeCpuMicros(server.pid ?? 0), stop };
}

async function fill(folder: string, path: string, set: DataSet): Promise<void> {
  const psql = (sql: string) =>
    [
      join(folder, "psql"),
      ["-h", path, "-U", "bench", "-d", "postgres", "-q", "-v", "ON_ERROR_STOP=1", "-c", sql],
    ] as const;
  await run(...psql("CREATE TABLE balances (account bytea PRIMARY KEY, balance numeric NOT NULL)"));
  const [program, args] = psql("COPY balances FROM STDIN");
  const copy = spawn(program, [...args], { stdio: ["pipe", "ignore", "inherit"] });
  const ended = once(copy, "exit");
  await pipeline(Readable.from(lines(set)), copy.stdin);
  const [code] = await inTime("psql to end", ended);
  if (code !== 0) throw new Error(`psql ended with ${code}`);
  await run(...psql("VACUUM ANALYZE balances"));
}

/** The balances as PostgreSQL's COPY reads them, in chunks. */
async function* lines(set: DataSet): AsyncGenerator<string> {
  let chunk = "";
  for await (const { owner, balance } of balances(set)) {
    chunk += `\\\\x${toHex(owner)}\t${balance}\n`;
    if (chunk.length < 1 << 16) continue;
    yield chunk;
    chunk = "";
  }
  yield chunk;
}

/** A table in a server that somebody else runs. */
export interface BorrowedTable {
  readonly name: string;
  drop(): Promise<void>;
}

/** Writes the balances of all accounts into a schema of their own in a running server. */
export async function borrowPostgres(url: string, set: DataSet): Promise<BorrowedTable> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const name = `${SCHEMA}.balances`;
  // Fails where the schema exists: it may be of another run, or somebody's.
  await client.query(`CREATE SCHEMA ${SCHEMA}`);
  const drop = async (): Promise<void> => {
    await client.query(`DROP SCHEMA ${SCHEMA} CASCADE`);
    await client.end();
  };
  try {
    await client.query(`CREATE UNLOGGED TABLE ${name} (account bytea PRIMARY KEY, balance numeric NOT NULL)`);
    const insert = `INSERT INTO ${name} SELECT * FROM unnest($1::bytea[], $2::numeric[])`;
    const rows: { owner: Buffer; balance: string }[] = [];
    const flush = async (): Promise<void> => {
      await client.query(insert, [rows.map(({ owner }) => owner), rows.map(({ balance }) => balance)]);
      rows.length = 0;
    };
    for await (const { owner, balance } of balances(set)) {
      rows.push({ owner: Buffer.from(owner), balance: `${balance}` });
      if (rows.length === ROWS_AT_ONCE) await flush();
    }
    await flush();
    await client.query(`ANALYZE ${name}`);
  } catch (error) {
    await drop();
    throw error;
  }
  return { name, drop };
}

/** The balance of every account, read from the ledger. */
async function* balances(
  set: DataSet,
): AsyncGenerator<{ readonly owner: Address; readonly balance: bigint }> {
  const store = await openLmdbStore({ path: set.data, readOnly: true });
  const asset = parseAsset(COIN);
  for (let index = 0; index < set.items; index++) {
    if (kindOf(index) === "table") continue;
    const owner = accountAddress(index);
    const view = await store.openView();
    const balance = await readBalance(view, owner, asset, view.position.version);
    view.release();
    yield { owner, balance };
  }
  await store.close();
}
