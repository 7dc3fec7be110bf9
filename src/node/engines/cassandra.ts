// The ledger in a Cassandra cluster, for any number of processes. One of them writes.
import { readFileSync } from "node:fs";
import { ConfigError, errorText } from "../../base/errors.ts";
import { durationOption, grouped, OBJECT, secretOption, TEXT, textOption } from "../../base/option.ts";
import type { NumberOptions } from "../../base/settings.ts";
import {
  CASSANDRA_NUMBERS,
  type CassandraStoreOptions,
  type CassandraTls,
  toSettings,
} from "../../store/cassandra/options.ts";
import type { CassandraStore } from "../../store/cassandra/store.ts";
import { assertSameGenesis } from "../../sync/genesis.ts";
import type { IndexReport } from "../../sync/maintenance/check/cluster-index.ts";
import type { DriverReport } from "../metrics/driver-metrics.ts";
import { assertOptions, optionTable } from "../options/option-table.ts";
import { closedOnFault, type StoreEngine } from "../store-engine.ts";

export interface CassandraOptions extends NumberOptions<typeof CASSANDRA_NUMBERS> {
  /** `cassandra://HOST[:PORT][,HOST…]/KEYSPACE[/LEDGER]`, without user and password. */
  readonly url: string;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** Encrypts the connections to the cluster. Files in PEM; without `caFile` the system's authorities are trusted. */
  readonly tls?:
    | {
        readonly caFile?: string | undefined;
        readonly certFile?: string | undefined;
        readonly keyFile?: string | undefined;
      }
    | undefined;
  /** The data centre whose machines are asked. */
  readonly dataCentre?: string | undefined;
}

export const CASSANDRA_TABLE = optionTable<CassandraOptions>()({
  prefix: "store-",
  flags: grouped("Storage", {
    "store-url": textOption(
      "Cluster that keeps the ledger: cassandra://HOST[:PORT][,HOST…]/KEYSPACE[/LEDGER]",
      "URL",
    ),
    "store-user": textOption("User name for the cluster", "NAME"),
    "store-data-centre": textOption(
      "Data centre to send requests to (default that of the first host that responds)",
      "NAME",
    ),
    "lease-time": durationOption(
      "Lifetime of the writer's lease; if the writer does not renew it in time, a standby takes over",
      CASSANDRA_NUMBERS.leaseTimeMs,
    ),
    "store-password": secretOption("Password of --store-user"),
  }),
  numbers: CASSANDRA_NUMBERS,
  others: { tls: OBJECT },
});

const TLS_TABLE = optionTable<NonNullable<CassandraOptions["tls"]>>()({
  flags: {},
  numbers: {},
  others: { caFile: TEXT, certFile: TEXT, keyFile: TEXT },
});

const SCHEME = "cassandra://";
const FORM = `${SCHEME}HOST[:PORT][,HOST[:PORT]…]/KEYSPACE[/LEDGER]`;
const HOST = /^(?:[A-Za-z0-9][A-Za-z0-9._-]{0,252}|\[[0-9A-Fa-f:.]{2,45}\])(?::(\d{1,5}))?$/;

function assertHost(host: string): void {
  const match = HOST.exec(host);
  const port = Number.parseInt(match?.[1] ?? "1", 10);
  if (match !== null && port >= 1 && port <= 65_535) return;
  throw new ConfigError(`store-url: expected HOST or HOST:PORT in ${FORM}, got ${JSON.stringify(host)}`);
}

