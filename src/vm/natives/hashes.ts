// Natives that hash: aptos_hash.
import { createHash } from "node:crypto";
import { blake2b } from "@noble/hashes/blake2.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import type { Pieces } from "../../base/pieces.ts";
import type { Native, NativeModule } from "../natives.ts";
import { asVec, type Value, type Vec } from "../values.ts";
import { atOnce, type Hasher, hashNative, PART_BYTES } from "./stdlib.ts";

function hashing(name: string, create: () => Hasher): Native {
  return hashNative(`aptos_framework.hash.${name}`, create);
}

/**
 * Words of 64 bits in two halves each, the low one first: adds word b to word a, turns b to the left and mixes a in; the
 * halves of a may change places then.
 */
function mix(words: Int32Array, a: number, b: number, by: number, swaps: 0 | 1): void {
  const [low, high] = [words[b] as number, words[b + 1] as number];
  const sum = ((words[a] as number) >>> 0) + (low >>> 0);
  const [sumLow, sumHigh] = [sum | 0, (words[a + 1] as number) + high + (sum > 0xffffffff ? 1 : 0)];
  words[a + swaps] = sumLow;
  words[a + 1 - swaps] = sumHigh;
  words[b] = ((low << by) | (high >>> (32 - by))) ^ sumLow;
  words[b + 1] = ((high << by) | (low >>> (32 - by))) ^ sumHigh;
}

function sipRounds(words: Int32Array, count: number): void {
  for (let i = 0; i < count; i++) {
    mix(words, 0, 2, 13, 1);
    mix(words, 4, 6, 16, 0);
    mix(words, 0, 6, 21, 0);
    mix(words, 4, 2, 17, 1);
  }
}

/** SipHash-2-4 with a key of zeros. */
function* sipHash({ items }: Vec): Pieces<readonly Value[]> {
  const words = new Int32Array(new Uint8Array(Buffer.from("uespemosmodnarodarenegylsetybdet")).buffer);
  const { length } = items;
  const part = new Uint8Array(8);
  const view = new DataView(part.buffer);
  for (let at = 0; at <= length; at += 8) {
    for (let i = 0; i < 8; i++) part[i] = at + i < length ? (items[at + i] as number) : 0;
    if (at + 8 > length) part[7] = length;
    const [low, high] = [view.getInt32(0, true), view.getInt32(4, true)];
    words[6] = (words[6] as number) ^ low;
    words[7] = (words[7] as number) ^ high;
    sipRounds(words, 2);
    words[0] = (words[0] as number) ^ low;
    words[1] = (words[1] as number) ^ high;
    if (at % PART_BYTES === PART_BYTES - 8) yield;
  }
  words[4] = (words[4] as number) ^ 0xff;
  sipRounds(words, 4);
  return [new BigUint64Array(words.buffer).reduce((all, word) => all ^ word)];
}

const aptos_hash: NativeModule = {
  sip_hash: (context, [value]) => {
    const vec = asVec(value);
    context.meter.chargeNative("aptos_framework.hash.sip_hash", vec.items.length);
    return atOnce(vec.items.length, sipHash(vec));
  },
  keccak256: hashing("keccak256", () => keccak_256.create()),
  sha2_512_internal: hashing("sha2_512", () => createHash("sha512")),
  sha3_512_internal: hashing("sha3_512", () => createHash("sha3-512")),
  ripemd160_internal: hashing("ripemd160", () => createHash("ripemd160")),
  blake2b_256_internal: hashing("blake2b_256", () => blake2b.create({ dkLen: 32 })),
};

export const HASH_NATIVES: Readonly<Record<string, NativeModule>> = { aptos_hash };
