// How far the index reaches, in a side row: every commit that is indexed moves it. A commit that is not, such as one of a
// program that knows no index, leaves it behind the head, so a gap is never taken for a whole index.
import type { SideRow } from "./contract.ts";

/** Key of the side row. A copy of a ledger does not take it over: each store has its own index. */
export const INDEX_REACH_KEY: Uint8Array = Buffer.from("index/reach");

/** The row that says that the index has every item up to a version. */
export function indexReachRow(version: bigint): SideRow {
  const value = Buffer.alloc(8);
  value.writeBigUInt64BE(version);
  return { key: INDEX_REACH_KEY, value };
}

/** The version in the side row; undefined if there is no row. */
export function readIndexReach(row: Uint8Array | undefined): bigint | undefined {
  if (row === undefined) return undefined;
  return Buffer.from(row.buffer, row.byteOffset, row.byteLength).readBigUInt64BE();
}
