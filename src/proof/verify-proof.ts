// Checks a proof as it was sent or written: bytes in BCS, or JSON, one bundle on each line. The same code runs in the node,
// where a native library checks signatures, and in a browser.
import { parseWaypoint } from "../ledger/waypoint.ts";
import type { Bls } from "./bls.ts";
import { BundleVerifier, decodeBundle, type VerifiedProof } from "./bundle.ts";
import { decodeBundleJson } from "./bundle-json.ts";

const BRACE = 0x7b;

/** Checks the bundles of a file one after the other, and knows what all of them prove together. */
export class ProofVerifier {
  readonly #verifier: BundleVerifier;
  #together: VerifiedProof | undefined;

  /** Throws LedgerError for a text that is no waypoint. */
  constructor(waypoint: string, bls: Bls) {
    this.#verifier = new BundleVerifier(parseWaypoint(waypoint), bls);
  }

  /** What was proven so far, with the totals of all accounts but only the accounts of the last bundle. */
  get together(): VerifiedProof | undefined {
    return this.#together;
  }

  /** Checks the next bundle: JSON or BCS. Throws ProofError. */
  verify(bundle: Uint8Array | string): VerifiedProof {
    const proven = this.#verifier.verify(
      typeof bundle === "string" ? decodeBundleJson(bundle) : decodeBundle(bundle),
    );
    const before = this.#together?.claim;
    if (before?.kind !== "balances" || proven.claim.kind !== "balances") this.#together = proven;
    else {
      const totals = new Map(before.totals);
      for (const [asset, total] of proven.claim.totals) totals.set(asset, (totals.get(asset) ?? 0n) + total);
      this.#together = { ...proven, claim: { ...proven.claim, totals } };
    }
    return proven;
  }
}

/**
 * Checks a proof from a waypoint, `<version>:<hash>`, on; trusts nothing else. Throws ProofError with the reason, and
 * LedgerError for a text that is no waypoint.
 */
export function verifyProofWith(bls: Bls, proof: Uint8Array | string, waypoint: string): VerifiedProof {
  const verifier = new ProofVerifier(waypoint, bls);
  // No bundle in BCS begins with a brace.
  if (typeof proof !== "string" && proof[0] !== BRACE) return verifier.verify(proof);
  const text = typeof proof === "string" ? proof : new TextDecoder().decode(proof);
  const [first = "", ...more] = text.replace(/\n$/, "").split("\n");
  const proven = verifier.verify(first);
  if (more.length === 0) return proven;
  const accounts = proven.claim.kind === "balances" ? [...proven.claim.accounts] : [];
  for (const line of more) {
    const { claim } = verifier.verify(line);
    if (claim.kind === "balances") for (const account of claim.accounts) accounts.push(account);
  }
  const { together = proven } = verifier;
  return together.claim.kind === "balances"
    ? { ...together, claim: { ...together.claim, accounts } }
    : together;
}
