// Replay without execution: every record must continue the position before it, and its hashes must follow from its
// bytes. No I/O: returns complete blocks, whose state root the committer compares before the commit.
import { equalBytes } from "../../base/bytes.ts";
import { toHex } from "../../base/hex.ts";
import { finish, type Pieces } from "../../base/pieces.ts";
import { type NumberOptions, type NumberSettings, type Numbers, numbersOf } from "../../base/settings.ts";
import { BcsError } from "../../bcs/errors.ts";
import {
  type Accumulator,
  EMPTY_ACCUMULATOR,
  eventRootInPieces,
  type Subtree,
  transactionAccumulator,
} from "../../ledger/accumulator.ts";
import { LedgerError } from "../../ledger/errors.ts";
import {
  eventHash,
  findNewBlock,
  findNewEpoch,
  type NewBlockEvent,
} from "../../ledger/formats/block-event.ts";
import { findChainId } from "../../ledger/formats/genesis.ts";
import type { RecordSpans } from "../../ledger/formats/record.ts";
import { transactionHash } from "../../ledger/formats/transaction.ts";
import { transactionInfoHash } from "../../ledger/formats/transaction-info.ts";
import { writeSetHash } from "../../ledger/formats/write-set.ts";
import { type AccumulatorState, isAccumulatorKnown, type Position } from "../../ledger/position.ts";
import type { TrustLevel } from "../../ledger/trust.ts";
import type { Waypoint } from "../../ledger/waypoint.ts";
import type { BlockStart, RawRecord, StateWrite } from "../../store/contract.ts";

/** One complete block, verified except for its state root. */
export interface VerifiedBlock {
  readonly start: BlockStart;
  readonly writes: readonly StateWrite[];
  readonly records: readonly RawRecord[];
  /** Of the records, in their order. */
  readonly transactionHashes: readonly Uint8Array[];
  /** Position after the block. */
  readonly position: Omit<Position, "stateRoot" | "trust" | "refuted">;
  /** Roots of the full subtrees before the block's last version: what stands left of it in the accumulator. */
  readonly leftOfLast: readonly Uint8Array[];
  /** Full subtrees of the accumulator that end inside the block, of at least 2^`SUBTREE_LEVEL` leaves. */
  readonly subtrees: readonly Subtree[];
  /** The state root that the block's last info claims. */
  readonly claimedStateRoot: Uint8Array;
}

/** Smaller subtrees of the accumulator are quickly made from records. */
export const SUBTREE_LEVEL = 5;

interface OpenBlock {
  readonly start: BlockStart;
  readonly writes: StateWrite[];
  readonly records: RawRecord[];
  readonly transactionHashes: Uint8Array[];
  /** Memory that the records and writes take. */
  bytes: number;
}

/** Bounds of a block whose checkpoint has not come yet: its records wait in memory. */
export const OPEN_BLOCK_NUMBERS = {
  /** Public networks allow about 10,000. */
  openBlockRecords: { fallback: 20_000, min: 1, max: 10_000_000 },
  openBlockBytes: { fallback: 64 * 1024 * 1024, min: 1024 * 1024, max: 4 * 1024 * 1024 * 1024 },
} as const satisfies NumberSettings;

/** Heap of the objects that hold one write beside its bytes: 653 on the local chain, Node 20. */
const WRITE_OVERHEAD_BYTES = 650;

function mismatch(version: bigint, field: string, expected: unknown, actual: unknown): LedgerError {
  return new LedgerError("mismatch", `version ${version}: ${field} must be ${expected}, got ${actual}`, {
    details: { version, field, expected, actual },
  });
}

function assertHash(version: bigint, field: string, computed: Uint8Array, claimed: Uint8Array): void {
  if (!equalBytes(computed, claimed)) throw mismatch(version, field, toHex(computed), toHex(claimed));
}

/** Throws LedgerError `mismatch` unless the hashes in a record's info are those of its bytes, its events left out. */
export function assertOwnHashes({ version, info, transaction, changes }: RecordSpans): void {
  assertHash(version, "transaction hash", transactionHash(transaction), info.transactionHash);
  assertHash(version, "state change hash", writeSetHash(changes), info.stateChangeHash);
}

/** Throws LedgerError `mismatch` if the events of a record are not those of its info: there may be tens of thousands. */
export function* checkEvents({ version, info, events }: RecordSpans): Pieces<void> {
  const root = yield* eventRootInPieces(events, eventHash);
  assertHash(version, "event root hash", root, info.eventRootHash);
}

