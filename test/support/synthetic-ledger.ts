// A synthetic ledger: a seed determines every version, so tests know what each read of a store must return, and two
// processes with one seed agree.
import { sha3 } from "../../src/base/sha3.ts";
import type { Position } from "../../src/ledger/position.ts";
import { ALL_TRUSTED } from "../../src/ledger/trust.ts";
import type { Block, StateItem } from "../../src/ledger/view.ts";
import type {
  BlockStart,
  CommitBatch,
  IndexRow,
  RewindBatch,
  StateWrite,
  StoreIdentity,
} from "../../src/store/contract.ts";

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
  /** Tells the content of a fork from that of the ledger it left. */
  readonly #name: string;
  readonly #writes: StateWrite[][] = [];
  readonly #histories: StateItem[][];
  readonly #blocks: BlockStart[] = [];
  /** Height of each version's block. */
  readonly #heights: number[] = [];
  readonly #records: Uint8Array[] = [];

  constructor(
    seed: number,
    keyCount = 12,
    origin?: { readonly ledger: SyntheticLedger; readonly last: bigint },
  ) {
    this.#random = createRandom(seed);
    this.keys =
      origin?.ledger.keys ??
      Array.from({ length: keyCount }, (_, index) => sha3(Buffer.from(`key ${index}`)));
    this.#histories = this.keys.map(() => []);
    this.#name = origin === undefined ? "" : `${origin.ledger.#name}${seed} from ${origin.last}, `;
    if (origin === undefined) return;
    const { ledger, last } = origin;
    const count = Number(last) + 1;
    this.#writes.push(...ledger.#writes.slice(0, count));
    this.#heights.push(...ledger.#heights.slice(0, count));
    this.#records.push(...ledger.#records.slice(0, count));
    this.#blocks.push(...ledger.#blocks.slice(0, Number(ledger.#heights[count - 1]) + 1));
    this.#histories = ledger.#histories.map((history) => history.slice(0, countUpTo(history, last)));
  }

  /** The same ledger up to the end of a block, and another one after it. */
  fork(last: bigint, seed: number): SyntheticLedger {
    const fork = new SyntheticLedger(seed, this.keys.length, { ledger: this, last });
    fork.#add(last + 1n, true);
    return fork;
  }

  /** The batch that takes a store from its head back to the end of a block. */
  rewindBatch(previous: bigint, last: bigint): RewindBatch {
    const writes = this.#writes.slice(Number(last) + 1, Number(previous) + 1).flat();
    return {
      previous,
      position: this.positionAt(last),
      keyHashes: [...new Set(writes.map(({ keyHash }) => keyHash))],
      index: this.indexRows(
        writes.filter(({ keyHash }) => this.itemAt(this.keys.indexOf(keyHash), last) === undefined),
      ),
      treeNodes: [{ key: Buffer.from([Number(last % 5n)]), value: Buffer.from(`back at ${last}`) }],
      sideRows: [{ key: Buffer.from("rewound"), value: Buffer.from(`${last}`) }],
    };
  }

  /** The last versions of the blocks from `first` on that end below the head. */
  blockEnds(first: bigint, head: bigint): bigint[] {
    return this.blocksOf(first, head)
      .slice(1)
      .map(({ firstVersion }) => firstVersion - 1n);
  }

  /** The batch that takes a store from `previous` (undefined when empty) to `last`. */
  batch(previous: bigint | undefined, last: bigint): CommitBatch {
    this.#extendTo(last);
    const first = previous === undefined ? 0n : previous + 1n;
    const writes = this.#writes.slice(Number(first), Number(last) + 1).flat();
    return {
      previous,
      position: this.positionAt(last),
      writes,
      index: this.indexRows(writes),
      blocks: this.blocksOf(first, last).filter((block) => block.firstVersion >= first),
      records: versions(first, last).map((version) => ({ version, bytes: this.record(version) })),
      treeNodes: [
        { key: Buffer.from([Number(last % 5n)]), value: Buffer.from(`node ${last}`) },
        { key: Buffer.from([Number((last + 1n) % 5n)]), value: undefined },
      ],
    };
  }

  /** The owners of the index; each key has two of them. */
  readonly owners: readonly Uint8Array[] = [0, 1, 2, 3].map((kind) =>
    Uint8Array.from({ length: 33 }, (_, i) => (i === 0 ? kind : 255 * (kind % 2))),
  );

  /** The row of a key under one of its owners. */
  indexRow(key: number, owner: number): { owner: Uint8Array; place: Uint8Array; data: Uint8Array } {
    return {
      owner: this.owners[owner]!,
      place: sha3(Buffer.from(`place of ${key} under ${owner}`)),
      data: Buffer.from(`data of ${key}`.repeat(owner)),
    };
  }

  /** The owners of a key, by number. */
  ownersOf(key: number): readonly [number, number] {
    return [key % 3, 3];
  }

  /** The index rows of writes. */
  indexRows(writes: readonly StateWrite[]): IndexRow[] {
    return writes.flatMap(({ keyHash, version, value }) => {
      const key = this.keys.findIndex((one) => Buffer.compare(one, keyHash) === 0);
      const item = { keyHash, version, isDeletion: value === undefined };
      return this.ownersOf(key).map((owner) => ({ ...this.indexRow(key, owner), ...item }));
    });
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
    this.#extendTo(version);
    return this.#records[Number(version)]!;
  }

  #extendTo(version: bigint): void {
    while (this.#writes.length <= Number(version)) this.#add(BigInt(this.#writes.length));
  }

  #add(version: bigint, startsBlock = false): void {
    const random = this.#random;
    const last = this.#blocks.at(-1);
    this.#records.push(Buffer.from(`${this.#name}record ${version} `.repeat(1 + Number(version % 4n))));
    if (last === undefined || random() % 4 === 0 || startsBlock) {
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
    const text = `${this.#name}value of key ${key} at ${version} `;
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
