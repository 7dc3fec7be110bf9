// A snapshot of a store's data file while another process may write it. A read transaction keeps lmdb from reusing the
// pages of its own and every later snapshot. So the image is all pages as they are, under a meta page ("head") that is
// not older than the transaction.
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { StoreError } from "../errors.ts";
import { openEnvironment } from "./environment.ts";
import { toStoreError } from "./failure.ts";
import { type Head, loadHead, META_AT } from "./format.ts";

const MAX_LOOKS = 1000;
const LOOK_MS = 1;

/** What can be copied as a file. */
export interface FileSource {
  readonly bytes: number;
  /** Returns exactly `length` bytes, or throws. */
  read(offset: number, length: number): Promise<Buffer>;
}

/** A snapshot of a store's data file. */
export interface StoreImage extends FileSource {
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
export async function readFully(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(buffer, done, length - done, offset + done);
    if (bytesRead === 0) throw new StoreError("corrupt", `the store's file ends at ${offset + done}`);
    done += bytesRead;
  }
  return buffer;
}
