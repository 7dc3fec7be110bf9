// Work on whole data directories: check, backup and restore.
import { resolve } from "node:path";
import { ConfigError, errorText } from "../base/errors.ts";
import { BcsError } from "../bcs/errors.ts";
import { LedgerError } from "../ledger/errors.ts";
import { StoreError } from "../store/errors.ts";
import {
  copyBackup,
  copyStore,
  createDraft,
  isVacant,
  loadManifest,
  type Manifest,
  nameDraft,
  writeManifest,
} from "../store/lmdb/backup.ts";
import { openStoreWalk } from "../store/lmdb/walk.ts";
import { type CheckProgress, checkStore, type StoreReport } from "../sync/check/store-check.ts";

export type { CheckProgress, Manifest, StoreReport };

/** Checks the store in a directory, which a node may be writing. Throws StoreError when it cannot be walked. */
export async function checkData(data: string, onProgress?: CheckProgress): Promise<StoreReport> {
  const walk = await openStoreWalk(data).catch((error: unknown) => {
    throw asCorrupt(error);
  });
  try {
    return checkStore(walk, onProgress);
  } catch (error) {
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

async function assertSound(data: string, onProgress: CheckProgress | undefined): Promise<StoreReport> {
  const report = await checkData(data, onProgress);
  if (report.faults === 0) return report;
  throw new StoreError(
    "corrupt",
    `the store is damaged: ${report.faults} faults, the first: ${report.findings[0]}`,
  );
}

async function assertVacant(option: string, path: string): Promise<void> {
  if (!(await isVacant(path))) throw new ConfigError(`${option}: ${path} is not empty`);
}

/** Copies the store of a node, running or not, to a new directory, and checks the copy before it gets its name. */
export async function backupData(data: string, to: string, onProgress?: CheckProgress): Promise<Manifest> {
  const target = resolve(to);
  await assertVacant("--to", target);
  const draft = await createDraft(target);
  await copyStore(data, draft);
  const { chainId, version, oldestVersion } = await assertSound(draft, onProgress);
  const manifest = await writeManifest(draft, {
    chain_id: chainId,
    version: `${version}`,
    oldest_version: `${oldestVersion}`,
  });
  await nameDraft(draft);
  return manifest;
}

/** Puts a backup into a directory that is new or empty, after checking both the file and the store in it. */
export async function restoreData(from: string, data: string, onProgress?: CheckProgress): Promise<Manifest> {
  const target = resolve(data);
  await assertVacant("--data", target);
  const manifest = await loadManifest(from);
  const draft = await createDraft(target);
  await copyBackup(from, draft);
  const report = await assertSound(draft, onProgress);
  if (`${report.version}` !== manifest.version) {
    throw new StoreError(
      "corrupt",
      `the backup says version ${manifest.version}, its store is at ${report.version}`,
    );
  }
  await nameDraft(draft);
  return manifest;
}
