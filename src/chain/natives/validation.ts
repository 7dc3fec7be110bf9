// What the framework does around transactions: the block prologue with the change of epoch, the prologue and epilogue of a
// user transaction, and the history of nonces.
import { equalBytes } from "../../base/bytes.ts";
import { USEC_PER_SEC } from "../../base/numbers.ts";
import { sha3, sha3Parts } from "../../base/sha3.ts";
import { encodeWith } from "../../bcs/codec.ts";
import { struct } from "../../bcs/records.ts";
import { u32, u64 } from "../../bcs/scalars.ts";
import { vector } from "../../bcs/sequences.ts";
import {
  type NewBlockEvent,
  newBlockEventCodec,
  newEpochEventCodec,
} from "../../ledger/formats/block-event.ts";
import { type ValidatorSet, validatorSetCodec } from "../../ledger/formats/validator-set.ts";
import {
  commitHistoryCodec,
  configurationCodec,
  validatorPerformanceCodec,
} from "../../ledger/items/resources.ts";
import { type Address, addressFromBytes, FRAMEWORK, parseAddress } from "../../move/address.ts";
import { addressCodec } from "../../move/wire.ts";
import { aborted } from "../../vm/errors.ts";
import type { Native } from "../../vm/natives.ts";
import { asBig, asBytes, asStruct, asVec, type Value } from "../../vm/values.ts";
import { newAccount } from "../new-account.ts";
import { endsEpoch, idlePerformance } from "../prologue.ts";
import { addressOf, BLOCK, CHAIN_ID, effectNatives, TIME } from "./functions.ts";
import { ACCOUNT, coinBalance, NATIVE_COIN, settleFee } from "./money.ts";
import { type CallState, stored, typeOf } from "./state.ts";

const INVALID = 1 << 16;
const OUT_OF_RANGE = 2 << 16;
/** Codes that the executor knows, by what they refuse. */
const REFUSED = {
  key: INVALID | 1001,
  numberTooOld: INVALID | 1002,
  numberTooNew: INVALID | 1003,
  noAccount: INVALID | 1004,
  deposit: INVALID | 1005,
  expired: INVALID | 1006,
  chainId: INVALID | 1007,
  nonceUsed: INVALID | 1012,
  tooFarInFuture: INVALID | 1013,
  numberTooBig: OUT_OF_RANGE | 1008,
  feeUnpaid: OUT_OF_RANGE | 1005,
} as const;
/** The variant of a replay protector with a sequence number. */
const ORDERED = 1;
const TOO_BIG = 1n << 63n;
const NOBODY = parseAddress("0x0");

const CONFIGURATION = stored("0x1::reconfiguration::Configuration", configurationCodec);
const VALIDATORS = stored("0x1::stake::ValidatorSet", validatorSetCodec);
const PERFORMANCE = stored("0x1::stake::ValidatorPerformance", validatorPerformanceCodec);
const COMMIT_HISTORY = stored("0x1::block::CommitHistory", commitHistoryCodec);
const NEW_BLOCK = stored("0x1::block::NewBlockEvent", newBlockEventCodec);
const NEW_EPOCH = stored("0x1::reconfiguration::NewEpochEvent", newEpochEventCodec);
const FEE_STATEMENT = stored(
  "0x1::transaction_fee::FeeStatement",
  struct({ total: u64, execution: u64, io: u64, storageFee: u64, storageRefund: u64 }),
);

/** Enough that a bucket stays short: a block adds at most a few thousand nonces, and a nonce stays for two minutes. */
const NONCE_BUCKETS = 65_536;
/** A transaction with a nonce expires at most this long after the ledger's time. */
const MAX_NONCE_SECS = 65n;
/** Two transactions with one nonce expire at least this far apart; until then the first one is remembered. */
const OVERLAP_SECS = 65n;
const bucketCodec = vector(struct({ expirationSecs: u64, sender: addressCodec, nonce: u64 }));
const BUCKET = { kind: "vector", item: typeOf("0x1::nonce_validation::NonceKeyWithExpTime") } as const;
const NONCE_HANDLE = addressFromBytes(sha3(new TextEncoder().encode("local chain/nonces")));

