// The tables of the memory engine: the versions of every key in order, blocks by height, records by version, and the
// superseded values.

import { compareBytes, equalBytes, toMapKey } from "../../base/bytes.ts";
import { passingUpTo } from "../../base/search.ts";
import type { OwnedKey, StateItem } from "../../ledger/view.ts";
import type { BlockStart, RawRecord } from "../contract.ts";

/** A value that is superseded at version `since`. */
export interface StaleRow {
  readonly since: bigint;
  readonly key: string;
  /** The version that wrote the value; equal to `since` for a deletion itself. */
  readonly version: bigint;
}

/** An index row whose item was deleted at version `since`. */
export interface DeletedRow {
  readonly since: bigint;
  /** The item. */
  readonly key: string;
  readonly owner: Uint8Array;
  readonly place: Uint8Array;
}

/**
 * Everything a view reads. Commits only append versions above the position of every open view. While views are open,
 * pruning works on a copy of the tables and never shortens a list in place.
 */
export interface Rows {
  readonly items: Map<string, StateItem[]>;
  readonly blocks: Map<bigint, BlockStart>;
  readonly records: Map<bigint, RawRecord>;
  /** By owner, in the order of places. Commits add to the lists in place; pruning replaces them. */
  readonly index: Map<string, OwnedKey[]>;
  /** Open views on these rows. */
  views: number;
}

/** Rows of an empty store. */
export function createRows(): Rows {
  return { items: new Map(), blocks: new Map(), records: new Map(), index: new Map(), views: 0 };
}

/** The same rows in new tables. */
export function copyRows(rows: Rows): Rows {
  return {
    items: new Map(rows.items),
    blocks: new Map(rows.blocks),
    records: new Map(rows.records),
    index: new Map(rows.index),
    views: 0,
  };
}

/** As `copyRows`, for two futures: commits append to the lists, so each future needs its own. */
export function forkRows(rows: Rows): Rows {
  const items = new Map([...rows.items].map(([key, list]) => [key, [...list]]));
  const index = new Map([...rows.index].map(([owner, keys]) => [owner, [...keys]]));
  return { ...copyRows(rows), items, index };
}

/** Index of the first item above the given version. */
export function indexAfter(items: readonly StateItem[], version: bigint): number {
  return passingUpTo(items, (item) => item.version <= version);
}

/** Number of places up to the given one. */
export function placesUpTo(keys: readonly OwnedKey[], place: Uint8Array): number {
  return passingUpTo(keys, (key) => compareBytes(key.place, place) <= 0);
}

/** Adds a row to the index, if it is not there. */
export function addOwned({ index }: Rows, owner: Uint8Array, { place, data }: OwnedKey): void {
  const name = toMapKey(owner);
  const keys = index.get(name) ?? [];
  const at = placesUpTo(keys, place);
  const before = keys[at - 1];
  if (before !== undefined && equalBytes(before.place, place)) return;
  keys.splice(at, 0, { place: new Uint8Array(place), data: new Uint8Array(data) });
  index.set(name, keys);
}

/** Removes a row from the index, in a new list. */
export function removeOwned({ index }: Rows, owner: Uint8Array, place: Uint8Array): void {
  const name = toMapKey(owner);
  const kept = (index.get(name) ?? []).filter((key) => !equalBytes(key.place, place));
  if (kept.length === 0) index.delete(name);
  else index.set(name, kept);
}
