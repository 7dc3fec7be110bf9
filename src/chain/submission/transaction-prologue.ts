// What the chain checks before it runs a transaction, in the order of its own prologue.
import { equalBytes } from "../../base/bytes.ts";
import { refuse } from "../../transaction/submission-error.ts";
import { accountItem, type CallState } from "../functions/call-state.ts";
import { coinBalance, NATIVE_COIN } from "../functions/coins.ts";
import { isNonceUsed } from "./nonce-history.ts";
import type { Signer } from "./signatures.ts";
import type { Submitted } from "./submitted.ts";

/** Bounds of the gas fields, as on the network. */
const MIN_GAS_PRICE = 100n;
const MAX_GAS_PRICE = 10_000_000_000n;
const MAX_GAS_AMOUNT = 2_000_000n;
const MIN_GAS_AMOUNT = 3n;
/** Bytes above this cost gas, in millionths of a unit each. */
const FREE_BYTES = 600n;
const MICRO_GAS_PER_BYTE = 1_158n;
const MICRO = 1_000_000n;
/** A transaction with a nonce expires at most this long after the ledger's time. */
const MAX_NONCE_SECS = 65n;
const TOO_BIG = 1n << 63n;

/** The ledger that a transaction is checked against. */
export interface PrologueContext {
  readonly chainId: number;
  readonly timestampUsec: bigint;
  /** Takes a sequence number above the account's: the mempool keeps the transaction until its turn. */
  readonly mayWait?: boolean;
}

/** Least gas of a transaction of this size. */
function leastGas(sizeBytes: number): bigint {
  const extra = BigInt(sizeBytes) - FREE_BYTES;
  return MIN_GAS_AMOUNT + (extra > 0n ? (extra * MICRO_GAS_PER_BYTE + MICRO - 1n) / MICRO : 0n);
}

function checkGas({ transaction: { raw }, sizeBytes }: Submitted): void {
  if (raw.maxGasAmount > MAX_GAS_AMOUNT) throw refuse("MAX_GAS_UNITS_EXCEEDS_MAX_GAS_UNITS_BOUND");
  if (raw.maxGasAmount < leastGas(sizeBytes)) throw refuse("MAX_GAS_UNITS_BELOW_MIN_TRANSACTION_GAS_UNITS");
  if (raw.gasUnitPrice < MIN_GAS_PRICE) throw refuse("GAS_UNIT_PRICE_BELOW_MIN_BOUND");
  if (raw.gasUnitPrice > MAX_GAS_PRICE) throw refuse("GAS_UNIT_PRICE_ABOVE_MAX_BOUND");
}

/** Throws SubmissionError `vm` for a transaction that the chain would not take. */
export async function checkPrologue(
  call: CallState,
  submitted: Submitted,
  { chainId, timestampUsec, mayWait = false }: PrologueContext,
): Promise<void> {
  const { raw } = submitted.transaction;
  if (!submitted.isFree) checkGas(submitted);
  const nowSecs = timestampUsec / MICRO;
  if (nowSecs >= raw.expirationTimestampSecs) throw refuse("TRANSACTION_EXPIRED");
  if (raw.chainId !== chainId) throw refuse("BAD_CHAIN_ID");
  const account = await call.read(accountItem(raw.sender));
  const { sender, secondary, feePayer } = submitted.signers;
  // A fee payer may pay for the first transaction of an account that does not exist yet.
  const mayBeMissing = submitted.isFree || feePayer !== undefined || (await call.hasDefaultAccounts());
  if (account === undefined && !mayBeMissing) throw refuse("SENDING_ACCOUNT_DOES_NOT_EXIST");
  await checkKey(call, sender);
  if (submitted.nonce === undefined) {
    checkSequenceNumber(raw.sequenceNumber, account?.sequenceNumber ?? 0n, mayWait);
  } else {
    const used = { sender: raw.sender, nonce: submitted.nonce, expirationSecs: raw.expirationTimestampSecs };
    const isTooFar = raw.expirationTimestampSecs > nowSecs + MAX_NONCE_SECS;
    if (isTooFar || (await isNonceUsed(call, used, nowSecs))) throw refuse("SEQUENCE_NONCE_INVALID");
  }
  const deposit = raw.gasUnitPrice * raw.maxGasAmount;
  if ((await coinBalance(call, submitted.payer, NATIVE_COIN)) < deposit)
    throw refuse("INSUFFICIENT_BALANCE_FOR_TRANSACTION_FEE");
  for (const signer of secondary) await checkKey(call, signer);
  if (feePayer !== undefined) await checkKey(call, feePayer);
}

/** The keys that signed must be those of the account. An account without a resource has its address for a key. */
async function checkKey(call: CallState, { address, authenticationKey }: Signer): Promise<void> {
  if (authenticationKey === undefined) return;
  const account = await call.read(accountItem(address));
  if (!equalBytes(account?.authenticationKey ?? address, authenticationKey)) throw refuse("INVALID_AUTH_KEY");
}

function checkSequenceNumber(given: bigint, next: bigint, mayWait: boolean): void {
  if (given >= TOO_BIG) throw refuse("SEQUENCE_NUMBER_TOO_BIG");
  if (given < next) throw refuse("SEQUENCE_NUMBER_TOO_OLD");
  if (given > next && !mayWait) throw refuse("SEQUENCE_NUMBER_TOO_NEW");
}
