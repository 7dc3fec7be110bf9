// Files copied piece by piece, each with its hash, onto whatever an earlier copy left behind: a piece that is
// there already is left alone. So a copy that was cut off goes on, and bytes that were damaged meanwhile are
// written anew.
import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { StoreError } from "../errors.ts";
import { toStoreError } from "./failure.ts";

/** Bytes of one piece; the last one of a file may be shorter. */
export const CHUNK_BYTES = 1 << 20;
/** What is written anew at least. */
const PAGE_BYTES = 4096;
/** How much may be written before it is sent to the disk, so that the last wait is not for all of it. */
const SYNC_BYTES = 256 << 20;

/** What is copied. */
export interface ChunkSource {
  readonly bytes: number;
  /** That many bytes from there; throws when they are not there. */
  read(offset: number, length: number): Promise<Buffer>;
}

/** What a copy did. */
export interface ChunkCopyReport {
  /** SHA-256 of each piece, in hex. */
  readonly hashes: readonly string[];
  readonly writtenBytes: number;
  /** Bytes that were there already. */
  readonly keptBytes: number;
}

/** Told how many bytes are done, of how many. */
export type CopyProgress = (done: number, total: number) => void;

/** Makes a file hold what the source holds, on disk when this returns. */
export async function copyChunks(
  source: ChunkSource,
  to: string,
  onProgress: CopyProgress = () => {},
): Promise<ChunkCopyReport> {
  const file = await openOrMake(to);
  const hashes: string[] = [];
  let writtenBytes = 0;
  let unsynced = 0;
  try {
    const there = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let offset = 0; offset < source.bytes; offset += CHUNK_BYTES) {
      const chunk = await source.read(offset, Math.min(CHUNK_BYTES, source.bytes - offset));
      hashes.push(chunkDigest(chunk));
      const { bytesRead } = await file.read(there, 0, chunk.length, offset);
      for (const { start, end } of differences(chunk, there.subarray(0, bytesRead))) {
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

/** A file of known pieces to copy from: a piece that is not what it was is refused with StoreError `corrupt`. */
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
          `${path} is damaged: it is not what was written, near byte ${offset}`,
        );
      }
      return chunk;
    },
    close: () => file.close(),
  };
}

/** Reads a whole file against its hashes. Throws StoreError `corrupt`. */
export async function assertChunks(path: string, bytes: number, hashes: readonly string[]): Promise<void> {
  const source = await openChunks(path, bytes, hashes);
  try {
    for (let offset = 0; offset < bytes; offset += CHUNK_BYTES) {
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

/** Where two pieces differ, in whole pages, neighbours together: a writer changes pages here and there. */
function differences(chunk: Buffer, there: Buffer): { readonly start: number; end: number }[] {
  const found: { readonly start: number; end: number }[] = [];
  if (chunk.equals(there)) return found;
  for (let start = 0; start < chunk.length; start += PAGE_BYTES) {
    const end = Math.min(start + PAGE_BYTES, chunk.length);
    if (there.length >= end && chunk.compare(there, start, end, start, end) === 0) continue;
    const last = found.at(-1);
    if (last?.end === start) last.end = end;
    else found.push({ start, end });
  }
  return found;
}

async function openOrMake(path: string): Promise<FileHandle> {
  try {
    return await open(path, "a").then(async (made) => {
      await made.close();
      return open(path, "r+");
    });
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
