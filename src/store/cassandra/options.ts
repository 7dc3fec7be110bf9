// How to reach a cluster and work with it: the options, and what they are when nothing is said.
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

/** Certificates for talking to the cluster over TLS, in PEM. */
export interface CassandraTls {
  /** Who signed the cluster's certificates; the system's own list when missing. */
  readonly ca?: string | undefined;
  /** Certificate and key of this client, where the cluster asks for them. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** False takes any certificate: the line is encrypted, but to whom is not known. */
  readonly rejectUnauthorized?: boolean;
}

/** Where a ledger is kept, and how to get there. */
export interface CassandraAddress {
  /** Hosts to ask first, each with its port where it is not the common one; the others are learnt from them. */
  readonly hosts: readonly string[];
  readonly keyspace: string;
  /** Name of the ledger inside the keyspace, which can hold many. */
  readonly ledger?: string | undefined;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly tls?: CassandraTls | boolean | undefined;
  /** The data centre whose nodes are asked; that of the first host that answers when missing. */
  readonly dataCentre?: string | undefined;
  /** The address to reach a node at, for its own idea of it; for networks that show nodes under other addresses. */
  readonly translateAddress?: (address: string) => string;
  /** Copies of each row, for the keyspace that is made when there is none; as many as nodes, at most 3, when missing. */
  readonly replication?: number | undefined;
}

/** How to open a store in a cluster. */
export interface CassandraStoreOptions extends CassandraAddress {
  readonly readOnly?: boolean;
  readonly logger?: Logger;
  /** How long the writer's lease holds without being renewed. */
  readonly leaseTimeMs?: number | undefined;
  /** How old the known position may be when a view is opened. */
  readonly headMaxAgeMs?: number;
  /** Rows of one key in one partition, about, before the key is split. */
  readonly splitRows?: number;
  /** Requests of one commit in flight at once. */
  readonly writeConcurrency?: number;
}

/** The options with everything decided. */
export interface CassandraSettings extends CassandraAddress {
  readonly ledger: string;
  readonly readOnly: boolean;
  readonly logger: Logger;
  readonly leaseTimeMs: number;
  readonly headMaxAgeMs: number;
  readonly splitRows: number;
  readonly writeConcurrency: number;
}

const DEFAULT_LEDGER = "main";
const NAME_BYTES = 48;

/** Options with their defaults. Throws ConfigError for names that cannot be used. */
export function toSettings(options: CassandraStoreOptions): CassandraSettings {
  const { ledger = DEFAULT_LEDGER } = options;
  // Without quotes, the case of a name does not count.
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
    splitRows: options.splitRows ?? 32_768,
    writeConcurrency: options.writeConcurrency ?? 128,
  };
}

/** Names go into statements as they are, so only plain ones are taken. */
function assertName(what: string, name: string): void {
  if (name.length > NAME_BYTES || !/^[a-z][a-z0-9_]*$/.test(name)) {
    throw new ConfigError(
      `${what}: expected up to ${NAME_BYTES} small letters, digits and _, beginning with a letter`,
    );
  }
}
