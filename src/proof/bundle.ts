// Bundles: everything that proves a claim to somebody who has a waypoint and nothing else. No byte is in one that no hash or
// signature covers, and that the claim does not need.
import { compareBytes, equalBytes } from "../base/bytes.ts";
import { toHex, toPrefixedHex } from "../base/hex.ts";
import { sha3 } from "../base/sha3.ts";
import { type Codec, decodeWith, encodeWith, type ValueOf } from "../bcs/codec.ts";
import { BcsError } from "../bcs/errors.ts";
import { struct, variants } from "../bcs/records.ts";
import { byteString, hash, u64 } from "../bcs/scalars.ts";
import { option, vector } from "../bcs/sequences.ts";
import { LedgerError } from "../ledger/errors.ts";
import { eventHash } from "../ledger/formats/block-event.ts";
import { type Transaction, transactionCodec } from "../ledger/formats/transaction.ts";
import {
  type TransactionInfo,
  transactionInfoCodec,
  transactionInfoHash,
} from "../ledger/formats/transaction-info.ts";
import { hashOf, SEEDS } from "../ledger/hash.ts";
import { type Waypoint, type WaypointPreimage, waypointPreimageCodec } from "../ledger/waypoint.ts";
import { FRAMEWORK, formatAddress } from "../move/address.ts";
import { MoveError } from "../move/errors.ts";
import { formatTypeTag } from "../move/type-tag.ts";
import { addressCodec } from "../move/wire.ts";
import { checkAccumulatorProof, foldAccumulator } from "./accumulator-proof.ts";
import type { Bls } from "./bls.ts";
import {
  assertInOrder,
  type Claim,
  claimCodec,
  depositOf,
  type EventClaim,
  eventOf,
  type ProvenClaim,
  type ProvenDeposit,
  type ProvenTransaction,
  provenState,
  provenTime,
  type StateClaim,
  stateKeysOf,
  streamOfEvent,
  TIME_KEYS,
} from "./claim.ts";
import { assertNamed, EpochChain } from "./epoch-chain.ts";
import { ProofError } from "./errors.ts";
import { signedLedgerInfoCodec } from "./ledger-info.ts";
import { checkStateItems, stateItemsCodec } from "./state-proof.ts";

/** The bytes of a value. A bundle may hold a thousand changes of epoch, which are stored and sent as they are. */
function bytesOf(codec: Codec<unknown>): Codec<Uint8Array> {
  return {
    minBytes: codec.minBytes,
    read: (reader) => {
      const start = reader.offset;
      codec.skip(reader);
      return reader.span(start);
    },
    write: (writer, bytes) => void writer.fixed(bytes),
    skip: codec.skip,
  };
}

/** A claim rests on three versions at most. */
export const MAX_POINTS = 3;
/** Versions and places of events have 64 bits. */
export const MAX_SIBLINGS = 64;
/** Most changes of epoch in one bundle. */
export const MAX_EPOCH_CHANGES = 1000;

const pointCodec = struct({
  version: u64,
  /** BCS of the transaction info. */
  info: bytesOf(transactionInfoCodec),
  /** Siblings of the info in the accumulator of the ledger, from the bottom up. */
  siblings: vector(hash, MAX_SIBLINGS),
  /** The bytes of the transaction that its hash covers. */
  transaction: option(byteString),
  /** Siblings of an event in the accumulator of the transaction's events, from the bottom up. */
  eventSiblings: option(vector(hash, MAX_SIBLINGS)),
  /** Items of the state after the version, which ends a block. */
  state: option(stateItemsCodec),
});
/** A version of the ledger. */
export type Point = ValueOf<typeof pointCodec>;

const signedBytes = bytesOf(signedLedgerInfoCodec);
const preimageBytes = bytesOf(waypointPreimageCodec);

