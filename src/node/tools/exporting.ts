// Exports a stored ledger as a backup folder.
import { join } from "node:path";
import type { Logger } from "../../base/log.ts";
import {
  type BackupExportOptions,
  type BackupExportReport,
  exportBackup,
  KEYS_FOLDER,
} from "../../sync/proofs/backup-export.ts";
import { KeyFiles } from "../../sync/proofs/key-files.ts";
import { engineOf, openStore, type StoreOptions } from "../store-engines.ts";

export interface ExportOptions extends Omit<BackupExportOptions, "store" | "keys"> {
  /** A node may be writing it. */
  readonly store: StoreOptions;
  readonly logger: Logger;
}

/** Adds to a folder what it lacks of a ledger. Throws as `exportBackup` does. */
export async function exportData({
  store: where,
  logger,
  ...options
}: ExportOptions): Promise<BackupExportReport> {
  const keys = await sortKeys(where, options);
  try {
    const { store } = await openStore(where, { readOnly: true, genesis: undefined, logger });
    try {
      return await exportBackup({ ...options, store, keys });
    } finally {
      await store.close();
    }
  } finally {
    await keys?.remove();
  }
}

/** The keys of a ledger whose first records are not there, from its index. */
async function sortKeys(
  where: StoreOptions,
  { out, signal }: Pick<ExportOptions, "out" | "signal">,
): Promise<KeyFiles | undefined> {
  const { openWalk } = engineOf(where);
  const walk = await openWalk?.(where);
  try {
    if (walk === undefined || walk.position.oldestVersion === 0n) return undefined;
    return await KeyFiles.write(join(out, KEYS_FOLDER), walk.indexRows(), signal);
  } finally {
    await walk?.close();
  }
}
