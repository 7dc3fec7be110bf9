// Options of the store engines: which engine keeps the ledger, and the options of each.
import { readFileSync } from "node:fs";
import { ConfigError, errorText } from "../base/errors.ts";
import { CASSANDRA_NUMBERS, type CassandraOptions, type StoreOptions } from "../node.ts";
import {
  choiceOption,
  durationOption,
  type Exclusion,
  integerOption,
  type OptionValues,
  secretOption,
  switchOption,
  textOption,
  toNodeValues,
} from "./option.ts";

/** Data directory of every command that is given none. */
export const DEFAULT_DATA = "./data";

/** Cluster options that the node takes as they are. */
const connectionOptions = {
  "store-user": textOption("User name for the cluster", "NAME"),
  "store-data-centre": textOption(
    "Data centre to send requests to (default that of the first host that responds)",
    "NAME",
  ),
  "store-replication": integerOption(
    "Copies of each row, for a keyspace that does not exist yet (default one per machine, at most 3)",
    "COUNT",
    CASSANDRA_NUMBERS.replication,
  ),
  "lease-time": durationOption(
    "Lifetime of the writer's lease; if the writer does not renew it in time, a standby takes over",
    CASSANDRA_NUMBERS.leaseTimeMs,
  ),
};

/** How to reach a cluster. */
export const clusterOptions = {
  ...connectionOptions,
  "store-password": secretOption("Password of --store-user"),
  "store-password-file": textOption("File whose first line is the password", "FILE"),
  "store-tls": switchOption(
    "Connect to the cluster with TLS and trust the system's certificate authorities",
    false,
  ),
  "store-tls-ca": textOption(
    "Connect to the cluster with TLS and trust the certificate authorities in this file (PEM)",
    "FILE",
  ),
  "store-tls-cert": textOption("Client certificate (PEM), if the cluster asks for one", "FILE"),
  "store-tls-key": textOption("Private key of the client certificate (PEM)", "FILE"),
};

/** The options that only one engine takes, by engine. */
const ENGINE_OPTIONS = {
  lmdb: {
    data: textOption(`Data directory of the lmdb engine (default ${DEFAULT_DATA})`, "DIR"),
  },
  memory: {},
  cassandra: {
    "store-url": textOption(
      "Cluster that keeps the ledger: cassandra://HOST[:PORT][,HOST…]/KEYSPACE[/LEDGER]",
      "URL",
    ),
    ...clusterOptions,
  },
};

const ENGINES = ["lmdb", "memory", "cassandra"] as const satisfies readonly (keyof typeof ENGINE_OPTIONS)[];

export const storeOptions = {
  ...ENGINE_OPTIONS.lmdb,
  store: choiceOption(
    "Engine that keeps the ledger: in a data directory (lmdb), in memory, or in a Cassandra cluster",
    ENGINES,
    "lmdb",
  ),
  ...ENGINE_OPTIONS.cassandra,
};

type StoreOption = keyof typeof storeOptions;

function optionsOf(engine: (typeof ENGINES)[number]): readonly StoreOption[] {
  return Object.keys(ENGINE_OPTIONS[engine]) as StoreOption[];
}

export const CLUSTER_NAMES = Object.keys(clusterOptions) as (keyof typeof clusterOptions)[];

export const passwordExclusion: Exclusion<keyof typeof clusterOptions> = {
  one: "store-password-file",
  others: ["store-password"],
};

export const storeExclusions: readonly Exclusion<StoreOption>[] = [
  ...ENGINES.map((engine) => ({
    one: ["store", (store: unknown) => store !== engine] as const,
    others: optionsOf(engine),
  })),
  { one: "data", others: optionsOf("cassandra") },
  passwordExclusion,
];

type ClusterValues = OptionValues<typeof clusterOptions>;

function passwordOf(values: ClusterValues): string | undefined {
  const { "store-password": given, "store-password-file": file } = values;
  if (file === undefined) return given;
  if (given !== undefined) throw new ConfigError("--store-password-file: a password is given already");
  try {
    return readFileSync(file, "utf8").split("\n", 1)[0]?.replace(/\r$/, "");
  } catch (error) {
    throw new ConfigError(`--store-password-file: cannot read ${file}: ${errorText(error)}`, error);
  }
}

function tlsOf(values: ClusterValues): CassandraOptions["tls"] {
  const { "store-tls-ca": caFile, "store-tls-cert": certFile, "store-tls-key": keyFile } = values;
  if (certFile === undefined && keyFile !== undefined) {
    throw new ConfigError("--store-tls-key needs --store-tls-cert");
  }
  if (certFile !== undefined && keyFile === undefined) {
    throw new ConfigError("--store-tls-cert needs --store-tls-key");
  }
  const isOn = values["store-tls"] || caFile !== undefined || certFile !== undefined;
  return isOn ? { caFile, certFile, keyFile } : undefined;
}

/** The Cassandra store at a URL. */
export function clusterOf(url: string, values: ClusterValues): StoreOptions {
  const password = passwordOf(values);
  if (password !== undefined && values["store-user"] === undefined) {
    throw new ConfigError("--store-user: expected one, since a password is given");
  }
  const connection = toNodeValues(connectionOptions, values, "store-");
  return { engine: "cassandra", url, ...connection, password, tls: tlsOf(values) };
}

/** Throws ConfigError for an option that was given although only another engine takes it. */
export function assertNotGiven(
  names: readonly StoreOption[],
  values: Partial<OptionValues<typeof storeOptions>>,
  needs: string,
): void {
  for (const name of names) {
    if (values[name] !== storeOptions[name].fallback) throw new ConfigError(`--${name} needs ${needs}`);
  }
}

/** The store that the options describe. Throws ConfigError for options of another engine. */
export function storeOf(values: OptionValues<typeof storeOptions>): StoreOptions {
  const { store, data, "store-url": url } = values;
  if (store === "cassandra" && url === undefined) {
    throw new ConfigError("--store cassandra needs --store-url");
  }
  for (const engine of ENGINES) {
    if (engine !== store) assertNotGiven(optionsOf(engine), values, `--store ${engine}`);
  }
  if (store === "memory") return { engine: "memory" };
  if (store === "lmdb" || url === undefined) {
    return { engine: "lmdb", path: data ?? DEFAULT_DATA };
  }
  return clusterOf(url, values);
}

/** A data directory for a command that only serves the lmdb engine. */
export function directoryOf(option: string, text: string): string {
  const scheme = /^([a-z]+):\/\//.exec(text)?.[1];
  if (scheme === undefined) return text;
  throw new ConfigError(
    `--${option}: this command serves the lmdb engine, not ${scheme}: expected a directory`,
  );
}
