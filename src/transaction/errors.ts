// Errors of the transaction room.
import { CodedError } from "../base/errors.ts";

/**
 * `request`: the body does not have the shape of a transaction request; `invalid`: it has, but what it asks
 * for cannot be made into a transaction (unknown module or function, wrong arguments, a removed payload).
 */
export type TransactionErrorCode = "request" | "invalid";

/** A transaction request that cannot be encoded; the message says what to change. */
export class TransactionError extends CodedError<TransactionErrorCode> {}
