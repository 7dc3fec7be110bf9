// The in-process interface: the options of a node and what a running node offers.
import type { CodedError } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import type { NumberOptions } from "../base/settings.ts";
import type { ChainGuide } from "../chain/guide.ts";
import type { BalanceDetailAnswer } from "../http/operations/get-balance-detail.ts";
import type { HoldingAnswer } from "../http/operations/get-holdings.ts";
import type { HttpServerOptions } from "../http/server.ts";
import type { BalanceChange } from "../ledger/balance-history.ts";
import type { TableRow } from "../ledger/owned-items.ts";
import type { BalanceEvent } from "../ledger/watch/watched-balance.ts";
import type { BlockEvent } from "../ledger/watch/watched-blocks.ts";
import type { Explanation } from "../transaction/explain/explanation.ts";
import type { LOCAL_CHAIN_NUMBERS } from "./block-maker.ts";
import type { FOLLOW_NUMBERS } from "./following.ts";
import type { FORK_NUMBERS } from "./forking.ts";
import type { FRONTEND_NUMBERS } from "./http-frontend.ts";
import type { LedgerReading } from "./ledger-answers.ts";
import type { NodeInfo } from "./node-info.ts";
import type { StoreOptions } from "./store-engines.ts";
import type { AccountOptions, ChainAuthoring } from "./test-authors.ts";

export type { Explanation };

/** Defaults that are not numbers. Numbers are in the files that use them. */
export const NODE_DEFAULTS = { pruneWindow: "24h", seed: "sextant" } as const;

/** Where and how a node answers over HTTP. */
export interface HttpOptions extends HttpServerOptions, NumberOptions<typeof FRONTEND_NUMBERS> {
  /** False switches /metrics off. */
  readonly metrics?: boolean | undefined;
}

/** A chain that makes its own blocks. */
export interface LocalChainOptions extends NumberOptions<typeof LOCAL_CHAIN_NUMBERS> {
  /** The same seed gives the same ledger. */
  readonly seed?: string | undefined;
  /** False makes no random transactions of the demo accounts: they are then all yours. */
  readonly traffic?: boolean | undefined;
  /** Makes a block as soon as a transaction is submitted, without waiting for the block time. */
  readonly blockOnSubmit?: boolean | undefined;
  /** Called after each block with the number made since the start. */
  readonly onBlock?: ((made: number) => void) | undefined;
}

/**
 * Sent with every request to one upstream, as `Authorization: Bearer …` unless a header is named; over https, or over
 * http to this machine.
 */
export interface UpstreamApiKey {
  readonly value: string;
  readonly header?: string | undefined;
}

/** A network to follow. */
export interface FollowOptions extends NumberOptions<typeof FOLLOW_NUMBERS> {
  /** Base URLs of full nodes, with or without `/v1`. */
  readonly upstreams: readonly string[];
  /** How many of the upstreams must give the same accumulator root before a commit, such as `2/3`. */
  readonly agree?: string | undefined;
  /** Start at the block of this version, or at `latest`, instead of genesis. */
  readonly startVersion?: string | undefined;
  /**
   * URLs of proof sources: backup folders (file, http or https) and nodes' backup services. They need a waypoint, where
   * the chain of signatures begins.
   */
  readonly proofs?: readonly string[] | undefined;
  /** The key of the only upstream; several upstreams have `apiKeys`. */
  readonly apiKey?: UpstreamApiKey | undefined;
  /** The key of each upstream, in their order; undefined for one without. */
  readonly apiKeys?: readonly (UpstreamApiKey | undefined)[] | undefined;
  /** Forwards requests that this node does not serve to the first upstream. */
  readonly passThrough?: boolean | undefined;
  /** False starts no second process to verify records while the node is far behind. */
  readonly verifyingProcess?: boolean | undefined;
  /** Called after each commit and about once a second. */
  readonly onProgress?: ((progress: FollowProgress) => void) | undefined;
}

/** A network to fork: its state at one version, with local blocks on top. */
export interface ForkOptions extends NumberOptions<typeof FORK_NUMBERS> {
  /** Base URL of a full node of the network, with or without `/v1`. */
  readonly url: string;
  /** The version to fork at: the node's latest at the first start unless given. A store keeps it. */
  readonly version?: bigint | undefined;
  /** The key of the node. */
  readonly apiKey?: UpstreamApiKey | undefined;
}

/** How far a follower is. */
export interface FollowProgress {
  /** Where this run started; undefined without a ledger, as is `version`. */
  readonly firstVersion: bigint | undefined;
  readonly version: bigint | undefined;
  /** The upstreams' head; undefined while none tells it. */
  readonly headVersion: bigint | undefined;
  /** Bytes received from upstreams. */
  readonly receivedBytes: number;
  /** Why the node is not ready; undefined when it is. */
  readonly unready: string | undefined;
}

