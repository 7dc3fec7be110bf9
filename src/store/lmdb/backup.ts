// Backups of a store: a directory with the data file, the hashes of its chunks, and a manifest. A backup is a snapshot,
// even while another process writes. Its files are assembled in a draft inside the directory, where an interrupted
// backup resumes, and get their final names only when complete.
import { existsSync } from "node:fs";
import { open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { StoreError } from "../errors.ts";
import {
  assertChunks,
  CHUNK_BYTES,
  type ChunkCopyReport,
  type CopyProgress,
  chunkDigest,
  copyChunks,
  openChunks,
} from "./chunks.ts";
import { openEnvironment } from "./environment.ts";
import { toStoreError } from "./failure.ts";
import { assertLocalDisk, FILE_MODE, makeDirectory } from "./files.ts";
import { openImage } from "./image.ts";
import { openLeased } from "./lease.ts";
import { FORMAT, META } from "./tables.ts";

/** Description of a backup. */
export interface Manifest {
  /** Format of the store. */
  readonly format: number;
  readonly chain_id: number;
  readonly version: string;
  readonly oldest_version: string;
  /** Size of the data file. */
  readonly bytes: number;
  /** Size of the chunks; each has a hash. */
  readonly chunk_bytes: number;
  /** Digest of the file of hashes, in hex. */
  readonly sha256: string;
}

const DATA = "data.mdb";
const LOCK = "lock.mdb";
const HASHES = "chunks.sha256";
const MANIFEST = "backup.json";
const DRAFT = ".partial";
/** An empty store inside the draft: the holder of its lease owns the draft. */
const OWNER = "owner";

/** True when a directory is missing, or contains only an unfinished draft. */
export async function isVacant(path: string): Promise<boolean> {
  const names = await namesIn(path);
  if (names.includes(MANIFEST)) return false;
  const mayBeNamed = existsSync(join(path, DRAFT, MANIFEST)) ? [DATA, HASHES] : [];
  return names.every((name) => name === DRAFT || mayBeNamed.includes(name));
}

async function namesIn(path: string): Promise<readonly string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (isCode(error, "ENOENT")) return [];
    throw toStoreError(error, path);
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && Reflect.get(error, "code") === code;
}

/** The place inside a directory where one process at a time assembles files before they get their final names. */
export interface Draft {
  readonly path: string;
  /** Releases it unchanged for a later process. */
  leave(): Promise<void>;
}

/**
 * Opens the draft of a directory and keeps what an earlier process left in it. Throws StoreError: `locked`; `unwritable`
 * on a network file system, unless it may be `onAnyDisk`, where the lock holds among the processes of one machine.
 */
export async function openDraft(path: string, onAnyDisk: boolean): Promise<Draft> {
  const draft = join(path, DRAFT);
  try {
    if (!onAnyDisk) assertLocalDisk(path);
    makeDirectory(draft);
    const leave = await lockFolder(join(draft, OWNER), `is working in ${draft}`, onAnyDisk);
    try {
      await recoverDraft(path, draft);
    } catch (error) {
      await leave();
      throw error;
    }
    return { path: draft, leave };
  } catch (error) {
    throw toStoreError(error, path);
  }
}

/**
 * Takes a folder that has nothing but this lock, an empty store, for this process; returns what gives it back. The lock of
 * a process ends with it. Throws StoreError: `locked` while another process has it.
 */
export async function lockFolder(
  path: string,
  activity: string,
  onAnyDisk = true,
): Promise<() => Promise<void>> {
  const { environment, lease } = await openLeased({ path, activity, onAnyDisk });
  let isOpen = true;
  return async () => {
    if (!isOpen) return;
    isOpen = false;
    lease.release();
    await environment.close();
  };
}

/** Moves files back into the draft if a process ended while renaming them: without the manifest there is no backup. */
async function recoverDraft(path: string, draft: string): Promise<void> {
  if (existsSync(join(draft, MANIFEST))) {
    for (const name of [DATA, HASHES]) {
      if (existsSync(join(path, name))) await rename(join(path, name), join(draft, name));
    }
    await rm(join(draft, MANIFEST));
  }
  await rm(join(draft, LOCK), { force: true });
}

