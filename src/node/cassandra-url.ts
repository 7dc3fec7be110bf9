// Where a cluster is, as a URL: cassandra://host1,host2:9043,[::1]/keyspace. User and password are not part of it,
// because URLs end up in process listings, logs and shell histories.
import { ConfigError } from "../base/errors.ts";

/** The parts of the URL of a cluster. */
export interface CassandraPlace {
  /** Machines to ask first, each as `host:port`, with an IPv6 address in brackets. */
  readonly contactPoints: readonly string[];
  readonly keyspace: string;
}

const SCHEME = "cassandra://";
const DEFAULT_PORT = 9042;
const FORM = "cassandra://HOST[:PORT][,HOST[:PORT]…]/KEYSPACE";
/** What the database takes without quotes. */
const KEYSPACE = /^[A-Za-z][A-Za-z0-9_]{0,47}$/;
const HOST = /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251})|\[[0-9A-Fa-f:.]{2,45}\])$/;

/** True when the text names a cluster. */
export function isCassandraUrl(text: string): boolean {
  return text.startsWith(SCHEME);
}

function parseContactPoint(text: string, option: string): string {
  const colon = text.lastIndexOf(":");
  const hasPort = colon > text.lastIndexOf("]");
  const host = hasPort ? text.slice(0, colon) : text;
  const portText = hasPort ? text.slice(colon + 1) : `${DEFAULT_PORT}`;
  const port = /^\d{1,5}$/.test(portText) ? Number.parseInt(portText, 10) : 0;
  if (!HOST.test(host) || port < 1 || port > 65_535) {
    throw new ConfigError(`${option}: expected HOST or HOST:PORT in ${FORM}, got ${JSON.stringify(text)}`);
  }
  return `${host}:${port}`;
}

/** Parses the URL of a cluster. Throws ConfigError that names the option, and never repeats what may be a password. */
export function parseCassandraUrl(url: string, option = "store-url"): CassandraPlace {
  if (!isCassandraUrl(url)) throw new ConfigError(`${option}: expected ${FORM}`);
  if (url.includes("@")) {
    throw new ConfigError(`${option}: user and password do not belong into the URL; see store-user`);
  }
  if (url.includes("?") || url.includes("#")) {
    throw new ConfigError(`${option}: expected ${FORM} and nothing behind it`);
  }
  const [hosts = "", keyspace = "", ...more] = url.slice(SCHEME.length).split("/");
  if (!KEYSPACE.test(keyspace) || more.length > 0) {
    throw new ConfigError(
      `${option}: expected a keyspace of letters, digits and underscores in ${FORM}, got ${JSON.stringify([keyspace, ...more].join("/"))}`,
    );
  }
  return { contactPoints: hosts.split(",").map((host) => parseContactPoint(host.trim(), option)), keyspace };
}
