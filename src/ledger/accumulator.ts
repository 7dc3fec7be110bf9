// Append-only Merkle accumulators of transactions and events. What is kept is the roots of the full subtrees,
// left to right, and the leaf count; a missing right side counts as the accumulator placeholder.
import { ACCUMULATOR_PLACEHOLDER, hashPair, hashUp, SEEDS } from "./hash.ts";
import type { AccumulatorState } from "./position.ts";

/** The accumulator of no leaves. */
export const EMPTY_ACCUMULATOR: AccumulatorState = { leafCount: 0n, frozen: [] };

/** An accumulator that is being appended to; the seed says which tree it is. */
export class Accumulator {
  readonly #seed: Uint8Array;
  /** The full subtree of 2^i leaves at index i, where the leaf count has that bit. */
  readonly #subtrees: (Uint8Array | undefined)[] = [];
  #leafCount: bigint;

  constructor(seed: Uint8Array, { leafCount, frozen }: AccumulatorState = EMPTY_ACCUMULATOR) {
    this.#seed = seed;
    this.#leafCount = leafCount;
    let next = frozen.length;
    for (let rest = leafCount; rest > 0n; rest >>= 1n) {
      this.#subtrees.push((rest & 1n) === 1n ? frozen[--next] : undefined);
    }
    if (next !== 0) throw new Error("accumulator has not as many subtrees as its leaf count says");
  }

  get leafCount(): bigint {
    return this.#leafCount;
  }

  /** Appends one leaf: two full subtrees of one size become one of twice the size. */
  append(leaf: Uint8Array): void {
    const subtrees = this.#subtrees;
    let node = leaf;
    let level = 0;
    for (let left = subtrees[0]; left !== undefined; left = subtrees[level]) {
      node = hashPair(this.#seed, left, node);
      subtrees[level++] = undefined;
    }
    subtrees[level] = node;
    this.#leafCount += 1n;
  }

  /** Root over all leaves so far. */
  root(): Uint8Array {
    const subtrees = this.#subtrees;
    const top = subtrees.length - 1;
    const lowest = subtrees.findIndex((subtree) => subtree !== undefined);
    const node = subtrees[lowest];
    if (node === undefined) return ACCUMULATOR_PLACEHOLDER;
    return lowest === top ? node : hashUp(this.#seed, node, subtrees, lowest + 1, ACCUMULATOR_PLACEHOLDER);
  }

  /** What must be kept to go on appending later. */
  state(): AccumulatorState {
    const frozen = this.#subtrees.filter((subtree) => subtree !== undefined);
    return { leafCount: this.#leafCount, frozen: frozen.reverse() };
  }
}

/** Root of the event accumulator over the given event hashes. */
export function eventRoot(eventHashes: readonly Uint8Array[]): Uint8Array {
  const only = eventHashes.length === 1 ? eventHashes[0] : undefined;
  if (only !== undefined) return only;
  const accumulator = new Accumulator(SEEDS.eventAccumulator);
  for (const hash of eventHashes) accumulator.append(hash);
  return accumulator.root();
}

/** An accumulator over transaction infos, continued from a kept state. */
export function transactionAccumulator(state: AccumulatorState = EMPTY_ACCUMULATOR): Accumulator {
  return new Accumulator(SEEDS.transactionAccumulator, state);
}