/** The ledger that the points are in, and why it is the network's. All parts are BCS. */
const ledgerCodec = variants("ProvenLedger", {
  /** What the waypoint hashes. */
  named: { ledgerInfo: preimageBytes },
  signed: {
    /** The end of an epoch, which the waypoint names: what the waypoint hashes. */
    start: preimageBytes,
    /** The signed ends of the epochs after it, one after the other. */
    epochChanges: vector(signedBytes, MAX_EPOCH_CHANGES),
    last: signedBytes,
  },
  /** In a file of several bundles: the ledger of the bundle before. */
  above: {},
});
export type ProvenLedger = ValueOf<typeof ledgerCodec>;

export const bundleCodec = variants("ProofBundle", {
  v0: {
    claim: claimCodec,
    /**
     * SHA3-256 of the claim. A proof that an item does not exist holds for its neighbours too: without it, a changed digit of an
     * address might not be noticed.
     */
    claimHash: hash,
    /** In ascending order of their versions. */
    points: vector(pointCodec, MAX_POINTS),
    ledger: ledgerCodec,
  },
});
export type ProofBundle = ValueOf<typeof bundleCodec>;

/** What a checked bundle proves. */
export interface VerifiedProof {
  readonly claim: ProvenClaim;
  /** The claim holds after this version; a transaction or an event is at it. */
  readonly ledgerVersion: bigint;
  /** Time of its block, in microseconds since 1970; undefined if the bundle does not prove it. */
  readonly timestampUsec: bigint | undefined;
  /** Time of the block after it, if the bundle proves that: the version is the last one from its own time to before this. */
  readonly nextTimestampUsec: bigint | undefined;
  /** The version that the validators signed, at or after it. */
  readonly signedVersion: bigint;
  /** Time of its block, in microseconds since 1970. */
  readonly signedTimestampUsec: bigint;
}

/** Decodes a bundle. Only the bytes that encoding it gives are taken. Throws ProofError `malformed`. */
export function decodeBundle(bytes: Uint8Array): ProofBundle {
  // The only variant.
  if (bytes[0] !== 0) {
    throw new ProofError(
      "malformed",
      "not a proof bundle: expected JSON, which begins with {, or BCS, which begins with a zero byte",
    );
  }
  return decodePart("proof bundle", bundleCodec, bytes);
}

export function encodeBundle(bundle: ProofBundle): Uint8Array {
  return encodeWith(bundleCodec, bundle);
}

export function hashOfClaim(claim: Claim): Uint8Array {
  return sha3(encodeWith(claimCodec, claim));
}

/** The bundle of a claim and what proves it. */
export function bundleOf(claim: Claim, points: readonly Point[], ledger: ProvenLedger): ProofBundle {
  return { kind: "v0", claim, claimHash: hashOfClaim(claim), points, ledger };
}

function decodePart<T>(name: string, codec: Codec<T>, bytes: Uint8Array): T {
  const value = decoding(name, () => decodeWith(codec, bytes));
  if (equalBytes(encodeWith(codec, value), bytes)) return value;
  throw new ProofError("malformed", `not a ${name}: it has other bytes than this program writes`);
}

function decoding<T>(name: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof BcsError)) throw error;
    throw new ProofError("malformed", `not a ${name}: ${error.message}`, { cause: error });
  }
}

/** A point whose place in the ledger is checked, and whose transaction is the one of its info. */
interface CheckedPoint extends Pick<Point, "version" | "eventSiblings" | "state"> {
  readonly info: TransactionInfo;
  readonly transaction: Transaction | undefined;
}

type Parts = Pick<CheckedPoint, "transaction" | "eventSiblings" | "state">;
const PARTS: readonly (keyof Parts)[] = ["transaction", "eventSiblings", "state"];

/** Checks bundles, which may refer to the ledger of the one before, from a waypoint on. Trusts nothing else. */
export class BundleVerifier {
  readonly #waypoint: Waypoint;
  readonly #bls: Bls;
  #ledger: WaypointPreimage | undefined;
  #before: ClaimAt | undefined;

  constructor(waypoint: Waypoint, bls: Bls) {
    this.#waypoint = waypoint;
    this.#bls = bls;
  }

