// Natives that hash: aptos_hash.
import { createHash } from "node:crypto";
import { blake2b } from "@noble/hashes/blake2b";
import { keccak_256 } from "@noble/hashes/sha3";
import type { Native, NativeModule } from "../natives.ts";
import { asBytes, byteVec } from "../values.ts";
import { chargeFor } from "./stdlib.ts";

function hashing(name: string, hash: (bytes: Uint8Array) => Uint8Array): Native {
  return (context, [value]) => {
    const bytes = asBytes(value);
    chargeFor(context, `aptos_framework.hash.${name}`, bytes.length);
    return [byteVec(hash(bytes))];
  };
}

const MASK = (1n << 64n) - 1n;

function rotate(value: bigint, by: bigint): bigint {
  return ((value << by) | (value >> (64n - by))) & MASK;
}

/** SipHash-2-4 with a key of zeros. */
function sipHash(bytes: Uint8Array): bigint {
  let [v0, v1, v2, v3] = [0x736f6d6570736575n, 0x646f72616e646f6dn, 0x6c7967656e657261n, 0x7465646279746573n];
  const round = (): void => {
    v0 = (v0 + v1) & MASK;
    v1 = rotate(v1, 13n) ^ v0;
    v0 = rotate(v0, 32n);
    v2 = (v2 + v3) & MASK;
    v3 = rotate(v3, 16n) ^ v2;
    v0 = (v0 + v3) & MASK;
    v3 = rotate(v3, 21n) ^ v0;
    v2 = (v2 + v1) & MASK;
    v1 = rotate(v1, 17n) ^ v2;
    v2 = rotate(v2, 32n);
  };
  const padded = Buffer.alloc(Math.floor(bytes.length / 8) * 8 + 8);
  padded.set(bytes);
  padded[padded.length - 1] = bytes.length & 0xff;
  for (let at = 0; at < padded.length; at += 8) {
    const word = padded.readBigUInt64LE(at);
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }
  v2 ^= 0xffn;
  for (let i = 0; i < 4; i++) round();
  return v0 ^ v1 ^ v2 ^ v3;
}

const aptos_hash: NativeModule = {
  sip_hash: (context, [value]) => {
    const bytes = asBytes(value);
    chargeFor(context, "aptos_framework.hash.sip_hash", bytes.length);
    return [sipHash(bytes)];
  },
  keccak256: hashing("keccak256", keccak_256),
  sha2_512_internal: hashing("sha2_512", (bytes) => createHash("sha512").update(bytes).digest()),
  sha3_512_internal: hashing("sha3_512", (bytes) => createHash("sha3-512").update(bytes).digest()),
  ripemd160_internal: hashing("ripemd160", (bytes) => createHash("ripemd160").update(bytes).digest()),
  blake2b_256_internal: hashing("blake2b_256", (bytes) => blake2b(bytes, { dkLen: 32 })),
};

export const HASH_NATIVES: Readonly<Record<string, NativeModule>> = { aptos_hash };
