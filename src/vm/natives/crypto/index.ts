// The cryptographic natives by module.
import type { NativeModule } from "../../natives.ts";
import { bls12381Natives } from "./bls12381.ts";
import { bulletproofsNatives } from "./bulletproofs.ts";
import { cryptoAlgebraNatives } from "./crypto-algebra.ts";
import { ed25519Natives } from "./ed25519.ts";
import { multiEd25519Natives } from "./multi-ed25519.ts";
import { ristretto255Natives } from "./ristretto255.ts";
import { secp256k1Natives } from "./secp256k1.ts";

export const CRYPTO_NATIVES: Readonly<Record<string, NativeModule>> = {
  ed25519: ed25519Natives,
  multi_ed25519: multiEd25519Natives,
  secp256k1: secp256k1Natives,
  bls12381: bls12381Natives,
  ristretto255: ristretto255Natives,
  crypto_algebra: cryptoAlgebraNatives,
  ristretto255_bulletproofs: bulletproofsNatives,
};