function useNonce(
  call: CallState,
  used: { readonly sender: Address; readonly nonce: bigint; readonly expirationSecs: bigint },
  nowSecs: bigint,
): void {
  if (used.expirationSecs > nowSecs + MAX_NONCE_SECS) throw aborted(REFUSED.tooFarInFuture);
  const digest = sha3Parts(used.sender, encodeWith(u64, used.nonce));
  const bucket = (((digest[0] ?? 0) << 8) | (digest[1] ?? 0)) % NONCE_BUCKETS;
  const key = encodeWith(u64, BigInt(bucket));
  const known = call.readItem(NONCE_HANDLE, key, BUCKET, bucketCodec) ?? [];
  const isSame = (one: (typeof known)[number]): boolean =>
    one.nonce === used.nonce && equalBytes(one.sender, used.sender);
  for (const one of known.filter(isSame)) {
    if (one.expirationSecs >= nowSecs || used.expirationSecs <= one.expirationSecs + OVERLAP_SECS)
      throw aborted(REFUSED.nonceUsed);
  }
  const kept = known.filter((one) => one.expirationSecs + OVERLAP_SECS >= nowSecs && !isSame(one));
  call.writeItem(NONCE_HANDLE, key, BUCKET, bucketCodec, [...kept, used]);
}

interface Key {
  readonly address: Address;
  /** Undefined where a simulation names none. */
  readonly key: Uint8Array | undefined;
}

function keyOf(address: Address, option: Value | undefined): Key {
  const [key] = asStruct(option).fields;
  return { address, key: key === undefined ? undefined : asBytes(key) };
}

/** The keys that signed must be those of the account. An account without a resource has its address for a key. */
function checkKey(call: CallState, { address, key }: Key): void {
  const own = call.read(address, ACCOUNT)?.authenticationKey ?? address;
  if (key !== undefined && !equalBytes(own, key)) throw aborted(REFUSED.key);
}

/** A simulation may leave open who pays. */
function isPaidByNobody(payer: Address, isSimulation: Value | undefined): boolean {
  return isSimulation === true && equalBytes(payer, NOBODY);
}

/** What a prologue gets after the sender and the fee payer. */
type Rest = readonly Value[];

function prologue(call: CallState, sender: Key, feePayer: Key | undefined, rest: Rest): void {
  const [replay, others, otherKeys, gasPrice, maxGas, expiration, chainId, isSimulation] = rest;
  const nowSecs = call.require(FRAMEWORK, TIME) / USEC_PER_SEC;
  const expirationSecs = asBig(expiration);
  if (nowSecs >= expirationSecs) throw aborted(REFUSED.expired);
  if (chainId !== call.require(FRAMEWORK, CHAIN_ID)) throw aborted(REFUSED.chainId);
  const { tag, fields } = asStruct(replay);
  const number = asBig(fields[0]);
  const isOrdered = tag === ORDERED;
  const account = call.read(sender.address, ACCOUNT);
  // A fee payer may pay for the first transaction of an account that does not exist yet. Only the chain's owner pays nothing.
  const isSponsored = feePayer !== undefined && (!isOrdered || number === 0n);
  if (account === undefined && !isSponsored && asBig(gasPrice) > 0n) throw aborted(REFUSED.noAccount);
  checkKey(call, sender);
  if (isOrdered) checkSequenceNumber(number, account?.sequenceNumber ?? 0n);
  else useNonce(call, { sender: sender.address, nonce: number, expirationSecs }, nowSecs);
  const payer = feePayer?.address ?? sender.address;
  const deposit = asBig(gasPrice) * asBig(maxGas);
  if (!isPaidByNobody(payer, isSimulation) && coinBalance(call, payer, NATIVE_COIN) < deposit)
    throw aborted(REFUSED.deposit);
  for (const [index, other] of asVec(others).items.entries()) {
    const address = addressOf(other);
    if (!call.has(address, ACCOUNT)) throw aborted(REFUSED.noAccount);
    checkKey(call, keyOf(address, asVec(otherKeys).items[index]));
  }
  if (feePayer !== undefined) checkKey(call, feePayer);
}

function checkSequenceNumber(given: bigint, next: bigint): void {
  if (given >= TOO_BIG) throw aborted(REFUSED.numberTooBig);
  if (given < next) throw aborted(REFUSED.numberTooOld);
  if (given > next) throw aborted(REFUSED.numberTooNew);
}

function epilogue(call: CallState, args: readonly Value[]): void {
  const [sender, payer, refund, gasPrice, maxGas, gasLeft, isSimulation, isOrderless] = args;
  const fee = (asBig(maxGas) - asBig(gasLeft)) * asBig(gasPrice);
  if (!isPaidByNobody(addressOf(payer), isSimulation)) {
    if (coinBalance(call, addressOf(payer), NATIVE_COIN) < fee) throw aborted(REFUSED.feeUnpaid);
    settleFee(call, addressOf(payer), fee - asBig(refund));
  }
  if (isOrderless === true) return;
  const address = addressOf(sender);
  const account = call.read(address, ACCOUNT) ?? newAccount(address);
  call.write(address, ACCOUNT, { ...account, sequenceNumber: account.sequenceNumber + 1n });
}

