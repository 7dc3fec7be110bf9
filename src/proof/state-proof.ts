// Proofs that a state item has a value, or does not exist, under a state root; of one item, or of many at once.

import { equalBytes } from "../base/bytes.ts";
import { passingUpTo } from "../base/search.ts";
import type { ValueOf } from "../bcs/codec.ts";
import { BcsError } from "../bcs/errors.ts";
import { struct } from "../bcs/records.ts";
import { byteString, hash } from "../bcs/scalars.ts";
import { option, vector } from "../bcs/sequences.ts";
import { assertStateValue, stateValueHash } from "../ledger/formats/state-value.ts";
import { SPARSE_MERKLE_PLACEHOLDER } from "../ledger/hash.ts";
import { bitAt, commonBits, foldWay, KEY_BITS } from "../ledger/state-tree/key-way.ts";
import { innerHashOf, leafHashOf } from "../ledger/state-tree/tree-node.ts";
import { ProofError } from "./errors.ts";

/** The way from a leaf, or from where it would be, to the root. */
export const stateProofCodec = struct({
  /** The leaf at the end of the way; undefined where there is none. */
  leaf: option(struct({ keyHash: hash, valueHash: hash })),
  /** From the root down. */
  siblings: vector(hash),
});
export type StateProof = ValueOf<typeof stateProofCodec>;

/** The root that a proof leads to for a key. Throws ProofError `malformed`. */
function foldProof({ leaf, siblings }: StateProof, keyHash: Uint8Array): Uint8Array {
  if (siblings.length > KEY_BITS) {
    throw new ProofError("malformed", `${siblings.length} siblings are more than a key has bits`);
  }
  const end = leaf === undefined ? SPARSE_MERKLE_PLACEHOLDER : leafHashOf(leaf.keyHash, leaf.valueHash);
  return foldWay(keyHash, end, { bottom: siblings.length }, (depth) => siblings[depth]);
}

/**
 * Checks that the key has the value of that hash under the root; undefined means that it does not exist. Throws
 * ProofError.
 */
export function checkStateProof(
  proof: StateProof,
  root: Uint8Array,
  keyHash: Uint8Array,
  valueHash: Uint8Array | undefined,
): void {
  const { leaf, siblings } = proof;
  const isOwn = leaf !== undefined && equalBytes(leaf.keyHash, keyHash);
  if (valueHash === undefined) {
    if (isOwn) throw new ProofError("mismatch", "the proof of absence ends in the item itself");
    if (leaf !== undefined && commonBits(leaf.keyHash, keyHash) < siblings.length) {
      throw new ProofError("mismatch", "the proof of absence ends in an item that lies elsewhere");
    }
  } else if (!isOwn || !equalBytes(leaf.valueHash, valueHash)) {
    throw new ProofError("mismatch", "the proof is for another item or value");
  }
  if (!equalBytes(foldProof(proof, keyHash), root)) {
    throw new ProofError("mismatch", "the proof does not lead to the state root");
  }
}

/** Most items of a bundle: two for each of a thousand balances, the keys of as many accounts, and the time. */
export const MAX_VALUES = 3001;

/**
 * Many items under one root. The keys are not in it: the claim names them. The nodes that lead to a key are walked from the
 * root, the left child first; a child that leads to no key is a hash.
 */
export const stateItemsCodec = struct({
  /** BCS of the state values in the order of their key hashes; undefined where an item does not exist. */
  values: vector(option(byteString), MAX_VALUES),
  /** The kind of each node of the walk, one byte each. */
  nodes: byteString,
  /** In the order of the walk: children that lead to no key, and key hash and value hash of other leaves. */
  hashes: vector(hash),
});
export type StateItems = ValueOf<typeof stateItemsCodec>;

const [INNER, EMPTY, OWN_LEAF, OTHER_LEAF] = [0, 1, 2, 3];

/** The first key of a sorted range whose bit at a depth is 1. All share the bits before. */
function splitAt(keys: readonly Uint8Array[], first: number, end: number, depth: number): number {
  return passingUpTo(keys, (key) => bitAt(key, depth) === 0, first, end);
}

function hashOfValue(value: Uint8Array): Uint8Array {
  try {
    assertStateValue(value);
  } catch (error) {
    if (!(error instanceof BcsError)) throw error;
    throw new ProofError("malformed", `a state value does not decode: ${error.message}`, { cause: error });
  }
  return stateValueHash(value);
}

