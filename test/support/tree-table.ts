// A table of state tree nodes in memory, for tests of updates.
import { fromHex, toHex } from "../../src/base/hex.ts";
import { type TreeNodeReader, type TreeUpdate, updateStateTree } from "../../src/ledger/state-tree/update.ts";

/** A state tree over rows in memory. */
export function createTable() {
  const rows = new Map<string, Uint8Array>();
  const reader: TreeNodeReader = async (keys) => keys.map((key) => rows.get(toHex(key)));
  const apply = async (updates: readonly TreeUpdate[]) => {
    const { root, nodes } = await updateStateTree(reader, updates);
    for (const { key, value } of nodes) {
      if (value === undefined) rows.delete(toHex(key));
      else rows.set(toHex(key), value);
    }
    return root;
  };
  return { rows, reader, apply };
}

/** All rows, as text to compare. */
export function print(rows: Map<string, Uint8Array>): string {
  return [...rows]
    .map(([path, bytes]) => `${path}: ${toHex(bytes)}`)
    .sort()
    .join("\n");
}

/** A key hash of the given digits, padded with zeros. */
export function key(hex: string): Uint8Array {
  const out = new Uint8Array(32);
  out.set(fromHex(hex) ?? new Uint8Array(0));
  return out;
}

export const NINES: Uint8Array = new Uint8Array(32).fill(9);
