// A look at a proof source for `sextant doctor`: what it is, and how far it says it reaches. Checks no signature.
import { USER_AGENT } from "../base/software-version.ts";
import { connectProofSource, parseProofTarget } from "../sync/proofs/connect.ts";
import { askInTime } from "../sync/upstream/errors.ts";

export interface ProofLook {
  readonly kind: "folder" | "service" | "peer";
  /** The last epoch whose end it says it has. */
  readonly lastEpoch: bigint | undefined;
}

/** Asks a source. Throws ConfigError, UpstreamError or SourceLie. */
export async function lookAtProofs(
  url: string,
  chainId: number | undefined,
  timeoutMs: number,
): Promise<ProofLook> {
  const connection = { userAgent: USER_AGENT, chainId: () => chainId };
  const source = connectProofSource(parseProofTarget(url), connection);
  try {
    const never = new AbortController().signal;
    const lastEpoch = await askInTime(timeoutMs, never, (signal) => source.lastEpoch(signal));
    return { kind: source.kind ?? "folder", lastEpoch };
  } finally {
    source.close();
  }
}
