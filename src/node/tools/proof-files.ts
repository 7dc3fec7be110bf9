// Proofs outside of a node: their two forms, and the check of one with the fastest library of this machine.
import { fromHex, toPrefixedHex } from "../../base/hex.ts";
import { sha3Parts } from "../../base/sha3.ts";
import { escapeControls } from "../../base/texts/text.ts";
import { formatTime } from "../../base/texts/time-text.ts";
import { decodeWith } from "../../bcs/codec.ts";
import { isEd25519 } from "../../chain/submission/signatures.ts";
import { computeWaypoint, formatWaypoint, waypointPreimageCodec } from "../../ledger/waypoint.ts";
import { encodeBundle, type VerifiedProof } from "../../proof/bundle.ts";
import { decodeBundleJson } from "../../proof/bundle-json.ts";
import type { ProvenAccount, ProvenStatement } from "../../proof/claim.ts";
import { ProofError } from "../../proof/errors.ts";
import { fastestBls } from "../../proof/native-bls.ts";
import { statementOf } from "../../proof/statement.ts";
import { ProofVerifier } from "../../proof/verify-proof.ts";
import { cutoffUsec, parseProofWindow } from "../../sync/maintenance/prune-window.ts";
import { parseOperand } from "./operands.ts";

export { statementHead } from "../../proof/bundle-json.ts";
export { statementText } from "../../proof/statement.ts";

/** A bundle in JSON as BCS. Throws ProofError. */
export function proofToBcs(text: string): Uint8Array {
  return encodeBundle(decodeBundleJson(text));
}

const LEDGER = ',"ledger":';
const ABOVE = `${LEDGER}{"type":"above"}}`;

