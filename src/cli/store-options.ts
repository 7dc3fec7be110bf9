// Options that say where the ledger is kept: a directory, memory, or a cluster and how to reach it.
import { readFileSync } from "node:fs";
import { ConfigError, errorText } from "../base/errors.ts";
import type { CassandraOptions, NodeOptions } from "../node.ts";
import {
  choiceOption,
  durationOption,
  type Exclusion,
  type OptionValues,
  optionalIntegerOption,
  secretOption,
  switchOption,
  textOption,
} from "./option.ts";

const DEFAULT_DATA = "./data";

/** How to reach a cluster. */
export const clusterOptions = {
  "store-user": textOption("User of the cluster", "NAME"),
  "store-password": secretOption("Password of that user"),
  "store-password-file": textOption("File whose first line is the password", "FILE"),
  "store-tls": switchOption(
    "Speak TLS to the cluster, trusting the authorities that the system trusts",
    false,
  ),
  "store-tls-ca": textOption("Speak TLS to the cluster, trusting the authorities in this PEM file", "FILE"),
  "store-tls-cert": textOption("Certificate of this client in PEM, where the cluster asks for one", "FILE"),
  "store-tls-key": textOption("Private key of that certificate in PEM", "FILE"),
  "store-data-centre": textOption(
    "Data centre whose machines are asked (default that of the first that answers)",
    "NAME",
  ),
  "store-replication": optionalIntegerOption(
    "Copies of every row, for a keyspace that is still to be made (default as many as machines, at most 3)",
    "COUNT",
    { min: 1, max: 9 },
  ),
  "lease-time": durationOption(
    "lease-time",
    "How long the right to write holds when it is not renewed; then a standby takes over",
    10_000,
  ),
};

/** Where a node keeps its ledger. */
export const storeOptions = {
  data: textOption(`Data directory of the embedded store (default ${DEFAULT_DATA})`, "DIR"),
  store: choiceOption(
    "Keep the ledger in the data directory, in memory, or in a Cassandra cluster",
    ["lmdb", "memory", "cassandra"],
    "lmdb",
  ),
  "store-url": textOption(
    "Cluster that keeps the ledger, as cassandra://HOST[:PORT][,HOST…]/KEYSPACE[/LEDGER]",
    "URL",
  ),
  ...clusterOptions,
};

/** Names of the options that only a cluster takes. */
export const CLUSTER_NAMES = Object.keys(clusterOptions) as (keyof typeof clusterOptions)[];

/** Of two passwords one is enough. */
export const passwordExclusion: Exclusion<keyof typeof clusterOptions> = {
  one: "store-password-file",
  others: ["store-password"],
};

/** Of the options above. */
export const storeExclusions: readonly Exclusion<keyof typeof storeOptions>[] = [
  { one: ["store", (store) => store !== "lmdb"], others: ["data"] },
  { one: ["store", (store) => store !== "cassandra"], others: ["store-url", ...CLUSTER_NAMES] },
  { one: "data", others: ["store-url", ...CLUSTER_NAMES] },
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
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new ConfigError(
      certFile === undefined
        ? "--store-tls-key needs --store-tls-cert"
        : "--store-tls-cert needs --store-tls-key",
    );
  }
  if (!values["store-tls"] && caFile === undefined && certFile === undefined) return undefined;
  return {
    ...(caFile === undefined ? {} : { caFile }),
    ...(certFile === undefined || keyFile === undefined ? {} : { certFile, keyFile }),
  };
}

/** The cluster that the options name, reached as they say. */
export function clusterOf(url: string, values: ClusterValues): CassandraOptions {
  const { "store-user": user, "store-data-centre": dataCentre, "store-replication": replication } = values;
  const password = passwordOf(values);
  if (password !== undefined && user === undefined)
    throw new ConfigError("--store-user: a password needs one");
  const tls = tlsOf(values);
  return {
    url,
    leaseMs: values["lease-time"],
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    ...(tls === undefined ? {} : { tls }),
    ...(dataCentre === undefined ? {} : { dataCentre }),
    ...(replication === undefined ? {} : { replication }),
  };
}

/** Throws ConfigError for options of a cluster that is not asked. */
export function assertNoCluster(values: ClusterValues, needs: string): void {
  for (const name of CLUSTER_NAMES) {
    if (values[name] !== clusterOptions[name].fallback) throw new ConfigError(`--${name} needs ${needs}`);
  }
}

/** Checks what belongs together, and gives the store's place as a node takes it. */
export function storeOf(values: OptionValues<typeof storeOptions>): Pick<NodeOptions, "data" | "cassandra"> {
  const { store, data, "store-url": url } = values;
  if (store !== "cassandra") {
    if (url !== undefined) throw new ConfigError("--store-url needs --store cassandra");
    assertNoCluster(values, "--store cassandra");
    if (store === "lmdb") return { data: data ?? DEFAULT_DATA };
    if (data !== undefined) throw new ConfigError("--data: a store in memory has no directory");
    return {};
  }
  if (url === undefined) throw new ConfigError("--store cassandra needs --store-url");
  if (data !== undefined) throw new ConfigError("--data: a store in a cluster has no directory");
  return { cassandra: clusterOf(url, values) };
}
