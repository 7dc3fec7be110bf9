// The interface of a signature source: a place that has ledger infos signed by validators. Nothing it says is trusted: the
// epoch chain checks every signature.
import { errorText } from "../../base/errors.ts";
import { firstPassing } from "../../base/search.ts";
import { decodeWith } from "../../bcs/codec.ts";
import type { TransactionInfo } from "../../ledger/formats/transaction-info.ts";
import { ProofError } from "../../proof/errors.ts";
import { type SignedLedgerInfo, signedLedgerInfoCodec } from "../../proof/ledger-info.ts";
import { UpstreamError, type UpstreamErrorCode } from "../upstream/errors.ts";

/** An item of a state as a service gives it. */
export interface StateRecord {
  /** BCS of the state key. */
  readonly key: Uint8Array;
  /** BCS of the state value. */
  readonly value: Uint8Array;
}

/** What proves items of a state. */
export interface StateQuestions {
  stateItemCount(version: bigint, signal: AbortSignal): Promise<bigint>;
  stateChunk(
    version: bigint,
    start: bigint,
    limit: number,
    signal: AbortSignal,
  ): Promise<readonly StateRecord[]>;
  rightSiblings(version: bigint, keyHash: Uint8Array, signal: AbortSignal): Promise<readonly Uint8Array[]>;
}

/** Items of a state from an index on, in the order of their key hashes. */
export interface StateRange {
  readonly items: readonly StateRecord[];
  /** Siblings on the right of the last item, from the bottom up. */
  readonly right: readonly Uint8Array[];
}

/** What gives whole states in ranges, and proves their roots. */
export interface WholeStates {
  readonly name: string;
  /** The newest version up to one whose state it may have; undefined if it has none. */
  newestState(upTo: bigint, signal: AbortSignal): Promise<bigint | undefined>;
  /** Forgets what it read, because it was false. */
  forget?(): void;
  /** At most `limit` items; fewer only at the end. */
  stateRange(version: bigint, start: bigint, limit: number, signal: AbortSignal): Promise<StateRange>;
  /** The info of a version with its proof for a ledger info of its epoch. */
  stateRootProof(
    version: bigint,
    signal: AbortSignal,
  ): Promise<{
    readonly siblings: readonly Uint8Array[];
    readonly info: TransactionInfo;
    readonly signed: SignedLedgerInfo;
  }>;
}

/** A service that proves items of a state, and its root. */
export interface StateService extends StateQuestions, WholeStates {}

export function isStateService(states: WholeStates): states is StateService {
  return "stateItemCount" in states;
}

/** A source of signed ledger infos. Calls throw UpstreamError, or the signal's reason once aborted. */
export interface SignatureSource {
  /** For logs and metrics; contains no secret. */
  readonly name: string;
  /** Undefined until it is known. A folder changes by the epoch, a service by the block. */
  readonly kind: "folder" | "service" | "peer" | undefined;
  /** Bytes received so far. */
  readonly receivedBytes: number;
  /**
   * The ends of the epochs from `first` on, in order, unchecked except for their numbers. Ends where the source has no
   * more.
   */
  epochEnds(first: bigint, signal: AbortSignal): AsyncGenerator<SignedLedgerInfo>;
  /** The last epoch whose end it says it has; undefined if none. */
  lastEpoch(signal: AbortSignal): Promise<bigint | undefined>;
  /** The epoch that ends at a version, as the source says; undefined if it knows of none. */
  findEpochEnd(version: bigint, signal: AbortSignal): Promise<bigint | undefined>;
  /** The latest ledger info, unchecked; undefined from a source that has only the ends of epochs. */
  latest(signal: AbortSignal): Promise<SignedLedgerInfo | undefined>;
  /** Whole states, by a StateService where the source proves single items, too; undefined from a source that has none. */
  states(signal: AbortSignal): Promise<WholeStates | undefined>;
  close(): void;
}

/** Faults of an UpstreamError that no connection explains. */
const LIES: ReadonlySet<UpstreamErrorCode> = new Set([
  "malformed",
  "gap",
  "too_large",
  "endless",
  "wrong_chain",
]);

/** Whether a source said something that no signature can make true. */
export function isLie(error: unknown): error is UpstreamError | ProofError {
  return error instanceof ProofError || (error instanceof UpstreamError && LIES.has(error.code));
}

/** The files that values of folders come from. */
const places = new WeakMap<object, string>();

export function notePlace<T extends object>(value: T, place: string): T {
  places.set(value, place);
  return value;
}

/** Names in a lie the file that a value comes from, which somebody else found false. */
export function lieAbout(value: object, error: unknown): unknown {
  return namedLie(places.get(value), error);
}

/** Names in a lie the files that it comes from. */
export function namedLie(place: string | undefined, error: unknown): unknown {
  if (place === undefined || !isLie(error) || error.message.includes(place)) return error;
  const message = `${place}: ${error.message}`;
  return error instanceof ProofError
    ? new ProofError(error.code, message, { cause: error })
    : new UpstreamError(error.code, message, { cause: error });
}

/** Longest signed ledger info: about 11,000 validators. */
export const MAX_LEDGER_INFO_BYTES = 1024 * 1024;

/** Decodes a signed ledger info and checks that it ends the expected epoch. Throws UpstreamError. */
export function decodeEpochEnd(bytes: Uint8Array, epoch: bigint): SignedLedgerInfo {
  const signed = decodeSigned(bytes);
  assertEpochEnd(signed, epoch);
  return signed;
}

/** The epoch from `first` on and before `end` that ends at a version, by the ends that `readEnd` reads. */
export async function searchEpochEnd(
  version: bigint,
  first: bigint,
  end: bigint,
  readEnd: (epoch: bigint) => Promise<SignedLedgerInfo | undefined>,
): Promise<bigint | undefined> {
  const versionOf = async (epoch: bigint): Promise<bigint> =>
    (await readEnd(epoch))?.ledgerInfo.version ?? 0n;
  // Ends of epochs rise with their versions.
  const found = await firstPassing(first, end, async (epoch) => (await versionOf(epoch)) >= version);
  return found < end && (await versionOf(found)) === version ? found : undefined;
}

/** Throws UpstreamError unless a ledger info ends the epoch. */
export function assertEpochEnd({ ledgerInfo }: SignedLedgerInfo, epoch: bigint): void {
  if (ledgerInfo.epoch !== epoch) {
    throw new UpstreamError(
      "gap",
      `expected the end of epoch ${epoch}, got a ledger info of epoch ${ledgerInfo.epoch}`,
    );
  }
  if (ledgerInfo.nextEpoch === undefined) {
    throw new UpstreamError(
      "malformed",
      `the ledger info of version ${ledgerInfo.version} does not end an epoch`,
    );
  }
}

/** Decodes a signed ledger info into memory of its own. Throws UpstreamError. */
function decodeSigned(bytes: Uint8Array): SignedLedgerInfo {
  return decodeAnswer("a signed ledger info", () => decodeWith(signedLedgerInfoCodec, new Uint8Array(bytes)));
}

/** Runs a decoder. Throws UpstreamError for bytes that do not decode: whatever a decoder throws is the source's fault. */
export function decodeAnswer<T>(what: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw new UpstreamError("malformed", `${what} does not decode: ${errorText(error)}`, { cause: error });
  }
}
