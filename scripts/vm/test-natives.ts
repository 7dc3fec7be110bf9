// Natives that only test builds of the framework have: keys, signatures, random values, provers, and a look at events.
import { randomBytes } from "node:crypto";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { ed25519 } from "@noble/curves/ed25519.js";
import { toHex } from "../../src/base/hex.ts";
import { aborted, invariant } from "../../src/vm/errors.ts";
import { decodeValue } from "../../src/vm/layout.ts";
import type { Structure } from "../../src/vm/natives/crypto/algebra-structures.ts";
import { bigFromLittleEndian, littleEndianBytes } from "../../src/vm/natives/crypto/common.ts";
import { storeElement, structureOf } from "../../src/vm/natives/crypto/crypto-algebra.ts";
import type { PedersenBases } from "../../src/vm/natives/crypto/range-proof.ts";
import { pointOf, scalarOf } from "../../src/vm/natives/crypto/ristretto255.ts";
import type { Native, NativeContext } from "../../src/vm/natives.ts";
import type { SessionEvent } from "../../src/vm/session.ts";
import { typeKey } from "../../src/vm/types.ts";
import {
  asAddress,
  asBig,
  asBytes,
  asNumber,
  asStruct,
  asVec,
  byteVec,
  signerOf,
  type Value,
  Vec,
} from "../../src/vm/values.ts";
import { proveRange, randomScalar } from "./range-prover.ts";

const FRAMEWORK = `${"0".repeat(63)}1`;
const { longSignatures } = bls12_381;
const SIGNATURE_DOMAIN = "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";
const POSSESSION_DOMAIN = "BLS_POP_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";

function signBls(message: Uint8Array, key: Uint8Array, domain: string): Value {
  return byteVec(longSignatures.sign(longSignatures.hash(message, domain), key).toBytes());
}

/** A random element of a structure. */
function randomElement(structure: Structure): unknown {
  if (structure.kind === "group") return structure.generator.multiplyUnsafe(randomBelow(structure.order));
  if (structure.kind === "target")
    return structure.ops.pow(structure.generator(), randomBelow(structure.order));
  const { formats } = structure;
  const [format] = Object.values(formats);
  if (format === undefined) throw invariant("a structure without a format");
  if (format.length === 32) return randomBelow(structure.order);
  // Twelve numbers, each well below the prime: the highest byte is zero.
  const size = format.length / 12;
  const bytes = randomBytes(format.length);
  for (let i = size - 1; i < bytes.length; i += size) bytes[i] = 0;
  return format.decode(bytes);
}

function randomBelow(order: Uint8Array): bigint {
  return bigFromLittleEndian(randomBytes(64)) % bigFromLittleEndian(order);
}

function eventsWhere(
  context: NativeContext,
  type: Parameters<Native>[2][number] | undefined,
  isWanted: (event: SessionEvent) => boolean,
): readonly Value[] {
  if (type === undefined) throw invariant("events of no type");
  const { linker, session } = context;
  const layout = linker.layout(type);
  const found = session.events.filter((event) => typeKey(event.type) === typeKey(type) && isWanted(event));
  return [
    new Vec(
      "other",
      found.map(({ data }) => decodeValue(data, layout) as Value),
    ),
  ];
}

const BITS: readonly number[] = [8, 16, 32, 64];
const COUNTS: readonly number[] = [1, 2, 4, 8, 16];

function prove(
  context: NativeContext,
  values: readonly bigint[],
  blindings: readonly bigint[],
  [, , bits, domain, value, blinding]: readonly Value[],
): ReturnType<typeof proveRange> {
  if (!BITS.includes(Number(asBig(bits)))) throw aborted(0x010003);
  if (!COUNTS.includes(values.length)) throw aborted(0x010004);
  if (values.length !== blindings.length) throw aborted(0x010005);
  if (values.some((one) => one >= 1n << 64n)) throw aborted(0x010002);
  const bases: PedersenBases = { value: pointOf(context, value), blinding: pointOf(context, blinding) };
  return proveRange(values, blindings, bases, Number(asBig(bits)), asBytes(domain));
}

