// Checks a proof as it was sent or written: bytes in BCS, or JSON, one bundle on each line. The same code runs in the node,
// where a native library checks signatures, and in a browser.
import { parseAsset } from "../ledger/balances/asset.ts";
import { parseWaypoint } from "../ledger/waypoint.ts";
import type { Bls } from "./bls.ts";
import { BundleVerifier, decodeBundle, type VerifiedProof } from "./bundle.ts";
import { decodeBundleJson, decodeStatementHead, isStatementHead } from "./bundle-json.ts";
import type { ProvenAccount, ProvenStatement } from "./claim.ts";
import { ProofError } from "./errors.ts";
import { StatementCheck } from "./statement-check.ts";

const BRACE = 0x7b;

/** Checks the bundles of a file one after the other, and knows what all of them prove together. */
export class ProofVerifier {
  readonly #verifier: BundleVerifier;
  readonly #statements: ProvenStatement[] = [];
  /** By account, and the asset whose store they count. */
  readonly #periods = new Map<string, readonly ProvenStatement[]>();
  #statement: StatementCheck | undefined;
  #together: VerifiedProof | undefined;

  /** Throws LedgerError for a text that is no waypoint. */
  constructor(waypoint: string, bls: Bls) {
    this.#verifier = new BundleVerifier(parseWaypoint(waypoint), bls);
  }

  /** What all bundles prove, with the totals of all accounts but only the accounts of the last one. Throws ProofError. */
  finish(): VerifiedProof {
    if (this.#statement !== undefined) this.#finishStatement(this.#statement);
    const last = this.#together;
    if (last === undefined) throw new ProofError("incomplete", "the file has no bundle");
    if (this.#statement === undefined) return last;
    return { ...last, claim: { kind: "statements", statements: this.#statements } };
  }

  /** Two statements of the same account that overlap would count changes twice. A coin and the asset paired with it share a store. */
  #finishStatement(check: StatementCheck): void {
    const made = check.finish();
    const counted = `${made.address} ${parseAsset(made.asset).metadata}`;
    const others = this.#periods.get(counted) ?? [];
    const other = others.find(({ fromUsec, toUsec }) => fromUsec < made.toUsec && made.fromUsec < toUsec);
    if (other !== undefined) {
      const name = `${made.address} in ${other.asset === made.asset ? "" : `${other.asset} and `}${made.asset}`;
      throw new ProofError("malformed", `two statements of ${name} overlap`);
    }
    this.#periods.set(counted, [...others, made]);
    this.#statements.push(made);
  }

  /** Checks the next line or bundle: JSON or BCS. Undefined for a line that begins a statement. Throws ProofError. */
  verify(given: Uint8Array | string): VerifiedProof | undefined {
    if (typeof given === "string" && isStatementHead(given)) {
      if (this.#statement !== undefined) this.#finishStatement(this.#statement);
      else if (this.#together !== undefined)
        throw new ProofError("malformed", "a statement follows other proofs");
      this.#statement = new StatementCheck(decodeStatementHead(given));
      return undefined;
    }
    const bundle = typeof given === "string" ? decodeBundleJson(given) : decodeBundle(given);
    const proven = this.#verifier.verify(bundle, this.#statement === undefined);
    this.#statement?.take(proven);
    // The times of a statement are those of its closing balance.
    if (this.#statement === undefined) this.#together = addTotals(this.#together, proven);
    else if (proven.claim.kind === "balances") this.#together = proven;
    return proven;
  }
}

function addTotals(all: VerifiedProof | undefined, proven: VerifiedProof): VerifiedProof {
  if (all?.claim.kind !== "balances" || proven.claim.kind !== "balances") return proven;
  const totals = new Map(all.claim.totals);
  for (const [asset, total] of proven.claim.totals) totals.set(asset, (totals.get(asset) ?? 0n) + total);
  return { ...proven, claim: { ...proven.claim, totals } };
}

/**
 * Checks a proof from a waypoint, `<version>:<hash>`, on; trusts nothing else. Throws ProofError with the reason, and
 * LedgerError for a text that is no waypoint.
 */
export function verifyProofWith(bls: Bls, proof: Uint8Array | string, waypoint: string): VerifiedProof {
  const verifier = new ProofVerifier(waypoint, bls);
  if (typeof proof !== "string" && !ArrayBuffer.isView(proof))
    throw new ProofError("malformed", "not a proof bundle: expected its text or its bytes");
  // No bundle in BCS begins with a brace.
  const isBinary = typeof proof !== "string" && proof[0] !== BRACE;
  const text = typeof proof === "string" ? proof : new TextDecoder().decode(proof);
  const accounts: ProvenAccount[] = [];
  for (const line of isBinary ? [proof] : text.replace(/\n$/, "").split("\n")) {
    const claim = verifier.verify(line)?.claim;
    if (claim?.kind === "balances") for (const account of claim.accounts) accounts.push(account);
  }
  const together = verifier.finish();
  return together.claim.kind === "balances"
    ? { ...together, claim: { ...together.claim, accounts } }
    : together;
}
