// BLS signatures by the native library, where it has a binary for this machine.
import type { PublicKey } from "@chainsafe/blst";
import { loadPackage } from "../base/load-package.ts";
import { type Bls, type Curve, createPortableBls, SIGNATURE_DOMAIN } from "./bls.ts";

function createNativeBls({
  PublicKey: Keys,
  Signature,
  aggregatePublicKeys,
  verify,
}: typeof import("@chainsafe/blst")): Bls<PublicKey> {
  return {
    name: "blst",
    parseKey: (bytes) => Keys.fromBytes(bytes, true),
    verify: (keys, message, signature) => {
      try {
        const parsed = Signature.fromBytes(signature, true, true);
        // The sum may be the point at infinity although no key is: it is checked, the parts were.
        return verify(message, aggregatePublicKeys([...keys], false), parsed, true, false);
      } catch {
        return false;
      }
    },
  };
}

/** Makes keys and signatures. Secrets are numbers below the order of the group, 32 bytes big-endian. */
export interface BlsSigner {
  publicKeyOf(secret: Uint8Array): Uint8Array;
  sign(secret: Uint8Array, message: Uint8Array): Uint8Array;
}

function createNativeSigner({ SecretKey }: typeof import("@chainsafe/blst")): BlsSigner {
  return {
    publicKeyOf: (secret) => SecretKey.fromBytes(secret).toPublicKey().toBytes(),
    sign: (secret, message) => SecretKey.fromBytes(secret).sign(message).toBytes(),
  };
}

function createPortableSigner({ longSignatures: scheme }: Curve): BlsSigner {
  return {
    publicKeyOf: (secret) => scheme.getPublicKey(secret).toBytes(),
    sign: (secret, message) => scheme.sign(scheme.hash(message, SIGNATURE_DOMAIN), secret).toBytes(),
  };
}

interface Implementation {
  readonly bls: Bls;
  readonly signer: BlsSigner;
}

let loaded: Implementation | undefined;

/** The fastest implementation that this machine has. */
export function fastestBls(): Bls {
  loaded ??= load();
  return loaded.bls;
}

/** Signs with the fastest implementation. */
export function fastestSigner(): BlsSigner {
  loaded ??= load();
  return loaded.signer;
}

function load(): Implementation {
  try {
    const library = loadPackage("@chainsafe/blst") as typeof import("@chainsafe/blst");
    return { bls: createNativeBls(library) as Bls, signer: createNativeSigner(library) };
  } catch {
    const { bls12_381 } = loadPackage("@noble/curves/bls12-381.js") as { readonly bls12_381: Curve };
    return { bls: createPortableBls(bls12_381), signer: createPortableSigner(bls12_381) };
  }
}
