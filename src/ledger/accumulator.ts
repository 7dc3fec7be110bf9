// Append-only Merkle accumulators of transactions and events. An accumulator keeps the leaf count and the roots of the
// full subtrees, left to right; the placeholder stands for a missing right side.
import { finish, forEach, type Pieces } from "../base/pieces.ts";
import { ACCUMULATOR_PLACEHOLDER, foldToRoot, hashPair, SEEDS } from "./hash.ts";
import type { AccumulatorState } from "./position.ts";

/** The accumulator of no leaves. */
export const EMPTY_ACCUMULATOR: AccumulatorState = { leafCount: 0n, frozen: [] };

/** A full subtree: its leaves are those from `index` · 2^`level` on. */
export interface Subtree {
  readonly level: number;
  readonly index: bigint;
  readonly hash: Uint8Array;
}

/** An accumulator to append to. The seed is that of its inner nodes. */
export class Accumulator {
  readonly #seed: Uint8Array;
  /** At index i the root of the full subtree of 2^i leaves, if the leaf count has bit i. */
  readonly #subtrees: (Uint8Array | undefined)[] = [];
  #leafCount: bigint;

  constructor(seed: Uint8Array, { leafCount, frozen }: AccumulatorState = EMPTY_ACCUMULATOR) {
    this.#seed = seed;
    this.#leafCount = leafCount;
    let next = frozen.length;
    for (let rest = leafCount; rest > 0n; rest >>= 1n) {
      this.#subtrees.push((rest & 1n) === 1n ? frozen[--next] : undefined);
    }
    if (next !== 0) throw new Error(`${frozen.length} subtree roots do not fit ${leafCount} leaves`);
  }

  get leafCount(): bigint {
    return this.#leafCount;
  }

  /** Appends one leaf. Two full subtrees of one size merge into one of twice the size, which `onMerge` is told. */
  append(leaf: Uint8Array, onMerge?: (subtree: Subtree) => void): void {
    const subtrees = this.#subtrees;
    let node = leaf;
    let level = 0;
    for (let left = subtrees[0]; left !== undefined; left = subtrees[level]) {
      node = hashPair(this.#seed, left, node);
      subtrees[level++] = undefined;
      onMerge?.({ level, index: this.#leafCount >> BigInt(level), hash: node });
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
    return lowest === top
      ? node
      : foldToRoot(this.#seed, node, subtrees, lowest + 1, ACCUMULATOR_PLACEHOLDER);
  }

  /** The state from which a new accumulator can continue. */
  state(): AccumulatorState {
    const frozen = this.#subtrees.filter((subtree) => subtree !== undefined);
    return { leafCount: this.#leafCount, frozen: frozen.reverse() };
  }
}

const EVENTS_OF_PIECE = 128;

/** Root of the event accumulator over some events. */
export function* eventRootInPieces(
  events: readonly Uint8Array[],
  hashOf: (event: Uint8Array) => Uint8Array,
): Pieces<Uint8Array> {
  const [only] = events;
  if (events.length === 1 && only !== undefined) return hashOf(only);
  const accumulator = new Accumulator(SEEDS.eventAccumulator);
  yield* forEach(events, EVENTS_OF_PIECE, (event) => accumulator.append(hashOf(event)));
  return accumulator.root();
}

/** Root of the event accumulator over the given event hashes. */
export function eventRoot(eventHashes: readonly Uint8Array[]): Uint8Array {
  return finish(eventRootInPieces(eventHashes, (hash) => hash));
}

/** An accumulator over transaction infos that continues from a stored state. */
export function transactionAccumulator(state: AccumulatorState = EMPTY_ACCUMULATOR): Accumulator {
  return new Accumulator(SEEDS.transactionAccumulator, state);
}
