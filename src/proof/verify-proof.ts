// Checks a proof as it was sent or written: bytes in BCS, or JSON. The same code runs in the node, where a native library
// checks signatures, and in a browser.
import { parseWaypoint } from "../ledger/waypoint.ts";
import type { Bls } from "./bls.ts";
import { decodeBundle, type ProofBundle, type VerifiedProof, verifyBundle } from "./bundle.ts";
import { decodeBundleJson } from "./bundle-json.ts";

const BRACE = 0x7b;

/** A bundle in either form. Throws ProofError `malformed`. */
export function readBundle(proof: Uint8Array | string): ProofBundle {
  if (typeof proof === "string") return decodeBundleJson(proof);
  // No bundle in BCS begins with a brace.
  return proof[0] === BRACE ? decodeBundleJson(new TextDecoder().decode(proof)) : decodeBundle(proof);
}

/**
 * Checks a proof from a waypoint, `<version>:<hash>`, on; trusts nothing else. Throws ProofError with the reason, and
 * LedgerError for a text that is no waypoint.
 */
export function verifyProofWith(bls: Bls, proof: Uint8Array | string, waypoint: string): VerifiedProof {
  const start = parseWaypoint(waypoint);
  return verifyBundle(readBundle(proof), start, bls);
}
