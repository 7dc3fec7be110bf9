// Checks a proof as it was sent or written: bytes in BCS, or JSON. The same code runs in the node, where a native library
// checks signatures, and in a browser.
import { parseWaypoint } from "../ledger/waypoint.ts";
import { formatAddress } from "../move/address.ts";
import type { Bls } from "./bls.ts";
import { type Claim, decodeBundle, verifyBundle } from "./bundle.ts";
import { decodeBundleJson } from "./bundle-json.ts";

/** What a proof proves. */
export type ProvenClaim =
  | {
      readonly kind: "balance";
      readonly address: string;
      readonly asset: string;
      readonly balance: bigint;
    }
  | {
      readonly kind: "table_item";
      readonly tableHandle: string;
      readonly key: Uint8Array;
      /** Undefined: the table has no such item. */
      readonly value: Uint8Array | undefined;
    };

export interface VerifiedProof {
  readonly claim: ProvenClaim;
  /** The claim holds after this version. */
  readonly ledgerVersion: bigint;
  /** The version that the validators signed, at or after it. */
  readonly signedVersion: bigint;
  /** Time of its block, in microseconds since 1970. */
  readonly signedTimestampUsec: bigint;
}

const BRACE = 0x7b;

function toClaim(claim: Claim): ProvenClaim {
  if (claim.kind === "balance") {
    const { address, asset, amount } = claim;
    return { kind: "balance", address: formatAddress(address), asset, balance: amount };
  }
  const { handle, key, value } = claim;
  return { kind: "table_item", tableHandle: formatAddress(handle), key, value };
}

/**
 * Checks a proof from a waypoint, `<version>:<hash>`, on; trusts nothing else. Throws ProofError with the reason, and
 * LedgerError for a text that is no waypoint.
 */
export function verifyProofWith(bls: Bls, proof: Uint8Array | string, waypoint: string): VerifiedProof {
  const start = parseWaypoint(waypoint);
  // No bundle in BCS begins with a brace.
  const isJson = typeof proof === "string" || proof[0] === BRACE;
  const bundle = isJson ? decodeBundleJson(toText(proof)) : decodeBundle(proof);
  const { claim, version, signedVersion, signedTimeUsec } = verifyBundle(bundle, start, bls);
  return {
    claim: toClaim(claim),
    ledgerVersion: version,
    signedVersion,
    signedTimestampUsec: signedTimeUsec,
  };
}

function toText(proof: Uint8Array | string): string {
  return typeof proof === "string" ? proof : new TextDecoder().decode(proof);
}
