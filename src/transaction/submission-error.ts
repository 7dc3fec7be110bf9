// Why a submitted transaction is refused.
import { CodedError } from "../base/errors.ts";

/** The chain's own numbers of the reasons for which a prologue refuses a transaction. */
export const VALIDATION_CODES = {
  INVALID_SIGNATURE: 1,
  INVALID_AUTH_KEY: 2,
  SEQUENCE_NUMBER_TOO_OLD: 3,
  SEQUENCE_NUMBER_TOO_NEW: 4,
  INSUFFICIENT_BALANCE_FOR_TRANSACTION_FEE: 5,
  TRANSACTION_EXPIRED: 6,
  SENDING_ACCOUNT_DOES_NOT_EXIST: 7,
  EXCEEDED_MAX_TRANSACTION_SIZE: 10,
  MAX_GAS_UNITS_EXCEEDS_MAX_GAS_UNITS_BOUND: 13,
  MAX_GAS_UNITS_BELOW_MIN_TRANSACTION_GAS_UNITS: 14,
  GAS_UNIT_PRICE_BELOW_MIN_BOUND: 15,
  GAS_UNIT_PRICE_ABOVE_MAX_BOUND: 16,
  BAD_CHAIN_ID: 23,
  SEQUENCE_NUMBER_TOO_BIG: 24,
  FEATURE_UNDER_GATING: 26,
  SECONDARY_KEYS_ADDRESSES_COUNT_MISMATCH: 27,
  SIGNERS_CONTAIN_DUPLICATES: 28,
  ACCOUNT_NOT_MULTISIG: 31,
  NOT_MULTISIG_OWNER: 32,
  MULTISIG_TRANSACTION_NOT_FOUND: 33,
  MULTISIG_TRANSACTION_INSUFFICIENT_APPROVALS: 34,
  MULTISIG_TRANSACTION_PAYLOAD_DOES_NOT_MATCH_HASH: 35,
  GAS_PAYER_ACCOUNT_MISSING: 36,
  INSUFFICIENT_BALANCE_FOR_REQUIRED_DEPOSIT: 37,
  MULTISIG_TRANSACTION_PAYLOAD_DOES_NOT_MATCH: 40,
  NONCE_ALREADY_USED: 42,
  EMPTY_PAYLOAD_PROVIDED: 43,
  TRANSACTION_EXPIRATION_TOO_FAR_IN_FUTURE: 44,
  UNEXPECTED_ERROR_FROM_KNOWN_MOVE_FUNCTION: 2015,
} as const;
export type ValidationName = keyof typeof VALIDATION_CODES;

/**
 * `vm`: the prologue refuses it; `unmodelled`: the local chain does not model what it asks for; `malformed`: the bytes
 * are not a transaction; `signed`: a simulation with a valid signature; `full`: the mempool has no room; `update`: the
 * mempool has another transaction in its place; `old`: a block took its sequence number while it was checked.
 */
export type SubmissionErrorCode = "vm" | "unmodelled" | "malformed" | "signed" | "full" | "update" | "old";

/** A transaction that the local chain does not take. */
export class SubmissionError extends CodedError<SubmissionErrorCode> {
  /** Set for `vm`. */
  readonly validation: ValidationName | undefined;

  constructor(
    code: SubmissionErrorCode,
    message: string,
    options: { readonly validation?: ValidationName; readonly cause?: unknown } = {},
  ) {
    super(code, message, { cause: options.cause });
    this.validation = options.validation;
  }
}

/** The refusal of a prologue, in the words of the reference. */
export function refuse(validation: ValidationName): SubmissionError {
  return new SubmissionError("vm", `Invalid transaction: Type: Validation Code: ${validation}`, {
    validation,
  });
}

const NAMES_BY_CODE: ReadonlyMap<number, ValidationName> = new Map(
  (Object.entries(VALIDATION_CODES) as [ValidationName, number][]).map(([name, code]) => [code, name]),
);

/** The refusal of a prologue by its number; one that no prologue has is a fault of the chain's own functions. */
export function refuseCode(code: number): SubmissionError {
  return refuse(NAMES_BY_CODE.get(code) ?? "UNEXPECTED_ERROR_FROM_KNOWN_MOVE_FUNCTION");
}

/** The refusal of what the local chain does not run. */
export function unmodelled(what: string): SubmissionError {
  return new SubmissionError("unmodelled", `not modelled here: ${what}`);
}