/**
 * Checks that the items under these key hashes, which are sorted and differ, have the values under the root. Throws
 * ProofError.
 */
export function checkStateItems(items: StateItems, root: Uint8Array, keys: readonly Uint8Array[]): void {
  const { values, nodes, hashes } = items;
  if (values.length !== keys.length) {
    throw new ProofError("malformed", `the claim names ${keys.length} items; the proof has ${values.length}`);
  }
  let [nodeAt, hashAt] = [0, 0];
  const malformed = (reason: string): ProofError =>
    new ProofError("malformed", `the walk through the state tree ${reason}`);
  const nextHash = (): Uint8Array => {
    const next = hashes[hashAt++];
    if (next === undefined) throw malformed("has too few hashes");
    return next;
  };
  /** The only item of a range that exists. */
  const onlyItem = (first: number, end: number): number => {
    const there: number[] = [];
    for (let i = first; i < end; i++) if (values[i] !== undefined) there.push(i);
    const [only] = there;
    if (only !== undefined && there.length === 1) return only;
    throw new ProofError("mismatch", `a leaf stands for ${there.length} items`);
  };
  const assertAbsent = (first: number, end: number, other?: Uint8Array): void => {
    for (let i = first; i < end; i++) {
      const isOwn = other !== undefined && equalBytes(keys[i] as Uint8Array, other);
      if (isOwn || values[i] !== undefined) {
        throw new ProofError("mismatch", "an item and the proof of its absence contradict each other");
      }
    }
  };
  const visit = (first: number, end: number, depth: number): Uint8Array => {
    const kind = nodes[nodeAt++];
    if (kind === INNER && depth < KEY_BITS) {
      const middle = splitAt(keys, first, end, depth);
      const left = first < middle ? visit(first, middle, depth + 1) : nextHash();
      return innerHashOf(left, middle < end ? visit(middle, end, depth + 1) : nextHash());
    }
    if (kind === EMPTY) {
      assertAbsent(first, end);
      return SPARSE_MERKLE_PLACEHOLDER;
    }
    if (kind === OWN_LEAF) {
      const own = onlyItem(first, end);
      return leafHashOf(keys[own] as Uint8Array, hashOfValue(values[own] as Uint8Array));
    }
    if (kind !== OTHER_LEAF) throw malformed("has a node of no kind, or is too short or too deep");
    const [keyHash, valueHash] = [nextHash(), nextHash()];
    assertAbsent(first, end, keyHash);
    if (commonBits(keyHash, keys[first] as Uint8Array) < depth) {
      throw new ProofError("mismatch", "the proof of absence ends in an item that lies elsewhere");
    }
    return leafHashOf(keyHash, valueHash);
  };
  const own = visit(0, keys.length, 0);
  if (nodeAt !== nodes.length || hashAt !== hashes.length) throw malformed("does not use everything given");
  if (!equalBytes(own, root)) {
    throw new ProofError("mismatch", "the state items are not those under the state root of the version");
  }
}

/** Joins the proofs of single items, in the order of their key hashes, to what `checkStateItems` takes. */
export function joinStateProofs(
  keys: readonly Uint8Array[],
  values: StateItems["values"],
  proofs: readonly StateProof[],
): StateItems {
  const nodes: number[] = [];
  const hashes: Uint8Array[] = [];
  const visit = (first: number, end: number, depth: number): void => {
    const { leaf, siblings } = proofs[first] as StateProof;
    const sibling = siblings[depth];
    if (sibling !== undefined) {
      nodes.push(INNER);
      const middle = splitAt(keys, first, end, depth);
      if (first < middle) visit(first, middle, depth + 1);
      else hashes.push(sibling);
      if (middle < end) visit(middle, end, depth + 1);
      else hashes.push(sibling);
    } else if (leaf === undefined) nodes.push(EMPTY);
    else if (keys.slice(first, end).some((key) => equalBytes(key, leaf.keyHash))) nodes.push(OWN_LEAF);
    else {
      nodes.push(OTHER_LEAF);
      hashes.push(leaf.keyHash, leaf.valueHash);
    }
  };
  visit(0, keys.length, 0);
  return { values, nodes: Uint8Array.from(nodes), hashes };
}