/** Splits the URL. Throws ConfigError, which never repeats a text that may be a password. */
function parseStoreUrl(url: string): Pick<CassandraStoreOptions, "hosts" | "keyspace" | "ledger"> {
  if (!url.startsWith(SCHEME)) throw new ConfigError(`store-url: expected ${FORM}`);
  if (url.includes("@")) {
    throw new ConfigError(
      "store-url: expected no user and password in the URL: use store-user, SEXTANT_STORE_PASSWORD or store-password-file",
    );
  }
  const [authority = "", keyspace = "", ledger, ...more] = url.slice(SCHEME.length).split("/");
  if (keyspace === "" || more.length > 0) {
    throw new ConfigError(`store-url: expected a keyspace after the hosts, as in ${FORM}`);
  }
  const hosts = authority.split(",");
  hosts.forEach(assertHost);
  return { hosts, keyspace, ledger };
}

function readPem(option: string, file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigError(`${option}: cannot read ${file}: ${errorText(error)}`, error);
  }
}

function loadTls({ caFile, certFile, keyFile }: NonNullable<CassandraOptions["tls"]>): CassandraTls {
  return {
    ca: readPem("store-tls-ca", caFile),
    cert: readPem("store-tls-cert", certFile),
    key: readPem("store-tls-key", keyFile),
  };
}

function storeOptionsOf({ url, tls, ...others }: CassandraOptions): CassandraStoreOptions {
  const { user, password, dataCentre, replication, leaseTimeMs } = others;
  if (password !== undefined && user === undefined) {
    throw new ConfigError("store-user: expected one, since a password is given");
  }
  return {
    ...parseStoreUrl(url),
    ...{ user, password, dataCentre, replication, leaseTimeMs },
    tls: tls && loadTls(tls),
  };
}

/**
 * Loads a module that imports the driver. The driver is an optional peer dependency: it slows down the start of every
 * node that loads it, and most need none. Throws ConfigError if it is not installed.
 */
async function loadDriver<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    // The second code is that of yarn's loader.
    const isAbsent =
      error instanceof Error &&
      ["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"].includes(String(Reflect.get(error, "code"))) &&
      error.message.includes("cassandra-driver");
    if (!isAbsent) throw error;
    throw new ConfigError(
      "store cassandra: the driver is not installed: run `npm install cassandra-driver` where sextant is installed",
      error,
    );
  }
}

async function openReader(options: CassandraOptions): Promise<CassandraStore> {
  const { openCassandraStore } = await import("../../store/cassandra/store.ts");
  return openCassandraStore({ ...storeOptionsOf(options), readOnly: true });
}

export const cassandraEngine: StoreEngine<CassandraOptions> = {
  table: CASSANDRA_TABLE,
  assertOptions: (options) => {
    assertOptions(TLS_TABLE, "store.tls", options.tls);
    toSettings(storeOptionsOf(options));
  },
  open: async (options, { readOnly, genesis, logger }) => {
    const { openCassandraStore } = await loadDriver(() => import("../../store/cassandra/store.ts"));
    const { LATENCY_BOUNDS_MS: boundsMs } = await import("../../store/cassandra/figures.ts");
    const store = await openCassandraStore({ ...storeOptionsOf(options), readOnly, logger });
    await closedOnFault(store, () => {
      if (genesis !== undefined && store.identity !== undefined) assertSameGenesis(store.identity, genesis);
    });
    const driver = (): DriverReport => ({ figures: store.figures, boundsMs, blockCache: store.blockCache });
    return { store, lease: readOnly ? undefined : store.lease, driver };
  },
  isShared: true,
  hasDriver: true,
  async *baseIndexRows(options) {
    const store = await openReader(options);
    try {
      const walk = await store.openIndexWalk();
      if (walk.position.oldestVersion > 0n) yield* walk.rows();
    } finally {
      await store.close();
    }
  },
};

/** Checks the index of a ledger in a cluster, while a node may be writing it. */
export async function checkClusterData(
  options: CassandraOptions,
  signal?: AbortSignal,
): Promise<IndexReport> {
  const { checkClusterIndex } = await import("../../sync/maintenance/check/cluster-index.ts");
  const store = await openReader(options);
  try {
    return await checkClusterIndex(store, signal);
  } finally {
    await store.close();
  }
}
