// Errors of the local chain.
import { CodedError } from "../base/errors.ts";

/** `ledger`: the ledger under the chain is not one that blocks can be put on. */
export type ChainErrorCode = "ledger";

/** The local chain cannot go on from the ledger it was given. */
export class ChainError extends CodedError<ChainErrorCode> {}
