// Tools for whole stores: check for engines that can be walked, backup and restore for LMDB's files, and export.
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ConfigError, errorText } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { BcsError } from "../../bcs/errors.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { StoreError } from "../../store/errors.ts";
import {
  copyBackup,
  copyStore,
  dropDraft,
  dropWriter,
  isVacant,
  loadManifest,
  lockFolder,
  type Manifest,
  nameDraft,
  openDraft,
  writeManifest,
} from "../../store/lmdb/backup.ts";
import { assertLocalDisk } from "../../store/lmdb/files.ts";
import type { CheckProgress } from "../../sync/maintenance/check/findings.ts";
import { checkStore, type StoreReport } from "../../sync/maintenance/check/store-check.ts";
import {
  type BackupExportOptions,
  type BackupExportReport,
  exportBackup,
} from "../../sync/proofs/backup-export.ts";
import { KeyFiles } from "../../sync/proofs/key-files.ts";
import { engineOf, openStore, type StoreOptions } from "../store-engines.ts";

export type { CheckProgress, StoreReport };

/**
 * Checks the LMDB store in a directory, while a node may be writing it. Throws StoreError if it cannot be walked, and the
 * signal's reason on abort.
 */
export async function checkData(
  path: string,
  onProgress?: CheckProgress,
  signal?: AbortSignal,
): Promise<StoreReport> {
  const { openStoreWalk } = await import("../../store/lmdb/walk.ts");
  const walk = await openStoreWalk(path).catch((error: unknown) => {
    throw asCorrupt(error);
  });
  try {
    return await checkStore(walk, onProgress, signal);
  } catch (error) {
    signal?.throwIfAborted();
    throw asCorrupt(error);
  } finally {
    await walk.close();
  }
}

/** An unexpected error during a walk means a damaged store. */
function asCorrupt(error: unknown): unknown {
  if (error instanceof StoreError || (error instanceof LedgerError && error.code === "no_ledger"))
    return error;
  const where = error instanceof BcsError ? "a row does not decode" : "a table cannot be read";
  return new StoreError("corrupt", `the store is damaged: ${where}: ${errorText(error)}`, { cause: error });
}

async function assertSound(data: string, { onCheck, signal }: CopyWatch): Promise<StoreReport> {
  const report = await checkData(data, onCheck, signal);
  if (report.faults === 0) return report;
  throw new StoreError(
    "corrupt",
    `the store is damaged: ${report.faults} faults, the first: ${report.findings[0]}`,
  );
}

async function assertVacant(option: string, path: string): Promise<void> {
  if (!(await isVacant(path))) throw new ConfigError(`${option}: ${path} is not empty`);
}

export interface BackupReport extends Manifest {
  readonly written_bytes: number;
  /** Bytes that an unfinished earlier backup had already written. */
  readonly kept_bytes: number;
}

/** Observes and stops copying and checking. */
export interface CopyWatch {
  /** In bytes. */
  readonly onCopy?: (done: number, total: number) => void;
  /** In rows. */
  readonly onCheck?: CheckProgress;
  /** Stops the work; the next run resumes from the bytes already copied. */
  readonly signal?: AbortSignal;
}

/** Works on a draft of a vacant directory, then renames its files. If the work fails, the draft stays for the next run. */
async function withDraft<T>(
  option: "--to" | "--data",
  target: string,
  work: (draft: string) => Promise<T>,
): Promise<T> {
  await assertVacant(option, target);
  // A backup may lie on a network file system, a store may not.
  if (option === "--data") assertLocalDisk(target);
  const draft = await openDraft(target);
  try {
    // Another process may have finished since the first look.
    if (!(await isVacant(target))) await dropDraft(draft.path);
    await assertVacant(option, target);
    const result = await work(draft.path);
    await nameDraft(draft);
    return result;
  } catch (error) {
    await draft.leave();
    throw error;
  }
}

/**
 * Copies an LMDB store, which a node may be writing, to a new directory, and checks the copy before it gets its name.
 * Resumes an earlier backup that did not finish.
 */
export async function backupData(data: string, to: string, watch: CopyWatch = {}): Promise<BackupReport> {
  return withDraft("--to", resolve(to), async (draft) => {
    const copy = await copyStore(data, draft, watch.onCopy, watch.signal);
    const { chainId, version, oldestVersion } = await assertSound(draft, watch);
    const manifest = await writeManifest(draft, copy, {
      chain_id: chainId,
      version: `${version}`,
      oldest_version: `${oldestVersion}`,
    });
    return { ...manifest, written_bytes: copy.writtenBytes, kept_bytes: copy.keptBytes };
  });
}

/** Restores a backup into a new or empty directory, after checking the file and the store in it. */
export async function restoreData(from: string, data: string, watch: CopyWatch = {}): Promise<Manifest> {
  const target = resolve(data);
  await assertVacant("--data", target);
  const manifest = await loadManifest(from);
  return withDraft("--data", target, async (draft) => {
    await copyBackup(from, manifest, draft, watch.onCopy, watch.signal);
    const report = await assertSound(draft, watch);
    if (`${report.version}` !== manifest.version) {
      throw new StoreError(
        "corrupt",
        `the backup says version ${manifest.version}, its store is at ${report.version}`,
      );
    }
    await dropWriter(draft);
    return manifest;
  });
}

export interface ExportOptions extends Omit<BackupExportOptions, "store" | "keys"> {
  /** A node may be writing it. */
  readonly store: StoreOptions;
  readonly logger: Logger;
}

/** In the folder of an export, for the export alone: its lock, and the keys that it sorts. */
const EXPORT_FOLDER = ".export";

/** Adds to a folder what it lacks of a ledger. Throws as `exportBackup` does, and StoreError `locked` during another export. */
export async function exportData({
  store: where,
  logger,
  ...options
}: ExportOptions): Promise<BackupExportReport> {
  const { baseIndexRows } = engineOf(where);
  const { out, signal } = options;
  const unlock = await lockFolder(join(out, EXPORT_FOLDER, "lock"), `is exporting to ${out}`);
  const keys = join(out, EXPORT_FOLDER, "keys");
  try {
    const baseKeys = baseIndexRows && (await KeyFiles.write(keys, baseIndexRows(where), signal));
    const { store } = await openStore(where, { readOnly: true, genesis: undefined, logger });
    try {
      return await exportBackup({ ...options, store, keys: baseKeys });
    } finally {
      await store.close();
    }
  } finally {
    await rm(keys, { recursive: true, force: true });
    await unlock();
  }
}
