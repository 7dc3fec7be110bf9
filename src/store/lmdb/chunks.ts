// Copies files chunk by chunk, each with its hash, over what an earlier copy left: only pages that differ are written.
// So an interrupted copy resumes, and bytes damaged in between are rewritten.
import { createHash } from "node:crypto";
import { constants, type FileHandle, open } from "node:fs/promises";
import { StoreError } from "../errors.ts";
import { toStoreError } from "./failure.ts";
import { FILE_MODE } from "./files.ts";

/** Size of a chunk; the last one of a file may be shorter. */
export const CHUNK_BYTES = 1 << 20;
/** Unit of rewriting. */
const PAGE_BYTES = 4096;
/** Bytes written between two syncs, so that the final sync is short. */
const SYNC_BYTES = 256 << 20;

/** Source of a copy. */
export interface ChunkSource {
  readonly bytes: number;
  /** Returns exactly `length` bytes, or throws. */
  read(offset: number, length: number): Promise<Buffer>;
}

/** Result of a copy. */
export interface ChunkCopyReport {
  /** SHA-256 of each chunk, in hex. */
  readonly hashes: readonly string[];
  readonly writtenBytes: number;
  /** Bytes that the file already had. */
  readonly keptBytes: number;
}

/** Called with the bytes done and the total. */
export type CopyProgress = (done: number, total: number) => void;

/** Makes a file equal to the source, durably. The signal stops it between two chunks. */
export async function copyChunks(
  source: ChunkSource,
  to: string,
  onProgress: CopyProgress = () => {},
  signal?: AbortSignal,
): Promise<ChunkCopyReport> {
  const file = await openOrCreate(to);
  const hashes: string[] = [];
  let writtenBytes = 0;
  let unsynced = 0;
  try {
    const existing = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let offset = 0; offset < source.bytes; offset += CHUNK_BYTES) {
      signal?.throwIfAborted();
      const chunk = await source.read(offset, Math.min(CHUNK_BYTES, source.bytes - offset));
      hashes.push(chunkDigest(chunk));
      const { bytesRead } = await file.read(existing, 0, chunk.length, offset);
      for (const { start, end } of differences(chunk, existing.subarray(0, bytesRead))) {
        await writeFully(file, chunk.subarray(start, end), offset + start);
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
    await file.close();
  }
  return { hashes, writtenBytes, keptBytes: source.bytes - writtenBytes };
}

/** Opens a file with known hashes as a source; reading a damaged chunk throws StoreError `corrupt`. */
export async function openChunks(
  path: string,
  bytes: number,
  hashes: readonly string[],
): Promise<ChunkSource & { close(): Promise<void> }> {
  const file = await open(path, "r").catch((error: unknown) => {
    throw new StoreError("corrupt", `${path} cannot be read`, { cause: error });
  });
  const { size } = await file.stat();
  if (size !== bytes || hashes.length !== Math.ceil(bytes / CHUNK_BYTES)) {
    await file.close();
    throw new StoreError("corrupt", `${path} is damaged: expected ${bytes} bytes, got ${size}`);
  }
  return {
    bytes,
    read: async (offset, length) => {
      const chunk = Buffer.allocUnsafe(length);
      const { bytesRead } = await file.read(chunk, 0, length, offset);
      if (bytesRead !== length || chunkDigest(chunk) !== hashes[offset / CHUNK_BYTES]) {
        throw new StoreError(
          "corrupt",
          `${path} is damaged: the chunk at byte ${offset} does not match its hash`,
        );
      }
      return chunk;
    },
    close: () => file.close(),
  };
}

/** Compares a whole file with its hashes. Throws StoreError `corrupt`. */
export async function assertChunks(
  path: string,
  bytes: number,
  hashes: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  const source = await openChunks(path, bytes, hashes);
  try {
    for (let offset = 0; offset < bytes; offset += CHUNK_BYTES) {
      signal?.throwIfAborted();
      await source.read(offset, Math.min(CHUNK_BYTES, bytes - offset));
    }
  } finally {
    await source.close();
  }
}

/** SHA-256 in hex. */
export function chunkDigest(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
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

async function openOrCreate(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDWR | constants.O_CREAT, FILE_MODE);
  } catch (error) {
    throw toStoreError(error, path);
  }
}

async function writeFully(file: FileHandle, chunk: Buffer, offset: number): Promise<void> {
  for (let done = 0; done < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, done, chunk.length - done, offset + done);
    done += bytesWritten;
  }
}
