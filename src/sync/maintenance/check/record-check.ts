// Checks the kept records of a store: each by its hashes, all by the accumulator as far back as it reaches, and against
// the block index and the stored items.
import { equalBytes } from "../../../base/bytes.ts";
import { errorText } from "../../../base/errors.ts";
import { toHex } from "../../../base/hex.ts";
import { eventRoot, transactionAccumulator } from "../../../ledger/accumulator.ts";
import { findNewBlock } from "../../../ledger/formats/block-event.ts";
import { eventHash } from "../../../ledger/formats/event.ts";
import { decodeRecord, type RecordSpans } from "../../../ledger/formats/record.ts";
import { transactionHash } from "../../../ledger/formats/transaction.ts";
import { transactionInfoHash } from "../../../ledger/formats/transaction-info.ts";
import { writeSetHash } from "../../../ledger/formats/write-set.ts";
import { type AccumulatorState, isAccumulatorKnown, type Position } from "../../../ledger/position.ts";
import type { BlockStart } from "../../../store/contract.ts";
import type { StoreWalk } from "../../../store/lmdb/walk.ts";
import type { CheckPace, Findings } from "./findings.ts";

/** Result of the record check. */
export interface RecordsReport {
  readonly records: number;
  readonly blocks: number;
  readonly writes: number;
  /** Records proven by the accumulator. */
  readonly anchored: number;
  /** Rows below the oldest version that the pruner has not removed yet. */
  readonly leftovers: number;
  /** The first kept version that claims a state root, and that root. */
  readonly firstCheckpoint: { readonly version: bigint; readonly stateRoot: Uint8Array } | undefined;
}

/**
 * The earliest accumulator from which the kept records lead to the head: the head's full subtrees up to the first that
 * ends at or after the oldest kept version.
 */
export function earliestAccumulator(position: Position): AccumulatorState {
  const { accumulator, oldestVersion } = position;
  let start = 0n;
  let known = 0;
  for (let size = 1n << 63n; size > 0n && start < oldestVersion; size >>= 1n) {
    if ((accumulator.leafCount & size) === 0n) continue;
    start += size;
    known++;
  }
  return { leafCount: start, frozen: accumulator.frozen.slice(0, known) };
}

/** Walks records and blocks in parallel. */
export class RecordCheck {
  readonly #walk: StoreWalk;
  readonly #findings: Findings;
  readonly #pace: CheckPace;
  readonly #blocks: Iterator<BlockStart>;
  readonly #onRecord: (record: RecordSpans) => void;
  #accumulator;
  #records = 0;
  #kept = 0;
  #writes = 0;
  #anchored = 0;
  #leftovers = 0;
  #block: BlockStart | undefined;
  #firstCheckpoint: RecordsReport["firstCheckpoint"];
  #lastRoot: Uint8Array | undefined;

  /** `onRecord` hears of every kept record. */
  constructor(
    walk: StoreWalk,
    findings: Findings,
    pace: CheckPace,
    onRecord: (record: RecordSpans) => void = () => {},
  ) {
    this.#onRecord = onRecord;
    this.#walk = walk;
    this.#findings = findings;
    this.#pace = pace;
    this.#blocks = walk.blocks();
    const { position } = walk;
    this.#accumulator = isAccumulatorKnown(position)
      ? transactionAccumulator(earliestAccumulator(position))
      : undefined;
  }