  /** A bundle continues the list of balances of the one before, if `isList`. Throws ProofError with the first reason against it. */
  verify(bundle: ProofBundle, isList = true): VerifiedProof {
    const steps = this.steps(bundle, isList);
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
    }
  }

  /** As `verify`, with a stop after each change of epoch: a signature in JavaScript takes tens of milliseconds. */
  *steps(
    { claim, claimHash, points: given, ledger: proof }: ProofBundle,
    isList = true,
  ): Generator<void, VerifiedProof> {
    const ledger =
      proof.kind === "above" ? this.#ledger : yield* checkLedger(proof, this.#waypoint, this.#bls);
    if (ledger === undefined)
      throw new ProofError("incomplete", "the bundle before, which has the ledger, is missing");
    this.#ledger = ledger;
    const points = given.map((point) => checkPoint(point, ledger));
    if (points.some(({ version }, i) => i > 0 && version <= (points[i - 1]?.version ?? version))) {
      throw new ProofError("malformed", "the versions are not in ascending order");
    }
    const signed = { signedVersion: ledger.version, signedTimestampUsec: ledger.timestampUsec };
    try {
      const isState = claim.kind !== "transaction" && claim.kind !== "event";
      const checked = isState ? checkState(claim, points) : checkTransaction(claim, points);
      if (!equalBytes(claimHash, hashOfClaim(claim))) {
        throw new ProofError("claim", "the claim was changed: it has another hash than the bundle says");
      }
      const [{ version } = { version: undefined }] = given;
      if (isList && this.#before !== undefined) assertContinues(this.#before, { claim, version });
      this.#before = { claim, version };
      return { ...checked, ...signed };
    } catch (error) {
      if (error instanceof MoveError || error instanceof BcsError) {
        throw new ProofError("malformed", `the claim: ${error.message}`, { cause: error });
      }
      if (!(error instanceof LedgerError)) throw error;
      throw new ProofError("claim", error.message, { cause: error });
    }
  }
}

interface ClaimAt {
  readonly claim: Claim;
  readonly version: bigint | undefined;
}

/** Throws ProofError unless both are balances at one version, and the accounts of the second come after the first's. */
function assertContinues(before: ClaimAt, next: ClaimAt): void {
  const [a, b] = [before.claim, next.claim];
  if (a.kind === "balances" && b.kind === "balances" && before.version === next.version) {
    const [last, first] = [a.accounts.at(-1), b.accounts[0]];
    const isAfter =
      last !== undefined && first !== undefined && compareBytes(last.address, first.address) < 0;
    if (isAfter && a.hasKeys === b.hasKeys) return;
  }
  throw new ProofError("malformed", "the bundle does not continue the list of balances of the one before");
}

/** Checks that the waypoint leads to the ledger. */
function* checkLedger(
  ledger: Exclude<ProvenLedger, { readonly kind: "above" }>,
  waypoint: Waypoint,
  bls: Bls,
): Generator<void, WaypointPreimage> {
  const preimageOf = (bytes: Uint8Array) => decodePart("ledger info", waypointPreimageCodec, bytes);
  const signedOf = (bytes: Uint8Array) => decodePart("signed ledger info", signedLedgerInfoCodec, bytes);
  if (ledger.kind === "named") {
    const named = preimageOf(ledger.ledgerInfo);
    assertNamed(waypoint, named);
    return named;
  }
  const chain = EpochChain.begin(waypoint, preimageOf(ledger.start), bls);
  for (const change of ledger.epochChanges) {
    chain.advance(signedOf(change));
    yield;
  }
  const last = signedOf(ledger.last);
  chain.check(last);
  return last.ledgerInfo;
}

