// Options of the store engines: which engine keeps the ledger, and the options of each.
import { readFileSync } from "node:fs";
import { ConfigError, errorText } from "../base/errors.ts";
import {
  choiceOption,
  type OptionRecord,
  type OptionRules,
  type OptionValues,
  textOption,
  toNodeValues,
} from "../base/option.ts";
import { CASSANDRA_TABLE, type CassandraOptions, ENGINE_NAMES, type StoreOptions } from "../node.ts";

/** Data directory of every command that is given none. */
export const DEFAULT_DATA = "./data";

const { "store-url": urlOption, ...connectionOptions } = CASSANDRA_TABLE.flags;

/** How to reach a cluster. */
export const clusterOptions = {
  ...connectionOptions,
  "store-password-file": textOption("File whose first line is the password", "FILE"),
  "store-tls": textOption(
    "Connect to the cluster with TLS and trust the certificate authorities in this file (PEM), or those of the system",
    "FILE|system",
  ),
  "store-tls-cert": textOption("Client certificate (PEM), if the cluster asks for one", "FILE"),
  "store-tls-key": textOption("Private key of the client certificate (PEM)", "FILE"),
};

export const CLUSTER_NAMES = Object.keys(clusterOptions) as (keyof typeof clusterOptions)[];

export const clusterRules: Required<OptionRules<keyof typeof clusterOptions>> = {
  exclusions: [{ one: "store-password-file", others: ["store-password"] }],
  requirements: [
    {
      options: ["store-password", "store-password-file"],
      isMet: (values) => values["store-user"] !== undefined,
      needs: "--store-user",
    },
    {
      options: ["store-tls-cert"],
      isMet: (values) => values["store-tls-key"] !== undefined,
      needs: "--store-tls-key",
    },
    {
      options: ["store-tls-key"],
      isMet: (values) => values["store-tls-cert"] !== undefined,
      needs: "--store-tls-cert",
    },
  ],
};

/** The options that only one engine takes, by engine. */
const ENGINE_OPTIONS = {
  lmdb: {
    data: textOption(`Data directory of the lmdb engine (default ${DEFAULT_DATA})`, "DIR"),
  },
  memory: {},
  cassandra: { "store-url": urlOption, ...clusterOptions },
} satisfies Readonly<Record<StoreOptions["engine"], OptionRecord>>;

export const storeOptions = {
  ...ENGINE_OPTIONS.lmdb,
  store: choiceOption(
    "Engine that keeps the ledger: in a data directory (lmdb), in memory, or in a Cassandra cluster",
    ENGINE_NAMES,
    "lmdb",
  ),
  ...ENGINE_OPTIONS.cassandra,
};

type StoreOption = keyof typeof storeOptions;

function optionsOf(engine: StoreOptions["engine"]): readonly StoreOption[] {
  return Object.keys(ENGINE_OPTIONS[engine]) as StoreOption[];
}

export const storeRules: Required<OptionRules<StoreOption>> = {
  exclusions: [
    ...ENGINE_NAMES.map((engine) => ({
      one: ["store", (store: unknown) => store !== engine] as const,
      others: optionsOf(engine),
      refusal: ` needs --store ${engine}`,
    })),
    { one: "data", others: optionsOf("cassandra"), refusal: " needs --store cassandra" },
    ...clusterRules.exclusions,
  ],
  requirements: [
    ...ENGINE_NAMES.map((engine) => ({
      options: optionsOf(engine),
      isMet: ({ store }: Readonly<Record<string, unknown>>) => store === engine,
      needs: `--store ${engine}`,
    })),
    ...clusterRules.requirements,
  ],
};

type ClusterValues = OptionValues<typeof clusterOptions>;

function passwordOf(values: ClusterValues): string | undefined {
  const { "store-password": given, "store-password-file": file } = values;
  if (file === undefined) return given;
  try {
    return readFileSync(file, "utf8").split("\n", 1)[0]?.replace(/\r$/, "");
  } catch (error) {
    throw new ConfigError(`--store-password-file: cannot read ${file}: ${errorText(error)}`, error);
  }
}

function tlsOf(values: ClusterValues): CassandraOptions["tls"] {
  const { "store-tls": authorities, "store-tls-cert": certFile, "store-tls-key": keyFile } = values;
  if (authorities === undefined && certFile === undefined) return undefined;
  return { caFile: authorities === "system" ? undefined : authorities, certFile, keyFile };
}

/** The Cassandra store at a URL. */
export function clusterOf(url: string, values: ClusterValues): StoreOptions & CassandraOptions {
  const connection = toNodeValues(connectionOptions, values, "store-");
  return { engine: "cassandra", ...connection, url, password: passwordOf(values), tls: tlsOf(values) };
}

/** The store that the options describe. */
export function storeOf(values: OptionValues<typeof storeOptions>): StoreOptions {
  const { store, data, "store-url": url } = values;
  if (store === "memory") return { engine: "memory" };
  if (store === "lmdb") return { engine: "lmdb", path: data ?? DEFAULT_DATA };
  if (url === undefined) throw new ConfigError("--store cassandra needs --store-url");
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
