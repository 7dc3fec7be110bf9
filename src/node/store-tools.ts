// Work on whole data directories: check, backup and restore.
import { resolve } from "node:path";
import { ConfigError, errorText } from "../base/errors.ts";
import { BcsError } from "../bcs/errors.ts";
import { LedgerError } from "../ledger/errors.ts";
import { StoreError } from "../store/errors.ts";
import {
  copyBackup,
  copyStore,
  dropDraft,
  dropWriter,
  isVacant,
  loadManifest,
  type Manifest,
  nameDraft,
  openDraft,
  writeManifest,
} from "../store/lmdb/backup.ts";
import { openStoreWalk } from "../store/lmdb/walk.ts";
import type { CheckProgress } from "../sync/check/check-pace.ts";
import { checkStore, type StoreReport } from "../sync/check/store-check.ts";

export type { CheckProgress, StoreReport };

/**
 * Checks the store in a directory, which a node may be writing. Throws StoreError when it cannot be walked, and the
 * reason of the signal when that says stop.
 */
export async function checkData(
  data: string,
  onProgress?: CheckProgress,
  signal?: AbortSignal,
): Promise<StoreReport> {
  const walk = await openStoreWalk(data).catch((error: unknown) => {
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

/** What breaks a walk is damage, unless it says that it is something else. */
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

/** What a backup holds, and how much of it had to be written. */
export interface BackupReport extends Manifest {
  readonly written_bytes: number;
  /** Bytes that an earlier backup, which did not come to its end, had left there. */
  readonly kept_bytes: number;
}

/** Told how far copying and checking are, and able to stop them. */
export interface CopyWatch {
  /** In bytes. */
  readonly onCopy?: (done: number, total: number) => void;
  /** In rows. */
  readonly onCheck?: CheckProgress;
  /** Stops the work; what was copied stays for the next time. */
  readonly signal?: AbortSignal;
}

/**
 * Works on a draft of a vacant directory and gives its files their names; when that fails, what is there stays for the
 * next time.
 */
async function withDraft<T>(option: string, target: string, work: (draft: string) => Promise<T>): Promise<T> {
  await assertVacant(option, target);
  const draft = await openDraft(target);
  try {
    // Another process may have been done since the first look.
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
 * Copies the store of a node, running or not, to a new directory, and checks the copy before it gets its name.
 * Where an earlier call did not come to its end, only what is not there yet is written.
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

/** Puts a backup into a directory that is new or empty, after checking both the file and the store in it. */
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
