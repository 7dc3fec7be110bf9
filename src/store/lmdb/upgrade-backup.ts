// A copy of a store before its format is upgraded, for a return to the older program. It is a data directory itself, in
// the folder `format-1` of the store's: in a container, or under a unit's restrictions, nothing else can be written or
// lasts. Nothing removes it but the operator.
import { existsSync } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Logger } from "../../base/log.ts";
import { StoreError } from "../errors.ts";
import { dropWriter, syncFile } from "./backup.ts";
import { type CopyProgress, copyChunks } from "./chunks.ts";
import { assertDiskSpace } from "./disk-space.ts";
import { type Environment, openEnvironment } from "./environment.ts";
import { readFully } from "./image.ts";
import { makeDirectory } from "./private-files.ts";
import { META } from "./tables.ts";

const DATA = "data.mdb";
const MAX_BACKUPS = 1000;

/** Hears how far an upgrade came: the bytes of the backup, then the rows of the store. */
export type UpgradeProgress = (step: "backup" | "upgrade", done: number, total: number) => void;

/**
 * Copies the data file, which this process alone may write and does not write meanwhile. Returns the directory of the
 * copy. Keeps a copy that an earlier attempt made of the same ledger. Throws StoreError `full` if the disk cannot
 * take it.
 */
export async function backupBeforeUpgrade(
  environment: Pick<Environment, "path" | "tables" | "format">,
  logger: Logger,
  onProgress: UpgradeProgress = () => {},
): Promise<string> {
  const { path, format } = environment;
  const to = await findPlace(join(path, `format-${format?.format}`), environment);
  if (existsSync(to)) {
    logger.info({ path, backup: to }, "the store was backed up before: upgrading it");
    return to;
  }
  const { size } = await stat(join(path, DATA));
  try {
    assertDiskSpace(path, 0, size);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "full") throw error;
    throw new StoreError(
      "full",
      `the store at ${path} must be upgraded, and there is no space for a backup of it: ${error.message}. Free that much, or back it up elsewhere and start with --no-upgrade-backup`,
      { details: { path }, cause: error },
    );
  }
  logger.info({ path, backup: to, bytes: size }, "backing up the store before its upgrade");
  const partial = `${to}.partial`;
  await rm(partial, { recursive: true, force: true });
  makeDirectory(partial);
  await copyFile(join(path, DATA), join(partial, DATA), (done, total) => onProgress("backup", done, total));
  // The copy can be opened while this process still writes the store.
  await dropWriter(partial);
  await rm(join(partial, "lock.mdb"), { force: true });
  await syncFile(join(partial, DATA));
  await syncFile(partial);
  await rename(partial, to);
  await syncFile(dirname(to));
  logger.info({ path, backup: to, bytes: size }, "the store is backed up");
  return to;
}

/** The first directory of a numbered series that is free or holds a copy of the same ledger. */
async function findPlace(first: string, { tables }: Pick<Environment, "tables">): Promise<string> {
  const position = tables.meta.get(META.position);
  for (let number = 1; number <= MAX_BACKUPS; number++) {
    const place = number === 1 ? first : `${first}-${number}`;
    if (!existsSync(place)) return place;
    const other = await openEnvironment({ path: place, readOnly: true, anyFormat: true });
    try {
      const copied = other.tables.meta.get(META.position);
      const isSame = position === undefined ? copied === undefined : copied?.equals(position) === true;
      if (isSame) return place;
    } finally {
      await other.close();
    }
  }
  throw new StoreError("full", `there are ${MAX_BACKUPS} backups named ${first}: remove those not needed`);
}

/** Copies the file as it is: nobody writes it meanwhile. */
async function copyFile(from: string, to: string, onProgress: CopyProgress): Promise<void> {
  const source = await open(from, "r");
  try {
    const { size: bytes } = await source.stat();
    await copyChunks({ bytes, read: (offset, length) => readFully(source, offset, length) }, to, onProgress);
  } finally {
    await source.close();
  }
}
