// A snapshot of a store's data file while another process may write it. A read transaction keeps lmdb from reusing the
// pages of its own and every later snapshot. So the image is all pages as they are, under a meta page ("head") that is
// not older than the transaction.
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { StoreError } from "../errors.ts";
import type { ChunkSource } from "./chunks.ts";
import { openEnvironment } from "./environment.ts";
import { toStoreError } from "./failure.ts";
import { assertFileHeader, META_AT } from "./format.ts";

/** Fields of an lmdb meta page. */
interface ImageHeader {
  readonly page: Buffer;
  readonly lastPage: number;
  readonly transaction: bigint;
}

const MAX_LOOKS = 1000;
const LOOK_MS = 1;
const MIN_PAGE_BYTES = 512;
const MAX_PAGE_BYTES = 65_536;

/** A snapshot of a store's data file. */
export interface StoreImage extends ChunkSource {
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
    assertFileHeader(environment.path);
    const data = await open(join(environment.path, "data.mdb"), "r");
    file = data;
    const { page, lastPage, transaction: id } = await readHead(data);
    const pageBytes = page.length;
    const { size } = await data.stat();
    // lmdb alternates between two meta pages: the copy has this head in both, one transaction apart.
    const heads = Buffer.concat([0, 1].map((slot) => headFor(slot, page, id)));
    return {
      bytes: Math.min((lastPage + 1) * pageBytes, size),
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

/**
 * Returns a head that read the same twice, so it is not half-written, and that is not older than the newest head of
 * the first look.
 */
async function readHead(file: FileHandle): Promise<ImageHeader> {
  let seen = await readHeads(file);
  const [first, second] = seen;
  const { transaction: oldest } = first.transaction > second.transaction ? first : second;
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    await sleep(LOOK_MS);
    const now = await readHeads(file);
    const same = now.find(
      ({ page, transaction }, slot) => transaction >= oldest && seen[slot]?.page.equals(page),
    );
    if (same !== undefined) return same;
    seen = now;
  }
  throw new StoreError("corrupt", "the head page of the store's file keeps changing");
}

async function readHeads(file: FileHandle): Promise<readonly [ImageHeader, ImageHeader]> {
  const pageBytes = (await readFully(file, 0, META_AT.end)).readUInt32LE(META_AT.pageBytes);
  if (pageBytes < MIN_PAGE_BYTES || pageBytes > MAX_PAGE_BYTES) {
    throw new StoreError("corrupt", `the store's file has pages of ${pageBytes} bytes`);
  }
  const pages = await readFully(file, 0, 2 * pageBytes);
  return [decodeHead(pages.subarray(0, pageBytes)), decodeHead(pages.subarray(pageBytes))];
}

function decodeHead(page: Buffer): ImageHeader {
  const lastPage = Number(page.readBigUInt64LE(META_AT.lastPage));
  return { page, lastPage, transaction: page.readBigUInt64LE(META_AT.transaction) };
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
