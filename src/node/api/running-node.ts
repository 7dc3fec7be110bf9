// The in-process interface: what a running node offers.
import type { CodedError } from "../../base/errors.ts";
import type { ChainGuide } from "../../chain/demo/guide.ts";
import type { BalanceDetailAnswer } from "../../http/operations/get-balance-detail.ts";
import type { HoldingAnswer } from "../../http/operations/get-holdings.ts";
import type { BalanceChange } from "../../ledger/balances/balance-history.ts";
import type { TableRow } from "../../ledger/items/owned-items.ts";
import type { BalanceEvent } from "../../ledger/watch/watched-balance.ts";
import type { BlockEvent } from "../../ledger/watch/watched-blocks.ts";
import type { Explanation } from "../../transaction/explain/explanation.ts";
import type {
  HistoryOptions,
  MinVersionOptions,
  ProveOptions,
  ReadOptions,
  TableItemsOptions,
  WatchOptions,
} from "../options/read-options.ts";
import type { SimulationResult } from "../submissions/simulation.ts";
import type { LedgerReading } from "./ledger-answers.ts";
import type { NodeInfo } from "./node-info.ts";
import type { LedgerInfo } from "./reader.ts";
import type { ChainAuthoring } from "./test-authors.ts";

export type { Explanation };

/** Answers to many questions, all read at one version. */
export interface BatchAnswer<T> {
  readonly ledgerVersion: bigint;
  /** Time of its block, in microseconds since 1970. */
  readonly timestampUsec: bigint;
  /** In the order of the questions; an error in the place of one that cannot be answered. */
  readonly answers: readonly (T | CodedError)[];
}

/** Settings of the official TypeScript SDK for a node: `new AptosConfig(node.sdkConfig)`. */
export interface SdkConfig {
  /**
   * A name of its own for each node: the SDK keeps chain ids, modules and gas prices by that name, for all nodes of a
   * process. Its type fits the enum of the SDK, which this package does not import.
   */
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
   * Runs a transaction on the head of the ledger and keeps nothing. Its signature must not be valid, as in the
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
