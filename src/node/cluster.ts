// The options of a cluster as its engine takes them: the address from the URL, files read, and the rest as given.
// Loads nothing of the driver.
import { readFileSync } from "node:fs";
import { ConfigError, errorText } from "../base/errors.ts";
import {
  type CassandraAddress,
  type CassandraStoreOptions,
  type CassandraTls,
  parseCassandraUrl,
  toSettings,
} from "../store/cassandra/options.ts";
import type { CassandraOptions } from "./options.ts";

/** Like the driver's own default, but said in one place for messages. */
const HOST = /^(?:[A-Za-z0-9][A-Za-z0-9._-]{0,252}|\[[0-9A-Fa-f:.]{2,45}\])(?::(\d{1,5}))?$/;

function assertHost(host: string): void {
  const port = HOST.exec(host)?.[1];
  const number = port === undefined ? 1 : Number.parseInt(port, 10);
  if (HOST.test(host) && number >= 1 && number <= 65_535) return;
  throw new ConfigError(`store-url: expected HOST or HOST:PORT, got ${JSON.stringify(host)}`);
}

/** The parts of the URL. Throws ConfigError, which never repeats what may be a password. */
function parseAddress(url: string): CassandraAddress {
  const [authority = ""] = url.split("/").slice(2);
  if (authority.includes("@")) {
    throw new ConfigError(
      "store-url: user and password do not belong into the URL: use store-user, SEXTANT_STORE_PASSWORD or store-password-file",
    );
  }
  let address: CassandraAddress;
  try {
    address = parseCassandraUrl(url);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(`store-url: ${error.message}`, error);
  }
  address.hosts.forEach(assertHost);
  return address;
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
    ...parseAddress(url),
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
