// How far each index reaches, in a side row: every commit that is indexed moves it. A commit that is not, such as one of a
// program that knows no index, leaves it behind the head, so a gap is never taken for a whole index.
import { readNumber } from "../base/bytes.ts";
import type { IndexName } from "../ledger/view.ts";

/** Keys of the side rows. */
export const INDEX_REACH_KEYS: Readonly<Record<IndexName, Uint8Array>> = {
  items: Buffer.from("index/reach"),
  transactions: Buffer.from("index/transactions"),
};

/**
 * Whether an index can be continued, and is worth reading: every version after its reach is kept. Beyond that the pruner
 * removes items that the index does not know to be deleted, and the rows of the index say nothing more.
 */
export function isIndexAlive(reach: bigint | undefined, oldestVersion: bigint): boolean {
  return (reach ?? -1n) + 1n >= oldestVersion;
}

/** The version in the side row; undefined if there is no row. */
export function readIndexReach(row: Uint8Array | undefined): bigint | undefined {
  return row && readNumber(row, 0);
}