/** A bundle in JSON as it follows another one in a file: a ledger that is the same is not repeated. */
export function proofPart(text: string, before: string): string {
  const ledgerOf = (bundle: string): string => bundle.slice(bundle.lastIndexOf(LEDGER));
  return ledgerOf(text) === ledgerOf(before) ? text.slice(0, text.lastIndexOf(LEDGER)) + ABOVE : text;
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

/** What a checked proof says, as fields of a report. */
export interface ProofReport {
  readonly verdict: "proven" | "refuted";
  /** Why it does not hold. */
  readonly reason?: string;
  /** What it proves. */
  readonly shown: Readonly<Record<string, string>>;
  /** The statements of accounts that it proves. */
  readonly statements: readonly ProvenStatement[];
}

/** Checks the bundles of a file, and reports on all of them. */
export class ProofCheck {
  readonly #verifier: ProofVerifier;
  #accounts = 0;

  /** Throws ConfigError for a text that is no waypoint. */
  constructor(waypoint: string) {
    parseOperand("waypoint", "--waypoint", waypoint);
    this.#verifier = new ProofVerifier(waypoint, fastestBls());
  }

  /** Checks the next bundle: why it does not hold, or the accounts whose balances it proves. */
  take(bundle: Uint8Array | string): {
    readonly reason?: string;
    readonly accounts: readonly ProvenAccount[];
  } {
    try {
      const claim = this.#verifier.verify(bundle)?.claim;
      const accounts = claim?.kind === "balances" ? claim.accounts : [];
      this.#accounts += accounts.length;
      return { accounts };
    } catch (error) {
      return { reason: reasonOf(error), accounts: [] };
    }
  }

  /** What all bundles prove together, or why the last of them are missing. */
  finish(): ProofReport {
    try {
      const together = this.#verifier.finish();
      const shown = reportOf(together, this.#accounts);
      const { claim } = together;
      const statements = claim.kind === "statements" ? claim.statements : [];
      return { verdict: "proven", shown, statements };
    } catch (error) {
      return { verdict: "refuted", reason: reasonOf(error), shown: {}, statements: [] };
    }
  }
}

/** Why a proof does not hold. Throws an error that is of another kind. */
function reasonOf(error: unknown): string {
  if (error instanceof ProofError) return escapeControls(error.message);
  throw error;
}

/** Checks a proof of one bundle. Throws ConfigError for a text that is no waypoint. */
export function checkProof(proof: Uint8Array | string, waypoint: string): ProofReport {
  const check = new ProofCheck(waypoint);
  const { reason } = check.take(proof);
  return reason === undefined ? check.finish() : { verdict: "refuted", reason, shown: {}, statements: [] };
}

const ED25519_SCHEME = Uint8Array.of(0);
/** A single key of any kind: the kind and the length of an Ed25519 key in front, the scheme behind. */
const [SINGLE_ED25519, SINGLE_SCHEME] = [Uint8Array.of(0, 32), Uint8Array.of(2)];

/**
 * Why a message was not signed by the Ed25519 key of an account, whose authentication key is proven; undefined if it was.
 * All but the message are hex.
 */
export function ownerFault(
  authenticationKey: string,
  {
    message,
    publicKey,
    signature,
  }: { readonly message: string; readonly publicKey: string; readonly signature: string },
): string | undefined {
  const [key, signed] = [publicKey, signature].map((text) => fromHex(text.replace(/^0x/, "")));
  if (key?.length !== 32)
    return `the public key is not that of Ed25519: expected 64 hex digits, got ${key ? key.length * 2 : "another text"}`;
  if (signed?.length !== 64)
    return `the signature is not that of Ed25519: expected 128 hex digits, got ${signed ? signed.length * 2 : "another text"}`;
  const keys = [sha3Parts(key, ED25519_SCHEME), sha3Parts(SINGLE_ED25519, key, SINGLE_SCHEME)];
  if (!keys.some((own) => toPrefixedHex(own) === authenticationKey))
    return `the public key is not the account's: it does not hash to the authentication key ${authenticationKey}`;
  return isEd25519(key, signed, Buffer.from(message))
    ? undefined
    : "the signature does not verify: it is of another message, or by another key";
}

function reportOf(proof: VerifiedProof, accounts: number): Record<string, string> {
  const { ledgerVersion, timestampUsec, nextTimestampUsec, signedVersion, signedTimestampUsec } = proof;
  const { claim } = proof;
  const many = claim.kind === "statements" && claim.statements.length > 1 ? claim.statements.length : 0;
  const times = {
    time: timestampUsec,
    next_time: nextTimestampUsec,
    signed_time: signedTimestampUsec,
  };
  const shown: Record<string, string> = {
    statement:
      many === 0 ? statementOf(proof, accounts) : `${many} statements of accounts, on the lines below.`,
    claim: claim.kind,
    ...claimFields(claim, accounts),
    ledger_version: `${ledgerVersion}`,
    signed_version: `${signedVersion}`,
  };
  for (const [name, usec] of Object.entries(times)) if (usec !== undefined) shown[name] = formatTime(usec);
  return shown;
}

function valueText(value: Uint8Array | undefined): string {
  return value === undefined ? "none: it is proven not to exist" : toPrefixedHex(value);
}

function claimFields(claim: VerifiedProof["claim"], accounts: number): Record<string, string> {
  switch (claim.kind) {
    case "balances":
      return balanceFields(claim, accounts);
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
    case "statements":
      return statementFields(claim.statements);
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

/** One statement in its parts, of more their number. */
function statementFields([first, ...more]: readonly ProvenStatement[]): Record<string, string> {
  if (first === undefined || more.length > 0) return { statements: `${more.length + 1}` };
  const { address, asset, fromUsec, toUsec, opening, deposits, withdrawals, fees, closing } = first;
  return {
    address,
    asset_type: asset,
    from: formatTime(fromUsec),
    to: formatTime(toUsec),
    opening_balance: `${opening}`,
    deposits: `${deposits.amount}`,
    withdrawals: `${withdrawals.amount}`,
    fees: `${fees.amount}`,
    receipts: `${deposits.count + withdrawals.count + fees.count}`,
    closing_balance: `${closing}`,
  };
}

/** One balance in three fields, of more the totals. */
function balanceFields(
  { accounts, totals }: Extract<VerifiedProof["claim"], { readonly kind: "balances" }>,
  count: number,
): Record<string, string> {
  const [account] = accounts;
  const [only] = account?.balances ?? [];
  if (account !== undefined && only !== undefined && count === 1 && account.balances.length === 1) {
    return { address: account.address, asset_type: only.asset, balance: `${only.balance}` };
  }
  const sums = [...totals].map(([asset, total]) => [`total ${asset}`, `${total}`]);
  return { accounts: `${count}`, ...Object.fromEntries(sums) };
}
