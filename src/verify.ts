// The package's second export: checks proofs without a node, a network or native code, in Node and in browsers. The build
// replaces what needs Node by the files in verify/platform/.
import type { VerifiedProof } from "./proof/bundle.ts";
import { portableBls } from "./proof/portable-bls.ts";
import { verifyProofWith } from "./proof/verify-proof.ts";

export type { VerifiedProof } from "./proof/bundle.ts";
export type {
  ProvenAccount,
  ProvenClaim,
  ProvenDeposit,
  ProvenStatement,
  ProvenTransaction,
} from "./proof/claim.ts";
export { ProofError, type ProofErrorCode } from "./proof/errors.ts";
export { statementOf } from "./proof/statement.ts";
export { VerifiedFetchError, type VerifiedFetchErrorCode } from "./verify/errors.ts";
export { type VerifiedFetch, type VerifiedFetchOptions, verifiedFetch } from "./verify/verified-fetch.ts";

/**
 * Checks a proof, as the node's `…/proof` operations and `sextant prove` give it: JSON as a
 * text or its bytes, or BCS. `waypoint` is the one that you trust. Throws ProofError with the first reason against it.
 */
export function verifyProof(proof: Uint8Array | string, waypoint: string): VerifiedProof {
  return verifyProofWith(portableBls, proof, waypoint);
}
