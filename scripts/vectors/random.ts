// Deterministic random values, the same on every machine and version of node.
import { createHash } from "node:crypto";

/** Draws bytes and numbers from SHA-256 over the seed and a counter. */
export class SeededRandom {
  readonly #seed: string;
  #drawn = 0;

  constructor(seed: string) {
    this.#seed = seed;
  }

  bytes(length: number): Uint8Array {
    const out = new Uint8Array(length);
    for (let at = 0; at < length; at += 32) {
      const block = createHash("sha256")
        .update(`${this.#seed} ${this.#drawn++}`)
        .digest();
      out.set(block.subarray(0, length - at), at);
    }
    return out;
  }

  /** An unsigned integer of that many bits. */
  bits(count: number): bigint {
    return BigInt(`0x${Buffer.from(this.bytes(count / 8)).toString("hex")}`);
  }

  below(limit: number): number {
    return Number(this.bits(48) % BigInt(limit));
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }
}
