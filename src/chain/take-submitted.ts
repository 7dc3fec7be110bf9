// Submitted transactions that wait for a block, and how a block takes them.
import { USEC_PER_SEC } from "../base/numbers.ts";
import { Slices } from "../base/wait.ts";
import { LedgerError } from "../ledger/errors.ts";
import { type Address, formatAddress } from "../move/address.ts";
import { SubmissionError } from "../transaction/submission-error.ts";
import type { Submitted } from "./submission/submitted.ts";

/** Submitted transactions for a block. */
export interface SubmittedQueue {
  readonly waiting: readonly Submitted[];
  readonly faucet: Address;
  /** Called for each one that is in the block, or that no block can take any more. */
  settle(submitted: Submitted, outcome: { readonly isIncluded: boolean }): void;
}

/** The run of a submitted transaction failed in a way that no transaction should: a bug here, or a store out of reach. */
export class SubmittedFault extends Error {
  readonly submitted: Submitted;

  constructor(submitted: Submitted, cause: unknown) {
    super("a submitted transaction could not be run", { cause });
    this.submitted = submitted;
  }
}

/**
 * Most submitted transactions of a block, most bytes of them, and the gas and the bytes of records after which it takes no
 * more: one writes up to 12 MB, and verifiers take 64 MiB between two checkpoints.
 */
const MAX_SUBMITTED = 1000;
const MAX_SUBMITTED_BYTES = 4 * 1024 * 1024;
const MAX_SUBMITTED_GAS = 500_000n;
const MAX_RECORD_BYTES = 32 * 1024 * 1024;

/** What running a transaction came to. */
export interface TakenSubmission {
  readonly gasUsed: bigint;
  readonly recordBytes: number;
  /** The transaction ended the epoch, and so the block. */
  readonly isLast?: boolean;
}

/**
 * Runs as many submitted transactions as a block takes; `run` adds one to the block, or throws SubmissionError. Those that
 * must wait for their turn stay in the queue. Returns true if there was no room to try all of them.
 */
export async function takeWaiting(
  { waiting, settle }: SubmittedQueue,
  { timestampUsec, isFork }: { readonly timestampUsec: bigint; readonly isFork: boolean },
  run: (submitted: Submitted) => Promise<TakenSubmission>,
): Promise<boolean> {
  const early = new Set<string>();
  const slices = new Slices("writer");
  let [count, bytes, recordBytes, gas, hasMore] = [0, 0, 0, 0n, false];
  for (const submitted of waiting) {
    const isFull = count === MAX_SUBMITTED || gas >= MAX_SUBMITTED_GAS || recordBytes >= MAX_RECORD_BYTES;
    if (isFull) return true;
    await slices.pause();
    const { raw } = submitted.transaction;
    const sender = formatAddress(raw.sender);
    const isExpired = raw.expirationTimestampSecs <= timestampUsec / USEC_PER_SEC;
    if (submitted.nonce === undefined && early.has(sender) && !isExpired) continue;
    if (bytes + submitted.sizeBytes > MAX_SUBMITTED_BYTES) {
      hasMore = true;
      continue;
    }
    let taken: TakenSubmission;
    try {
      taken = await run(submitted);
    } catch (error) {
      // The network under a fork is out of reach: the transaction waits, others need not.
      if (error instanceof LedgerError && error.code === "unavailable" && isFork) {
        early.add(sender);
        continue;
      }
      if (!(error instanceof SubmissionError)) throw new SubmittedFault(submitted, error);
      if (error.validation === "SEQUENCE_NUMBER_TOO_NEW") early.add(sender);
      else settle(submitted, { isIncluded: false });
      continue;
    }
    count++;
    bytes += submitted.sizeBytes;
    gas += taken.gasUsed;
    recordBytes += taken.recordBytes;
    settle(submitted, { isIncluded: true });
    if (taken.isLast === true) return true;
  }
  return hasMore;
}
