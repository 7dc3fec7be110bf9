// The record of a transaction that was only simulated.
import { encodeWith } from "../../bcs/codec.ts";
import type { ExecutionStatus } from "../../ledger/execution-status.ts";
import { encodeRecord } from "../../ledger/record.ts";
import { transactionCodec, transactionHash } from "../../ledger/transaction.ts";
import { transactionInfoCodec } from "../../ledger/transaction-info.ts";
import type { LedgerView } from "../../ledger/view.ts";
import type { RawTransaction } from "../../transaction/raw.ts";
import { SubmissionError } from "../../transaction/submission-error.ts";
import type { UserTransaction } from "../../transaction/user-transaction.ts";
import { areSignaturesValid } from "./signatures.ts";

/** Least gas that an estimate gives, in whole units. */
const LEAST_ESTIMATE = 2n;
const NO_HASH = new Uint8Array(32);

/** What a simulation uses in the place of the transaction's own fields. */
export interface SimulatedFields {
  /** True for the most gas that the sender can pay for. */
  readonly maxGasAmount: boolean;
  readonly gasUnitPrice: bigint | undefined;
}

/** Throws SubmissionError for a transaction that is signed: one could submit it. */
export async function assertUnsigned(transaction: UserTransaction): Promise<void> {
  const isSigned = await areSignaturesValid(transaction).catch((error: unknown) => {
    // A scheme that is not checked here has no valid signature here either.
    if (error instanceof SubmissionError && error.code === "unmodelled") return false;
    throw error;
  });
  if (isSigned) throw new SubmissionError("signed", "Simulated transactions must not have a valid signature");
}

/** The transaction with the fields that it is simulated with; its sender has so much of the native coin. */
export function withEstimates(
  raw: RawTransaction,
  fields: SimulatedFields,
  held: bigint,
  mostGas: bigint,
): RawTransaction {
  const { gasUnitPrice = raw.gasUnitPrice } = fields;
  let { maxGasAmount } = raw;
  if (fields.maxGasAmount) {
    maxGasAmount = gasUnitPrice === 0n ? held : held / gasUnitPrice;
    if (maxGasAmount > mostGas) maxGasAmount = mostGas;
    if (maxGasAmount < LEAST_ESTIMATE) maxGasAmount = LEAST_ESTIMATE;
  }
  return { ...raw, gasUnitPrice, maxGasAmount };
}

/** What a simulation found. */
export interface Simulated {
  readonly status: ExecutionStatus;
  readonly gasUsed: bigint;
  /** Each in BCS. */
  readonly events: readonly Uint8Array[];
  /** BCS of the write set. */
  readonly changes: Uint8Array;
}

/** The record that the transaction would leave, with zeros for the hashes. */
export function simulatedRecord(
  { position: { version } }: LedgerView,
  transaction: UserTransaction,
  { status, gasUsed, events, changes }: Simulated,
): Uint8Array {
  const bytes = encodeWith(transactionCodec, { kind: "user", transaction });
  const info = encodeWith(transactionInfoCodec, {
    kind: "v0",
    status,
    gasUsed,
    transactionHash: transactionHash(bytes),
    eventRootHash: NO_HASH,
    stateChangeHash: NO_HASH,
    stateCheckpointHash: undefined,
    auxiliaryInfoHash: undefined,
  });
  return encodeRecord({ version, transaction: bytes, info, events, accumulatorRoot: NO_HASH, changes });
}
