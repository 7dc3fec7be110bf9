// For src/base/keccak.ts: a page whose policy forbids `unsafe-` sources may not compile WebAssembly.
import { sha3Parts } from "./sha3.ts";

export const MAX_SHORT_INPUT = 0x7fff_ffff;

const NOTHING = new Uint8Array(0);

export function sha3Short(head: Uint8Array, middle: Uint8Array, tail: Uint8Array = NOTHING): Uint8Array {
  return sha3Parts(head, middle, tail);
}

export function sha3Triple(first: Uint8Array, second: Uint8Array, third: Uint8Array): Uint8Array {
  return sha3Parts(first, second, third);
}

export function sha3TwoTriples(
  first: Uint8Array,
  left: Uint8Array,
  right: Uint8Array,
  otherLeft: Uint8Array,
  otherRight: Uint8Array,
): readonly [Uint8Array, Uint8Array] {
  return [sha3Parts(first, left, right), sha3Parts(first, otherLeft, otherRight)];
}

let seed: Uint8Array = NOTHING;
let node: Uint8Array = NOTHING;

export function startFold(first: Uint8Array, second: Uint8Array, third: Uint8Array): void {
  seed = first;
  node = sha3Parts(first, second, third);
}

export function foldWithRight(right: Uint8Array): void {
  node = sha3Parts(seed, node, right);
}

export function foldWithLeft(left: Uint8Array): void {
  node = sha3Parts(seed, left, node);
}

export function endFold(): Uint8Array {
  return node;
}
