// Proofs outside of a node: their two forms, and the check of one with the fastest library of this machine.
import { toPrefixedHex } from "../../base/hex.ts";
import { formatTime } from "../../base/texts/time-text.ts";
import { decodeWith } from "../../bcs/codec.ts";
import { computeWaypoint, formatWaypoint, waypointPreimageCodec } from "../../ledger/waypoint.ts";
import { encodeBundle, type VerifiedProof } from "../../proof/bundle.ts";
import { decodeBundleJson } from "../../proof/bundle-json.ts";
import { ProofError } from "../../proof/errors.ts";
import { fastestBls } from "../../proof/native-bls.ts";
import { statementOf } from "../../proof/statement.ts";
import { verifyProofWith } from "../../proof/verify-proof.ts";
import { cutoffUsec, parsePruneWindow } from "../../sync/maintenance/prune-window.ts";
import { parseOperand } from "./operands.ts";

/** A bundle in JSON as BCS. Throws ProofError. */
export function proofToBcs(text: string): Uint8Array {
  return encodeBundle(decodeBundleJson(text));
}

/** The waypoint that a bundle in JSON begins at. Throws ProofError. */
export function proofStart(text: string): string {
  const { ledger } = decodeBundleJson(text);
  if (ledger.kind === "above") throw new ProofError("incomplete", "the bundle has no ledger of its own");
  const start = ledger.kind === "named" ? ledger.ledgerInfo : ledger.start;
  return formatWaypoint(computeWaypoint(decodeWith(waypointPreimageCodec, start)));
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
    const window = parsePruneWindow(text, name);
    if (window.kind === "count") limits.push(`for ${text} versions (--${name} ${text})`);
    if (window.kind !== "time") continue;
    const usec = blockUsec - cutoffUsec(window, 0n);
    if (soonest !== undefined && soonest.usec <= usec) continue;
    soonest = { usec, text: `until ${formatTime(usec)} (--${name} ${text})` };
  }
  return [...(soonest === undefined ? [] : [soonest.text]), ...limits].join(" and ");
}

/** What a checked proof says, as fields of a report. */
export interface ProofReport {
  readonly verdict: "proven" | "refuted";
  /** Why it does not hold. */
  readonly reason?: string;
  /** What it proves. */
  readonly shown: Readonly<Record<string, string>>;
  /** What was checked. */
  readonly proof?: VerifiedProof;
}

/** Checks a proof. Throws ConfigError for a text that is no waypoint. */
export function checkProof(proof: Uint8Array | string, waypoint: string): ProofReport {
  parseOperand("waypoint", "--waypoint", waypoint);
  try {
    const verified = verifyProofWith(fastestBls(), proof, waypoint);
    return { verdict: "proven", shown: reportOf(verified), proof: verified };
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    return { verdict: "refuted", reason: error.message, shown: {} };
  }
}

function reportOf(proof: VerifiedProof): Record<string, string> {
  const { ledgerVersion, timestampUsec, nextTimestampUsec, atUsec, signedVersion, signedTimestampUsec } =
    proof;
  const times = {
    time: timestampUsec,
    next_time: nextTimestampUsec,
    at: atUsec,
    signed_time: signedTimestampUsec,
  };
  const shown: Record<string, string> = {
    statement: statementOf(proof),
    claim: proof.claim.kind,
    ...claimFields(proof.claim),
    ledger_version: `${ledgerVersion}`,
    signed_version: `${signedVersion}`,
  };
  for (const [name, usec] of Object.entries(times)) if (usec !== undefined) shown[name] = formatTime(usec);
  return shown;
}

function valueText(value: Uint8Array | undefined): string {
  return value === undefined ? "none: it is proven not to exist" : toPrefixedHex(value);
}

function claimFields(claim: VerifiedProof["claim"]): Record<string, string> {
  switch (claim.kind) {
    case "balances":
      return balanceFields(claim);
    case "table_item":
      return {
        table_handle: claim.tableHandle,
        key: toPrefixedHex(claim.key),
        value: valueText(claim.value),
      };
    case "resource": {
      const { address, type, group, value } = claim;
      const kept = group === undefined ? {} : { group_type: group };
      return { address, resource_type: type, ...kept, value: valueText(value) };
    }
    case "module":
      return { address: claim.address, module_name: claim.name, value: valueText(claim.value) };
    default: {
      const { hash, sender, transactionType, isSuccess } = claim;
      const shown = { transaction_hash: hash, transaction_type: transactionType, success: `${isSuccess}` };
      const sent = sender === undefined ? {} : { sender };
      if (claim.kind === "transaction") return { ...shown, ...sent };
      const { index, type, data, deposit } = claim;
      const { account, asset, amount } = deposit ?? {};
      const paid = deposit && {
        account: `${account}`,
        ...(asset === undefined ? {} : { asset_type: asset }),
        amount: `${amount}`,
      };
      return {
        ...shown,
        ...sent,
        event_index: `${index}`,
        event_type: type,
        data: toPrefixedHex(data),
        ...paid,
      };
    }
  }
}

/** One balance in three fields, of more the totals. */
function balanceFields({
  accounts,
  totals,
}: Extract<VerifiedProof["claim"], { readonly kind: "balances" }>): Record<string, string> {
  const [account] = accounts;
  const [only] = account?.balances ?? [];
  if (account !== undefined && only !== undefined && accounts.length === 1 && account.balances.length === 1) {
    return { address: account.address, asset_type: only.asset, balance: `${only.balance}` };
  }
  const sums = [...totals].map(([asset, total]) => [`total ${asset}`, `${total}`]);
  return { accounts: `${accounts.length}`, ...Object.fromEntries(sums) };
}
