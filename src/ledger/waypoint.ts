// Waypoints: one line that names a version and commits to the whole ledger up to it. A trusted waypoint proves every
// earlier version.
import { fromHex, hexFault, toHex } from "../base/hex.ts";
import { U64_MAX } from "../base/numbers.ts";
import { encodeWith, type ValueOf } from "../bcs/codec.ts";
import { struct } from "../bcs/records.ts";
import { hash, u64 } from "../bcs/scalars.ts";
import { option } from "../bcs/sequences.ts";
import { LedgerError } from "./errors.ts";
import { votersCodec } from "./formats/validator-set.ts";
import { HASH_LENGTH, hashOf, SEEDS } from "./hash.ts";

/** A version and the hash that commits to the ledger up to it. */
export interface Waypoint {
  readonly version: bigint;
  readonly hash: Uint8Array;
}

/** The parts of a ledger info that a waypoint hashes. */
export const waypointPreimageCodec = struct({
  /** Epoch of the version's block, not the one that starts after it. */
  epoch: u64,
  accumulatorRoot: hash,
  version: u64,
  timestampUsec: u64,
  nextEpoch: option(struct({ epoch: u64, voters: votersCodec })),
});
export type WaypointPreimage = ValueOf<typeof waypointPreimageCodec>;

const MAX_VERSION_DIGITS = 20;

/** Parses `<version>:<64 hex digits>`; white space around it is ignored. */
export function parseWaypoint(text: string): Waypoint {
  const trimmed = text.trim();
  const colon = trimmed.indexOf(":");
  const digits = trimmed.slice(0, Math.max(colon, 0));
  const hash = fromHex(trimmed.slice(colon + 1, colon + 2 + 2 * HASH_LENGTH));
  if (!isDecimal(digits) || hash?.length !== HASH_LENGTH || BigInt(digits) > U64_MAX) {
    const shown = JSON.stringify(trimmed.slice(0, 100));
    const reason = waypointFault(trimmed, colon, digits);
    throw new LedgerError("corrupt", `a waypoint is <version>:<64 hex digits>, not ${shown}: ${reason}`);
  }
  return { version: BigInt(digits), hash };
}

/** What is wrong with a waypoint's text. */
function waypointFault(text: string, colon: number, digits: string): string {
  if (colon < 0) return "it has no colon";
  if (!isDecimal(digits) || BigInt(digits) > U64_MAX) return "its version is not a number of 64 bits";
  // Digits and a colon in front keep the position, and are hex themselves.
  const hash = text.slice(colon + 1);
  return hexFault("0".repeat(colon + 1) + hash) ?? `its hash has ${hash.length} digits`;
}

function isDecimal(text: string): boolean {
  if (text.length === 0 || text.length > MAX_VERSION_DIGITS) return false;
  for (const char of text) if (char < "0" || char > "9") return false;
  return true;
}

/** Prints a waypoint. */
export function formatWaypoint(waypoint: Waypoint): string {
  return `${waypoint.version}:${toHex(waypoint.hash)}`;
}

/** Computes a waypoint. */
export function computeWaypoint(preimage: WaypointPreimage): Waypoint {
  return {
    version: preimage.version,
    hash: hashOf(SEEDS.waypoint, encodeWith(waypointPreimageCodec, preimage)),
  };
}