function findOnly<T>(record: RecordSpans, find: (event: Uint8Array) => T | undefined, name: string) {
  let found: T | undefined;
  for (const event of record.events) {
    let one: T | undefined;
    try {
      one = find(event);
    } catch (error) {
      if (!(error instanceof BcsError)) throw error;
      throw new LedgerError("corrupt", `version ${record.version}: ${name} event: ${error.message}`, {
        details: { version: record.version, field: name },
        cause: error,
      });
    }
    if (one === undefined) continue;
    if (found !== undefined) throw mismatch(record.version, name, "one event", "two");
    found = one;
  }
  return found;
}

/** Start of a replay without knowledge of earlier history: the first version of some block. */
export interface BaseStart {
  readonly chainId: number;
  readonly version: bigint;
  /** Of the versions before; undefined if they are unknown. */
  readonly accumulator?: AccumulatorState | undefined;
  /** True if the store has the whole state before this version, which its accumulator leads to. */
  readonly hasState?: boolean;
  /** What is known of the first block's last version; nothing is committed that differs from it. */
  readonly end?: SignedEnd | undefined;
}

/** The end of an epoch that validators signed, or that the operator's waypoint names. */
export interface SignedEnd {
  readonly waypoint: Waypoint;
  readonly level: TrustLevel;
}

/** Checks records one after the other, starting after a position, from version 0, or from a base. */
export class Verifier {
  /** Undefined when the earlier leaves are unknown; roots cannot be recomputed then. */
  readonly #accumulator: Accumulator | undefined;
  #nextVersion: bigint;
  #chainId: number | undefined;
  #height: bigint | undefined;
  #timestampUsec: bigint;
  /**
   * Epochs that the next block may have. Two after a restart, when it is unknown whether the last block ended an
   * epoch; undefined (any) at a base.
   */
  #nextEpochs: readonly bigint[] | undefined;
  #open: OpenBlock | undefined;
  #subtrees: Subtree[] = [];
  readonly #bounds: Numbers<typeof OPEN_BLOCK_NUMBERS>;

  constructor(
    position: Position | undefined,
    base?: BaseStart,
    bounds: NumberOptions<typeof OPEN_BLOCK_NUMBERS> = {},
  ) {
    this.#bounds = numbersOf(OPEN_BLOCK_NUMBERS, bounds);
    const isBase = position === undefined ? base !== undefined : !isAccumulatorKnown(position);
    const isProven = position === undefined && base?.accumulator !== undefined;
    this.#accumulator =
      isBase && !isProven ? undefined : transactionAccumulator(position?.accumulator ?? base?.accumulator);
    this.#nextVersion = position === undefined ? (base?.version ?? 0n) : position.version + 1n;
    this.#chainId = position?.chainId ?? base?.chainId;
    this.#height = position?.blockHeight;
    this.#timestampUsec = position?.timestampUsec ?? 0n;
    if (position !== undefined) this.#nextEpochs = [position.epoch, position.epoch + 1n];
    else this.#nextEpochs = isBase ? undefined : [0n];
  }

  /** The version that must come next. */
  get nextVersion(): bigint {
    return this.#nextVersion;
  }

  /** The records of the block that has not ended yet. */
  get openRecords(): readonly RawRecord[] {
    return this.#open?.records ?? [];
  }

  /** Takes one record and returns the block that it completes, if any. Unusable after an error. */
  push(record: RecordSpans): VerifiedBlock | undefined {
    return finish(this.pushInPieces(record));
  }

  *pushInPieces(record: RecordSpans): Pieces<VerifiedBlock | undefined> {
    yield* checkEvents(record);
    return this.pushWithoutEvents(record);
  }

  /** The same, but the caller compares the events, by `checkEvents`. */
  pushWithoutEvents(record: RecordSpans): VerifiedBlock | undefined {
    const { version } = record;
    if (version !== this.#nextVersion) throw mismatch(version, "version", this.#nextVersion, version);
    const leftOfLast = this.#leftOf(record);
    this.#checkHashes(record);
    this.#nextVersion++;
    this.#checkChain(record);
    const open = this.#checkBlock(record);
    open.records.push({ version, bytes: record.bytes });
    open.transactionHashes.push(record.info.transactionHash);
    for (const { key, keyHash, value } of record.writes) open.writes.push({ key, keyHash, version, value });
    this.#checkBounds(record, open);
    const claimedStateRoot = record.info.stateCheckpointHash;
    this.#checkEpoch(record, open.start.epoch, claimedStateRoot !== undefined);
    if (claimedStateRoot === undefined) return undefined;
    this.#open = undefined;
    const { start, writes, records, transactionHashes } = open;
    const position = this.#position(version, start);
    const subtrees = this.#subtrees;
    this.#subtrees = [];
    return { start, writes, records, transactionHashes, position, leftOfLast, subtrees, claimedStateRoot };
  }

  #leftOf({ info }: RecordSpans): readonly Uint8Array[] {
    if (info.stateCheckpointHash === undefined) return [];
    return this.#accumulator?.state().frozen ?? [];
  }