export interface NodeOptions {
  /** Accounts that a new local chain begins with, besides the demo accounts. */
  readonly accounts?: readonly AccountOptions[] | undefined;
  /** Data directory: short for `store: { engine: "lmdb", path }`. */
  readonly data?: string | undefined;
  /**
   * Engine that keeps the ledger, and its options; without this and `data` the ledger is in memory and ends with the
   * process. A node that finds another one writing the same cluster serves reads, waits, and takes over when that one ends.
   */
  readonly store?: StoreOptions | undefined;
  /** Reads a store that another process may be writing, and writes nothing. With `http` it waits for a missing store. */
  readonly readOnly?: boolean | undefined;
  /** A network's genesis: a file, or its bytes. Left out, the node runs a local chain. */
  readonly genesis?: string | Uint8Array | undefined;
  /** Published waypoints: one of version 0 must match the genesis, later ones the history followed. */
  readonly waypoint?: string | readonly string[] | undefined;
  /** Follows full nodes instead of making blocks. */
  readonly follow?: FollowOptions | undefined;
  /** Makes blocks on top of another network's state at one version, which is read as it is needed. */
  readonly fork?: ForkOptions | undefined;
  /** Makes blocks on top of `genesis` or `fork`, or sets up the local chain that runs without either. */
  readonly localChain?: LocalChainOptions | undefined;
  /** History to keep: a time (`24h`, `30d`), a count of versions, or `off`. */
  readonly pruneWindow?: string | undefined;
  /**
   * How far back proofs can be made: a time (`10m`, `1h`), a count of versions, or `off`. Left out, ten minutes on a local
   * chain, which signs its blocks, and with `follow.proofs`; else `off`.
   */
  readonly proofWindow?: string | undefined;
  /** False writes no index: holdings and rows of tables cannot be listed then. */
  readonly index?: boolean | undefined;
  /** False writes no index of transactions: they cannot be found by hash or by sender then. */
  readonly transactionIndex?: boolean | undefined;
  /** Answers over HTTP too. */
  readonly http?: HttpOptions | undefined;
  readonly logger?: Logger | undefined;
  /** Hears how far the upgrade of an older store came: the bytes of its backup, then its rows. */
  readonly onUpgrade?: ((step: "backup" | "upgrade", done: number, total: number) => void) | undefined;
}

/** Read your writes: the least version that a read needs. */
export interface MinVersionOptions {
  /** Reads once the ledger is at this version, and rejects with code `behind` if it is not in time. */
  readonly minLedgerVersion?: bigint | undefined;
  /** How long to wait for it, at most 30,000 ms; 0, no wait, when left out. */
  readonly waitMs?: number | undefined;
}

/** At which version to read: the latest unless a version or a time is given. */
export interface ReadOptions extends MinVersionOptions {
  readonly ledgerVersion?: bigint | undefined;
  /** The last version whose block is not after this time: a Date, RFC 3339, or Unix seconds. */
  readonly at?: string | Date | undefined;
}

/** What a proof is about and where it begins. */
export interface ProveOptions extends ReadOptions {
  /** The waypoint of an epoch's end, such as that of genesis; the end of the epoch before when left out. */
  readonly fromWaypoint?: string | undefined;
}

