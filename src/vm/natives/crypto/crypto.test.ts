import { createPrivateKey, sign } from "node:crypto";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { ED25519_TORSION_SUBGROUP, ed25519 } from "@noble/curves/ed25519.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { describe, expect, test } from "vitest";
import { finish, type Pieces } from "../../../base/pieces.ts";
import { VmError } from "../../errors.ts";
import type { Native, NativeContext } from "../../natives.ts";
import { byteVec, Struct, type Value, Vec } from "../../values.ts";
import { littleEndianBytes } from "./common.ts";
import { CRYPTO_NATIVES } from "./index.ts";
import { Transcript } from "./merlin.ts";

/** A context that counts what it is charged: each price is one. */
function contextWith(flags: ReadonlySet<number> = new Set([12, 13, 14, 43])) {
  const charged: string[] = [];
  const extensions = new Map<string, unknown>();
  const context = {
    meter: { version: 43, price: (name: string) => charged.push(name), charge: () => undefined },
    session: {
      options: { features: { has: (flag: number) => flags.has(flag) } },
      extension: (name: string, make: () => unknown) => {
        if (!extensions.has(name)) extensions.set(name, make());
        return extensions.get(name);
      },
    },
  } as unknown as NativeContext;
  return { context, charged };
}

function native(module: string, name: string): Native {
  const found = CRYPTO_NATIVES[module]?.[name];
  if (found === undefined) throw new Error(`no native ${module}::${name}`);
  return found;
}

function run(module: string, name: string, args: readonly Value[]): readonly Value[] {
  return valuesOf(native(module, name)(contextWith().context, args, []));
}

function valuesOf(result: ReturnType<Native>): readonly Value[] {
  return Array.isArray(result) ? result : finish(result as Pieces<readonly Value[]>);
}

const hex = (text: string): Vec => byteVec(Buffer.from(text, "hex"));
const L = 2n ** 252n + 27742317777372353535851937790883648493n;

