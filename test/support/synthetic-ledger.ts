// A synthetic ledger: a seed determines every version, so tests know what each read of a store must return, and two
// processes with one seed agree.
import { sha3 } from "../../src/base/sha3.ts";
import type { Position } from "../../src/ledger/position.ts";
import { ALL_TRUSTED } from "../../src/ledger/trust.ts";
import type { Block, StateItem } from "../../src/ledger/view.ts";
import type { BlockStart, CommitBatch, StateWrite, StoreIdentity } from "../../src/store/contract.ts";

/** A generator of 32-bit numbers (mulberry32), determined by its seed. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

const CHAIN_ID = 7;

/** Identity of every synthetic ledger. */
export const SYNTHETIC_IDENTITY: StoreIdentity = {
  chainId: CHAIN_ID,
  genesisHash: new Uint8Array(32).fill(9),
};

/** The ledger of one seed. */
export class SyntheticLedger {
  readonly keys: readonly Uint8Array[];
  readonly #random: () => number;
  readonly #writes: StateWrite[][] = [];
  readonly #histories: StateItem[][];
  readonly #blocks: BlockStart[] = [];
  /** Height of each version's block. */
  readonly #heights: number[] = [];

  constructor(seed: number, keyCount = 12) {
    this.#random = createRandom(seed);
    this.keys = Array.from({ length: keyCount }, (_, index) => sha3(Buffer.from(`key ${index}`)));
    this.#histories = this.keys.map(() => []);
  }

  /** The batch that takes a store from `previous` (undefined when empty) to `last`. */
  batch(previous: bigint | undefined, last: bigint): CommitBatch {
    this.#extendTo(last);
    const first = previous === undefined ? 0n : previous + 1n;
    return {
      previous,
      position: this.positionAt(last),
      writes: this.#writes.slice(Number(first), Number(last) + 1).flat(),
      blocks: this.blocksOf(first, last).filter((block) => block.firstVersion >= first),
      records: versions(first, last).map((version) => ({ version, bytes: this.record(version) })),
      treeNodes: [
        { key: Buffer.from([Number(last % 5n)]), value: Buffer.from(`node ${last}`) },
        { key: Buffer.from([Number((last + 1n) % 5n)]), value: undefined },
      ],
    };
  }

  /** The position after a version, with nothing pruned. */
  positionAt(version: bigint): Position {
    this.#extendTo(version);
    const block = this.blockAt(version, version);
    return {
      chainId: CHAIN_ID,
      version,
      timestampUsec: block.timestampUsec,
      epoch: block.epoch,
      blockHeight: block.height,
      oldestVersion: 0n,
      oldestBlockHeight: 0n,
      accumulator: {
        leafCount: version + 1n,
        frozen: [new Uint8Array(sha3(Buffer.from(`frozen ${version}`)))],
      },
      stateRoot: version % 3n === 0n ? undefined : new Uint8Array(sha3(Buffer.from(`root ${version}`))),
      ...ALL_TRUSTED,
    };
  }

  /** The item at a version, deletions included. */
  itemAt(key: number, version: bigint): StateItem | undefined {
    this.#extendTo(version);
    const history = this.#histories[key]!;
    return history[countUpTo(history, version) - 1];
  }

  /** The writes of a key in a range. */
  history(key: number, from: bigint, to: bigint): StateItem[] {
    this.#extendTo(to);
    const history = this.#histories[key]!;
    return history.slice(countUpTo(history, from - 1n), countUpTo(history, to));
  }

  /** The block that contains a version, in a ledger with the given head. */
  blockAt(version: bigint, head: bigint): Block {
    this.#extendTo(head);
    const height = this.#heights[Number(version)]!;
    const next = this.#blocks[height + 1]?.firstVersion ?? head + 1n;
    return { ...this.#blocks[height]!, lastVersion: (next <= head ? next : head + 1n) - 1n };
  }

  /** The blocks that contain the versions from first to last. */
  blocksOf(first: bigint, last: bigint): BlockStart[] {
    this.#extendTo(last);
    return this.#blocks.slice(this.#heights[Number(first)]!, this.#heights[Number(last)]! + 1);
  }

  /** Bytes of a version's record. */
  record(version: bigint): Uint8Array {
    return Buffer.from(`record ${version} `.repeat(1 + Number(version % 4n)));
  }

  #extendTo(version: bigint): void {
    while (this.#writes.length <= Number(version)) this.#add(BigInt(this.#writes.length));
  }

  #add(version: bigint): void {
    const random = this.#random;
    const last = this.#blocks.at(-1);
    if (last === undefined || random() % 4 === 0) {
      this.#blocks.push({
        height: last === undefined ? 0n : last.height + 1n,
        firstVersion: version,
        timestampUsec: last === undefined ? 0n : last.timestampUsec + BigInt(random() % 3) * 250_000n,
        epoch: version / 50n,
      });
    }
    this.#heights.push(this.#blocks.length - 1);
    const touched = new Set<number>();
    const count = version === 0n ? this.keys.length / 2 : random() % 4;
    while (touched.size < count) touched.add(random() % this.keys.length);
    const writes: StateWrite[] = [];
    for (const key of touched) {
      const value = random() % 4 === 0 && version > 0n ? undefined : this.#value(key, version);
      this.#histories[key]!.push({ version, value });
      writes.push({ keyHash: this.keys[key]!, version, value });
    }
    this.#writes.push(writes);
  }

  #value(key: number, version: bigint): Uint8Array {
    const text = `value of key ${key} at ${version} `;
    return Buffer.from(text.repeat(1 + (this.#random() % 8)));
  }
}

/** Number of items of an ordered history at or below the version. */
function countUpTo(history: readonly StateItem[], version: bigint): number {
  let low = 0;
  let high = history.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (history[middle]!.version <= version) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** All versions of a range, both ends included. */
export function versions(first: bigint, last: bigint): bigint[] {
  return Array.from({ length: Number(last - first) + 1 }, (_, index) => first + BigInt(index));
}
