// Data for the store's benchmark: keys and values made from numbers, batches of them, and a raw lmdb environment
// with the store's options.
import { open, type RootDatabase } from "lmdb";
import { ALL_TRUSTED } from "../src/ledger/trust.ts";
import type { CommitBatch, StateWrite, Store, StoreIdentity } from "../src/store/contract.ts";

/** Bytes of a value, about the size of a coin store with its metadata. */
export const VALUE_BYTES = 120;

const IDENTITY: StoreIdentity = { chainId: 4, genesisHash: new Uint8Array(32) };

/** A key that looks like a hash, made from a number. */
export function makeKey(index: number): Buffer {
  const key = Buffer.allocUnsafe(32);
  let state = (index + 1) >>> 0;
  for (let offset = 0; offset < 32; offset += 4) {
    state = Math.imul(state ^ (state >>> 16), 0x21f0aaad) >>> 0;
    state = (Math.imul(state ^ (state >>> 15), 0x735a2d97) + offset + 1) >>> 0;
    key.writeUInt32LE((state ^ (state >>> 15)) >>> 0, offset);
  }
  // The number itself makes keys unique.
  key.writeUInt32LE(index, 28);
  return key;
}

/** A value that differs by key and version. */
export function makeValue(index: number, version: number): Buffer {
  const value = Buffer.alloc(VALUE_BYTES, index & 0xff);
  value.writeUInt32LE(index, 1);
  value.writeUInt32LE(version, 5);
  return value;
}

/** Writes in each version of `commitSpread`. */
const WRITES_PER_VERSION = 10;

/** Commits batches to a store, one block each. */
export class Feeder {
  readonly #store: Store;
  #head: bigint | undefined;
  #height = -1n;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Next version to write. */
  get next(): bigint {
    return this.#head === undefined ? 0n : this.#head + 1n;
  }

  /** Commits writes as one batch, ten in each version, and returns the first version. */
  async commitSpread(writes: readonly Omit<StateWrite, "version">[]): Promise<bigint> {
    const first = this.next;
    const versionOf = (index: number) => first + BigInt(Math.floor(index / WRITES_PER_VERSION));
    const placed = writes.map((write, index) => ({ ...write, version: versionOf(index) }));
    await this.commit(versionOf(writes.length - 1), placed);
    return first;
  }

  /** Commits writes of the versions from `next` to `last` as one block and one batch. */
  async commit(last: bigint, writes: readonly StateWrite[]): Promise<void> {
    this.#height++;
    const block = { height: this.#height, firstVersion: this.next, timestampUsec: last, epoch: 0n };
    const batch: CommitBatch = {
      previous: this.#head,
      position: {
        chainId: IDENTITY.chainId,
        version: last,
        timestampUsec: last,
        epoch: 0n,
        blockHeight: this.#height,
        oldestVersion: 0n,
        oldestBlockHeight: 0n,
        accumulator: { leafCount: last + 1n, frozen: [] },
        stateRoot: undefined,
        ...ALL_TRUSTED,
      },
      writes,
      blocks: [block],
      records: [],
      treeNodes: [],
    };
    await this.#store.commit(batch, this.#head === undefined ? IDENTITY : undefined);
    this.#head = last;
  }
}

/** An lmdb environment with the store's options. */
export function openRaw(path: string): RootDatabase {
  const options = { noSubdir: false, mapSize: 2 ** 38, maxDbs: 16, overlappingSync: false } as const;
  return open({ path, ...options, encoding: "binary", keyEncoding: "binary" });
}
