// Proofs of single items from a backup service, which serves items by their index and only the siblings on the right of
// a key. The siblings on the left are rebuilt: the leftmost leaf of a subtree has nothing on its left inside of it, so
// its siblings on the right lead to the subtree's hash. Nothing that the service says is trusted before the whole proof
// leads to the state root.

import { equalBytes } from "../../base/bytes.ts";
import { toHex } from "../../base/hex.ts";
import { mapSome } from "../../base/map-some.ts";
import { keepSome } from "../../base/recent.ts";
import { stateKeyHashOfBcs } from "../../ledger/formats/state-key.ts";
import { stateValueHash } from "../../ledger/formats/state-value.ts";
import { SPARSE_MERKLE_PLACEHOLDER } from "../../ledger/hash.ts";
import { bitAt, commonBits, foldWay, KEY_BITS } from "../../ledger/state-tree/key-way.ts";
import { leafHashOf } from "../../ledger/state-tree/tree-node.ts";
import { checkStateProof, type StateProof } from "../../proof/state-proof.ts";
import type { StateQuestions } from "../signatures/source.ts";
import { UpstreamError } from "../upstream/errors.ts";

/** A state at a version. */
export interface StatePoint {
  readonly version: bigint;
  /** Its root, which was checked. */
  readonly root: Uint8Array;
}

interface Leaf {
  readonly keyHash: Uint8Array;
  readonly valueHash: Uint8Array;
}

/** Items per question while searching. */
const PAGE = 16;
/** Questions in flight for one proof. */
const AT_ONCE = 8;
/** Steps of one search: far more than interpolation takes among 2^64 items. */
const MAX_STEPS = 128;
/** Steps after which the search halves what is left, in case a service makes up its hashes. */
const INTERPOLATED_STEPS = 12;
/** Pages and subtrees kept for the next proofs. */
const MAX_KEPT = 2048;

/** The first `depth` bits of a key hash and the bit after them flipped; zeros behind. */
function siblingPrefix(keyHash: Uint8Array, depth: number): Uint8Array {
  const prefix = new Uint8Array(keyHash.length);
  prefix.set(keyHash.subarray(0, depth >> 3));
  const at = depth >> 3;
  const mask = 0xff00 >> (depth & 7);
  prefix[at] = (keyHash[at] ?? 0) & mask & 0xff;
  if (bitAt(keyHash, depth) === 0) prefix[at] = (prefix[at] ?? 0) | (0x80 >> (depth & 7));
  return prefix;
}

/** Where a hash lies between 0 and 1. */
export function fractionOf(keyHash: Uint8Array): number {
  let fraction = 0;
  for (let i = 5; i >= 0; i--) fraction = (fraction + (keyHash[i] ?? 0)) / 256;
  return fraction;
}

/** Proves items of one state. Keeps what helps with the next proof. */
export class StateProver {
  readonly #questions: StateQuestions;
  readonly point: StatePoint;
  #count: Promise<bigint> | undefined;
  readonly #pages = new Map<bigint, Promise<readonly Leaf[]>>();
  readonly #subtrees = new Map<string, Promise<Uint8Array>>();

  constructor(questions: StateQuestions, point: StatePoint) {
    this.#questions = questions;
    this.point = point;
  }

  /**
   * The value of an item, or undefined where it is proven to be absent. Throws ProofError if the service does not lead to the
   * state root, and UpstreamError.
   */
  async prove(keyHash: Uint8Array, signal: AbortSignal): Promise<Uint8Array | undefined> {
    try {
      return await this.#prove(keyHash, signal);
    } catch (error) {
      // What is kept may be a part of what was false.
      this.#count = undefined;
      this.#pages.clear();
      this.#subtrees.clear();
      throw error;
    }
  }

  async #prove(keyHash: Uint8Array, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const index = await this.#lowerBound(keyHash, signal);
    const [before, at, after] = await Promise.all([
      this.#leafAt(index - 1n, signal),
      this.#leafAt(index, signal),
      this.#leafAt(index + 1n, signal),
    ]);
    const isThere = at !== undefined && equalBytes(at.keyHash, keyHash);
    const { version, root } = this.point;
    if (isThere) {
      const depth = Math.max(
        ...[before, after].map((leaf) => (leaf ? commonBits(leaf.keyHash, keyHash) + 1 : 0)),
      );
      const [record] = await this.#questions.stateChunk(version, index, 1, signal);
      const valueHash = record && stateValueHash(record.value);
      const proof = { leaf: at, siblings: await this.#siblings(keyHash, depth, signal) };
      checkStateProof(proof, root, keyHash, valueHash ?? new Uint8Array());
      return record?.value;
    }
    const proof = await this.#absence(keyHash, index, before, at, signal);
    checkStateProof(proof, root, keyHash, undefined);
    return undefined;
  }

