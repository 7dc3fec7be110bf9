// Exports a stored ledger as a backup folder.
import type { Logger } from "../../base/log.ts";
import {
  type BackupExportOptions,
  type BackupExportReport,
  exportBackup,
} from "../../sync/proofs/backup-export.ts";
import { openStore, type StoreOptions } from "../store-engines.ts";

export interface ExportOptions extends Omit<BackupExportOptions, "store"> {
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
  const { store } = await openStore(where, { readOnly: true, genesis: undefined, logger });
  try {
    return await exportBackup({ ...options, store });
  } finally {
    await store.close();
  }
}
