// Natives that hash: aptos_hash.
import { createHash } from "node:crypto";
import { blake2b } from "@noble/hashes/blake2.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import type { Native, NativeModule } from "../natives.ts";
import { type Hasher, hashNative } from "./stdlib.ts";

function hashing(name: string, create: () => Hasher): Native {
  return hashNative(`aptos_framework.hash.${name}`, create);
}

/** SipHash-2-4 with a key of zeros: words of 64 bits in two halves. Bytes come in parts of 8, but for the last part. */
class SipHash implements Hasher {
  /** The four words, each its low half first. */
  readonly #state: Int32Array = Int32Array.of(
    0x70736575,
    0x736f6d65,
    0x6e646f6d,
    0x646f7261,
    0x6e657261,
    0x6c796765,
    0x79746573,
    0x74656462,
  );
  #length = 0;
  #rest: Uint8Array = new Uint8Array(0);

  update(bytes: Uint8Array): void {
    const whole = bytes.length & ~7;
    this.#words(bytes.subarray(0, whole));
    this.#rest = bytes.subarray(whole);
    this.#length += bytes.length;
  }

  digest(): bigint {
    const last = new Uint8Array(8);
    last.set(this.#rest);
    last[7] = this.#length & 0xff;
    this.#words(last);
    const state = this.#state;
    state[4] = (state[4] as number) ^ 0xff;
    this.#rounds(4, 0, 0);
    const half = (at: number): bigint =>
      BigInt.asUintN(32, BigInt([0, 2, 4, 6].reduce((sum, word) => sum ^ (state[word + at] as number), 0)));
    return (half(1) << 32n) | half(0);
  }

  #words(bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at < bytes.length; at += 8)
      this.#rounds(2, view.getInt32(at, true), view.getInt32(at + 4, true));
  }

  /** Mixes a word in, with so many rounds. */
  #rounds(count: number, low: number, high: number): void {
    const state = this.#state;
    let [l0, h0, l1, h1, l2, h2, l3, h3] = state as unknown as Eight;
    l3 ^= low;
    h3 ^= high;
    for (let i = 0; i < count; i++) {
      let sum = (l0 >>> 0) + (l1 >>> 0);
      l0 = sum | 0;
      h0 = (h0 + h1 + (sum > 0xffffffff ? 1 : 0)) | 0;
      let old = l1;
      l1 = ((l1 << 13) | (h1 >>> 19)) ^ l0;
      h1 = ((h1 << 13) | (old >>> 19)) ^ h0;
      [l0, h0] = [h0, l0];
      sum = (l2 >>> 0) + (l3 >>> 0);
      l2 = sum | 0;
      h2 = (h2 + h3 + (sum > 0xffffffff ? 1 : 0)) | 0;
      old = l3;
      l3 = ((l3 << 16) | (h3 >>> 16)) ^ l2;
      h3 = ((h3 << 16) | (old >>> 16)) ^ h2;
      sum = (l0 >>> 0) + (l3 >>> 0);
      l0 = sum | 0;
      h0 = (h0 + h3 + (sum > 0xffffffff ? 1 : 0)) | 0;
      old = l3;
      l3 = ((l3 << 21) | (h3 >>> 11)) ^ l0;
      h3 = ((h3 << 21) | (old >>> 11)) ^ h0;
      sum = (l2 >>> 0) + (l1 >>> 0);
      l2 = sum | 0;
      h2 = (h2 + h1 + (sum > 0xffffffff ? 1 : 0)) | 0;
      old = l1;
      l1 = ((l1 << 17) | (h1 >>> 15)) ^ l2;
      h1 = ((h1 << 17) | (old >>> 15)) ^ h2;
      [l2, h2] = [h2, l2];
    }
    l0 ^= low;
    h0 ^= high;
    state[0] = l0;
    state[1] = h0;
    state[2] = l1;
    state[3] = h1;
    state[4] = l2;
    state[5] = h2;
    state[6] = l3;
    state[7] = h3;
  }
}

type Eight = [number, number, number, number, number, number, number, number];

const aptos_hash: NativeModule = {
  sip_hash: hashing("sip_hash", () => new SipHash()),
  keccak256: hashing("keccak256", () => keccak_256.create()),
  sha2_512_internal: hashing("sha2_512", () => createHash("sha512")),
  sha3_512_internal: hashing("sha3_512", () => createHash("sha3-512")),
  ripemd160_internal: hashing("ripemd160", () => createHash("ripemd160")),
  blake2b_256_internal: hashing("blake2b_256", () => blake2b.create({ dkLen: 32 })),
};

export const HASH_NATIVES: Readonly<Record<string, NativeModule>> = { aptos_hash };
