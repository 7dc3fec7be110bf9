// What handlers may use besides the view: handed in from outside, so that this room knows no store, no
// follower and no chain.
import type { LedgerView } from "../ledger/view.ts";

/** Turns the JSON body of an encode request into the signing message. */
export type SubmissionEncoder = (body: Uint8Array, view: LedgerView) => Promise<Uint8Array>;

/** Keys and values of the info answer, with the ledger where there is one. */
export type NodeInfo = (
  view: LedgerView | undefined,
) => Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>;

/** Services that handlers use. */
export interface Services {
  readonly encode: SubmissionEncoder;
  readonly nodeInfo: NodeInfo;
  /** Why the node is not well; undefined when it is. */
  readonly unhealthyReason: () => string | undefined;
  /** Why the node should get no requests just now although it is well; undefined when it should. */
  readonly unready: () => string | undefined;
  /** Text of the metrics page. */
  readonly metrics: () => Promise<string>;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** The OpenAPI document. */
  readonly openapi: () => Readonly<Record<string, unknown>>;
}