/** Which rows of a table. */
export interface TableItemsOptions extends ReadOptions {
  /** Only rows that changed after this version; deleted ones have no value. */
  readonly since?: bigint | undefined;
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
export interface HistoryOptions extends MinVersionOptions {
  /** The first version, or the first one whose block is not before this time; the oldest that can be told when left out. */
  readonly from?: HistoryEnd | undefined;
  /** The last version, or the last one whose block is not after this time; the latest when left out. */
  readonly to?: HistoryEnd | undefined;
  /** For charts: about this many changes: the first, last, lowest and highest of equal time spans. */
  readonly points?: number | undefined;
}

/** Where to begin to watch, and when to stop. */
export interface WatchOptions {
  /** Tells the changes after this version, instead of the state now. */
  readonly after?: bigint | undefined;
  /** Ends the sequence. */
  readonly signal?: AbortSignal | undefined;
}

/** The ledger's head: the keys of `GET /v1`, with bigints in the place of its decimal texts. */
export interface LedgerInfo {
  readonly chain_id: number;
  readonly epoch: bigint;
  readonly ledger_version: bigint;
  readonly oldest_ledger_version: bigint;
  readonly ledger_timestamp: bigint;
  readonly node_role: "full_node";
  readonly oldest_block_height: bigint;
  readonly block_height: bigint;
}

/** What a transaction would do on the head of the local chain. */
export interface SimulationResult {
  readonly hash: string;
  readonly success: boolean;
  /** As the API tells it, such as `Executed successfully`. */
  readonly vmStatus: string;
  readonly gasUsed: bigint;
  readonly gasUnitPrice: bigint;
  /** The transaction with its events and changes, as `POST /v1/transactions/simulate` answers it. */
  readonly transaction: Readonly<Record<string, unknown>>;
}

/** Settings of the official TypeScript SDK for a node: `new AptosConfig(node.sdkConfig)`. */
export interface SdkConfig {
  /** `local` for a local chain, else `custom`. Its type fits the enum of the SDK, which this package does not import. */
  readonly network: never;
  readonly fullnode: string;
  readonly faucet?: string;
  readonly indexer?: string;
}

/** A running node. Calls reject, never throw; after `close` they reject because the node is closed. */
export interface Node extends ChainAuthoring, LedgerReading {
  /** Base URL of the HTTP interface; undefined without one. */
  readonly url: string | undefined;
  /** Base URL of the local chain's faucet; undefined if it does not run. */
  readonly faucetUrl: string | undefined;
  /** Undefined without HTTP. */
  readonly sdkConfig: SdkConfig | undefined;
  /** Base URL of the proof port; undefined without one. */
  readonly proofUrl: string | undefined;
  /** Latest version when the node closed; undefined before that, and without a ledger. */
  readonly closedAt: bigint | undefined;
  /** Resolves when a fault stopped the ledger for good; never rejects. */
  readonly faulted: Promise<Error>;
  /** Why the node should get no requests now, as `GET /v1/-/ready` says; undefined when it is ready. */
  unreadyReason(): Promise<string | undefined>;
  /**
   * Resolves when the node is ready: it has a ledger and, if it follows, is at the head or within `readyLagMs`. Rejects
   * with the signal's reason, and when a fault stops the node.
   */
  untilReady(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /** The balance of an account for a coin type or the metadata address of a fungible asset. */
  balance(address: string, asset: string, options?: ReadOptions): Promise<bigint>;
  /** The stored bytes of a table item, by handle and serialized key; undefined if the table has no such item. */
  rawItem(handle: string, key: string | Uint8Array, options?: ReadOptions): Promise<Uint8Array | undefined>;
  /**
   * A proof of a balance, in BCS: `verifyProof` of `sextant/verify` checks it. The version must end a block inside the
   * proof window; left out, it is the newest signed one.
   */
  proveBalance(address: string, asset: string, options?: ProveOptions): Promise<Uint8Array>;
  /** A proof of a table item, or that there is none. */
  proveRawItem(handle: string, key: string | Uint8Array, options?: ProveOptions): Promise<Uint8Array>;
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
  /** Every asset of an account at one version, in the order of metadata addresses, read page by page as they are taken. */
  holdings(address: string, options?: ReadOptions): AsyncIterable<HoldingAnswer>;
  /** The rows of a table at one version, in the order of their key hashes, read page by page as they are taken. */
  tableItems(handle: string, options?: TableItemsOptions): AsyncIterable<TableRow>;
  /** How many rows a table has at one version. */
  countTableItems(handle: string, options?: TableItemsOptions): Promise<bigint>;
  /**
   * The balance now, and then every change of it. Ends with its signal, and rejects when the node closes. While the
   * caller is busy, nothing is kept for it: what it missed is read from the history.
   */
  watchBalance(address: string, asset: string, options?: WatchOptions): AsyncIterable<BalanceEvent>;
  /** The latest block, and then every block. */
  watchBlocks(options?: WatchOptions): AsyncIterable<BlockEvent>;
  /** The bytes to sign for a transaction request: an object, JSON text, or its bytes. */
  encodeSubmission(request: object | string | Uint8Array, options?: MinVersionOptions): Promise<Uint8Array>;
  /** Explains a signing message, a raw transaction or a transaction request, with warnings. */
  explainSubmission(request: object | string | Uint8Array, options?: MinVersionOptions): Promise<Explanation>;
  /** What `GET /v1/info` answers with. */
  info(): Promise<NodeInfo>;
  ledgerInfo(options?: MinVersionOptions): Promise<LedgerInfo>;
  /** Makes the next block of the local chain now and returns the new head. Concurrent calls run one after the other. */
  produceBlock(): Promise<LedgerInfo>;
  /**
   * Submits a signed transaction to the local chain, as `POST /v1/transactions` takes it: the BCS, or the JSON as an object
   * or text. Returns its hash once it waits for a block; rejects with the reason otherwise.
   */
  submit(transaction: object | string | Uint8Array): Promise<string>;
  /**
   * Runs a transaction on the head of the local chain and keeps nothing. Its signature must not be valid, as in the
   * reference: zeros, or the authenticator that names no key.
   */
  simulate(transaction: object | string | Uint8Array): Promise<SimulationResult>;
  /** Responses over HTTP since the start, of all processes. */
  requestCount(): Promise<number>;
  /** Demo accounts, tables and functions of the local chain; undefined without one. Throws once the node is closed. */
  guide(): ChainGuide | undefined;
  /** Stops making blocks, finishes the requests in flight, closes the store. */
  close(): Promise<void>;
}