function checkPoint(
  { version, info: bytes, siblings, ...parts }: Point,
  ledger: WaypointPreimage,
): CheckedPoint {
  checkAccumulatorProof(siblings, ledger, version, transactionInfoHash(bytes));
  const info = decodePart("transaction info", transactionInfoCodec, bytes);
  if (
    parts.transaction !== undefined &&
    !equalBytes(hashOf(SEEDS.transaction, parts.transaction), info.transactionHash)
  ) {
    throw new ProofError("mismatch", `the transaction is not that of version ${version}`);
  }
  const transaction = parts.transaction && decodePart("transaction", transactionCodec, parts.transaction);
  return { ...parts, version, info, transaction };
}

/** Throws ProofError unless a point has these parts and no other: what no claim needs could make a reader believe more. */
function assertParts(
  point: CheckedPoint | undefined,
  ...names: readonly (keyof Parts)[]
): asserts point is CheckedPoint {
  if (point !== undefined && PARTS.every((part) => (point[part] !== undefined) === names.includes(part)))
    return;
  throw new ProofError("malformed", "the bundle has other parts than its claim rests on");
}

/** Time of the block that a transaction begins; undefined for any other transaction. */
export function blockTimeOf(transaction: Transaction | undefined): bigint | undefined {
  if (transaction?.kind === "blockMetadata") return transaction.block.timestampUsec;
  return transaction?.kind === "blockMetadataExt" ? transaction.block.block.timestampUsec : undefined;
}

/** Reads items of the state after a version. Throws ProofError. */
function stateOf({ version, info, state }: CheckedPoint, keys: readonly Uint8Array[]) {
  const { stateCheckpointHash: root } = info;
  if (root === undefined || state === undefined) {
    throw new ProofError("mismatch", `version ${version} does not end a block: it has no state root`);
  }
  checkStateItems(state, root, keys);
  const values = new Map(keys.map((key, i) => [toHex(key), state.values[i]]));
  return (keyHash: Uint8Array): Uint8Array | undefined => values.get(toHex(keyHash));
}

type Checked = Omit<VerifiedProof, "signedVersion" | "signedTimestampUsec">;

function checkState(claim: StateClaim, [point, next, ...more]: readonly CheckedPoint[]): Checked {
  assertParts(point, "state");
  assertInOrder(claim);
  const read = stateOf(point, stateKeysOf(claim));
  const timestampUsec = provenTime(read);
  let nextTimestampUsec: bigint | undefined;
  if (next !== undefined) {
    assertParts(next, "transaction");
    nextTimestampUsec = blockTimeOf(next.transaction);
    if (next.version !== point.version + 1n || nextTimestampUsec === undefined || more.length > 0) {
      throw new ProofError("malformed", "the second version does not begin the next block");
    }
  }
  const proven = provenState(claim, read);
  return { claim: proven, ledgerVersion: point.version, timestampUsec, nextTimestampUsec };
}

/**
 * The time of a transaction is that of its block: a block metadata transaction at or before it has the time, and the state at
 * or after it has the same. Times never go back, so none lies between.
 */
function checkTransaction(claim: Exclude<Claim, StateClaim>, points: readonly CheckedPoint[]): Checked {
  const place = points.findIndex(({ version }) => version === claim.version);
  const point = points[place];
  const isBlockStart = blockTimeOf(point?.transaction) !== undefined;
  const isBlockEnd = point?.info.stateCheckpointHash !== undefined;
  const isAlone = claim.time === undefined || isBlockStart;
  const end = isAlone ? undefined : points[isBlockEnd ? 1 : 2];
  const event = claim.kind === "event" ? (["eventSiblings"] as const) : [];
  assertParts(point, "transaction", ...event, ...(end === point ? (["state"] as const) : []));
  if (place !== (isAlone ? 0 : 1) || points.length !== (isAlone ? 1 : isBlockEnd ? 2 : 3)) {
    throw new ProofError("malformed", "the bundle has other versions than its claim rests on");
  }
  if (claim.time !== undefined) {
    const [start] = points;
    if (!isAlone) assertParts(start, "transaction");
    const times = [blockTimeOf(start?.transaction)];
    if (end !== undefined) {
      if (end !== point) assertParts(end, "state");
      times.push(provenTime(stateOf(end, TIME_KEYS)));
    }
    if (times.some((time) => time !== claim.time)) {
      throw new ProofError("claim", `version ${claim.version} is not proven to be of the time ${claim.time}`);
    }
  }
  return {
    claim: claim.kind === "event" ? provenEvent(claim, point) : provenTransaction(claim, point),
    ledgerVersion: claim.version,
    timestampUsec: claim.time,
    nextTimestampUsec: undefined,
  };
}

