// Options of the Cassandra engine and their defaults.
import { ConfigError } from "../../base/errors.ts";
import { type Logger, silentLogger } from "../../base/log.ts";

/** TLS certificates for the connection to the cluster, in PEM. */
export interface CassandraTls {
  /** CA of the cluster's certificates; the system's list when missing. */
  readonly ca?: string;
  /** Client certificate and key, if the cluster requires them. */
  readonly cert?: string;
  readonly key?: string;
  /** False accepts any certificate: the connection is encrypted, but the server's identity is unknown. */
  readonly rejectUnauthorized?: boolean;
}

/** Location of a ledger, and how to connect to it. */
export interface CassandraAddress {
  /** Contact points, each with a port unless it is the default; the driver finds the other hosts through them. */
  readonly hosts: readonly string[];
  readonly keyspace: string;
  /** Name of the ledger; a keyspace can hold many. */
  readonly ledger?: string;
  readonly user?: string;
  readonly password?: string;
  readonly tls?: CassandraTls | boolean;
  /** Local data centre; that of the first responding host when missing. */
  readonly dataCentre?: string;
  /** Maps the address that a node announces to one that this process can reach. */
  readonly translateAddress?: (address: string) => string;
  /** Replication factor of a new keyspace; by default the number of nodes, at most 3. */
  readonly replication?: number;
}

/** How to open a store in a cluster. */
export interface CassandraStoreOptions extends CassandraAddress {
  readonly readOnly?: boolean;
  readonly logger?: Logger;
  /** How long the writer's lease lasts without renewal. */
  readonly leaseTtlMs?: number;
  /** Largest age of the cached head row when a view is opened. */
  readonly headMaxAgeMs?: number;
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
  readonly leaseTtlMs: number;
  readonly headMaxAgeMs: number;
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
    leaseTtlMs: options.leaseTtlMs ?? 10_000,
    headMaxAgeMs: options.headMaxAgeMs ?? 50,
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
