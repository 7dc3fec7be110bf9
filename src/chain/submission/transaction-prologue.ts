// What the chain checks before it runs a transaction, in the order of its own prologue.
import { equalBytes } from "../../base/bytes.ts";
import { USEC_PER_SEC } from "../../base/numbers.ts";
import { refuse } from "../../transaction/submission-error.ts";
import type { CallState } from "../functions/call-state.ts";
import { coinBalance, NATIVE_COIN } from "../functions/coins.ts";
import { leastGas, MAX_GAS_AMOUNT, MAX_GAS_PRICE, MIN_GAS_PRICE } from "./gas.ts";
import { isNonceUsed, MAX_NONCE_SECS } from "./nonce-history.ts";
import type { Signer } from "./signatures.ts";
import type { Submitted } from "./submitted.ts";

const TOO_BIG = 1n << 63n;

/** The ledger that a transaction is checked against. */
export interface PrologueContext {
  readonly chainId: number;
  readonly timestampUsec: bigint;
  /** Takes a sequence number above the account's: the mempool keeps the transaction until its turn. */
  readonly mayWait?: boolean;
  /** A simulation may leave open who pays, by the fee payer 0x0. */
  readonly isSimulation?: boolean;
}

/** True for a simulation that nobody pays for. */
export function isPaidByNobody({ payer }: Submitted, { isSimulation = false }: PrologueContext): boolean {
  return isSimulation && payer.every((byte) => byte === 0);
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
  context: PrologueContext,
): Promise<void> {
  const { chainId, timestampUsec, mayWait = false } = context;
  const { raw } = submitted.transaction;
  if (!submitted.isFree) checkGas(submitted);
  const nowSecs = timestampUsec / USEC_PER_SEC;
  if (nowSecs >= raw.expirationTimestampSecs) throw refuse("TRANSACTION_EXPIRED");
  if (raw.chainId !== chainId) throw refuse("BAD_CHAIN_ID");
  const account = await call.read(call.account(raw.sender));
  const { sender, secondary, feePayer } = submitted.signers;
  const hasDefaultAccounts = await call.hasFeature("defaultAccounts");
  // A fee payer may pay for the first transaction of an account that does not exist yet.
  const isSponsored = feePayer !== undefined && (submitted.nonce !== undefined || raw.sequenceNumber === 0n);
  if (account === undefined && !hasDefaultAccounts && !isSponsored && !submitted.isFree)
    throw refuse("SENDING_ACCOUNT_DOES_NOT_EXIST");
  await checkKey(call, sender);
  if (submitted.nonce === undefined) {
    checkSequenceNumber(raw.sequenceNumber, account?.sequenceNumber ?? 0n, mayWait);
  } else {
    const used = { sender: raw.sender, nonce: submitted.nonce, expirationSecs: raw.expirationTimestampSecs };
    if (raw.expirationTimestampSecs > nowSecs + MAX_NONCE_SECS)
      throw refuse("TRANSACTION_EXPIRATION_TOO_FAR_IN_FUTURE");
    if (await isNonceUsed(call, used, nowSecs)) throw refuse("NONCE_ALREADY_USED");
  }
  const deposit = raw.gasUnitPrice * raw.maxGasAmount;
  const isPaid = !isPaidByNobody(submitted, context);
  if (isPaid && (await coinBalance(call, submitted.payer, NATIVE_COIN)) < deposit)
    throw refuse("INSUFFICIENT_BALANCE_FOR_TRANSACTION_FEE");
  for (const signer of secondary) {
    if (!hasDefaultAccounts && (await call.read(call.account(signer.address))) === undefined)
      throw refuse("SENDING_ACCOUNT_DOES_NOT_EXIST");
    await checkKey(call, signer);
  }
  if (feePayer !== undefined) await checkKey(call, feePayer);
}

/** The keys that signed must be those of the account. An account without a resource has its address for a key. */
async function checkKey(call: CallState, { address, authenticationKey }: Signer): Promise<void> {
  if (authenticationKey === undefined) return;
  const account = await call.read(call.account(address));
  if (!equalBytes(account?.authenticationKey ?? address, authenticationKey)) throw refuse("INVALID_AUTH_KEY");
}

function checkSequenceNumber(given: bigint, next: bigint, mayWait: boolean): void {
  if (given >= TOO_BIG) throw refuse("SEQUENCE_NUMBER_TOO_BIG");
  if (given < next) throw refuse("SEQUENCE_NUMBER_TOO_OLD");
  if (given > next && !mayWait) throw refuse("SEQUENCE_NUMBER_TOO_NEW");
}
