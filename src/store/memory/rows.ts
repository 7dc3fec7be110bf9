// The tables of the memory engine: the versions of every key in order, blocks by height, records by version, and the
// superseded values.
import type { StateItem } from "../../ledger/view.ts";
import type { BlockStart, RawRecord } from "../contract.ts";

/** A value that is superseded at version `since`. */
export interface StaleRow {
  readonly since: bigint;
  readonly key: string;
  /** The version that wrote the value; equal to `since` for a deletion itself. */
  readonly version: bigint;
}

/**
 * Everything a view reads. Commits only append versions above the position of every open view. While views are open,
 * pruning works on a copy of the tables and never shortens a list in place.
 */
export interface Rows {
  readonly items: Map<string, StateItem[]>;
  readonly blocks: Map<bigint, BlockStart>;
  readonly records: Map<bigint, RawRecord>;
  /** Open views on these rows. */
  views: number;
}

/** Rows of an empty store. */
export function createRows(): Rows {
  return { items: new Map(), blocks: new Map(), records: new Map(), views: 0 };
}

/** The same rows in new tables. */
export function copyRows(rows: Rows): Rows {
  return {
    items: new Map(rows.items),
    blocks: new Map(rows.blocks),
    records: new Map(rows.records),
    views: 0,
  };
}

/** Text form of a key, for use as a map key. */
export function toMapKey(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** Index of the first item above the given version. */
export function indexAfter(items: readonly StateItem[], version: bigint): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && item.version <= version) low = middle + 1;
    else high = middle;
  }
  return low;
}
