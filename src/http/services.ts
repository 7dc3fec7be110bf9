// What handlers may use besides the view: handed in from outside, so that this room knows no store, no
// follower and no chain.
import type { LedgerView } from "../ledger/view.ts";

/** Turns the JSON body of an encode request into the signing message. */
export type SubmissionEncoder = (body: Uint8Array, view: LedgerView) => Promise<Uint8Array>;

/** Services that handlers use. */
export interface Services {
  readonly encode: SubmissionEncoder;
  /** Keys and values of the info answer, with the ledger where there is one. */
  readonly nodeInfo: (view: LedgerView | undefined) => Readonly<Record<string, unknown>>;
  /** Why the node is not well; undefined when it is. */
  readonly ailment: () => string | undefined;
  /** Text of the metrics page. */
  readonly metrics: () => Promise<string>;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** The OpenAPI document. */
  readonly openapi: () => Readonly<Record<string, unknown>>;
}
