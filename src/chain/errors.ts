// Errors of the local chain.
import { CodedError } from "../base/errors.ts";

/** `ledger`: the ledger lacks what a block needs. */
export type ChainErrorCode = "ledger";

/** The local chain cannot extend the ledger. */
export class ChainError extends CodedError<ChainErrorCode> {}
