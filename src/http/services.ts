// Services for handlers, injected by the node, so that this room knows no store, follower or chain.

import type { MaybePromise } from "../base/maybe-promise.ts";
import type { Slices } from "../base/wait.ts";
import type { GasPriceEstimator } from "../ledger/gas-price.ts";
import type { StateTypes } from "../ledger/items/state-types.ts";
import type { LedgerView } from "../ledger/view.ts";
import type { ProofBundle } from "../proof/bundle.ts";
import type { ProofOptions, ProofQuestion } from "../proof/question.ts";
import type { SimulationEstimates } from "../transaction/user-transaction.ts";
import type { LedgerMachine } from "../vm/ledger/ledger-machine.ts";
import type { Tracer } from "../vm/session.ts";

/** Encodes a JSON request into the signing message. */
export type RequestEncoder = (body: Uint8Array, view: LedgerView) => MaybePromise<Uint8Array>;

/** Explains the transaction in a JSON request, as JSON text. */
export type RequestExplainer = (body: Uint8Array, view: LedgerView) => Promise<string>;

/** Keys and values of the info response; without a view if there is no ledger. */
export type NodeInfo = (
  view: LedgerView | undefined,
) => Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>;

/** The body of a submission. */
export interface SubmissionBody {
  readonly bytes: Uint8Array;
  /** False for BCS. */
  readonly isJson: boolean;
}

/** A transaction that waits for a block. */
export interface PendingTransaction {
  readonly hash: Uint8Array;
  /** BCS of the signed transaction. */
  readonly bytes: Uint8Array;
}

/** Runs a transaction, in slices, and keeps nothing. Returns the record that it would leave, with zeros for its hashes. */
export type Simulator = (
  body: SubmissionBody,
  view: LedgerView,
  estimates: SimulationEstimates,
  slices: Slices,
  tracer?: Tracer,
) => Promise<Uint8Array>;

/** Takes signed transactions. `client` tells clients apart, where they have shares. */
export interface SubmissionHandler {
  /** Returns the transaction that now waits for a block. */
  submit(body: SubmissionBody, view: LedgerView, client: string): Promise<PendingTransaction>;
  /** Returns what was thrown for each transaction; undefined for one that was taken. */
  submitBatch(body: SubmissionBody, view: LedgerView, client: string): Promise<readonly unknown[]>;
  /** Returns a transaction that waits for a block; undefined if none with this hash does. */
  pendingTransaction(hash: Uint8Array): Promise<PendingTransaction | undefined>;
}

/** The handler of submissions. Operations that need it are switched off without it. */
export function requireSubmissions({ submissions }: Services): SubmissionHandler {
  if (submissions === undefined) throw new Error("submissions are switched off");
  return submissions;
}

/** Largest ledger that is dumped or loaded. */
export const MAX_STATE_BYTES: number = 64 << 20;

/** Units of gas for one view unless the operator sets another limit: as the reference. */
export const VIEW_GAS_LIMIT = 2_000_000;

/** Proves an answer. Throws LedgerError. */
export type ProofMaker = (
  view: LedgerView,
  question: ProofQuestion,
  options: ProofOptions,
) => Promise<ProofBundle>;

/** Services that handlers use. */
export interface Services {
  /** Undefined where no signatures are kept. */
  readonly prover: ProofMaker | undefined;
  /** Undefined where transactions go nowhere: no blocks are made, and none are handed on. */
  readonly submissions: SubmissionHandler | undefined;
  /** Undefined where transactions are not simulated. */
  readonly simulator: Simulator | undefined;
  /** A transaction that waits for a block; undefined if none with this hash does. */
  readonly pendingTransaction: (hash: Uint8Array) => Promise<PendingTransaction | undefined>;
  readonly gasPrices: GasPriceEstimator;
  readonly encoder: RequestEncoder;
  readonly explainer: RequestExplainer;
  /** Types of stored values, by the modules on chain. */
  readonly types: StateTypes;
  /** Runs view functions and transactions; loaded with the first one. */
  readonly machine: () => MaybePromise<LedgerMachine>;
  /** Units of gas for one view. */
  readonly viewGasLimit: number;
  readonly nodeInfo: NodeInfo;
  /** Why the node is unhealthy; undefined if it is healthy. */
  readonly unhealthyReason: () => string | undefined;
  /** Why a healthy node should get no requests now; undefined if it is ready. */
  readonly unreadyReason: () => string | undefined;
  /** Text of the metrics page. */
  readonly metricsPage: () => Promise<string>;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** The OpenAPI document. */
  readonly openapi: () => Readonly<Record<string, unknown>>;
}