function transactionOf({ version, info, transaction }: CheckedPoint): ProvenTransaction {
  const { raw, authenticator } = (transaction?.kind === "user" && transaction.transaction) || {};
  const payer = authenticator?.kind === "feePayer" ? authenticator.feePayerAddress : raw?.sender;
  return {
    version,
    hash: toPrefixedHex(info.transactionHash),
    transactionType: transaction?.kind ?? "",
    sender: raw && formatAddress(raw.sender),
    isSuccess: info.status.kind === "success",
    gasUsed: info.gasUsed,
    fee: raw && payer && { payer: formatAddress(payer), amount: info.gasUsed * raw.gasUnitPrice },
  };
}

function provenTransaction(
  claim: Extract<Claim, { readonly kind: "transaction" }>,
  point: CheckedPoint,
): ProvenClaim {
  if (!equalBytes(claim.hash, point.info.transactionHash)) {
    throw new ProofError("claim", `version ${claim.version} is proven to be another transaction`);
  }
  return { kind: "transaction", ...transactionOf(point) };
}

function provenEvent(claim: EventClaim, point: CheckedPoint): ProvenClaim {
  const { eventSiblings: siblings = [] } = point;
  const root = foldAccumulator(SEEDS.eventAccumulator, siblings, claim.index, eventHash(claim.event));
  if (!equalBytes(root, point.info.eventRootHash)) {
    throw new ProofError("mismatch", `version ${claim.version} has no such event at place ${claim.index}`);
  }
  const event = eventOf(claim);
  const type = formatTypeTag(event.type);
  const [deposit, stream] = [
    withCoin(depositOf(event, claim.store), point.transaction),
    streamOfEvent(event),
  ];
  return {
    kind: "event",
    ...transactionOf(point),
    index: claim.index,
    type,
    data: event.data,
    stream,
    deposit,
  };
}

/** The framework's functions that pay one account in one coin, by its arguments: the account and the amount. */
const COIN_PAYMENTS = ["coin::transfer", "aptos_account::transfer", "aptos_account::transfer_coins"];

/**
 * A deposit into a coin store does not name its coin. Where the transaction is a payment of that amount to that account by
 * the framework's function, it is the coin of the call. Only a refund of fees is a deposit too: it goes to who paid them.
 */
function withCoin(
  deposit: ProvenDeposit | undefined,
  transaction: Transaction | undefined,
): ProvenDeposit | undefined {
  if (deposit === undefined || deposit.asset !== undefined || transaction?.kind !== "user") return deposit;
  const { raw, authenticator } = transaction.transaction;
  const { payload } = raw;
  const executable = payload.kind === "payload" ? payload.payload.executable : payload;
  if (executable.kind !== "entryFunction" || authenticator.kind === "feePayer") return deposit;
  const { module, function: name, typeArgs, args } = executable.entryFunction;
  const [[to, amount], [coin]] = [args, typeArgs];
  const isPayment =
    equalBytes(module.address, FRAMEWORK) && COIN_PAYMENTS.includes(`${module.name}::${name}`);
  if (!isPayment || to === undefined || amount === undefined || args.length !== 2) return deposit;
  const account = formatAddress(decodeWith(addressCodec, to));
  if (account === formatAddress(raw.sender) || account !== deposit.account) return deposit;
  if (decodeWith(u64, amount) !== deposit.amount) return deposit;
  return { ...deposit, asset: coin === undefined ? "0x1::aptos_coin::AptosCoin" : formatTypeTag(coin) };
}
