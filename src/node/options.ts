// What a node is made with, and what it offers. Documentation of the in-process interface.
import type { CodedError } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import type { ChainGuide } from "../chain/guide.ts";
import type { BalanceDetailAnswer } from "../http/operations/get-balance-detail.ts";
import type { BalanceChange } from "../ledger/balance-history.ts";

/** Bounds on what clients can ask for. What is left out has the default that docs/cli.md names. */
export interface HttpLimits {
  readonly maxConnections?: number;
  /** Requests being worked on. */
  readonly maxInFlight?: number;
  /** Requests that would wait longer behind others are turned away; 0 turns none away. */
  readonly maxWaitMs?: number;
  /** Requests per second and client; no limit when left out. */
  readonly rateLimit?: number;
  /** Clients are told apart by the last address in X-Forwarded-For. */
  readonly trustProxy?: boolean;
  readonly timeouts?: {
    readonly headersMs?: number;
    readonly requestMs?: number;
    readonly keepAliveMs?: number;
    readonly idleMs?: number;
    readonly answerMs?: number;
  };
}

/** Where and how a node answers over HTTP. */
export interface HttpOptions {
  readonly host?: string;
  /** 0 takes any free port. */
  readonly port?: number;
  /** Words between `X-` and the names of the ledger headers; `["NODE"]` unless given. */
  readonly headerBrands?: readonly string[];
  /** False switches encode_submission off. */
  readonly encode?: boolean;
  readonly jsonOutput?: boolean;
  readonly bcsOutput?: boolean;
  readonly startPage?: boolean;
  readonly metrics?: boolean;
  /** Serves /metrics on a port of its own. */
  readonly metricsPort?: number;
  readonly bodyLimitBytes?: number;
  /** How old the ledger's time may be before reads are refused and the node is not ready; no limit when left out. */
  readonly maxLagMs?: number;
  readonly limits?: HttpLimits;
  /** Certificate chain and key in PEM; HTTPS is then served, and changed files are loaded again. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string };
  /**
   * Processes that answer, reading the store while this process writes it, so it must be on disk. With none this
   * process answers itself.
   */
  readonly workers?: number;
  /** Named in answers about pruned versions. */
  readonly archiveUrl?: string;
}

/** A chain that makes its own blocks. */
export interface LocalChainOptions {
  /** The same seed gives the same ledger. */
  readonly seed?: string;
  /**
   * Time between blocks; 0 makes them as fast as it can, on a clock of its own so that the ledger depends
   * on the seed alone. Left out, blocks are made by `produceBlock` only, on that same clock.
   */
  readonly blockTimeMs?: number;
  /** Stops after this many blocks. */
  readonly blocks?: number;
  /** Called after each block with the number made since the start. */
  readonly onBlock?: (made: number) => void;
}

/** A network to follow. */
export interface FollowOptions {
  /** Base URLs of full nodes, with or without `/v1`. */
  readonly upstreams: readonly string[];
  /** How many of the upstreams must give the same accumulator root before a commit, such as `2/3`. */
  readonly agree?: string;
  /** Start at the block of this version, or at `latest`, instead of genesis. */
  readonly startVersion?: string;
  /** Sent with every request to the upstreams; `Authorization: Bearer …` unless a header is named. */
  readonly apiKey?: { readonly value: string; readonly header?: string };
  /** Requests per second to each upstream; 0 means no cap. */
  readonly requestsPerSecond?: number;
  /** Pause between questions at the head. */
  readonly pollMs?: number;
  /** First pause before an upstream that was set aside is asked again. */
  readonly retryMs?: number;
  /** How long nothing usable may come before the node gives up. */
  readonly faultAfterMs?: number;
  /** Hands requests that this node does not serve to the first upstream. */
  readonly passThrough?: boolean;
}

/** A Cassandra cluster that keeps the ledger, for any number of processes. One of them writes. */
export interface CassandraOptions {
  /** `cassandra://HOST[:PORT][,HOST…]/KEYSPACE[/LEDGER]`, without user and password. */
  readonly url: string;
  readonly user?: string;
  readonly password?: string;
  /** Speaks TLS to the cluster. Files in PEM; without `caFile` the authorities that the system trusts count. */
  readonly tls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
  /** The data centre whose machines are asked. */
  readonly dataCentre?: string;
  /** Copies of every row in that data centre, for a keyspace that is still to be made. */
  readonly replication?: number;
  /** How long the right to write holds when it is not renewed; then a standby takes over. */
  readonly leaseMs?: number;
}