const NATIVES: Readonly<Record<string, Native>> = {
  "unit_test::create_signers_for_testing": (_, [count]) => [
    new Vec(
      "other",
      Array.from({ length: Number(asBig(count)) }, (_one, i) =>
        signerOf(toHex(littleEndianBytes(BigInt(i), 32))),
      ),
    ),
  ],
  "event::emitted_events": (context, _, [type]) =>
    eventsWhere(context, type, ({ guid }) => guid === undefined),
  "event::emitted_events_by_handle": (context, [handle], [type]) => {
    const [number, address] = asStruct(asStruct(asStruct(handle).fields[1]).fields[0]).fields;
    const wanted = toHex(littleEndianBytes(asBig(number), 8)) + asAddress(address);
    return eventsWhere(context, type, ({ guid }) => guid !== undefined && toHex(guid) === wanted);
  },
  "ed25519::generate_keys_internal": () => {
    const { secretKey, publicKey } = ed25519.keygen();
    return [byteVec(secretKey), byteVec(publicKey)];
  },
  "ed25519::sign_internal": (_, [key, message]) => [byteVec(ed25519.sign(asBytes(message), asBytes(key)))],
  "multi_ed25519::generate_keys_internal": (_, [threshold, count]) => {
    const pairs = Array.from({ length: asNumber(count) }, () => ed25519.keygen());
    const last = Buffer.of(asNumber(threshold));
    return [
      byteVec(Buffer.concat([...pairs.map(({ secretKey }) => secretKey), last])),
      byteVec(Buffer.concat([...pairs.map(({ publicKey }) => publicKey), last])),
    ];
  },
  "multi_ed25519::sign_internal": (_, [key, message]) => {
    const keys = asBytes(key);
    const threshold = keys.at(-1) ?? 0;
    const signatures = Array.from({ length: threshold }, (_one, i) =>
      ed25519.sign(asBytes(message), keys.subarray(32 * i, 32 * (i + 1))),
    );
    const bitmap = Buffer.alloc(4);
    bitmap.writeUInt32BE(Number(((1n << BigInt(threshold)) - 1n) << BigInt(32 - threshold)));
    return [byteVec(Buffer.concat([...signatures, bitmap]))];
  },
  "bls12381::generate_keys_internal": () => {
    const { secretKey, publicKey } = longSignatures.keygen();
    return [byteVec(secretKey), byteVec(publicKey.toBytes())];
  },
  "bls12381::sign_internal": (_, [key, message]) => [
    signBls(asBytes(message), asBytes(key), SIGNATURE_DOMAIN),
  ],
  "bls12381::generate_proof_of_possession_internal": (_, [key]) => {
    const secret = asBytes(key);
    return [signBls(longSignatures.getPublicKey(secret).toBytes(), secret, POSSESSION_DOMAIN)];
  },
  "ristretto255::random_scalar_internal": () => [byteVec(littleEndianBytes(randomScalar(), 32))],
  "crypto_algebra::rand_insecure_internal": (context, _, [type]) => {
    const structure = structureOf(context, type);
    return [storeElement(context, structure, randomElement(structure))];
  },
  "ristretto255_bulletproofs::prove_range_internal": (context, args) => {
    const { proof, commitments } = prove(context, [scalarOf(args[0])], [scalarOf(args[1])], args);
    return [byteVec(proof), byteVec(commitments[0] as Uint8Array)];
  },
  "ristretto255_bulletproofs::prove_batch_range_internal": (context, args) => {
    const [values, blindings] = [args[0], args[1]].map((list) => asVec(list).items.map(scalarOf));
    const { proof, commitments } = prove(context, values ?? [], blindings ?? [], args);
    return [
      byteVec(proof),
      new Vec(
        "other",
        commitments.map((one) => byteVec(one)),
      ),
    ];
  },
};

export function findTestNative(key: string): Native | undefined {
  return key.startsWith(`${FRAMEWORK}::`) ? NATIVES[key.slice(FRAMEWORK.length + 2)] : undefined;
}
