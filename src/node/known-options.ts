// Names and types of options. A name that no option has would be ignored, and the node would do something else than it was
// told; a value of another type would fail somewhere inside.
import { ConfigError } from "../base/errors.ts";
import { didYouMean } from "../base/nearest.ts";
import type { HTTP_NUMBERS } from "../http/server.ts";
import type { LOCAL_CHAIN_NUMBERS, LocalChainOptions } from "./block-maker.ts";
import type { CassandraOptions } from "./engines/cassandra.ts";
import type { LmdbOptions } from "./engines/lmdb.ts";
import type { FOLLOW_NUMBERS, FollowOptions } from "./following.ts";
import type { FORK_NUMBERS, ForkOptions } from "./forking.ts";
import type { FRONTEND_NUMBERS, HttpOptions } from "./http-options.ts";
import type { AccountOptions, NodeOptions } from "./options.ts";
import type { StoreOptions } from "./store-engines.ts";

/** What the value of an option must be. */
export interface OptionKind {
  /** Completes "expected …". */
  readonly expected: string;
  fits(value: unknown): boolean;
}

function typed(type: string, expected: string): OptionKind {
  return { expected, fits: (value) => typeof value === type };
}

function either(...kinds: readonly OptionKind[]): OptionKind {
  const expected = kinds.map((kind) => kind.expected).join(" or ");
  return { expected, fits: (value) => kinds.some((kind) => kind.fits(value)) };
}

function listOf(items: string, { fits }: OptionKind): OptionKind {
  return {
    expected: `a list of ${items}`,
    fits: (value) => Array.isArray(value) && value.every((item) => fits(item)),
  };
}

const TEXT = typed("string", "a text");
const FLAG = typed("boolean", "true or false");
const NUMBER = typed("number", "a number");
const BIGINT = typed("bigint", "a bigint");
const CALLBACK = typed("function", "a function");
const OBJECT: OptionKind = {
  expected: "an object",
  fits: (value) => typeof value === "object" && value !== null && !Array.isArray(value) && !isBytes(value),
};
const BYTES: OptionKind = { expected: "bytes", fits: isBytes };
const TEXTS = listOf("texts", TEXT);
const ABSENT: OptionKind = { expected: "nothing", fits: (value) => value === undefined };

function isBytes(value: unknown): boolean {
  return value instanceof Uint8Array;
}

/** Every option of a part that its numbers do not name. Numbers are checked with their bounds. */
type OtherNames<Options, Numbers = object> = Readonly<
  Record<Exclude<keyof Options, keyof Numbers>, OptionKind>
>;

export const NODE_NAMES: OtherNames<NodeOptions> = {
  accounts: listOf("objects", OBJECT),
  data: TEXT,
  follow: OBJECT,
  fork: OBJECT,
  genesis: either(TEXT, BYTES),
  http: OBJECT,
  index: FLAG,
  localChain: OBJECT,
  logger: OBJECT,
  proofWindow: TEXT,
  pruneWindow: TEXT,
  readOnly: FLAG,
  store: OBJECT,
  transactionIndex: FLAG,
  waypoint: either(TEXT, TEXTS),
};

export const PART_NAMES: {
  readonly http: OtherNames<HttpOptions, typeof HTTP_NUMBERS & typeof FRONTEND_NUMBERS>;
  readonly localChain: OtherNames<LocalChainOptions, typeof LOCAL_CHAIN_NUMBERS>;
  readonly follow: OtherNames<FollowOptions, typeof FOLLOW_NUMBERS>;
  readonly fork: OtherNames<ForkOptions, typeof FORK_NUMBERS>;
} = {
  http: {
    archiveUrl: TEXT,
    bcsOutput: FLAG,
    console: FLAG,
    encode: FLAG,
    headerBrands: TEXTS,
    host: TEXT,
    jsonOutput: FLAG,
    logRequests: FLAG,
    metrics: FLAG,
    minTrust: TEXT,
    startPage: FLAG,
    tls: OBJECT,
    trustProxy: FLAG,
  },
  localChain: { blockOnSubmit: FLAG, onBlock: CALLBACK, seed: TEXT, traffic: FLAG },
  follow: {
    agree: TEXT,
    apiKey: OBJECT,
    apiKeys: listOf("objects", either(OBJECT, ABSENT)),
    onProgress: CALLBACK,
    forwardSubmissions: FLAG,
    proofs: TEXTS,
    startVersion: TEXT,
    upstreams: TEXTS,
    verifyingProcess: FLAG,
  },
  fork: { apiKey: OBJECT, url: TEXT, version: BIGINT },
};

export const ACCOUNT_NAMES: OtherNames<AccountOptions> = {
  address: TEXT,
  balances: OBJECT,
  key: either(TEXT, BYTES),
};

export const STORE_NAMES: {
  readonly lmdb: OtherNames<LmdbOptions>;
  readonly memory: object;
  readonly cassandra: OtherNames<CassandraOptions>;
} = {
  lmdb: { path: TEXT },
  memory: {},
  cassandra: {
    dataCentre: TEXT,
    leaseTimeMs: NUMBER,
    password: TEXT,
    replication: NUMBER,
    tls: OBJECT,
    url: TEXT,
    user: TEXT,
  },
};

const STORE_TLS_NAMES: OtherNames<NonNullable<CassandraOptions["tls"]>> = {
  caFile: TEXT,
  certFile: TEXT,
  keyFile: TEXT,
};

/** Throws ConfigError for a name that no option has, and for a value of another type than the option's. */
function assertKnown(
  given: object,
  kinds: Readonly<Record<string, OptionKind>>,
  prefix: string,
  numbers: readonly string[] = [],
): void {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || numbers.includes(name)) continue;
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) {
      const known = [...Object.keys(kinds), ...numbers];
      throw new ConfigError(`${prefix}${name}: there is no such option${didYouMean(name, known, prefix)}`);
    }
    if (!kind.fits(value))
      throw new ConfigError(`${prefix}${name}: expected ${kind.expected}, got ${typeName(value)}`);
  }
}

/** Never the value itself, which may be a secret. */
function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return isBytes(value) ? "bytes" : `a value of type ${typeof value}`;
}

/** Throws ConfigError for options that are no object. */
export function assertOptionsObject(options: unknown): void {
  if (!OBJECT.fits(options))
    throw new ConfigError(`options: expected ${OBJECT.expected}, got ${typeName(options)}`);
}

/** Throws ConfigError for what no option of a node has. */
export function assertNodeOptions(options: object): void {
  assertKnown(options, NODE_NAMES, "");
}

/** Throws ConfigError for what no option of a part has. */
export function assertPartOptions(
  part: keyof typeof PART_NAMES,
  numbers: object,
  options: object = {},
): void {
  assertKnown(options, PART_NAMES[part], `${part}.`, Object.keys(numbers));
}

/** Throws ConfigError for what no option of the store's engine has. */
export function assertStoreOptions(store: StoreOptions): void {
  assertKnown(store, { engine: TEXT, ...STORE_NAMES[store.engine] }, "store.");
  if (store.engine === "cassandra") assertKnown(store.tls ?? {}, STORE_TLS_NAMES, "store.tls.");
}

/** Throws ConfigError for what no option of an account has. */
export function assertAccountOptions(account: AccountOptions, prefix: string): void {
  assertKnown(account, ACCOUNT_NAMES, prefix);
}