export interface NodeOptions {
  /** Directory of the embedded store; without this and `cassandra` the ledger lives in memory and goes with the process. */
  readonly data?: string;
  /** Keeps the ledger in a cluster. A node that finds another one writing answers, waits, and takes over when that one ends. */
  readonly cassandra?: CassandraOptions;
  /**
   * Reads a store that another process may be writing; nothing is written. With `http`, a store that is not there
   * yet is waited for.
   */
  readonly readOnly?: boolean;
  /** A network's genesis: a file, or its bytes. Left out, the node runs a local chain. */
  readonly genesis?: string | Uint8Array;
  /** Published waypoints: one of version 0 must match the genesis, later ones the history followed. */
  readonly waypoint?: string | readonly string[];
  /** Follows full nodes instead of making blocks. */
  readonly follow?: FollowOptions;
  /** Makes blocks on top of `genesis`, or sets up the local chain that runs without one. */
  readonly localChain?: LocalChainOptions;
  /** History to keep: a time (`24h`, `30d`), a count of versions, or `off`. */
  readonly pruneWindow?: string;
  /** Answers over HTTP too. */
  readonly http?: HttpOptions;
  readonly logger?: Logger;
}

/** At which version to read: the latest unless a version or a time is given. */
export interface ReadOptions {
  readonly ledgerVersion?: bigint;
  /** The last version whose block is not after this time: a Date, RFC 3339, or Unix seconds. */
  readonly at?: string | Date;
}

/** Answers to many questions, all read at one version. */
export interface BatchAnswer<T> {
  readonly ledgerVersion: bigint;
  /** Time of its block, in microseconds since 1970. */
  readonly timestampUsec: bigint;
  /** In the order of the questions; an error in the place of one that cannot be answered. */
  readonly answers: readonly (T | CodedError)[];
}

/** A version, or a time: a Date, RFC 3339, or Unix seconds. */
export type HistoryEnd = bigint | string | Date;

/** Which changes of a balance to tell. */
export interface HistoryOptions {
  /** The first version, or the first one whose block is not before this time; the oldest that can be told unless given. */
  readonly from?: HistoryEnd;
  /** The last version, or the last one whose block is not after this time; the latest unless given. */
  readonly to?: HistoryEnd;
  /** For charts: about so many changes, the first, last, lowest and highest of equal spans of time. */
  readonly points?: number;
}

/** Where the ledger stands, as `GET /v1` answers. */
export interface LedgerInfo {
  readonly chain_id: number;
  readonly epoch: string;
  readonly ledger_version: string;
  readonly oldest_ledger_version: string;
  readonly ledger_timestamp: string;
  readonly node_role: "full_node";
  readonly oldest_block_height: string;
  readonly block_height: string;
}

/** A running node. */
export interface Node {
  /** Base URL of the HTTP interface; undefined without one. */
  readonly url: string | undefined;
  /** Settles when the node found a fault and stopped moving; never rejects. */
  readonly faulted: Promise<Error>;
  /** The balance of an account for a coin type or the metadata address of a fungible asset. */
  balance(address: string, asset: string, options?: ReadOptions): Promise<bigint>;
  /** One table item's stored bytes, by handle and serialized key; undefined where there is none. */
  rawItem(handle: string, key: string | Uint8Array, options?: ReadOptions): Promise<Uint8Array | undefined>;
  /** Many balances at one version. */
  balances(
    pairs: readonly { readonly address: string; readonly asset: string }[],
    options?: ReadOptions,
  ): Promise<BatchAnswer<bigint>>;
  /** Many table items at one version; undefined where there is none. */
  rawItems(
    items: readonly { readonly handle: string; readonly key: string | Uint8Array }[],
    options?: ReadOptions,
  ): Promise<BatchAnswer<Uint8Array | undefined>>;
  /** What a balance is made of, as `GET …/detail` answers. */
  balanceDetail(address: string, asset: string, options?: ReadOptions): Promise<BalanceDetailAnswer>;
  /** The changes of a balance, oldest first, read piece by piece as they are taken. */
  balanceHistory(address: string, asset: string, options?: HistoryOptions): AsyncIterable<BalanceChange>;
  /** The bytes to sign for a transaction request: an object, JSON text, or its bytes. */
  encodeSubmission(request: object | string | Uint8Array): Promise<Uint8Array>;
  /** What `GET /v1/info` answers. */
  info(): Promise<Readonly<Record<string, unknown>>>;
  ledgerInfo(): Promise<LedgerInfo>;
  /** Makes the next block of the local chain now. */
  produceBlock(): Promise<LedgerInfo>;
  /** Demo accounts, tables and functions of the local chain; undefined without one. */
  guide(): ChainGuide | undefined;
  /** Stops making blocks, finishes what is in hand, closes the store. */
  close(): Promise<void>;
}
