// Backups of a store: a directory with the data file and a manifest, which has its hash. Its files are assembled in a draft
// inside the directory, where an interrupted backup resumes, and get their final names only when complete. A backup is a
// snapshot, even while another process writes: a read transaction keeps lmdb from reusing the pages of its own and every
// later snapshot, so it is all pages as they are, under a meta page ("head") that is not older than the transaction.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { constants, type FileHandle, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { StoreError } from "../errors.ts";
import { openEnvironment } from "./environment.ts";
import { toStoreError } from "./failure.ts";
import { FILE_MODE, makeDirectory } from "./files.ts";
import { type Head, loadHead, META_AT } from "./format.ts";
import { openLeased } from "./lease.ts";
import { FORMAT, META } from "./tables.ts";

const MAX_LOOKS = 1000;
const LOOK_MS = 1;

/** What can be copied as a file. */
interface FileSource {
  readonly bytes: number;
  /** Returns exactly `length` bytes, or throws. */
  read(offset: number, length: number): Promise<Buffer>;
}

/** A snapshot of a store's data file. */
interface StoreImage extends FileSource {
  close(): Promise<void>;
}

/** Pins a snapshot of the store in a directory until the image is closed. */
export async function openImage(path: string): Promise<StoreImage> {
  const environment = await openEnvironment({ path, readOnly: true });
  const transaction = environment.root.useReadTransaction();
  let file: FileHandle | undefined;
  const close = async (): Promise<void> => {
    await file?.close();
    transaction.done();
    await environment.close();
  };
  try {
    const data = await open(join(environment.path, "data.mdb"), "r");
    file = data;
    const { head, page } = await readHead(data, environment.path);
    const { size } = await data.stat();
    // lmdb alternates between two meta pages: the copy has this head in both, one transaction apart.
    const heads = Buffer.concat([0, 1].map((slot) => headFor(slot, page, head.transaction)));
    return {
      bytes: Math.min((head.lastPage + 1) * head.pageBytes, size),
      read: async (offset, length) => {
        const chunk = await readFully(data, offset, length);
        if (offset < heads.length) heads.copy(chunk, 0, offset);
        return chunk;
      },
      close,
    };
  } catch (error) {
    await close();
    throw toStoreError(error, environment.path);
  }
}

/** The newest head with its page, which read the same twice: a writer may be in the middle of changing it. */
async function readHead(
  file: FileHandle,
  path: string,
): Promise<{ readonly head: Head; readonly page: Buffer }> {
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const head = loadHead(file.fd, path);
    if (head === undefined) throw new StoreError("absent", `there is no store at ${path}`);
    const at = Number(head.transaction & 1n) * head.pageBytes;
    const page = await readFully(file, at, head.pageBytes);
    await sleep(LOOK_MS);
    const again = await readFully(file, at, head.pageBytes);
    if (page.equals(again) && page.readBigUInt64LE(META_AT.transaction) === head.transaction) {
      return { head, page };
    }
  }
  throw new StoreError("corrupt", "the head page of the store's file keeps changing");
}

/** The head for one of the two meta pages; the page of the other parity gets the transaction before. */
function headFor(slot: number, page: Buffer, transaction: bigint): Buffer {
  const head = Buffer.from(page);
  head.writeBigUInt64LE(BigInt(slot), 0);
  const isOwn = Number(transaction & 1n) === slot;
  head.writeBigUInt64LE(isOwn ? transaction : transaction - 1n, META_AT.transaction);
  return head;
}

/** Exactly `length` bytes. Throws StoreError `corrupt` where the file ends before. */
async function readFully(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(buffer, done, length - done, offset + done);
    if (bytesRead === 0) throw new StoreError("corrupt", `the store's file ends at ${offset + done}`);
    done += bytesRead;
  }
  return buffer;
}

/** Description of a backup. */
export interface Manifest {
  /** Format of the store. */
  readonly format: number;
  readonly chain_id: number;
  readonly version: string;
  readonly oldest_version: string;
  /** Size of the data file. */
  readonly bytes: number;
  /** Hash of the data file, in hex. */
  readonly sha256: string;
}

const DATA = "data.mdb";
const LOCK = "lock.mdb";
const MANIFEST = "backup.json";
const DRAFT = ".partial";
/** An empty store inside the draft: the holder of its lease owns the draft. */
const OWNER = "owner";
/** Bytes that are read at once; the last ones of a file may be fewer. */
export const CHUNK_BYTES = 1 << 20;
/** Unit of rewriting. */
const PAGE_BYTES = 4096;
/** Bytes written between two syncs, so that the final sync is short. */
const SYNC_BYTES = 256 << 20;

/** Called with the bytes done and the total. */
export type CopyProgress = (done: number, total: number) => void;

/** Result of a copy. */
export interface CopyReport {
  /** Hash of the source, in hex. */
  readonly sha256: string;
  readonly writtenBytes: number;
  /** Bytes that the file already had. */
  readonly keptBytes: number;
}

