// Upgrades of the data format, one step per format number. They run in the write that takes the lease: all or nothing.
import type { RootDatabase } from "lmdb";
import { StoreError } from "../errors.ts";
import { FORMAT, META, type Tables } from "./tables.ts";

/** Upgrades a store by one format. Runs inside a write transaction. */
export type Upgrade = (root: RootDatabase, tables: Tables) => void;

/** The steps by their source format. */
const UPGRADES: ReadonlyMap<number, Upgrade> = new Map();

/**
 * Upgrades tables to the target format and stores its number. Call inside a write transaction. Throws StoreError
 * `format` when a step is missing.
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