/** Moves the files of a finished draft to their final names, the manifest last: until then there is no backup. */
export async function nameDraft({ path: draft, leave }: Draft): Promise<void> {
  const path = dirname(draft);
  await rm(join(draft, LOCK), { force: true });
  const names = [DATA, HASHES, MANIFEST].filter((name) => existsSync(join(draft, name)));
  for (const name of names) await syncFile(join(draft, name));
  await syncFile(draft);
  for (const name of names) {
    await rename(join(draft, name), join(path, name));
    await syncFile(path);
  }
  await leave();
  await dropDraft(draft);
}

/** Removes a draft. Ignores failures: another process may have it open and will remove it. */
export async function dropDraft(draft: string): Promise<void> {
  await rm(draft, { recursive: true, force: true }).catch(() => {});
}

/** Copies a snapshot of the store in a directory to a draft; keeps chunks that the draft already has. */
export async function copyStore(
  from: string,
  draft: string,
  onProgress?: CopyProgress,
  signal?: AbortSignal,
): Promise<ChunkCopyReport> {
  const file = join(draft, DATA);
  const image = await openImage(from);
  try {
    const report = await copyChunks(image, file, onProgress, signal);
    await assertChunks(file, image.bytes, report.hashes, signal);
    return report;
  } finally {
    await image.close();
  }
}

/** Writes the hashes and the manifest of a draft. */
export async function writeManifest(
  draft: string,
  { hashes, writtenBytes, keptBytes }: ChunkCopyReport,
  facts: Pick<Manifest, "chain_id" | "version" | "oldest_version">,
): Promise<Manifest> {
  const list = Buffer.from(hashes.map((hash) => `${hash}\n`).join(""));
  const manifest: Manifest = {
    format: FORMAT,
    ...facts,
    bytes: writtenBytes + keptBytes,
    chunk_bytes: CHUNK_BYTES,
    sha256: chunkDigest(list),
  };
  await writeFile(join(draft, HASHES), list, { mode: FILE_MODE });
  await writeFile(join(draft, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`, { mode: FILE_MODE });
  return manifest;
}

/** Reads the manifest of a backup. Throws StoreError. */
export async function loadManifest(path: string): Promise<Manifest> {
  let manifest: Manifest;
  try {
    manifest = JSON.parse(await readFile(join(path, MANIFEST), "utf8")) as Manifest;
  } catch (error) {
    throw new StoreError("format", `${path} is not a backup: ${MANIFEST} cannot be read`, { cause: error });
  }
  const { format, chunk_bytes: chunkBytes } = manifest;
  if (format !== FORMAT) {
    throw new StoreError(
      "format",
      `the backup at ${path} has format ${format}, this version reads ${FORMAT}`,
    );
  }
  if (chunkBytes !== CHUNK_BYTES) {
    throw new StoreError(
      "format",
      `the backup at ${path} has chunks of ${chunkBytes} bytes, this version reads ${CHUNK_BYTES}`,
    );
  }
  return manifest;
}

/** Copies the data file of a backup to a draft and compares every chunk with its hash. */
export async function copyBackup(
  from: string,
  { bytes, sha256 }: Manifest,
  draft: string,
  onProgress?: CopyProgress,
  signal?: AbortSignal,
): Promise<void> {
  const list = await readFile(join(from, HASHES)).catch((error: unknown) => {
    throw new StoreError("corrupt", `the backup at ${from} has no readable ${HASHES}`, { cause: error });
  });
  if (chunkDigest(list) !== sha256) {
    throw new StoreError(
      "corrupt",
      `the backup at ${from} is damaged: ${HASHES} does not match the hash in ${MANIFEST}`,
    );
  }
  const hashes = list.toString("latin1").split("\n").slice(0, -1);
  const source = await openChunks(join(from, DATA), bytes, hashes);
  try {
    await copyChunks(source, join(draft, DATA), onProgress, signal);
  } finally {
    await source.close();
  }
}

/** Removes from a draft the lease of the process that wrote the store during the copy. */
export async function dropWriter(draft: string): Promise<void> {
  const copy = await openEnvironment({ path: draft, readOnly: false });
  try {
    copy.transact(() => copy.tables.meta.removeSync(META.writer));
  } finally {
    await copy.close();
  }
}

/** Makes a file or a directory durable. */
async function syncFile(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