/** Writes a block into the ring buffer of latest blocks. */
function recordBlock(call: CallState, event: NewBlockEvent): void {
  const history = call.read(FRAMEWORK, COMMIT_HISTORY);
  if (history === undefined) return;
  const key = encodeWith(u32, history.nextIndex);
  const isNew = call.readItem(history.handle, key, NEW_BLOCK.type, NEW_BLOCK.codec) === undefined;
  call.writeItem(history.handle, key, NEW_BLOCK.type, NEW_BLOCK.codec, event);
  const nextIndex = (history.nextIndex + 1) % history.maxCapacity;
  call.write(FRAMEWORK, COMMIT_HISTORY, {
    ...history,
    nextIndex,
    length: history.length + (isNew ? 1n : 0n),
  });
}

/** Opens a block, and ends the epoch after its interval. */
function blockPrologue(call: CallState, args: readonly Value[]): void {
  const [, id, epoch, round, proposer, failed, votes, time] = args;
  const block = call.require(FRAMEWORK, BLOCK);
  const before = call.require(FRAMEWORK, TIME);
  const validators = call.require(FRAMEWORK, VALIDATORS);
  const event: NewBlockEvent = {
    hash: addressOf(id),
    epoch: asBig(epoch),
    round: asBig(round),
    height: block.height + 1n,
    previousVotes: asBytes(votes),
    proposer: addressOf(proposer),
    failedProposers: asVec(failed).items.map(asBig),
    timestampUsec: asBig(time),
  };
  const newBlockEvents = call.emitBy(block.newBlockEvents, NEW_BLOCK, event);
  call.write(FRAMEWORK, BLOCK, { ...block, height: event.height, newBlockEvents });
  if (event.timestampUsec !== before) call.write(FRAMEWORK, TIME, event.timestampUsec);
  const performance = call.require(FRAMEWORK, PERFORMANCE).map(({ successful, failed: missed }, index) => ({
    successful: successful + (isProposer(validators, index, event) ? 1n : 0n),
    failed: missed + (event.failedProposers.includes(BigInt(index)) ? 1n : 0n),
  }));
  call.write(FRAMEWORK, PERFORMANCE, performance);
  recordBlock(call, event);
  const configuration = call.require(FRAMEWORK, CONFIGURATION);
  const head = { block, timeUsec: before, configuration };
  if (endsEpoch(head, event.timestampUsec)) endEpoch(call, event.timestampUsec, validators);
}

function isProposer({ active }: ValidatorSet, index: number, { proposer }: NewBlockEvent): boolean {
  const validator = active[index];
  return validator !== undefined && equalBytes(validator.address, proposer);
}

/** The validators that are to join make the next epoch, if there are any. */
function endEpoch(call: CallState, timestampUsec: bigint, validators: ValidatorSet): void {
  const configuration = call.require(FRAMEWORK, CONFIGURATION);
  const epoch = configuration.epoch + 1n;
  const events = call.emitBy(configuration.events, NEW_EPOCH, { epoch });
  call.write(FRAMEWORK, CONFIGURATION, { epoch, lastReconfigurationUsec: timestampUsec, events });
  const { pendingActive: active, totalJoiningPower: totalVotingPower } = validators;
  const next =
    active.length === 0
      ? validators
      : { ...validators, active, pendingActive: [], totalVotingPower, totalJoiningPower: 0n };
  call.write(FRAMEWORK, VALIDATORS, next);
  call.write(FRAMEWORK, PERFORMANCE, idlePerformance(next));
}

export const VALIDATION: readonly (readonly [string, Native])[] = effectNatives({
  "block::block_prologue": blockPrologue,
  "transaction_fee::emit_fee_statement": (call, [statement]) => {
    const [total, execution, io, storageFee, storageRefund] = asStruct(statement).fields;
    call.emit(FEE_STATEMENT, {
      total: asBig(total),
      execution: asBig(execution),
      io: asBig(io),
      storageFee: asBig(storageFee),
      storageRefund: asBig(storageRefund),
    });
  },
  "transaction_validation::unified_prologue_v2": (call, [sender, key, ...rest]) =>
    prologue(call, keyOf(addressOf(sender), key), undefined, rest),
  "transaction_validation::unified_prologue_fee_payer_v2": (call, [sender, payer, key, payerKey, ...rest]) =>
    prologue(call, keyOf(addressOf(sender), key), keyOf(addressOf(payer), payerKey), rest),
  "transaction_validation::unified_epilogue_v2": epilogue,
});
