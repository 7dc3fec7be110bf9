// Names of options. One that no option has would be ignored, and the node would do something else than it was told.
import { ConfigError } from "../base/errors.ts";
import { didYouMean } from "../base/nearest.ts";
import type { HTTP_NUMBERS } from "../http/server.ts";
import type { LOCAL_CHAIN_NUMBERS, LocalChainOptions } from "./block-maker.ts";
import type { CassandraOptions } from "./engines/cassandra.ts";
import type { LmdbOptions } from "./engines/lmdb.ts";
import type { AccountOptions } from "./first-accounts.ts";
import type { FOLLOW_NUMBERS, FollowOptions } from "./following.ts";
import type { FORK_NUMBERS, ForkOptions } from "./forking.ts";
import type { FRONTEND_NUMBERS, HttpOptions } from "./http-options.ts";
import type { NodeOptions } from "./options.ts";
import type { StoreOptions } from "./store-engines.ts";

/** Every option of a part that its numbers do not name. */
type OtherNames<Options, Numbers = object> = Readonly<Record<Exclude<keyof Options, keyof Numbers>, true>>;

const NODE_NAMES: OtherNames<NodeOptions> = {
  accounts: true,
  data: true,
  follow: true,
  fork: true,
  genesis: true,
  http: true,
  index: true,
  localChain: true,
  logger: true,
  onUpgrade: true,
  proofWindow: true,
  pruneWindow: true,
  readOnly: true,
  store: true,
  transactionIndex: true,
  waypoint: true,
};

const PART_NAMES: {
  readonly http: OtherNames<HttpOptions, typeof HTTP_NUMBERS & typeof FRONTEND_NUMBERS>;
  readonly localChain: OtherNames<LocalChainOptions, typeof LOCAL_CHAIN_NUMBERS>;
  readonly follow: OtherNames<FollowOptions, typeof FOLLOW_NUMBERS>;
  readonly fork: OtherNames<ForkOptions, typeof FORK_NUMBERS>;
} = {
  http: {
    archiveUrl: true,
    bcsOutput: true,
    console: true,
    encode: true,
    headerBrands: true,
    host: true,
    jsonOutput: true,
    logRequests: true,
    metrics: true,
    minTrust: true,
    startPage: true,
    tls: true,
    trustProxy: true,
  },
  localChain: { blockOnSubmit: true, onBlock: true, seed: true, traffic: true },
  follow: {
    agree: true,
    apiKey: true,
    apiKeys: true,
    onProgress: true,
    forwardSubmissions: true,
    proofs: true,
    startVersion: true,
    upstreams: true,
    verifyingProcess: true,
  },
  fork: { apiKey: true, url: true, version: true },
};

const ACCOUNT_NAMES: OtherNames<AccountOptions> = { address: true, balances: true, key: true };

const STORE_NAMES: {
  readonly lmdb: OtherNames<LmdbOptions>;
  readonly memory: object;
  readonly cassandra: OtherNames<CassandraOptions>;
} = {
  lmdb: { path: true, upgradeBackup: true },
  memory: {},
  cassandra: {
    dataCentre: true,
    leaseTimeMs: true,
    password: true,
    replication: true,
    tls: true,
    url: true,
    user: true,
  },
};

const STORE_TLS_NAMES: OtherNames<NonNullable<CassandraOptions["tls"]>> = {
  caFile: true,
  certFile: true,
  keyFile: true,
};

function assertKnown(given: object, known: readonly string[], prefix: string): void {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || known.includes(name)) continue;
    throw new ConfigError(`${prefix}${name}: there is no such option${didYouMean(name, known, prefix)}`);
  }
}

/** Throws ConfigError for a name that no option of a node has. */
export function assertNodeNames(options: object): void {
  assertKnown(options, Object.keys(NODE_NAMES), "");
}

/** Throws ConfigError for a name that no option of a part has. */
export function assertPartNames(part: keyof typeof PART_NAMES, numbers: object, options: object = {}): void {
  assertKnown(options, [...Object.keys(PART_NAMES[part]), ...Object.keys(numbers)], `${part}.`);
}

/** Throws ConfigError for a name that no option of the store's engine has. */
export function assertStoreNames(store: StoreOptions): void {
  assertKnown(store, ["engine", ...Object.keys(STORE_NAMES[store.engine])], "store.");
  if (store.engine !== "cassandra") return;
  const tls: unknown = store.tls ?? {};
  const names = Object.keys(STORE_TLS_NAMES);
  if (typeof tls !== "object" || tls === null) {
    throw new ConfigError(`store.tls: expected an object with ${names.join(", ")}, got ${typeof tls}`);
  }
  assertKnown(tls, names, "store.tls.");
}

/** Throws ConfigError for a name that no option of an account has. */
export function assertAccountNames(account: AccountOptions, prefix: string): void {
  assertKnown(account, Object.keys(ACCOUNT_NAMES), prefix);
}
