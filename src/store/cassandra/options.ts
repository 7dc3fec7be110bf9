// Options of the Cassandra engine and their defaults.
import { ConfigError } from "../../base/errors.ts";
import { type Logger, silentLogger } from "../../base/log.ts";
import { HOUR_MS, type NumberSettings, SECOND_MS } from "../../base/settings.ts";

/** Numbers that users of the engine can set. */
export const CASSANDRA_NUMBERS = {
  /** Below a second the holder has no time to renew the lease at a cluster. */
  leaseTimeMs: { fallback: 10_000, min: SECOND_MS, max: HOUR_MS },
  /** As many as machines, at most 3, when left out. */
  replication: { fallback: undefined, min: 1, max: 9 },
} as const satisfies NumberSettings;

/** TLS certificates for the connection to the cluster, in PEM. */
export interface CassandraTls {
  /** CA of the cluster's certificates; the system's list when missing. */
  readonly ca?: string | undefined;
  /** Client certificate and key, if the cluster requires them. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** False accepts any certificate: the connection is encrypted, but the server's identity is unknown. */
  readonly rejectUnauthorized?: boolean;
}

/** Location of a ledger, and how to connect to it. */
export interface CassandraAddress {
  /** Contact points, each with a port unless it is the default; the driver finds the other hosts through them. */
  readonly hosts: readonly string[];
  readonly keyspace: string;
  /** Name of the ledger; a keyspace can hold many. */
  readonly ledger?: string | undefined;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly tls?: CassandraTls | boolean | undefined;
  /** Local data centre; that of the first responding host when missing. */
  readonly dataCentre?: string | undefined;
  /** Maps the address that a node announces to one that this process can reach. */
  readonly translateAddress?: (address: string) => string;
  /** Replication factor of a new keyspace; by default the number of nodes, at most 3. */
  readonly replication?: number | undefined;
}

/** How to open a store in a cluster. */
export interface CassandraStoreOptions extends CassandraAddress {
  readonly readOnly?: boolean;
  readonly logger?: Logger;
  /** How long the writer's lease lasts without renewal. */
  readonly leaseTimeMs?: number | undefined;
  /** Largest age of the cached head row when a view is opened. */
  readonly headMaxAgeMs?: number;
  /** Largest size of the cached items. */
  readonly itemCacheBytes?: number;
  /** Approximate number of rows of one key in one partition before the key is split. */
  readonly splitRows?: number;
  /** Largest number of requests of one commit in flight. */
  readonly writeConcurrency?: number;
}

/** The options with all defaults applied. */
export interface CassandraSettings extends CassandraAddress {
  readonly ledger: string;
  readonly readOnly: boolean;
  readonly logger: Logger;
  readonly leaseTimeMs: number;
  readonly headMaxAgeMs: number;
  readonly itemCacheBytes: number;
  readonly splitRows: number;
  readonly writeConcurrency: number;
}

const DEFAULT_LEDGER = "main";
const NAME_BYTES = 48;

/** Applies the defaults. Throws ConfigError for invalid names. */
export function toSettings(options: CassandraStoreOptions): CassandraSettings {
  const { ledger = DEFAULT_LEDGER } = options;
  // Unquoted names are case-insensitive.
  const keyspace = options.keyspace.toLowerCase();
  assertName("keyspace", keyspace);
  assertName("ledger", ledger);
  if (options.hosts.length === 0) throw new ConfigError("store: expected at least one host");
  return {
    ...options,
    keyspace,
    ledger,
    readOnly: options.readOnly ?? false,
    logger: options.logger ?? silentLogger,
    leaseTimeMs: options.leaseTimeMs ?? CASSANDRA_NUMBERS.leaseTimeMs.fallback,
    headMaxAgeMs: options.headMaxAgeMs ?? 50,
    itemCacheBytes: options.itemCacheBytes ?? 16 * 2 ** 20,
    splitRows: options.splitRows ?? 32_768,
    writeConcurrency: options.writeConcurrency ?? 128,
  };
}

/** Names go into statements unquoted, so only plain ones are accepted. */
function assertName(what: string, name: string): void {
  if (name.length > NAME_BYTES || !/^[a-z][a-z0-9_]*$/.test(name)) {
    throw new ConfigError(
      `${what}: expected up to ${NAME_BYTES} lower-case letters, digits and _, starting with a letter`,
    );
  }
}
