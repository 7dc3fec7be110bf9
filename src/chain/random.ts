// Deterministic pseudo-random numbers: SHA3-256 of a seed and a counter, read word by word.
import { sha3, sha3Parts } from "../base/sha3.ts";
import { encodeWith } from "../bcs/codec.ts";
import { u64 } from "../bcs/scalars.ts";

const SEED_LENGTH = 32;

/** A stream of numbers determined by a 32-byte seed. */
export class Random {
  readonly #input: Buffer;
  #block: Buffer = Buffer.alloc(0);
  #at = 0;
  #counter = 0;

  constructor(seed: Uint8Array) {
    if (seed.length !== SEED_LENGTH) throw new Error(`a seed has ${SEED_LENGTH} bytes, not ${seed.length}`);
    this.#input = Buffer.alloc(SEED_LENGTH + 4);
    this.#input.set(seed, 0);
  }

  u32(): number {
    if (this.#at + 4 > this.#block.length) {
      this.#input.writeUInt32LE(this.#counter++, SEED_LENGTH);
      this.#block = Buffer.from(sha3(this.#input));
      this.#at = 0;
    }
    const value = this.#block.readUInt32LE(this.#at);
    this.#at += 4;
    return value;
  }

  u64(): bigint {
    return (BigInt(this.u32()) << 32n) | BigInt(this.u32());
  }

  /** A number from 0 up to, not including, `limit`. */
  below(limit: number): number {
    return this.u32() % limit;
  }

  /** A number from 1 up to and including `limit`. */
  upTo(limit: bigint): bigint {
    return (this.u64() % limit) + 1n;
  }

  /** True with a chance of one in `count`. */
  oneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  pick<T>(list: readonly T[]): T {
    const item = list[this.below(list.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  /** 32 bytes, for use as a hash. */
  bytes32(): Uint8Array {
    const out = Buffer.alloc(32);
    for (let i = 0; i < 32; i += 4) out.writeUInt32LE(this.u32(), i);
    return out;
  }
}

/** The random numbers of the block at a height. */
export function blockRandom(seed: Uint8Array, height: bigint): Random {
  return new Random(sha3Parts(seed, encodeWith(u64, height)));
}
