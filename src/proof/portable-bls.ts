// BLS signatures without native code: for browsers.
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { type Bls, createPortableBls } from "./bls.ts";

export const portableBls: Bls = createPortableBls(bls12_381);
