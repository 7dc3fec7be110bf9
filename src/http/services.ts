// What handlers may use besides the view: handed in from outside, so that this room knows no store, no
// follower and no chain.
import type { LedgerView } from "../ledger/view.ts";

/** Turns the JSON body of an encode request into the signing message. */
export type SubmissionEncoder = (body: Uint8Array, view: LedgerView) => Promise<Uint8Array>;

/** Services that handlers use. */
export interface Services {
  readonly encode: SubmissionEncoder;
  /** Keys and values of the info answer. */
  readonly nodeInfo: () => Readonly<Record<string, unknown>>;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** The OpenAPI document. */
  readonly openapi: () => Readonly<Record<string, unknown>>;
}
