// What a client trusts between two answers: the end of an epoch, and the validators of the next one. In the network's own
// form, so that its other clients can read it.
import { decodeWith, encodeWith, type ValueOf } from "../bcs/codec.ts";
import { struct, variants } from "../bcs/records.ts";
import { hash, u64 } from "../bcs/scalars.ts";
import {
  computeWaypoint,
  parseWaypoint,
  type WaypointPreimage,
  waypointPreimageCodec,
} from "../ledger/waypoint.ts";
import type { ProofBundle } from "../proof/bundle.ts";
import { epochStateCodec, signedLedgerInfoCodec } from "../proof/ledger-info.ts";

const waypointCodec = struct({ version: u64, hash });

const trustedStateCodec = variants("TrustedState", {
  /** Nothing was proven yet. */
  waypoint: { waypoint: waypointCodec },
  epoch: { waypoint: waypointCodec, validators: epochStateCodec },
});
export type TrustedState = ValueOf<typeof trustedStateCodec>;

/** Reads a waypoint, or the bytes of a state. Throws LedgerError and BcsError, and TypeError for anything else. */
export function readTrusted(given: string | Uint8Array): TrustedState {
  if (typeof given !== "string") return decodeWith(trustedStateCodec, given);
  return { kind: "waypoint", waypoint: parseWaypoint(given) };
}

export function trustedBytes(state: TrustedState): Uint8Array {
  return encodeWith(trustedStateCodec, state);
}

/** The ledger that a bundle is about. */
export function ledgerOf({ ledger }: ProofBundle): WaypointPreimage {
  if (ledger.kind === "signed") return decodeWith(signedLedgerInfoCodec, ledger.last).ledgerInfo;
  if (ledger.kind === "named") return decodeWith(waypointPreimageCodec, ledger.ledgerInfo);
  throw new Error("a bundle that was checked alone has its ledger");
}

/** The state after a checked bundle: the last end of an epoch in it, unless a later one is known. */
export function advance(state: TrustedState, bundle: ProofBundle): TrustedState {
  const { ledger } = bundle;
  const change = ledger.kind === "signed" ? ledger.epochChanges.at(-1) : undefined;
  const ends = [ledgerOf(bundle)];
  if (change !== undefined) ends.push(decodeWith(signedLedgerInfoCodec, change).ledgerInfo);
  else if (ledger.kind === "signed") ends.push(decodeWith(waypointPreimageCodec, ledger.start));
  const end = ends.find(({ nextEpoch }) => nextEpoch !== undefined);
  const isLater = end !== undefined && end.version > state.waypoint.version;
  const isFirst = end?.version === state.waypoint.version && state.kind === "waypoint";
  if (end?.nextEpoch === undefined || !(isLater || isFirst)) return state;
  return { kind: "epoch", waypoint: computeWaypoint(end), validators: end.nextEpoch };
}