  async run(): Promise<RecordsReport> {
    const { position } = this.#walk;
    let next = position.oldestVersion;
    for (const { version, bytes } of this.#walk.records()) {
      this.#pace.row();
      const turn = this.#pace.turn();
      if (turn !== undefined) await turn;
      if (version < position.oldestVersion) {
        this.#leftovers++;
        continue;
      }
      this.#findings.expect(version === next, () => `record ${next} is missing`);
      this.#records++;
      this.#checkRecord(version, bytes);
      next = version + 1n;
    }
    this.#findings.expect(
      next === position.version + 1n,
      () => `records end before version ${position.version}`,
    );
    this.#checkEnd(position);
    return {
      records: this.#records,
      blocks: this.#kept,
      writes: this.#writes,
      anchored: this.#anchored,
      leftovers: this.#leftovers,
      firstCheckpoint: this.#firstCheckpoint,
    };
  }

  #checkRecord(version: bigint, bytes: Uint8Array): void {
    let record: RecordSpans;
    try {
      record = decodeRecord(bytes);
    } catch (error) {
      this.#findings.add(`record ${version} does not decode: ${errorText(error)}`);
      return;
    }
    this.#findings.expect(
      record.version === version,
      () => `record ${version} contains version ${record.version}`,
    );
    this.#checkIdentity(record);
    this.#checkHashes(record);
    this.#checkBlock(record);
    for (const write of record.writes) {
      this.#checkWrite(version, write.keyHash, write.value);
    }
    this.#onRecord(record);
    const stateRoot = record.info.stateCheckpointHash;
    if (stateRoot !== undefined) this.#firstCheckpoint ??= { version, stateRoot: stateRoot.slice() };
  }

  #checkIdentity({ version, userChainId, infoBytes }: RecordSpans): void {
    const { chainId, genesisHash } = this.#walk.identity;
    if (userChainId !== undefined && userChainId !== chainId) {
      this.#findings.add(`record ${version} is of chain ${userChainId}, the store of chain ${chainId}`);
    }
    if (version > 0n) return;
    const hash = transactionInfoHash(infoBytes);
    this.#findings.expect(equalBytes(hash, genesisHash), () => {
      return `the store is named by the genesis ${toHex(genesisHash)}, its own is ${toHex(hash)}`;
    });
  }

  #checkHashes(record: RecordSpans): void {
    const { version, info } = record;
    this.#expectHash(version, "transaction hash", transactionHash(record.transaction), info.transactionHash);
    const events = eventRoot(record.events.map(eventHash));
    this.#expectHash(version, "event root hash", events, info.eventRootHash);
    this.#expectHash(version, "state change hash", writeSetHash(record.changes), info.stateChangeHash);
    this.#lastRoot = record.accumulatorRoot.slice();
    const accumulator = this.#accumulator;
    if (accumulator === undefined || version < accumulator.leafCount) return;
    this.#anchored++;
    accumulator.append(transactionInfoHash(record.infoBytes));
    this.#expectHash(version, "accumulator root hash", accumulator.root(), record.accumulatorRoot);
  }

  #expectHash(version: bigint, what: string, computed: Uint8Array, stored: Uint8Array): void {
    if (equalBytes(computed, stored)) return;
    this.#findings.add(`record ${version}: ${what} is ${toHex(stored)}, its bytes give ${toHex(computed)}`);
  }

  #checkBlock(record: RecordSpans): void {
    const { version } = record;
    const event = record.events.map(findNewBlock).find((found) => found !== undefined);
    if (event === undefined) {
      this.#findings.expect(version > this.#walk.position.oldestVersion, () => {
        return `the oldest version ${version} does not start a block`;
      });
      return;
    }
    const block = this.#nextBlock();
    const matches =
      block?.height === event.height &&
      block.firstVersion === version &&
      block.timestampUsec === event.timestampUsec &&
      block.epoch === event.epoch;
    this.#findings.expect(matches, () => {
      return `block ${event.height}: starts at version ${version}, the index has ${describeBlock(block)}`;
    });
  }

  #nextBlock(): BlockStart | undefined {
    for (;;) {
      const { value, done } = this.#blocks.next();
      if (done === true) return undefined;
      this.#pace.row();
      if (value.height >= this.#walk.position.oldestBlockHeight) {
        this.#kept++;
        this.#block = value;
        return value;
      }
      this.#leftovers++;
    }
  }

  #checkWrite(version: bigint, keyHash: Uint8Array, value: Uint8Array | undefined): void {
    this.#writes++;
    const stored = this.#walk.peekItem(keyHash, version);
    const same =
      value === undefined || stored?.value === undefined
        ? stored !== undefined && stored.value === value
        : equalBytes(stored.value, value);
    // Without a closure: this runs for every write.
    if (same) return;
    const what = stored === undefined ? "is missing" : "differs from what the record wrote";
    this.#findings.add(`item ${toHex(keyHash)} as of version ${version} ${what}`);
  }

  #checkEnd(position: Position): void {
    const last = this.#block;
    this.#findings.expect(
      last?.height === position.blockHeight &&
        last.timestampUsec === position.timestampUsec &&
        last.epoch === position.epoch,
      () => `the position is in block ${position.blockHeight}, the last block is ${describeBlock(last)}`,
    );
    this.#findings.expect(
      this.#nextBlock() === undefined,
      () => `there are blocks above ${position.blockHeight}`,
    );
    const accumulator = this.#accumulator;
    if (accumulator === undefined) return;
    const { frozen, leafCount } = accumulator.state();
    const matches =
      leafCount === position.accumulator.leafCount &&
      frozen.length === position.accumulator.frozen.length &&
      frozen.every((hash, i) => equalBytes(hash, position.accumulator.frozen[i] ?? new Uint8Array()));
    this.#findings.expect(matches, () => "the accumulator of the position differs from the records'");
    const root = transactionAccumulator(position.accumulator).root();
    this.#findings.expect(this.#lastRoot !== undefined && equalBytes(root, this.#lastRoot), () => {
      return "the last record's accumulator root differs from the position's";
    });
  }
}

function describeBlock(block: BlockStart | undefined): string {
  if (block === undefined) return "none";
  return `block ${block.height} at version ${block.firstVersion}, epoch ${block.epoch}, time ${block.timestampUsec}`;
}
