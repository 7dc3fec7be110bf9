// Services for handlers, injected by the node, so that this room knows no store, follower or chain.
import type { LedgerView } from "../ledger/view.ts";

/** Encodes a JSON request into the signing message. */
export type SubmissionEncoder = (body: Uint8Array, view: LedgerView) => Promise<Uint8Array>;

/** Explains the transaction in a JSON request, as JSON text. */
export type SubmissionExplainer = (body: Uint8Array, view: LedgerView) => Promise<string>;

/** Keys and values of the info response; without a view if there is no ledger. */
export type NodeInfo = (
  view: LedgerView | undefined,
) => Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>;

/** Services that handlers use. */
export interface Services {
  readonly encode: SubmissionEncoder;
  readonly explain: SubmissionExplainer;
  readonly nodeInfo: NodeInfo;
  /** Why the node is unhealthy; undefined if it is healthy. */
  readonly unhealthyReason: () => string | undefined;
  /** Why a healthy node should get no requests now; undefined if it is ready. */
  readonly unready: () => string | undefined;
  /** Text of the metrics page. */
  readonly metrics: () => Promise<string>;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** The OpenAPI document. */
  readonly openapi: () => Readonly<Record<string, unknown>>;
}
