// Checks a genesis file before it is used.
import { ConfigError, errorText } from "../../base/errors.ts";
import { toHex } from "../../base/hex.ts";
import { checkGenesis, type GenesisCheck } from "../../ledger/formats/genesis.ts";
import { formatWaypoint, parseWaypoint, type Waypoint } from "../../ledger/waypoint.ts";
import { assertWaypoint } from "../../sync/genesis.ts";

/** Result of checking a genesis file. */
export interface GenesisReport {
  readonly chainId: number;
  readonly items: number;
  readonly events: number;
  readonly validators: number;
  readonly stateRoot: string;
  readonly waypoint: string;
  readonly expectedWaypoint: string | undefined;
  readonly verdict: "match" | "mismatch" | "unproven";
}

/** Parses a waypoint from the configuration. */
export function parseWaypointOption(text: string) {
  try {
    return parseWaypoint(text);
  } catch (error) {
    throw new ConfigError(`waypoint: ${errorText(error)}`, error);
  }
}

/** Computes a genesis file's waypoint and compares it with the expected one, if given. */
export async function verifyGenesis(blob: Uint8Array, waypoint?: string): Promise<GenesisReport> {
  const expected = waypoint === undefined ? undefined : formatWaypoint(parseWaypointOption(waypoint));
  const check = await checkGenesis(blob);
  const computed = formatWaypoint(check.waypoint);
  return {
    chainId: check.chainId,
    items: check.items,
    events: check.events,
    validators: check.validators,
    stateRoot: toHex(check.stateRoot),
    waypoint: computed,
    expectedWaypoint: expected,
    verdict: expected === undefined ? "unproven" : expected === computed ? "match" : "mismatch",
  };
}

/** Checks a genesis file and, if given, its waypoint. */
export function checkGenesisFile(blob: Uint8Array, expected: Waypoint | undefined): GenesisCheck {
  const check = checkGenesis(blob);
  if (expected !== undefined) assertWaypoint(check.waypoint, expected);
  return check;
}
