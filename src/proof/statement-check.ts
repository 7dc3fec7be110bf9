// The statement of an account over a period, from the proofs of its opening and closing balance and of its receipts.
import { equalBytes } from "../base/bytes.ts";
import { formatTime } from "../base/texts/time-text.ts";
import { decodeWith } from "../bcs/codec.ts";
import { BcsError } from "../bcs/errors.ts";
import { struct } from "../bcs/records.ts";
import { u64 } from "../bcs/scalars.ts";
import { NATIVE_METADATA, parseAsset, primaryStoreAddress } from "../ledger/balances/asset.ts";
import { formatAddress, parseAddress } from "../move/address.ts";
import { MoveError } from "../move/errors.ts";
import type { VerifiedProof } from "./bundle.ts";
import type { StatementPeriod } from "./bundle-json.ts";
import {
  moveOf,
  type ProvenBalance,
  type ProvenClaim,
  type ProvenStatement,
  type ProvenSum,
} from "./claim.ts";
import { ProofError } from "./errors.ts";

const FEE_STATEMENT = "0x1::transaction_fee::FeeStatement";
const feeStatementCodec = struct({
  gasUnits: u64,
  executionGasUnits: u64,
  ioGasUnits: u64,
  storageFee: u64,
  storageRefund: u64,
});

type Receipt = Extract<ProvenClaim, { readonly kind: "event" | "transaction" }>;

/** A balance just before a moment. */
interface End extends ProvenBalance {
  readonly address: string;
  readonly version: bigint;
}

/** How a receipt changes the balance. */
interface Change {
  readonly kind: "deposits" | "withdrawals" | "fees";
  readonly amount: bigint;
  /** Frameworks of one time emitted two events for one change of a coin, of which one counts. */
  readonly form?: "stream" | "coin" | undefined;
}

const NONE: ProvenSum = { count: 0, amount: 0n };

function malformed(reason: string): ProofError {
  return new ProofError("malformed", reason);
}

/** Takes the proofs of a statement: opening balance, closing balance, and receipts in the order of the ledger. */
export class StatementCheck {
  readonly #period: StatementPeriod;
  readonly #sums = { deposits: NONE, withdrawals: NONE, fees: NONE };
  #opening: End | undefined;
  #closing: End | undefined;
  #version = -1n;
  #index = -1n;
  /** Of the receipts of the present version. */
  #form: Change["form"];
  #hasFee = false;

  constructor(period: StatementPeriod) {
    if (period.fromUsec >= period.toUsec) throw malformed("the statement ends before it begins");
    this.#period = period;
  }

