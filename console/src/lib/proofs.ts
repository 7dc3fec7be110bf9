// Proofs: asked from this node, checked in this browser by `sextant/verify`, which the build puts next to this script.
import type { VerifiedProof } from "../../../src/verify.ts";
import { askText } from "./api.ts";
import { createStore } from "./store.ts";

/** A proof to check, handed from one view to another. */
export const carriedProof = createStore<string | undefined>(undefined);

/** The proof of a balance as JSON text, exactly as the node gave it. */
export async function proofText(
  relative: string,
  query: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  return (await askText(`${relative}/proof`, { query, accept: "application/json", timeoutMs: 60_000 })).data;
}

/** What a check says. */
export type Verdict =
  | { readonly isProven: true; readonly proof: VerifiedProof; readonly statement: string }
  | { readonly isProven: false; readonly reason: string };

/** Checks a proof from a waypoint on; asks nobody. */
export async function checkProof(proof: Uint8Array | string, waypoint: string): Promise<Verdict> {
  const { statementOf, verifyProof } = await import("../../../src/verify.ts");
  try {
    const verified = verifyProof(proof, waypoint.trim());
    return { isProven: true, proof: verified, statement: statementOf(verified) };
  } catch (error) {
    return { isProven: false, reason: error instanceof Error ? error.message : String(error) };
  }
}
