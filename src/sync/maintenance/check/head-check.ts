// A quick check of a store before use: the head record, the position and the root of the state tree must agree. It
// costs a few reads; `checkStore` checks the whole store.
import { equalBytes } from "../../../base/bytes.ts";
import { errorText } from "../../../base/errors.ts";
import { transactionAccumulator } from "../../../ledger/accumulator.ts";
import { decodeRecord, type RecordSpans } from "../../../ledger/formats/record.ts";
import { transactionInfoHash } from "../../../ledger/formats/transaction-info.ts";
import { SPARSE_MERKLE_PLACEHOLDER } from "../../../ledger/hash.ts";
import { isAccumulatorKnown, type Position } from "../../../ledger/position.ts";
import { decodeTreeNode, treeNodeHash, treeNodeKey } from "../../../ledger/state-tree/tree-node.ts";
import type { Store, StoreView } from "../../../store/contract.ts";
import { isPassingFault, StoreError } from "../../../store/errors.ts";

function damaged(what: string, cause?: unknown): StoreError {
  return new StoreError("corrupt", `the store is damaged: ${what} (run sextant check for details)`, {
    cause,
  });
}

function expect(holds: boolean, what: string): void {
  if (!holds) throw damaged(what);
}

/** Throws StoreError `corrupt` when the head of a store is inconsistent. Accepts an empty store. */
export async function assertHead(store: Store): Promise<void> {
  if (store.identity === undefined) return;
  let view: StoreView;
  try {
    view = await store.openRawView();
  } catch (error) {
    if (isPassingFault(error)) throw error;
    throw damaged(`its position cannot be read: ${errorText(error)}`, error);
  }
  try {
    const { position } = view;
    expect(position.chainId === store.identity.chainId, "its position belongs to another chain");
    await assertRecord(view, position);
    const [oldest, head] = [
      await view.getBlockByHeight(position.oldestBlockHeight),
      await view.getBlockByHeight(position.blockHeight),
    ];
    expect(
      oldest?.firstVersion === position.oldestVersion,
      "the oldest block does not start at the oldest version",
    );
    expect(
      head?.timestampUsec === position.timestampUsec,
      "the newest block does not have the position's time",
    );
    await assertTreeRoot(store, position);
  } finally {
    view.release();
  }
}

async function assertRecord(view: StoreView, position: Position): Promise<void> {
  const { version, accumulator } = position;
  const [raw] = await view.getRecords(version, 1, 1);
  if (raw === undefined) throw damaged(`the record of version ${version} is missing`);
  let record: RecordSpans;
  try {
    record = decodeRecord(raw.bytes);
  } catch (error) {
    throw damaged(`the record of version ${version} does not decode: ${errorText(error)}`, error);
  }
  expect(record.version === version, `the record of version ${version} has another version`);
  if (!isAccumulatorKnown(position)) return;
  const root = transactionAccumulator(accumulator).root();
  expect(equalBytes(root, record.accumulatorRoot), "the accumulator root differs from the head record's");
  const leaf = accumulator.leafCount % 2n === 1n ? accumulator.frozen.at(-1) : undefined;
  if (leaf === undefined) return;
  expect(
    equalBytes(leaf, transactionInfoHash(record.infoBytes)),
    "the head record is not the last one appended",
  );
}

async function assertTreeRoot(store: Store, { stateRoot }: Position): Promise<void> {
  if (stateRoot === undefined) return;
  const [bytes] = await store.getTreeNodes([treeNodeKey(SPARSE_MERKLE_PLACEHOLDER, 0)]);
  let root: Uint8Array;
  try {
    root = bytes === undefined ? SPARSE_MERKLE_PLACEHOLDER : treeNodeHash(decodeTreeNode(bytes));
  } catch (error) {
    throw damaged(`the root of the state tree does not decode: ${errorText(error)}`, error);
  }
  expect(equalBytes(root, stateRoot), "the root of the state tree differs from the position's");
}
