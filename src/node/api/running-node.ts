// The in-process interface: what a running node offers.
import type { ChainGuide } from "../../chain/demo/guide.ts";
import type { MinVersionOptions } from "../../http/calls/options.ts";
import type { Calls } from "../../http/operation-list.ts";
import type { SimulationResult } from "../submissions/simulation.ts";
import type { NodeInfo } from "./node-info.ts";
import type { LedgerInfo } from "./reader.ts";
import type { ChainAuthoring } from "./test-authors.ts";

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

/** A running node, with the calls that operations define beside their routes. Calls reject, never throw; after `close` they reject because the node is closed. */
export interface Node extends ChainAuthoring, Calls {
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
