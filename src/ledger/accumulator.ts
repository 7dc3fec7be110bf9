// Append-only Merkle accumulators of transactions and events. What is kept is the roots of the full subtrees,
// left to right, and the leaf count; a missing right side counts as the accumulator placeholder.
import { ACCUMULATOR_PLACEHOLDER, hashPair, SEEDS } from "./hash.ts";
import type { AccumulatorState } from "./position.ts";

/** The accumulator of no leaves. */
export const EMPTY_ACCUMULATOR: AccumulatorState = { leafCount: 0n, frozen: [] };

/** An accumulator that is being appended to; the seed says which tree it is. */
export class Accumulator {
  readonly #seed: Uint8Array;
  readonly #frozen: Uint8Array[];
  #leafCount: bigint;

  constructor(seed: Uint8Array, state: AccumulatorState = EMPTY_ACCUMULATOR) {
    this.#seed = seed;
    this.#frozen = [...state.frozen];
    this.#leafCount = state.leafCount;
  }

  get leafCount(): bigint {
    return this.#leafCount;
  }

  /** Appends one leaf: two full subtrees of one size become one of twice the size. */
  append(leaf: Uint8Array): void {
    let node = leaf;
    for (let rest = this.#leafCount; (rest & 1n) === 1n; rest >>= 1n) {
      const left = this.#frozen.pop();
      if (left === undefined) throw new Error("accumulator has fewer subtrees than its leaf count says");
      node = hashPair(this.#seed, left, node);
    }
    this.#frozen.push(node);
    this.#leafCount += 1n;
  }

  /** Root over all leaves so far. */
  root(): Uint8Array {
    const frozen = this.#frozen;
    const last = frozen[frozen.length - 1];
    if (last === undefined) return ACCUMULATOR_PLACEHOLDER;
    if (frozen.length === 1) return last;
    let rest = this.#leafCount;
    while ((rest & 1n) === 0n) rest >>= 1n;
    let current = ACCUMULATOR_PLACEHOLDER;
    for (let next = frozen.length - 1; rest > 0n; rest >>= 1n) {
      const left = (rest & 1n) === 1n ? frozen[next--] : undefined;
      current =
        left === undefined
          ? hashPair(this.#seed, current, ACCUMULATOR_PLACEHOLDER)
          : hashPair(this.#seed, left, current);
    }
    return current;
  }

  /** What must be kept to go on appending later. */
  state(): AccumulatorState {
    return { leafCount: this.#leafCount, frozen: [...this.#frozen] };
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
