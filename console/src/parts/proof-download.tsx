// Saves the proof of a balance, where the node gives proofs.
import type { JSX } from "preact";

export function ProofDownload(_: {
  readonly address: string;
  readonly asset: string;
  readonly name: string;
}): JSX.Element | null {
  return null;
}
