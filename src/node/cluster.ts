// The options of a cluster as its engine takes them: the address from the URL, files read, and the rest as given.
// Loads nothing of the driver.
import { readFileSync } from "node:fs";
import { ConfigError, errorText } from "../base/errors.ts";
import { type CassandraStoreOptions, type CassandraTls, toSettings } from "../store/cassandra/options.ts";
import type { CassandraOptions } from "./options.ts";

const SCHEME = "cassandra://";
const FORM = `${SCHEME}HOST[:PORT][,HOST[:PORT]…]/KEYSPACE[/LEDGER]`;
const HOST = /^(?:[A-Za-z0-9][A-Za-z0-9._-]{0,252}|\[[0-9A-Fa-f:.]{2,45}\])(?::(\d{1,5}))?$/;

function assertHost(host: string): void {
  const match = HOST.exec(host);
  const port = Number.parseInt(match?.[1] ?? "1", 10);
  if (match !== null && port >= 1 && port <= 65_535) return;
  throw new ConfigError(`store-url: expected HOST or HOST:PORT in ${FORM}, got ${JSON.stringify(host)}`);
}

/** The parts of the URL. Throws ConfigError, which never repeats what may be a password. */
function parseStoreUrl(url: string): Pick<CassandraStoreOptions, "hosts" | "keyspace" | "ledger"> {
  if (!url.startsWith(SCHEME)) throw new ConfigError(`store-url: expected ${FORM}`);
  if (url.includes("@")) {
    throw new ConfigError(
      "store-url: user and password do not belong into the URL: use store-user, SEXTANT_STORE_PASSWORD or store-password-file",
    );
  }
  const [authority = "", keyspace = "", ledger, ...more] = url.slice(SCHEME.length).split("/");
  if (keyspace === "" || more.length > 0) {
    throw new ConfigError(`store-url: expected a keyspace behind the hosts, as in ${FORM}`);
  }
  const hosts = authority.split(",");
  hosts.forEach(assertHost);
  return { hosts, keyspace, ...(ledger === undefined ? {} : { ledger }) };
}

function readPem(option: string, file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigError(`${option}: cannot read ${file}: ${errorText(error)}`, error);
  }
}

function loadTls(tls: NonNullable<CassandraOptions["tls"]>): CassandraTls {
  const ca = readPem("store-tls-ca", tls.caFile);
  const cert = readPem("store-tls-cert", tls.certFile);
  const key = readPem("store-tls-key", tls.keyFile);
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}

/** How to open the store that the options name. Throws ConfigError before anything is touched. */
export function clusterSettings(options: CassandraOptions): CassandraStoreOptions {
  const { url, user, password, tls, dataCentre, replication, leaseMs } = options;
  if (password !== undefined && user === undefined) {
    throw new ConfigError("store-user: a password needs one");
  }
  const settings: CassandraStoreOptions = {
    ...parseStoreUrl(url),
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    ...(tls === undefined ? {} : { tls: loadTls(tls) }),
    ...(dataCentre === undefined ? {} : { dataCentre }),
    ...(replication === undefined ? {} : { replication }),
    ...(leaseMs === undefined ? {} : { leaseTtlMs: leaseMs }),
  };
  toSettings(settings);
  return settings;
}
