// Copies the base of a pruned ledger: the state below its oldest block. The records of that state are pruned, so its
// items are copied directly and proven by the state root in the last record of the oldest block.
import { equalBytes } from "../../../base/bytes.ts";
import { toHex } from "../../../base/hex.ts";
import { LedgerError } from "../../../ledger/errors.ts";
import { stateValueHash } from "../../../ledger/formats/state-value.ts";
import { StateTree, type TreeUpdate } from "../../../ledger/state-tree/update.ts";
import type { StateWrite, Store } from "../../../store/contract.ts";
import { StoreError } from "../../../store/errors.ts";
import type { ItemRow, StoreWalk } from "../../../store/lmdb/walk.ts";
import { COPY_MARK } from "../../side-rows.ts";
import { StoreWriter } from "../../store-writer.ts";
import type { VerifiedBlock } from "../../verify/verifier.ts";

/** Keys per write. */
const DEFAULT_CHUNK_KEYS = 2000;
const CHUNK_BYTES = 8 * 1024 * 1024;
/** Nodes of the state tree kept in memory, at about a kilobyte each. */
const MAX_KEPT_NODES = 20_000;

/** Options of `copyBase`. */
export interface BaseCopy {
  readonly source: StoreWalk;
  readonly target: Store;
  /** The oldest block of the source. */
  readonly oldest: VerifiedBlock;
  /** Keys per write. */
  readonly chunkKeys?: number | undefined;
  readonly onKeys: (keys: number, values: number) => void;
  /** Yields to the event loop; rejects when the copy must stop. */
  readonly yieldTurn: () => Promise<void>;
}

interface Chunk {
  writes: StateWrite[];
  updates: TreeUpdate[];
  bytes: number;
  keys: number;
  values: number;
}

const emptyChunk = (): Chunk => ({ writes: [], updates: [], bytes: 0, keys: 0, values: 0 });

/** Yields the rows of each key, newest first. */
function* keysOf(source: StoreWalk, after: Uint8Array | undefined): Generator<readonly ItemRow[]> {
  let rows: ItemRow[] = [];
  for (const row of source.copyItems(after)) {
    const [first] = rows;
    if (first !== undefined && !equalBytes(first.keyHash, row.keyHash)) {
      yield rows;
      rows = [];
    }
    rows.push(row);
  }
  if (rows.length > 0) yield rows;
}

/** Adds one key: its value below the oldest block, and its tree leaf after that block. */
function addKey(chunk: Chunk, rows: readonly ItemRow[], { start, position }: VerifiedBlock): void {
  chunk.keys++;
  chunk.values += rows.length;
  const base = rows.find(({ version }) => version < start.firstVersion);
  const isSeen = !rows.some(({ version }) => version === start.firstVersion);
  if (base?.value !== undefined && isSeen) {
    chunk.writes.push({ keyHash: base.keyHash, version: base.version, value: base.value });
    chunk.bytes += base.value.length;
  }
  const after = rows.find(({ version }) => version <= position.version);
  if (after?.value === undefined) return;
  chunk.updates.push({ keyHash: after.keyHash, valueHash: stateValueHash(after.value) });
}

/** Copies the base into an empty target; resumes an interrupted copy. Throws LedgerError `mismatch`. */
export async function copyBase(copy: BaseCopy): Promise<void> {
  const { source, target, oldest, chunkKeys = DEFAULT_CHUNK_KEYS, onKeys, yieldTurn } = copy;
  const { oldestVersion } = source.position;
  const mark = await COPY_MARK.load(target);
  if (mark !== undefined && mark.oldestVersion !== oldestVersion) {
    throw new StoreError(
      "order",
      `the copy began when the source's oldest version was ${mark.oldestVersion}, now it is ${oldestVersion}: copy into an empty target, best from a backup`,
    );
  }
  const writer = new StoreWriter(target);
  const tree = new StateTree((keys) => target.getTreeNodes(keys));
  let lastKey = mark?.lastKey;
  const write = async (chunk: Chunk, isWhole: boolean): Promise<void> => {
    await yieldTurn();
    await tree.apply(chunk.updates);
    const row = COPY_MARK.row({ oldestVersion, lastKey, isWhole });
    await writer.writeBase({ writes: chunk.writes, treeNodes: tree.takeChanges(), sideRows: [row] });
    if (tree.size > MAX_KEPT_NODES) tree.forget();
    onKeys(chunk.keys, chunk.values);
  };
  if (mark?.isWhole !== true) {
    let chunk = emptyChunk();
    for (const rows of keysOf(source, lastKey)) {
      addKey(chunk, rows, oldest);
      lastKey = rows[0]?.keyHash;
      if (chunk.keys < chunkKeys && chunk.bytes < CHUNK_BYTES) continue;
      await write(chunk, false);
      chunk = emptyChunk();
    }
    await write(chunk, true);
  }
  const root = await tree.apply([]);
  if (equalBytes(root, oldest.claimedStateRoot)) return;
  const { version } = oldest.position;
  const [expected, actual] = [toHex(oldest.claimedStateRoot), toHex(root)];
  throw new LedgerError(
    "mismatch",
    `version ${version}: the copied items give state root ${actual}, expected ${expected}`,
    {
      details: { version, field: "state root", expected, actual },
    },
  );
}
