// Ed25519 keys derived from the chain's seed, and the account addresses derived from the keys.
import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { fromHex, toPrefixedHex } from "../base/hex.ts";
import { sha3Parts } from "../base/sha3.ts";
import { type Address, addressFromBytes } from "../move/address.ts";

/** PKCS #8 header of a raw 32-byte Ed25519 private key. */
const PKCS8_HEADER = Buffer.from("302e020100300506032b657004220420", "hex");
const PRIVATE_KEY_BYTES = 32;
/** Last byte of an authentication key's preimage: a single Ed25519 key. */
const ED25519_SCHEME = Uint8Array.of(0);

/** A key pair and the address of its account. */
export interface Keypair {
  readonly address: Address;
  /** 32 bytes. */
  readonly privateKey: Uint8Array;
  readonly publicKey: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
}

/** The named key pair of a seed. */
export function createKeypair(seed: Uint8Array, name: string): Keypair {
  return keypairOf(sha3Parts(seed, new TextEncoder().encode(`key/${name}`)));
}

/** Before the hex digits of an Ed25519 private key, as AIP-80 writes it. */
const AIP_80_PREFIX = "ed25519-priv-";

/** A private key as AIP-80 writes it. */
export function formatPrivateKey(privateKey: Uint8Array): string {
  return `${AIP_80_PREFIX}${toPrefixedHex(privateKey)}`;
}

/** Reads a private key: 64 hex digits, with or without 0x and the prefix of AIP-80. Undefined if it is none. */
export function parsePrivateKey(text: string): Uint8Array | undefined {
  const hex = text.startsWith(AIP_80_PREFIX) ? text.slice(AIP_80_PREFIX.length) : text;
  const bytes = fromHex(hex.startsWith("0x") ? hex.slice(2) : hex);
  return bytes?.length === PRIVATE_KEY_BYTES ? bytes : undefined;
}

/** The key pair of a private key of 32 bytes. */
export function keypairOf(secret: Uint8Array): Keypair {
  const key = importSecret(secret);
  const publicKey = rawPublicKey(key);
  return {
    address: addressFromBytes(sha3Parts(publicKey, ED25519_SCHEME)),
    privateKey: secret,
    publicKey,
    sign: (message) => sign(null, message, key),
  };
}

/**
 * OpenSSL takes 10 ms for the first key in DER and 3 ms for each further one; Node takes the bytes of a JWK as they are.
 * Node does not read `x` of a private key; a version that does would refuse it, and gets DER.
 */
function importSecret(secret: Uint8Array): KeyObject {
  try {
    const d = Buffer.from(secret).toString("base64url");
    return createPrivateKey({ key: { kty: "OKP", crv: "Ed25519", d, x: "" }, format: "jwk" });
  } catch {
    return createPrivateKey({ key: Buffer.concat([PKCS8_HEADER, secret]), format: "der", type: "pkcs8" });
  }
}

function rawPublicKey(key: KeyObject): Uint8Array {
  const { x } = createPublicKey(key).export({ format: "jwk" });
  if (x === undefined) throw new Error("the Ed25519 key has no public part");
  return Buffer.from(x, "base64url");
}
