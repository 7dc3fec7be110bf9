// Domain-separated hashing: hash(x) of a type named N is SHA3-256(seed(N) || bytes of x), where seed(N) =
// SHA3-256("APTOS::" || N). Short inputs are hashed in WebAssembly. Longer ones are joined to their seed in one
// reused scratch buffer, because a one-shot hash costs half of a streaming one.
import {
  endFold,
  foldWithLeft,
  foldWithRight,
  MAX_SHORT_INPUT,
  sha3Short,
  sha3Triple,
  sha3TwoTriples,
  startFold,
} from "../base/keccak.ts";
import { sha3, sha3Parts } from "../base/sha3.ts";

/** Bytes of every hash of the ledger. */
export const HASH_LENGTH = 32;

const SCRATCH_BYTES = 16_384;
const scratch = new Uint8Array(SCRATCH_BYTES);

/** The seed of a type name. */
export function domainSeed(name: string): Uint8Array {
  return sha3(new TextEncoder().encode(`APTOS::${name}`));
}

/** The seeds of everything the ledger hashes. */
export const SEEDS = {
  transaction: domainSeed("Transaction"),
  transactionInfo: domainSeed("TransactionInfo"),
  writeSet: domainSeed("WriteSet"),
  contractEvent: domainSeed("ContractEvent"),
  eventAccumulator: domainSeed("EventAccumulator"),
  transactionAccumulator: domainSeed("TransactionAccumulator"),
  stateKey: domainSeed("StateKey"),
  stateValue: domainSeed("StateValue"),
  sparseMerkleLeaf: domainSeed("SparseMerkleLeafNode"),
  sparseMerkleInternal: domainSeed("SparseMerkleInternal"),
  waypoint: domainSeed("Ledger2WaypointConverter"),
  auxiliaryInfo: domainSeed("PersistedAuxiliaryInfo"),
} as const satisfies Record<string, Uint8Array>;

function placeholder(text: string): Uint8Array {
  const out = new Uint8Array(HASH_LENGTH);
  new TextEncoder().encodeInto(text, out);
  return out;
}

/** Root of an empty accumulator and of a missing right side: the text itself, zero-padded, never hashed. */
export const ACCUMULATOR_PLACEHOLDER: Uint8Array = placeholder("ACCUMULATOR_PLACEHOLDER_HASH");

/** Root of an empty state subtree: the text itself, zero-padded, never hashed. */
export const SPARSE_MERKLE_PLACEHOLDER: Uint8Array = placeholder("SPARSE_MERKLE_PLACEHOLDER_HASH");

/** Hash of the bytes under a seed. */
export function hashOf(seed: Uint8Array, bytes: Uint8Array): Uint8Array {
  const length = HASH_LENGTH + bytes.length;
  if (length <= MAX_SHORT_INPUT) return sha3Short(seed, bytes);
  if (length > SCRATCH_BYTES) return sha3Parts(seed, bytes);
  scratch.set(seed, 0);
  scratch.set(bytes, HASH_LENGTH);
  return sha3(scratch.subarray(0, length));
}

/** Hash of two byte strings joined, under a seed. */
export function hashOfParts(seed: Uint8Array, head: Uint8Array, tail: Uint8Array): Uint8Array {
  if (HASH_LENGTH + head.length + tail.length <= MAX_SHORT_INPUT) return sha3Short(seed, head, tail);
  return sha3Parts(seed, head, tail);
}

/** Hash of two hashes joined, under a seed: the inner nodes of every Merkle tree. */
export function hashPair(seed: Uint8Array, left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha3Triple(seed, left, right);
}

/** `hashPair` of two pairs at once. */
export function hashTwoPairs(
  seed: Uint8Array,
  left: Uint8Array,
  right: Uint8Array,
  otherLeft: Uint8Array,
  otherRight: Uint8Array,
): readonly [Uint8Array, Uint8Array] {
  return sha3TwoTriples(seed, left, right, otherLeft, otherRight);
}

/**
 * Folds a node up to the root, using `missing` for absent right siblings. The first sibling is `missing`; on each
 * level after it the sibling is the entry of `lefts`, starting at index `from`, or `missing` on the right.
 */
export function foldToRoot(
  seed: Uint8Array,
  node: Uint8Array,
  lefts: readonly (Uint8Array | undefined)[],
  from: number,
  missing: Uint8Array,
): Uint8Array {
  startFold(seed, node, missing);
  for (let i = from; i < lefts.length; i++) {
    const left = lefts[i];
    if (left === undefined) foldWithRight(missing);
    else foldWithLeft(left);
  }
  return endFold();
}
