// From the body of a submission to signed transactions.
import { decodeWith } from "../../bcs/codec.ts";
import { BcsError } from "../../bcs/errors.ts";
import { vector } from "../../bcs/sequences.ts";
import { decodeSubmitted, MAX_TRANSACTION_BYTES } from "../../chain/submission/submitted.ts";
import { AnsweredError } from "../../http/error-answer.ts";
import type { SubmissionBody } from "../../http/services.ts";
import { parseJson } from "../../json/parse.ts";
import type { LedgerView } from "../../ledger/view.ts";
import type { ModuleLoader } from "../../move/abi.ts";
import type { RawTransaction } from "../../transaction/raw.ts";
import { createRawTransaction } from "../../transaction/requests/raw-from-request.ts";
import type { TransactionRequest } from "../../transaction/requests/request.ts";
import { parseSubmission, parseSubmissions, tooMany } from "../../transaction/requests/submission-request.ts";
import { refuse, SubmissionError } from "../../transaction/submission-error.ts";
import { type UserTransaction, userTransactionCodec } from "../../transaction/user-transaction.ts";
import { MAX_BATCH } from "../request-thread/messages.ts";
import { LARGE_SUBMISSION_BYTES, type RequestThread } from "../request-thread/thread.ts";

/** Longer JSON is no transaction that the chain takes, and would keep others waiting while it is parsed. */
const MAX_JSON_BYTES = 4 * MAX_TRANSACTION_BYTES;
const MAX_BATCH_JSON_BYTES = 1024 * 1024;

/** What JSON needs to become a transaction. */
export interface BodyParts {
  readonly loadModule: (view: LedgerView) => ModuleLoader;
  /** Parses large JSON. */
  readonly thread: RequestThread;
}

export async function decodeBody(
  parts: BodyParts,
  { bytes, isJson }: SubmissionBody,
  view: LedgerView,
): Promise<UserTransaction> {
  if (!isJson) return decodeSubmitted(bytes);
  if (bytes.length > MAX_JSON_BYTES) throw refuse("EXCEEDED_MAX_TRANSACTION_SIZE");
  if (bytes.length < LARGE_SUBMISSION_BYTES) {
    return parseSubmission(parseJson(bytes), rawMaker(parts, view));
  }
  return decodeWith(userTransactionCodec, await parts.thread.run("submission", bytes, view));
}

/** The transactions of a batch; each is decoded by a call, which throws for that one alone. */
export async function decodeBatch(
  parts: BodyParts,
  { bytes, isJson }: SubmissionBody,
  view: LedgerView,
): Promise<readonly (() => Promise<UserTransaction> | UserTransaction)[]> {
  if (!isJson) return decodeBatchBytes(bytes).map((transaction) => () => transaction);
  if (bytes.length > MAX_BATCH_JSON_BYTES) throw refuse("EXCEEDED_MAX_TRANSACTION_SIZE");
  if (bytes.length < LARGE_SUBMISSION_BYTES) {
    return parseSubmissions(parseJson(bytes), rawMaker(parts, view), MAX_BATCH);
  }
  const parsed = await parts.thread.run("submissions", bytes, view);
  return parsed.map((one) => () => {
    if (one instanceof Uint8Array) return decodeWith(userTransactionCodec, one);
    throw new AnsweredError(one);
  });
}

function rawMaker(
  { loadModule }: BodyParts,
  view: LedgerView,
): (request: TransactionRequest) => Promise<RawTransaction> {
  const context = { chainId: view.position.chainId, loadModule: loadModule(view) };
  return async (request) => createRawTransaction(request, context);
}

const batchCodec = vector(userTransactionCodec);

function decodeBatchBytes(bytes: Uint8Array): readonly UserTransaction[] {
  const mostBytes = MAX_BATCH * MAX_TRANSACTION_BYTES;
  if (bytes.length > mostBytes)
    throw new SubmissionError(
      "malformed",
      `expected at most ${mostBytes} bytes in a batch, got ${bytes.length}`,
    );
  let transactions: readonly UserTransaction[];
  try {
    transactions = decodeWith(batchCodec, Uint8Array.from(bytes));
  } catch (error) {
    if (!(error instanceof BcsError)) throw error;
    throw new SubmissionError(
      "malformed",
      `the body is not a list of signed transactions: ${error.message}`,
      {
        cause: error,
      },
    );
  }
  if (transactions.length > MAX_BATCH) throw tooMany(transactions.length, MAX_BATCH);
  return transactions;
}