  #checkBounds({ version, bytes, writes }: RecordSpans, open: OpenBlock): void {
    open.bytes += bytes.length + WRITE_OVERHEAD_BYTES * writes.length;
    // A value that differs from its write operation is a copy.
    for (const { value } of writes) if (value?.buffer !== bytes.buffer) open.bytes += value?.length ?? 0;
    const { openBlockRecords, openBlockBytes } = this.#bounds;
    if (open.records.length > openBlockRecords) {
      throw mismatch(version, "records without a checkpoint", `at most ${openBlockRecords}`, "more");
    }
    if (open.bytes > openBlockBytes) {
      throw mismatch(version, "bytes without a checkpoint", `at most ${openBlockBytes}`, "more");
    }
  }

  #checkHashes(record: RecordSpans): void {
    assertOwnHashes(record);
    if (this.#accumulator === undefined) return;
    this.#accumulator.append(transactionInfoHash(record.infoBytes), (subtree) => {
      if (subtree.level >= SUBTREE_LEVEL) this.#subtrees.push(subtree);
    });
    assertHash(record.version, "accumulator root hash", this.#accumulator.root(), record.accumulatorRoot);
  }

  #checkChain(record: RecordSpans): void {
    this.#chainId ??= findChainId(record.writes);
    if (record.userChainId !== undefined && record.userChainId !== this.#chainId) {
      throw mismatch(record.version, "chain id", this.#chainId, record.userChainId);
    }
  }

  /** The record's block: the open one, or the one that it starts. */
  #checkBlock(record: RecordSpans): OpenBlock {
    const { version } = record;
    const event = findOnly(record, findNewBlock, "new block");
    if (this.#open !== undefined) {
      if (event !== undefined) throw mismatch(version, "new block", "none before a checkpoint", event.height);
      return this.#open;
    }
    if (event === undefined) throw mismatch(version, "new block", "one after a checkpoint", "none");
    this.#checkBlockEvent(version, event);
    const start: BlockStart = {
      height: event.height,
      firstVersion: version,
      timestampUsec: event.timestampUsec,
      epoch: event.epoch,
    };
    this.#height = event.height;
    this.#timestampUsec = event.timestampUsec;
    this.#open = { start, writes: [], records: [], transactionHashes: [], bytes: 0 };
    return this.#open;
  }

  #checkBlockEvent(version: bigint, event: NewBlockEvent): void {
    const height = this.#height === undefined ? 0n : this.#height + 1n;
    // The first block at a base may have any height, epoch and time.
    if (this.#nextEpochs === undefined) return;
    if (event.height !== height) throw mismatch(version, "block height", height, event.height);
    if (!this.#nextEpochs.includes(event.epoch)) {
      throw mismatch(version, "block epoch", this.#nextEpochs.join(" or "), event.epoch);
    }
    // Blocks without a proposal repeat the time of the block before.
    if (event.timestampUsec < this.#timestampUsec) {
      throw mismatch(version, "block time", `at least ${this.#timestampUsec}`, event.timestampUsec);
    }
  }

  #checkEpoch(record: RecordSpans, blockEpoch: bigint, endsBlock: boolean): void {
    const event = findOnly(record, findNewEpoch, "new epoch");
    if (event === undefined) {
      if (endsBlock) this.#nextEpochs = [blockEpoch];
      return;
    }
    if (event.epoch !== blockEpoch + 1n) {
      throw mismatch(record.version, "new epoch", blockEpoch + 1n, event.epoch);
    }
    if (!endsBlock)
      throw mismatch(record.version, "state checkpoint hash", "present at an epoch's end", "none");
    this.#nextEpochs = [event.epoch];
  }

  #position(version: bigint, block: BlockStart): VerifiedBlock["position"] {
    if (this.#chainId === undefined) throw new Error("a block was verified without a chain id");
    return {
      chainId: this.#chainId,
      version,
      timestampUsec: block.timestampUsec,
      epoch: block.epoch,
      blockHeight: block.height,
      oldestVersion: 0n,
      oldestBlockHeight: 0n,
      accumulator: this.#accumulator?.state() ?? EMPTY_ACCUMULATOR,
    };
  }
}
