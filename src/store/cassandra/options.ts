// How to reach a cluster: the options, and their form as an address in one line.
import { ConfigError } from "../../base/errors.ts";
import { type Logger, silentLogger } from "../../base/log.ts";

/** Certificates for talking to the cluster over TLS, in PEM. */
export interface CassandraTls {
  /** Who signed the cluster's certificates; the system's own list when missing. */
  readonly ca?: string;
  /** Certificate and key of this client, where the cluster asks for them. */
  readonly cert?: string;
  readonly key?: string;
  /** False takes any certificate: the line is encrypted, but to whom is not known. */
  readonly rejectUnauthorized?: boolean;
}

/** Where a ledger is kept, and how to get there. */
export interface CassandraAddress {
  /** Hosts to ask first, each with its port where it is not the common one; the others are learnt from them. */
  readonly hosts: readonly string[];
  readonly keyspace: string;
  /** Name of the ledger inside the keyspace, which can hold many. */
  readonly ledger?: string;
  readonly user?: string;
  readonly password?: string;
  readonly tls?: CassandraTls | boolean;
  /** The data centre whose nodes are asked; that of the first host that answers when missing. */
  readonly dataCentre?: string;
  /** Copies of each row, for the keyspace that is made when there is none; as many as nodes, at most 3, when missing. */
  readonly replication?: number;
}

/** How to open a store in a cluster. */
export interface CassandraStoreOptions extends CassandraAddress {
  readonly readOnly?: boolean;
  readonly logger?: Logger;
  /** How long the writer's lease holds without being renewed. */
  readonly leaseTtlMs?: number;
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
  readonly leaseTtlMs: number;
  readonly headMaxAgeMs: number;
  readonly splitRows: number;
  readonly writeConcurrency: number;
}

const DEFAULT_LEDGER = "main";
const NAME_BYTES = 48;

/** Options with their defaults. Throws ConfigError for names that cannot be used. */
export function toSettings(options: CassandraStoreOptions): CassandraSettings {
  const { ledger = DEFAULT_LEDGER } = options;
  assertName("keyspace", options.keyspace);
  assertName("ledger", ledger);
  if (options.hosts.length === 0) throw new ConfigError("store address: expected at least one host");
  return {
    ...options,
    ledger,
    readOnly: options.readOnly ?? false,
    logger: options.logger ?? silentLogger,
    leaseTtlMs: options.leaseTtlMs ?? 10_000,
    headMaxAgeMs: options.headMaxAgeMs ?? 50,
    splitRows: options.splitRows ?? 32_768,
    writeConcurrency: options.writeConcurrency ?? 128,
  };
}

/**
 * An address in the form `cassandra://[user:password@]host[:port][,host[:port]...]/keyspace[/ledger]`, with
 * `tls=true`, `data_centre=NAME` and `replication=N` after a question mark. Throws ConfigError.
 */
export function parseCassandraUrl(text: string): CassandraAddress {
  const prefix = "cassandra://";
  if (!text.startsWith(prefix)) throw badUrl(`expected it to begin with ${prefix}`);
  const [before = "", query = ""] = splitOnce(text.slice(prefix.length), "?");
  const [authority = "", path = ""] = splitOnce(before, "/");
  const at = authority.lastIndexOf("@");
  const credentials = at < 0 ? undefined : splitOnce(authority.slice(0, at), ":");
  const hosts = authority.slice(at + 1).split(",");
  if (hosts.some((host) => host === "")) throw badUrl("expected hosts divided by commas");
  const [keyspace = "", ledger] = splitOnce(path, "/");
  if (keyspace === "") throw badUrl("expected a keyspace after the hosts");
  assertName("keyspace", keyspace);
  if (ledger !== undefined) assertName("ledger", ledger);
  const [user, password] = credentials ?? [];
  return {
    hosts,
    keyspace,
    ...(ledger === undefined ? {} : { ledger }),
    ...(user === undefined ? {} : { user: decodePart("user", user) }),
    ...(password === undefined ? {} : { password: decodePart("password", password) }),
    ...parseQuery(query),
  };
}

function parseQuery(query: string): Pick<CassandraAddress, "tls" | "dataCentre" | "replication"> {
  let found: Pick<CassandraAddress, "tls" | "dataCentre" | "replication"> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    if (name === "tls" && (value === "true" || value === "false"))
      found = { ...found, tls: value === "true" };
    else if (name === "data_centre" && value !== "") found = { ...found, dataCentre: value };
    else if (name === "replication" && /^[1-9]$/.test(value))
      found = { ...found, replication: Number(value) };
    else throw badUrl(`cannot use ${name}=${value}`);
  }
  return found;
}

/** Names go into statements as they are, so only plain ones are taken. */
function assertName(what: string, name: string): void {
  if (name.length > NAME_BYTES || !/^[a-z][a-z0-9_]*$/.test(name)) {
    throw new ConfigError(
      `${what}: expected up to ${NAME_BYTES} small letters, digits and _, beginning with a letter`,
    );
  }
}

function decodePart(what: string, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    throw new ConfigError(`store address: the ${what} is not well percent-encoded`, error);
  }
}

function splitOnce(text: string, mark: string): [string, string | undefined] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** The address itself is not quoted: it may hold a password. */
function badUrl(problem: string): ConfigError {
  return new ConfigError(`store address: ${problem}, as in cassandra://host1,host2,host3/keyspace`);
}
