// Checks the kept records of a store: each by its hashes, all by the accumulator as far back as it reaches, and against
// the block index and the position.
import { equalBytes } from "../../../base/bytes.ts";
import { errorText } from "../../../base/errors.ts";
import { toHex } from "../../../base/hex.ts";
import { finish } from "../../../base/pieces.ts";
import { encodeWith } from "../../../bcs/codec.ts";
import { transactionAccumulator } from "../../../ledger/accumulator.ts";
import { findNewBlock } from "../../../ledger/formats/block-event.ts";
import { decodeRecord, type RecordSpans } from "../../../ledger/formats/record.ts";
import { transactionInfoHash } from "../../../ledger/formats/transaction-info.ts";
import {
  type AccumulatorState,
  isAccumulatorKnown,
  type Position,
  positionCodec,
} from "../../../ledger/position.ts";
import type { BlockStart } from "../../../store/contract.ts";
import type { StoreWalk } from "../../../store/lmdb/walk.ts";
import { assertOwnHashes, checkEvents } from "../../verify/verifier.ts";
import type { CheckPace, Findings } from "./findings.ts";

/** Result of the record check. */
export interface RecordsReport {
  readonly records: number;
  readonly blocks: number;
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

/** Walks records and blocks in parallel. `onRecord` hears of every kept record that decodes. */
export async function checkRecords(
  walk: StoreWalk,
  findings: Findings,
  pace: CheckPace,
  onRecord: (record: RecordSpans) => void,
): Promise<RecordsReport> {
  const { position, identity } = walk;
  const { oldestVersion, oldestBlockHeight } = position;
  const accumulator = isAccumulatorKnown(position)
    ? transactionAccumulator(earliestAccumulator(position))
    : undefined;
  const starts = walk.blocks();
  let [next, records, blocks, anchored, leftovers] = [oldestVersion, 0, 0, 0, 0];
  let block: BlockStart | undefined;
  let lastRoot: Uint8Array | undefined;
  let firstCheckpoint: RecordsReport["firstCheckpoint"];

  const nextBlock = (): BlockStart | undefined => {
    for (let start = starts.next(); start.done !== true; start = starts.next()) {
      pace.row();
      if (start.value.height >= oldestBlockHeight) return start.value;
      leftovers++;
    }
    return undefined;
  };
  const checkBlock = ({ version, events }: RecordSpans): void => {
    const event = events.map(findNewBlock).find((found) => found !== undefined);
    if (event === undefined) {
      findings.expect(version > oldestVersion, () => `the oldest version ${version} does not start a block`);
      return;
    }
    block = nextBlock();
    if (block !== undefined) blocks++;
    const [said, stored] = [describeBlock({ ...event, firstVersion: version }), describeBlock(block)];
    findings.expect(said === stored, () => `${said} is in record ${version}, the index has ${stored}`);
  };
  const checkRecord = (record: RecordSpans): void => {
    const { version, infoBytes, info, userChainId } = record;
    const { chainId, genesisHash } = identity;
    findings.expect(record.version === next, () => `record ${next} contains version ${version}`);
    findings.expect(userChainId === undefined || userChainId === chainId, () => {
      return `record ${version} is of chain ${userChainId}, the store of chain ${chainId}`;
    });
    const leaf = transactionInfoHash(infoBytes);
    findings.expect(version > 0n || equalBytes(leaf, genesisHash), () => {
      return `the store is named by the genesis ${toHex(genesisHash)}, its own is ${toHex(leaf)}`;
    });
    checkBlock(record);
    onRecord(record);
    const stateRoot = info.stateCheckpointHash;
    if (stateRoot !== undefined) firstCheckpoint ??= { version, stateRoot };
    lastRoot = record.accumulatorRoot;
    if (accumulator !== undefined && version >= accumulator.leafCount) {
      anchored++;
      accumulator.append(leaf);
      findings.expect(equalBytes(accumulator.root(), record.accumulatorRoot), () => {
        return `record ${version}: the accumulator root hash is not that of the records up to it`;
      });
    }
    assertOwnHashes(record);
    finish(checkEvents(record));
  };

  await pace.each(walk.records(), ({ version, bytes }) => {
    if (version < oldestVersion) {
      leftovers++;
      return;
    }
    findings.expect(version === next, () => `record ${next} is missing`);
    next = version;
    records++;
    try {
      checkRecord(decodeRecord(bytes));
    } catch (error) {
      findings.add(`record ${version}: ${errorText(error)}`);
    }
    next++;
  });
  const reached: Position = {
    ...position,
    version: next - 1n,
    blockHeight: block?.height ?? 0n,
    timestampUsec: block?.timestampUsec ?? 0n,
    epoch: block?.epoch ?? 0n,
    accumulator: accumulator?.state() ?? position.accumulator,
  };
  const isReached =
    equalBytes(encodeWith(positionCodec, reached), encodeWith(positionCodec, position)) &&
    nextBlock() === undefined;
  findings.expect(isReached, () => {
    return `the position is at version ${position.version} in block ${position.blockHeight}, where the records and blocks do not end with its accumulator`;
  });
  const root = accumulator && transactionAccumulator(position.accumulator).root();
  findings.expect(root === undefined || (lastRoot !== undefined && equalBytes(root, lastRoot)), () => {
    return "the last record's accumulator root differs from the position's";
  });
  return { records, blocks, anchored, leftovers, firstCheckpoint };
}

function describeBlock(block: BlockStart | undefined): string {
  if (block === undefined) return "none";
  return `block ${block.height} at version ${block.firstVersion}, epoch ${block.epoch}, time ${block.timestampUsec}`;
}
