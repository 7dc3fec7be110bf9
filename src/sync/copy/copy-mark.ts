// The mark of an unfinished copy, a side row of the target: the progress of the base copy, and a bar to every other
// writer.
import { decodeWith, encodeWith, type ValueOf } from "../../bcs/codec.ts";
import { struct } from "../../bcs/records.ts";
import { bool, byteString, u64 } from "../../bcs/scalars.ts";
import { option } from "../../bcs/sequences.ts";
import type { SideRow, Store } from "../../store/contract.ts";
import { StoreError } from "../../store/errors.ts";
import { SIDE_KEYS } from "../base-rows.ts";

/** Progress of a copy. */
const markCodec = struct({
  /** Oldest version of the source when the copy of its base began. */
  oldestVersion: u64,
  /** True when the base is complete. */
  isWhole: bool,
  /** The last copied key of the base; undefined before the first. */
  lastKey: option(byteString),
});
export type CopyMark = ValueOf<typeof markCodec>;

const KEY = Uint8Array.of(SIDE_KEYS.copy);

/** The row that sets a mark, or removes it. */
export function markRow(mark: CopyMark | undefined): SideRow {
  return { key: KEY, value: mark === undefined ? undefined : encodeWith(markCodec, mark) };
}

/** The mark of a store; undefined if it is not an unfinished copy. */
export async function loadMark(store: Store): Promise<CopyMark | undefined> {
  const [bytes] = await store.getSideRows([KEY]);
  return bytes === undefined ? undefined : decodeWith(markCodec, new Uint8Array(bytes));
}

export function isMarkKey(key: Uint8Array): boolean {
  return key.length === 1 && key[0] === SIDE_KEYS.copy;
}

/** Throws StoreError `format` for the target of an unfinished copy. */
export async function assertNotHalfCopied(store: Store): Promise<void> {
  if ((await loadMark(store)) === undefined) return;
  throw new StoreError(
    "format",
    "the store is the target of a copy that is not finished: run sextant copy again to resume it",
  );
}
