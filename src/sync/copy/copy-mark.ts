// The mark of an unfinished copy, kept beside the ledger in the target: how far the copy of the base is, and that
// nobody may write there but the copy.
import { BcsReader } from "../../bcs/reader.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import type { SideRow, Store } from "../../store/contract.ts";
import { StoreError } from "../../store/errors.ts";
import { SIDE_KEYS } from "../base-rows.ts";

/** How far a copy is. */
export interface CopyMark {
  /** Oldest version of the source when the copy of its base began. */
  readonly oldestVersion: bigint;
  /** The last key of the base that is there; undefined before the first. */
  readonly lastKey: Uint8Array | undefined;
  /** True when the base is whole. */
  readonly isWhole: boolean;
}

const KEY = Uint8Array.of(SIDE_KEYS.copy);

/** The row that holds a mark, or that removes it. */
export function markRow(mark: CopyMark | undefined): SideRow {
  if (mark === undefined) return { key: KEY, value: undefined };
  const writer = new BcsWriter(64).u64(mark.oldestVersion).bool(mark.isWhole);
  return { key: KEY, value: writer.option(mark.lastKey, (out, key) => out.byteString(key)).take() };
}

/** The mark of a store; undefined where no copy is under way. */
export async function loadMark(store: Store): Promise<CopyMark | undefined> {
  const [bytes] = await store.getSideRows([KEY]);
  if (bytes === undefined) return undefined;
  const reader = new BcsReader(bytes);
  const oldestVersion = reader.u64();
  const isWhole = reader.bool();
  const lastKey = reader.option((inner) => new Uint8Array(inner.byteString()));
  reader.finish();
  return { oldestVersion, lastKey, isWhole };
}

/** True for the key of the mark. */
export function isMarkKey(key: Uint8Array): boolean {
  return key.length === 1 && key[0] === SIDE_KEYS.copy;
}

/** Throws StoreError `format` for a store that a copy was begun into and not finished. */
export async function assertNotHalfCopied(store: Store): Promise<void> {
  if ((await loadMark(store)) === undefined) return;
  throw new StoreError(
    "format",
    "the store is the target of a copy that is not finished: run sextant copy again, which goes on where it stopped",
  );
}