/** True when a directory is missing, or contains only an unfinished draft. */
export async function isVacant(path: string): Promise<boolean> {
  const names = await namesIn(path);
  if (names.includes(MANIFEST)) return false;
  const mayBeNamed = existsSync(join(path, DRAFT, MANIFEST)) ? [DATA] : [];
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

/** Opens the draft of a directory and keeps what an earlier process left in it. Throws StoreError, such as `locked`. */
export async function openDraft(path: string): Promise<Draft> {
  const draft = join(path, DRAFT);
  try {
    makeDirectory(draft);
    const leave = await lockFolder(join(draft, OWNER), `is working in ${draft}`);
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
 * a process ends with it. Throws StoreError: `locked` while another process of
 * this machine has it.
 */
export async function lockFolder(path: string, activity: string): Promise<() => Promise<void>> {
  const { environment, lease } = await openLeased({ path, activity });
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
    if (existsSync(join(path, DATA))) await rename(join(path, DATA), join(draft, DATA));
    await rm(join(draft, MANIFEST));
  }
  await rm(join(draft, LOCK), { force: true });
}

/** Moves the files of a finished draft to their final names, the manifest last: until then there is no backup. */
export async function nameDraft({ path: draft, leave }: Draft): Promise<void> {
  const path = dirname(draft);
  await rm(join(draft, LOCK), { force: true });
  const names = [DATA, MANIFEST].filter((name) => existsSync(join(draft, name)));
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

/**
 * Makes a file equal to the source, durably. It writes only the pages that differ from what an earlier copy left, so that an
 * interrupted copy resumes. The signal stops it between two chunks.
 */
export async function copyFile(
  source: FileSource,
  to: string,
  onProgress: CopyProgress = () => {},
  signal?: AbortSignal,
): Promise<CopyReport> {
  const hash = createHash("sha256");
  let file: FileHandle | undefined;
  let writtenBytes = 0;
  let unsynced = 0;
  try {
    file = await open(to, constants.O_RDWR | constants.O_CREAT, FILE_MODE);
    const existing = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let offset = 0; offset < source.bytes; offset += CHUNK_BYTES) {
      signal?.throwIfAborted();
      const chunk = await source.read(offset, Math.min(CHUNK_BYTES, source.bytes - offset));
      hash.update(chunk);
      const { bytesRead } = await file.read(existing, 0, chunk.length, offset);
      for (const { start, end } of differences(chunk, existing.subarray(0, bytesRead))) {
        for (let done = start; done < end; ) {
          done += (await file.write(chunk, done, end - done, offset + done)).bytesWritten;
        }
        writtenBytes += end - start;
        unsynced += end - start;
      }
      if (unsynced >= SYNC_BYTES) {
        await file.datasync();
        unsynced = 0;
      }
      onProgress(offset + chunk.length, source.bytes);
    }
    await file.truncate(source.bytes);
    await file.sync();
  } catch (error) {
    throw toStoreError(error, to);
  } finally {
    await file?.close();
  }
  return { sha256: hash.digest("hex"), writtenBytes, keptBytes: source.bytes - writtenBytes };
}

/** Ranges of whole pages in which two chunks differ; adjacent pages are merged. A writer changes scattered pages. */
function differences(chunk: Buffer, existing: Buffer): { readonly start: number; end: number }[] {
  const found: { readonly start: number; end: number }[] = [];
  if (chunk.equals(existing)) return found;
  for (let start = 0; start < chunk.length; start += PAGE_BYTES) {
    const end = Math.min(start + PAGE_BYTES, chunk.length);
    if (existing.length >= end && chunk.compare(existing, start, end, start, end) === 0) continue;
    const last = found.at(-1);
    if (last?.end === start) last.end = end;
    else found.push({ start, end });
  }
  return found;
}

/** Copies a snapshot of the store in a directory to a draft; keeps pages that the draft already has. */
export async function copyStore(
  from: string,
  draft: string,
  onProgress?: CopyProgress,
  signal?: AbortSignal,
): Promise<CopyReport> {
  const image = await openImage(from);
  try {
    return await copyFile(image, join(draft, DATA), onProgress, signal);
  } finally {
    await image.close();
  }
}

/** Writes the manifest of a draft. */
export async function writeManifest(
  draft: string,
  { sha256, writtenBytes, keptBytes }: CopyReport,
  facts: Pick<Manifest, "chain_id" | "version" | "oldest_version">,
): Promise<Manifest> {
  const manifest: Manifest = { format: FORMAT, ...facts, bytes: writtenBytes + keptBytes, sha256 };
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
  const { format } = manifest;
  if (format !== FORMAT) {
    throw new StoreError(
      "format",
      `the backup at ${path} has format ${format}, this version reads ${FORMAT}`,
    );
  }
  return manifest;
}

/** Copies the data file of a backup to a draft. Throws StoreError `corrupt` if it is not the one that the manifest names. */
export async function copyBackup(
  from: string,
  { bytes, sha256 }: Manifest,
  draft: string,
  onProgress?: CopyProgress,
  signal?: AbortSignal,
): Promise<void> {
  const path = join(from, DATA);
  const file = await open(path, "r").catch((error: unknown) => {
    throw new StoreError("corrupt", `${path} cannot be read`, { cause: error });
  });
  try {
    const { size } = await file.stat();
    if (size !== bytes) {
      throw new StoreError("corrupt", `${path} is damaged: expected ${bytes} bytes, got ${size}`);
    }
    const source = { bytes, read: (offset: number, length: number) => readFully(file, offset, length) };
    const copy = await copyFile(source, join(draft, DATA), onProgress, signal);
    if (copy.sha256 !== sha256) {
      throw new StoreError("corrupt", `${path} is damaged: its SHA-256 is not the one in ${MANIFEST}`);
    }
  } finally {
    await file.close();
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