describe("ed25519", () => {
  const seed = Buffer.alloc(32, 7);
  const key = ed25519.getPublicKey(seed);
  const message = Buffer.from("a message");
  const signature = ed25519.sign(message, seed);
  const verify = (s: Uint8Array, k: Uint8Array, m: Uint8Array): Value | undefined =>
    run("ed25519", "signature_verify_strict_internal", [byteVec(s), byteVec(k), byteVec(m)])[0];

  test("accepts what node:crypto signs", () => {
    const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);
    const by = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
    expect(verify(sign(null, message, by), key, message)).toBe(true);
    expect(verify(signature, key, Buffer.from("another"))).toBe(false);
  });

  test("refuses scalars that are not reduced, and points of small order", () => {
    const s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString("hex")}`);
    const high = Buffer.concat([signature.subarray(0, 32), littleEndianBytes(s + L, 32)]);
    expect(verify(high, key, message)).toBe(false);
    for (const torsion of ED25519_TORSION_SUBGROUP) {
      expect(run("ed25519", "public_key_validate_internal", [hex(torsion)])).toEqual([false]);
      // With a key of small order and s = 0 the equation holds for many messages.
      const forged = Buffer.concat([Buffer.from(torsion, "hex"), Buffer.alloc(32)]);
      expect(verify(forged, Buffer.from(torsion, "hex"), message)).toBe(false);
    }
  });

  test("takes a y that is not reduced", () => {
    // y = p + 3 and y = 3 are one point, of large order.
    const canonical = Buffer.concat([Buffer.of(3), Buffer.alloc(31)]);
    const other = Buffer.concat([Buffer.of(0xf0), Buffer.alloc(30, 0xff), Buffer.of(0x7f)]);
    const of = (bytes: Uint8Array): readonly Value[] =>
      run("ed25519", "public_key_validate_internal", [byteVec(bytes)]);
    expect(of(other)).toEqual(of(canonical));
  });

  test("charges stage by stage", () => {
    const { context, charged } = contextWith();
    native("ed25519", "public_key_validate_internal")(context, [byteVec(Buffer.alloc(31))], []);
    expect(charged).toEqual([
      "aptos_framework.signature.base",
      "aptos_framework.signature.per_pubkey_deserialize",
    ]);
  });
});

describe("secp256k1", () => {
  const digest = Buffer.alloc(32, 9);
  const secret = Buffer.alloc(32, 5);
  const recovered = secp256k1.sign(digest, secret, { prehash: false, format: "recovered" });
  const recover = (m: Uint8Array, id: number, s: Uint8Array): readonly Value[] =>
    run("secp256k1", "ecdsa_recover_internal", [byteVec(m), id, byteVec(s)]);

  test("gives the key that signed, also for a high s", () => {
    const key = secp256k1.getPublicKey(secret, false).subarray(1);
    const [id = 0] = recovered;
    const plain = recovered.subarray(1);
    expect(recover(digest, id, plain)).toEqual([byteVec(key), true]);
    const s = BigInt(`0x${Buffer.from(plain.subarray(32)).toString("hex")}`);
    const high = (secp256k1.Point.Fn.ORDER - s).toString(16).padStart(64, "0");
    const flipped = Buffer.concat([plain.subarray(0, 32), Buffer.from(high, "hex")]);
    expect(recover(digest, id ^ 1, flipped)).toEqual([byteVec(key), true]);
  });

  test("aborts for what does not decode, and gives nothing for zeros", () => {
    expect(() => recover(digest, 4, recovered.subarray(1))).toThrow(VmError);
    expect(() => recover(digest, 0, Buffer.alloc(64, 0xff))).toThrow(VmError);
    expect(recover(digest, 0, Buffer.alloc(64))).toEqual([byteVec(Buffer.alloc(0)), false]);
  });
});

describe("bls12381", () => {
  const { longSignatures } = bls12_381;
  const { secretKey, publicKey } = longSignatures.keygen(Buffer.alloc(48, 3));
  const domain = "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";
  const message = Buffer.from("a message");
  const signature = longSignatures.sign(longSignatures.hash(message, domain), secretKey);
  const infinity = Buffer.concat([Buffer.of(0xc0), Buffer.alloc(47)]);

  test("takes compressed and uncompressed points", () => {
    for (const [k, s] of [
      [publicKey.toBytes(), signature.toBytes()],
      [publicKey.toBytes(false), signature.toBytes(false)],
    ] as const) {
      const args = [byteVec(s), byteVec(k), byteVec(message)];
      expect(run("bls12381", "verify_normal_signature_internal", args)).toEqual([true]);
    }
  });

  test("refuses infinity as a key, but adds it", () => {
    expect(run("bls12381", "validate_pubkey_internal", [byteVec(infinity)])).toEqual([false]);
    const keys = new Vec(
      "other",
      [infinity, publicKey.toBytes()].map((one) => new Struct([byteVec(one)])),
    );
    expect(run("bls12381", "aggregate_pubkeys_internal", [keys])).toEqual([
      byteVec(publicKey.toBytes()),
      true,
    ]);
  });

  test("counts a key outside of the subgroup by its part in it", () => {
    // (0, 2) has order three.
    const outside = bls12_381.G1.Point.fromAffine({ x: 0n, y: 2n });
    const mixed = publicKey.add(outside).toAffine();
    const bytes = Buffer.concat([mixed.x, mixed.y].map((one) => littleEndianBytes(one, 48).reverse()));
    const args = [byteVec(signature.toBytes()), byteVec(bytes), byteVec(message)];
    expect(run("bls12381", "verify_signature_share_internal", args)).toEqual([true]);
    expect(run("bls12381", "verify_normal_signature_internal", args)).toEqual([false]);
  });
});

test("a transcript draws what Merlin's own does", () => {
  const transcript = new Transcript(Buffer.from("test protocol"));
  transcript.append("some label", Buffer.from("some data"));
  expect(Buffer.from(transcript.challenge("challenge", 32)).toString("hex")).toBe(
    "d5a21972d0d5fe320c0d263fac7fffb8145aa640af6e9bca177c03c7efcf0615",
  );
});

test("garbage ends in values or faults of the machine, never in other errors", () => {
  const bytes = (i: number): Vec => {
    const lengths = [0, 1, 31, 32, 33, 36, 48, 64, 65, 68, 96, 192, 288];
    const length = lengths[i % lengths.length] ?? 0;
    return byteVec(Uint8Array.from({ length }, (_, at) => (i * 131 + at * 29 + ((i * at) >> 3)) & 0xff));
  };
  const names: readonly (readonly [module: string, name: string, args: number])[] = [
    ["ed25519", "public_key_validate_internal", 1],
    ["ed25519", "signature_verify_strict_internal", 3],
    ["multi_ed25519", "public_key_validate_internal", 1],
    ["multi_ed25519", "public_key_validate_v2_internal", 1],
    ["multi_ed25519", "signature_verify_strict_internal", 3],
    ["bls12381", "validate_pubkey_internal", 1],
    ["bls12381", "signature_subgroup_check_internal", 1],
    ["bls12381", "verify_proof_of_possession_internal", 2],
    ["ristretto255", "point_decompress_internal", 1],
    ["ristretto255", "scalar_is_canonical_internal", 1],
    ["ristretto255", "scalar_mul_internal", 2],
    ["ristretto255", "scalar_uniform_from_64_bytes_internal", 1],
  ];
  for (const [module, name, count] of names) {
    for (let i = 0; i < 60; i++) {
      try {
        run(
          module,
          name,
          Array.from({ length: count }, (_, at) => bytes(i + 17 * at)),
        );
      } catch (error) {
        expect(error).toBeInstanceOf(VmError);
      }
    }
  }
});