  /** The way to where the key would be: it ends in nothing, or in the only leaf that shares the prefix. */
  async #absence(
    keyHash: Uint8Array,
    index: bigint,
    before: Leaf | undefined,
    after: Leaf | undefined,
    signal: AbortSignal,
  ): Promise<StateProof> {
    const [left, right] = [before, after].map((leaf) => (leaf ? commonBits(leaf.keyHash, keyHash) : -1)) as [
      number,
      number,
    ];
    const nearest = left > right ? before : after;
    if (nearest === undefined) return { leaf: undefined, siblings: [] };
    // The neighbour of the nearest leaf on its other side may share more than the one on this side.
    const beyond = await this.#leafAt(left > right ? index - 2n : index + 1n, signal);
    const most = Math.max(left, right);
    const second = Math.max(Math.min(left, right), beyond ? commonBits(beyond.keyHash, keyHash) : -1);
    const isAlone = second < most;
    const depth = (isAlone ? second : most) + 1;
    return { leaf: isAlone ? nearest : undefined, siblings: await this.#siblings(keyHash, depth, signal) };
  }

  /** Siblings of a key's way, from the root down. */
  #siblings(keyHash: Uint8Array, depth: number, signal: AbortSignal): Promise<Uint8Array[]> {
    const depths = Array.from({ length: depth }, (_, i) => i);
    return mapSome(depths, AT_ONCE, (at) => this.#subtreeHash(siblingPrefix(keyHash, at), at + 1, signal));
  }

  /** Hash of the subtree whose keys begin with the first bits of a prefix. */
  #subtreeHash(prefix: Uint8Array, depth: number, signal: AbortSignal): Promise<Uint8Array> {
    return keepSome(this.#subtrees, `${depth}:${toHex(prefix)}`, MAX_KEPT, () =>
      this.#readSubtree(prefix, depth, signal),
    );
  }

  async #readSubtree(prefix: Uint8Array, depth: number, signal: AbortSignal): Promise<Uint8Array> {
    const leaf = await this.#leafAt(await this.#lowerBound(prefix, signal), signal);
    if (leaf === undefined || commonBits(leaf.keyHash, prefix) < depth) return SPARSE_MERKLE_PLACEHOLDER;
    const right = await this.#questions.rightSiblings(this.point.version, leaf.keyHash, signal);
    const bottom = depthOf(leaf.keyHash, right.length);
    let next = 0;
    return foldWay(
      leaf.keyHash,
      leafHashOf(leaf.keyHash, leaf.valueHash),
      { bottom, top: depth },
      (_, isLeft) => (isLeft ? undefined : right[next++]),
    );
  }

  /** The index of the first leaf whose key hash is not below the target. */
  async #lowerBound(target: Uint8Array, signal: AbortSignal): Promise<bigint> {
    this.#count ??= this.#questions.stateItemCount(this.point.version, signal);
    const count = await this.#count;
    let [low, high] = [0n, count];
    let [lowFraction, highFraction] = [0, 1];
    const wanted = fractionOf(target);
    for (let step = 0; low < high; step++) {
      if (step > MAX_STEPS)
        throw new UpstreamError("malformed", "the items are not in the order of their hashes");
      const span = highFraction - lowFraction;
      const share = step < INTERPOLATED_STEPS && span > 0 ? (wanted - lowFraction) / span : 0.5;
      const guess = low + BigInt(Math.floor(Number(high - low) * Math.min(Math.max(share, 0), 1)));
      const number = (guess < high ? guess : high - 1n) / BigInt(PAGE);
      const page = await this.#page(number, signal);
      const [first, last] = [page[0], page.at(-1)];
      if (first === undefined || last === undefined)
        throw new UpstreamError("malformed", "a chunk has no items");
      const start = number * BigInt(PAGE);
      if (Buffer.compare(last.keyHash, target) < 0) {
        low = start + BigInt(page.length);
        lowFraction = fractionOf(last.keyHash);
      } else if (Buffer.compare(first.keyHash, target) >= 0) {
        if (start <= low) return low;
        high = start;
        highFraction = fractionOf(first.keyHash);
      } else {
        const inside = page.findIndex(({ keyHash }) => Buffer.compare(keyHash, target) >= 0);
        return start + BigInt(inside);
      }
    }
    return low;
  }

  async #leafAt(index: bigint, signal: AbortSignal): Promise<Leaf | undefined> {
    this.#count ??= this.#questions.stateItemCount(this.point.version, signal);
    if (index < 0n || index >= (await this.#count)) return undefined;
    const page = await this.#page(index / BigInt(PAGE), signal);
    return page[Number(index % BigInt(PAGE))];
  }

  #page(number: bigint, signal: AbortSignal): Promise<readonly Leaf[]> {
    return keepSome(this.#pages, number, MAX_KEPT, async () => {
      const start = number * BigInt(PAGE);
      const items = await this.#questions.stateChunk(this.point.version, start, PAGE, signal);
      return items.map(({ key, value }) => ({
        keyHash: stateKeyHashOfBcs(key),
        valueHash: stateValueHash(value),
      }));
    });
  }
}

/** Depth of the leftmost leaf of a subtree: it ends with a sibling on its right. */
export function depthOf(keyHash: Uint8Array, rightSiblings: number): number {
  let zeros = 0;
  for (let depth = 0; depth < KEY_BITS && rightSiblings > 0; depth++) {
    if (bitAt(keyHash, depth) === 0 && ++zeros === rightSiblings) return depth + 1;
  }
  return 0;
}
