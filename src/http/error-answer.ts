// From anything thrown to what the client is told: the one place where the errors of other rooms meet the
// catalogue. What is not foreseen becomes a 500 that says nothing of the inside.
import { JsonError } from "../json/errors.ts";
import { LedgerError, type LedgerErrorCode } from "../ledger/errors.ts";
import { ModuleError } from "../move/errors.ts";
import { TransactionError, type TransactionErrorCode } from "../transaction/errors.ts";
import {
  SubmissionError,
  type SubmissionErrorCode,
  VALIDATION_CODES,
} from "../transaction/submission-error.ts";
import { type Condition, ERROR_CATALOGUE } from "./error-catalogue.ts";
import { HttpError } from "./errors.ts";

const LEDGER_CONDITIONS: Readonly<Record<LedgerErrorCode, Condition>> = {
  version_not_found: "version_not_found",
  version_pruned: "version_pruned",
  reversed_range: "invalid_range",
  no_ledger: "unavailable",
  corrupt: "internal",
  mismatch: "internal",
  damaged: "internal",
  unavailable: "unavailable",
  refuted: "unavailable",
  replaced: "unavailable",
  not_indexed: "disabled",
  behind: "behind",
  no_signatures: "disabled",
  unprovable: "unprovable",
};

const TRANSACTION_CONDITIONS: Readonly<Record<TransactionErrorCode, Condition>> = {
  request: "malformed_request",
  invalid: "invalid_transaction",
};

const SUBMISSION_CONDITIONS: Readonly<Record<SubmissionErrorCode, Condition>> = {
  vm: "refused_transaction",
  unmodelled: "invalid_transaction",
  malformed: "malformed_request",
  signed: "invalid_transaction",
  full: "mempool_full",
  update: "transaction_update",
  old: "sequence_number_too_old",
};

/** An error as it is answered. */
export interface ErrorAnswer {
  readonly condition: Condition;
  readonly message: string;
  readonly headers: readonly string[];
  /** Further keys of the body. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** An error that another process already turned into an answer. */
export class AnsweredError extends Error {
  readonly answer: ErrorAnswer;

  constructor(answer: ErrorAnswer) {
    super(answer.message);
    this.answer = answer;
  }
}

/** What to answer for something thrown. */
export function answerOf(error: unknown): ErrorAnswer {
  if (error instanceof AnsweredError) return error.answer;
  if (error instanceof HttpError) {
    const { code, message, headers, extra } = error;
    return { condition: code, message, headers, ...(extra === undefined ? {} : { extra }) };
  }
  if (error instanceof LedgerError && error.code === "behind") return behindAnswer(error);
  if (error instanceof LedgerError) return plainAnswer(LEDGER_CONDITIONS[error.code], error.message);
  if (error instanceof TransactionError)
    return plainAnswer(TRANSACTION_CONDITIONS[error.code], error.message);
  if (error instanceof SubmissionError) return submissionAnswer(error);
  if (error instanceof ModuleError) return plainAnswer("internal", error.message);
  if (error instanceof JsonError) return plainAnswer("malformed_request", `body: ${error.message}`);
  return plainAnswer("internal", "something unforeseen happened; the node's log has the cause");
}

function submissionAnswer({ code, message, validation }: SubmissionError): ErrorAnswer {
  const extra = validation === undefined ? {} : { vm_error_code: VALIDATION_CODES[validation] };
  return { condition: SUBMISSION_CONDITIONS[code], message, headers: [], extra };
}

function behindAnswer({ message, details }: LedgerError): ErrorAnswer {
  const extra = { ledger_version: `${details.latest}`, versions_behind: `${details.behind}` };
  return { condition: "behind", message, headers: ["Retry-After", "1"], extra };
}

function plainAnswer(condition: Condition, message: string): ErrorAnswer {
  return { condition, message, headers: [] };
}

/** Something thrown as the keys of an error body. */
export function errorFields(error: unknown): Readonly<Record<string, unknown>> {
  const { condition, message, extra = {} } = answerOf(error);
  return { message, error_code: ERROR_CATALOGUE[condition].errorCode, ...extra };
}

/** The JSON body of an error. Extra keys follow the documented ones. */
export function errorBody(
  condition: Condition,
  message: string,
  extra: Readonly<Record<string, unknown>> = {},
): string {
  return JSON.stringify({ message, error_code: ERROR_CATALOGUE[condition].errorCode, ...extra });
}
