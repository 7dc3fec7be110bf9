// Proofs outside of a node: their two forms, and the check of one with the fastest library of this machine.
import { toPrefixedHex } from "../../base/hex.ts";
import { formatTime } from "../../base/texts/time-text.ts";
import { computeWaypoint, formatWaypoint } from "../../ledger/waypoint.ts";
import { decodeBundleJson, toMade } from "../../proof/bundle-json.ts";
import { ProofError } from "../../proof/errors.ts";
import { encodeBundle } from "../../proof/made-bundle.ts";
import { fastestBls } from "../../proof/native-bls.ts";
import { type ProvenClaim, verifyProofWith } from "../../proof/verify-proof.ts";
import { cutoffUsec, parseProofWindow } from "../../sync/maintenance/prune-window.ts";
import { parseOperand } from "./operands.ts";

/** A bundle in JSON as BCS. Throws ProofError. */
export function proofToBcs(text: string): Uint8Array {
  return encodeBundle(toMade(decodeBundleJson(text)));
}

/** The waypoint that a bundle in JSON begins at. Throws ProofError. */
export function proofStart(text: string): string {
  const { ledger } = decodeBundleJson(text);
  return formatWaypoint(computeWaypoint(ledger.kind === "named" ? ledger.ledgerInfo : ledger.start));
}

/**
 * How long a node can prove a version with a block time, by its info response: `until 2026-01-31T00:10:00Z`, or for a
 * number of versions, with the option that sets it. Undefined if the node does not say.
 */
export function provableText(info: Readonly<Record<string, unknown>>, blockUsec: bigint): string | undefined {
  if (info.proof_window === undefined || info.proof_window === "off") return undefined;
  const limits: string[] = [];
  let soonest: { readonly usec: bigint; readonly text: string } | undefined;
  for (const name of ["proof-window", "prune-window"]) {
    const text = `${info[name.replace("-", "_")]}`;
    const window = parseProofWindow(text, name);
    if (window.kind === "count") limits.push(`for ${text} versions (--${name} ${text})`);
    if (window.kind !== "time") continue;
    const usec = blockUsec - cutoffUsec(window, 0n);
    if (soonest !== undefined && soonest.usec <= usec) continue;
    soonest = { usec, text: `until ${formatTime(usec)} (--${name} ${text})` };
  }
  const texts = [...(soonest === undefined ? [] : [soonest.text]), ...limits];
  return texts.length === 0 ? "at any time (--prune-window off)" : texts.join(" and ");
}

/** What a checked proof says, as lines of a report. */
export interface ProofReport {
  readonly verdict: "proven" | "refuted";
  /** Why it does not hold. */
  readonly reason?: string;
  /** What it proves. */
  readonly shown: Readonly<Record<string, string>>;
}

/** Checks a proof. Throws ConfigError for a text that is no waypoint. */
export function checkProof(proof: Uint8Array | string, waypoint: string): ProofReport {
  parseOperand("waypoint", "--waypoint", waypoint);
  try {
    const { claim, ledgerVersion, signedVersion, signedTimestampUsec } = verifyProofWith(
      fastestBls(),
      proof,
      waypoint,
    );
    const shown = {
      ...claimLines(claim),
      ledger_version: `${ledgerVersion}`,
      signed_version: `${signedVersion}`,
      signed_time: formatTime(signedTimestampUsec),
    };
    return { verdict: "proven", shown };
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    return { verdict: "refuted", reason: error.message, shown: {} };
  }
}

function claimLines(claim: ProvenClaim): Record<string, string> {
  if (claim.kind === "balance") {
    return { address: claim.address, asset_type: claim.asset, balance: `${claim.balance}` };
  }
  return {
    table_handle: claim.tableHandle,
    key: toPrefixedHex(claim.key),
    value: claim.value === undefined ? "none: the table has no such item" : toPrefixedHex(claim.value),
  };
}
