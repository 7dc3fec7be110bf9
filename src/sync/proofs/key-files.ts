// The keys of items whose records are pruned: the index has them, but by owner, and a state is written in the order of key
// hashes. So they are sorted into files by the first byte of the hash, and one file at a time is in memory.

import { appendFile, mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { toMapKey } from "../../base/bytes.ts";
import { Slices } from "../../base/wait.ts";
import { keyOfRow, type OwnedRow } from "../../ledger/indexes/owned-keys.ts";

const HASH_BYTES = 32;
const LENGTH_BYTES = 4;
/** Bytes of a file that wait to be written. */
const WAITING_BYTES = 64 * 1024;

interface WaitingPart {
  pieces: Uint8Array[];
  bytes: number;
}

/** Keys in files, by their hashes. */
export class KeyFiles {
  readonly #folder: string;
  #loaded: { readonly part: number; readonly keys: ReadonlyMap<string, Uint8Array> } | undefined;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Sorts the keys in rows of the index into a new folder. */
  static async write(folder: string, rows: AsyncIterable<OwnedRow>, signal: AbortSignal): Promise<KeyFiles> {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const slices = new Slices("writer");
    const parts = Array.from({ length: 256 }, (): WaitingPart => ({ pieces: [], bytes: 0 }));
    const flush = async (part: WaitingPart, number: number): Promise<void> => {
      await appendFile(join(folder, `${number}`), Buffer.concat(part.pieces));
      parts[number] = { pieces: [], bytes: 0 };
    };
    for await (const row of rows) {
      const key = keyOfRow(row);
      const number = row.place[0] ?? 0;
      const part = parts[number];
      if (key === undefined || part === undefined) continue;
      const length = Buffer.alloc(LENGTH_BYTES);
      length.writeUInt32BE(key.length);
      part.pieces.push(row.place, length, key);
      part.bytes += HASH_BYTES + LENGTH_BYTES + key.length;
      if (part.bytes > WAITING_BYTES) await flush(part, number);
      signal.throwIfAborted();
      await slices.pause();
    }
    for (const [number, part] of parts.entries()) await flush(part, number);
    return new KeyFiles(folder);
  }

  /** The key with a hash; undefined if no row has it. Fast for hashes in their order. */
  async find(keyHash: Uint8Array): Promise<Uint8Array | undefined> {
    const part = keyHash[0] ?? 0;
    if (this.#loaded?.part !== part) this.#loaded = { part, keys: await this.#load(part) };
    return this.#loaded.keys.get(toMapKey(keyHash));
  }

  async #load(part: number): Promise<ReadonlyMap<string, Uint8Array>> {
    const bytes = await readFile(join(this.#folder, `${part}`));
    const keys = new Map<string, Uint8Array>();
    for (let at = 0; at < bytes.length; ) {
      const start = at + HASH_BYTES + LENGTH_BYTES;
      const end = start + bytes.readUInt32BE(at + HASH_BYTES);
      keys.set(toMapKey(bytes.subarray(at, at + HASH_BYTES)), bytes.subarray(start, end));
      at = end;
    }
    return keys;
  }
}
