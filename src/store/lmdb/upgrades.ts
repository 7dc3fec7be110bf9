// Upgrades of the data format, one step per version number. A store is brought from its format to this code's
// in the write that takes the lease: wholly or not at all.
import type { RootDatabase } from "lmdb";
import { StoreError } from "../errors.ts";
import { FORMAT, META, type Tables } from "./tables.ts";

/** Brings a store from one format to the next. Runs inside a write transaction. */
export type Upgrade = (root: RootDatabase, tables: Tables) => void;

/** The steps, by the format that each starts from. */
const UPGRADES: ReadonlyMap<number, Upgrade> = new Map();

/**
 * Brings tables from a format to the target and marks them as being of it. To be called inside a write
 * transaction; throws StoreError `format` when a step is missing.
 */
export function upgradeTables(
  root: RootDatabase,
  tables: Tables,
  from: number | undefined,
  upgrades: ReadonlyMap<number, Upgrade> = UPGRADES,
  target: number = FORMAT,
): void {
  for (let format = from ?? target; format < target; format++) {
    const upgrade = upgrades.get(format);
    if (upgrade === undefined) {
      throw new StoreError("format", `the store has format ${format}, which this version cannot upgrade`, {
        details: { format, supported: target },
      });
    }
    upgrade(root, tables);
  }
  if (from === target) return;
  const row = Buffer.alloc(4);
  row.writeUInt32BE(target);
  tables.meta.putSync(META.format, row);
}