  /** Takes the next proof. Throws ProofError. */
  take(proof: VerifiedProof): void {
    const { claim } = proof;
    if (claim.kind === "event" || claim.kind === "transaction") this.#receive(claim);
    else if (this.#opening === undefined) this.#opening = endAt(proof, this.#period.fromUsec);
    else if (this.#closing === undefined) this.#closing = endAt(proof, this.#period.toUsec);
    else throw malformed("a statement has two balances, the opening and the closing one");
  }

  /** The statement, which has all its proofs now. Throws ProofError. */
  finish(): ProvenStatement {
    const [opening, closing] = this.#ends();
    const { deposits, withdrawals, fees } = this.#sums;
    const explained = deposits.amount - withdrawals.amount - fees.amount;
    const difference = closing.balance - opening.balance;
    if (difference !== explained) {
      throw new ProofError(
        "claim",
        `unexplained: the balance of ${opening.address} in ${opening.asset} went from ${opening.balance} to ${closing.balance}, by ${difference}, but the receipts add up to ${explained}: ${difference - explained} has no receipt`,
      );
    }
    return {
      address: opening.address,
      asset: opening.asset,
      ...this.#period,
      openingVersion: opening.version,
      opening: opening.balance,
      deposits,
      withdrawals,
      fees,
      closingVersion: closing.version,
      closing: closing.balance,
    };
  }

  #ends(): readonly [opening: End, closing: End] {
    const [opening, closing] = [this.#opening, this.#closing];
    if (opening === undefined || closing === undefined)
      throw new ProofError("incomplete", "the statement's opening or closing balance is missing");
    if (closing.address !== opening.address || closing.asset !== opening.asset)
      throw malformed("the closing balance is of another account or asset than the opening one");
    if (closing.version < opening.version) throw malformed("the closing balance is before the opening one");
    return [opening, closing];
  }

  #receive(claim: Receipt): void {
    const [opening, closing] = this.#ends();
    const { version } = claim;
    const refuse = (reason: string): never => {
      throw malformed(`the receipt of version ${version} ${reason}`);
    };
    if (version <= opening.version || version > closing.version) refuse("is not between the two balances");
    // The fee of a transaction without an event comes before its events.
    const index = claim.kind === "event" ? claim.index : -1n;
    const isNext = version > this.#version;
    if (!isNext && (version < this.#version || index <= this.#index))
      refuse("is not after the one before it");
    if (isNext) [this.#form, this.#hasFee] = [undefined, false];
    [this.#version, this.#index] = [version, index];
    const change =
      readChange(claim, opening, closing) ?? refuse(`is not about ${opening.address} and ${opening.asset}`);
    const { kind, amount, form } = change;
    const isTwice = kind === "fees" ? this.#hasFee : (form ?? this.#form) !== (this.#form ?? form);
    if (isTwice) refuse("counts a change twice");
    this.#form ??= form;
    this.#hasFee ||= kind === "fees";
    const sum = this.#sums[kind];
    this.#sums[kind] = { count: sum.count + 1, amount: sum.amount + amount };
  }
}

/** Events of unknown layouts change nothing that a statement knows. */
function readChange(claim: Receipt, opening: End, closing: End): Change | undefined {
  try {
    return changeOf(claim, opening, closing);
  } catch (error) {
    if (error instanceof BcsError || error instanceof MoveError) return undefined;
    throw error;
  }
}

/** The one balance of a proof, which must be the last before a moment. */
function endAt(
  { claim, ledgerVersion: version, timestampUsec = 0n, nextTimestampUsec: next }: VerifiedProof,
  usec: bigint,
): End {
  const [account, ...others] = claim.kind === "balances" ? claim.accounts : [];
  const [balance, ...more] = account?.balances ?? [];
  if (account === undefined || balance === undefined || others.length + more.length > 0)
    throw malformed("a statement has proofs of one balance, of events and of transactions");
  // A block of the last microsecond needs no later one.
  const isLast = next === undefined ? timestampUsec === usec - 1n : next >= usec;
  if (timestampUsec < usec && isLast) return { ...balance, address: account.address, version };
  throw new ProofError(
    "claim",
    `version ${version} is not proven to be the last one before ${formatTime(usec)}`,
  );
}

/** Undefined for a receipt of another account or asset. Throws BcsError and MoveError. */
function changeOf(claim: Receipt, opening: End, closing: End): Change | undefined {
  const { address } = opening;
  const { id, metadata } = parseAsset(opening.asset);
  if (claim.kind === "transaction" || claim.type === FEE_STATEMENT) {
    const { fee } = claim;
    if (fee?.payer !== address || !equalBytes(metadata, NATIVE_METADATA)) return undefined;
    const refund = claim.kind === "event" ? decodeWith(feeStatementCodec, claim.data).storageRefund : 0n;
    return { kind: "fees", amount: fee.amount - refund };
  }
  const move = moveOf(claim.type, claim.data, claim.stream);
  if (move === undefined) return undefined;
  const { isDeposit, amount, store, coin, stream } = move;
  const kind = isDeposit ? "deposits" : "withdrawals";
  const isOwn =
    store !== undefined
      ? equalBytes(store, primaryStoreAddress(parseAddress(address), metadata))
      : coin !== undefined
        ? formatAddress(coin.account) === address && parseAsset(coin.type).id === id
        : [opening, closing].some(({ coinEvents }) => coinEvents?.[kind] === stream);
  const form = store !== undefined ? undefined : coin === undefined ? "stream" : "coin";
  return isOwn ? { kind, amount, form } : undefined;
}
