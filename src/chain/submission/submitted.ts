// A submitted transaction, taken apart.
import { decodeWith, encodeWith } from "../../bcs/codec.ts";
import { BcsError } from "../../bcs/errors.ts";
import { transactionCodec, transactionHash } from "../../ledger/formats/transaction.ts";
import { refuse, SubmissionError } from "../../transaction/submission-error.ts";
import { type UserTransaction, userTransactionCodec } from "../../transaction/user-transaction.ts";

/** Largest transaction in bytes, as on the network. */
export const MAX_TRANSACTION_BYTES = 64 * 1024;

/** A transaction that can be checked and run. */
export interface Submitted {
  readonly transaction: UserTransaction;
  readonly hash: Uint8Array;
  readonly sizeBytes: number;
  /** Undefined for a transaction with a sequence number. */
  readonly nonce: bigint | undefined;
  /** Made by the owner of the chain, for the faucet or for an account: needs no signature of a key. */
  readonly isOwners: boolean;
}

/** Decodes the BCS of a signed transaction. Throws SubmissionError `malformed`. */
export function decodeSubmitted(bytes: Uint8Array): UserTransaction {
  if (bytes.length > MAX_TRANSACTION_BYTES) throw refuse("EXCEEDED_MAX_TRANSACTION_SIZE");
  try {
    // The bytes may be the caller's, who may change them.
    return decodeWith(userTransactionCodec, Uint8Array.from(bytes));
  } catch (error) {
    if (!(error instanceof BcsError)) throw error;
    throw new SubmissionError("malformed", `the body is not a signed transaction: ${error.message}`, {
      cause: error,
    });
  }
}

/** Takes a transaction apart. Throws SubmissionError for one that no chain takes. Checks no signature. */
export function toSubmitted(
  transaction: UserTransaction,
  { isOwners }: Pick<Submitted, "isOwners"> = { isOwners: false },
): Submitted {
  const bytes = encodeWith(transactionCodec, { kind: "user", transaction });
  // Without the tag of the transaction's kind.
  const sizeBytes = bytes.length - 1;
  if (sizeBytes > MAX_TRANSACTION_BYTES) throw refuse("EXCEEDED_MAX_TRANSACTION_SIZE");
  const { payload } = transaction.raw;
  if (payload.kind === "moduleBundle")
    throw new SubmissionError("malformed", "payload: module bundles were removed from the chain");
  return {
    transaction,
    hash: transactionHash(bytes),
    sizeBytes,
    nonce: payload.kind === "payload" ? payload.payload.extraConfig.replayProtectionNonce : undefined,
    isOwners,
  };
}
