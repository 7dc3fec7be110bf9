// Ways to lie about records. A lie depends on the seed and the version alone, not on how often or in which pages a
// version is asked for, so that a run can be repeated.
import { decodePage } from "../../src/ledger/formats/record.ts";
import { forgeBalances, forgeEvents } from "./forgery.ts";

/** A number from 0 up to, not including, `limit` that the seed and the words determine. */
export function chosen(limit: number, seed: number, ...words: readonly (string | number | bigint)[]): number {
  let hash = 0x811c9dc5 ^ seed;
  for (const char of words.join("/")) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  hash = Math.imul(hash ^ (hash >>> 13), 0x45d9f3b);
  return ((hash ^ (hash >>> 16)) >>> 0) % limit;
}

export const RECORD_LIES = ["value", "drop", "duplicate", "reorder"] as const;
export type RecordLie = (typeof RECORD_LIES)[number];

/** Which records to lie about. */
export interface RecordLieOptions {
  readonly seed: number;
  /** Lies about no earlier version. */
  readonly from?: bigint;
  /** One record in this many is lied about. */
  readonly oneIn?: number;
  /** Every hash of a forged record follows from it; otherwise most do. */
  readonly isConsistent?: boolean;
}

function forgeValue(bytes: Uint8Array, version: bigint, options: RecordLieOptions): Uint8Array {
  const { seed, isConsistent = false } = options;
  const add = BigInt(1 + chosen(1_000_000, seed, "add", version));
  // Mostly the lie that is hardest to find: the info has the hash of the changed write set.
  const kind = chosen(8, seed, "kind", version);
  if (kind === 0 && !isConsistent) return forgeBalances(bytes, add, false) ?? bytes;
  if (kind === 1 && !isConsistent) return forgeEvents(bytes) ?? bytes;
  return forgeBalances(bytes, add) ?? bytes;
}

/** The records of a page as a liar serves them. */
export function lieAboutRecords(
  lie: RecordLie,
  page: Uint8Array,
  options: RecordLieOptions,
): readonly Uint8Array[] {
  const { seed, from = 0n, oneIn = 3 } = options;
  const records = decodePage(page);
  const out: Uint8Array[] = [];
  for (let i = 0; i < records.length; i++) {
    const record = records[i];
    if (record === undefined) break;
    const { version, bytes } = record;
    if (version < from || version === 0n || chosen(oneIn, seed, lie, version) !== 0) {
      out.push(bytes);
      continue;
    }
    const next = records[i + 1];
    if (lie === "value") out.push(forgeValue(bytes, version, options));
    else if (lie === "duplicate") out.push(bytes, bytes);
    else if (lie === "reorder" && next !== undefined) {
      out.push(next.bytes, bytes);
      i++;
    } else if (lie === "reorder") out.push(bytes);
  }
  return out;
}
