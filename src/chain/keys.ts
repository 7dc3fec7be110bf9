// Ed25519 keys derived from the chain's seed, and the account addresses derived from the keys.
import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { sha3Parts } from "../base/sha3.ts";
import { type Address, addressFromBytes } from "../move/address.ts";

/** PKCS #8 header of a raw 32-byte Ed25519 private key. */
const PKCS8_HEADER = Buffer.from("302e020100300506032b657004220420", "hex");
/** Last byte of an authentication key's preimage: a single Ed25519 key. */
const ED25519_SCHEME = Uint8Array.of(0);

/** A key pair and the address of its account. */
export interface Keypair {
  readonly address: Address;
  readonly publicKey: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
}

/** The named key pair of a seed. */
export function createKeypair(seed: Uint8Array, name: string): Keypair {
  const secret = sha3Parts(seed, new TextEncoder().encode(`key/${name}`));
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_HEADER, secret]), format: "der", type: "pkcs8" });
  const publicKey = rawPublicKey(key);
  return {
    address: addressFromBytes(sha3Parts(publicKey, ED25519_SCHEME)),
    publicKey,
    sign: (message) => sign(null, message, key),
  };
}

function rawPublicKey(key: KeyObject): Uint8Array {
  const { x } = createPublicKey(key).export({ format: "jwk" });
  if (x === undefined) throw new Error("the Ed25519 key has no public part");
  return Buffer.from(x, "base64url");
}
