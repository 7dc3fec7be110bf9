// Networks by name: where they are asked and what anchors them. A file of an operator's own has the same form, and is
// checked by the same rules. Members have the names of the node's options that they stand for.
import { readFileSync } from "node:fs";
import { ConfigError, errorText } from "../../base/errors.ts";
import { listKind, OBJECT, TEXT, TEXTS, type ValueKind } from "../../base/option.ts";
import { parseProofTarget } from "../../sync/signatures/connect.ts";
import { parseUpstreamUrl } from "../../sync/upstream/rest-upstream.ts";
import { FOLLOW_NUMBERS } from "../options/follow-options.ts";
import { assertOptions, optionTable } from "../options/option-table.ts";
import { parseWaypointOption } from "./genesis-report.ts";
import KNOWN from "./networks.json" with { type: "json" };

/** A published waypoint, and the day when it was. */
export interface Anchor {
  readonly waypoint: string;
  readonly published: string;
}

export interface Network {
  /** The day when somebody last compared this with its sources. */
  readonly asOf: string;
  readonly sources?: readonly string[];
  /** Left out for a network that changes it. */
  readonly chainId?: number;
  /** One of version 0, and later ones. */
  readonly waypoints?: readonly Anchor[];
  /** Where a node begins that is given no genesis; left out, at version 0. */
  readonly startVersion?: string;
  readonly upstreams: readonly string[];
  readonly upstreamRate?: number;
  /** Keeps every version: named to clients, and asked by a node that begins at version 0. */
  readonly archiveUrl?: string;
  /** Backup folders: proof sources of a node that begins at version 0. */
  readonly buckets?: readonly string[];
}

export const NETWORK_NAMES: readonly string[] = Object.keys(KNOWN);

function isDay(value: unknown): value is string {
  return typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));
}

const DAY: ValueKind = { expected: "a day such as 2026-11-18", fits: isDay };

function isAnchor(value: unknown): boolean {
  if (!OBJECT.fits(value)) return false;
  const { waypoint, published, ...others } = value as Record<string, unknown>;
  return TEXT.fits(waypoint) && isDay(published) && Object.keys(others).length === 0;
}

const NETWORK_TABLE = optionTable<Network>()({
  flags: {},
  numbers: { chainId: FOLLOW_NUMBERS.chainId, upstreamRate: FOLLOW_NUMBERS.upstreamRate },
  others: {
    archiveUrl: TEXT,
    asOf: DAY,
    buckets: TEXTS,
    sources: TEXTS,
    startVersion: TEXT,
    upstreams: TEXTS,
    waypoints: listKind('{"waypoint", "published"}, the latter a day', { fits: isAnchor }),
  },
});

function assertNetwork(value: unknown): asserts value is Network {
  if (!OBJECT.fits(value)) throw new ConfigError("expected a JSON object");
  assertOptions(NETWORK_TABLE, "network", value as object);
  const { asOf, upstreams, archiveUrl, buckets = [], waypoints = [] } = value as Partial<Network>;
  if (asOf === undefined) throw new ConfigError(`network.asOf: expected ${DAY.expected}`);
  if (upstreams === undefined || upstreams.length === 0)
    throw new ConfigError("network.upstreams: expected at least one");
  for (const url of upstreams) parseUpstreamUrl(url, "network.upstreams");
  if (archiveUrl !== undefined) parseUpstreamUrl(archiveUrl, "network.archiveUrl");
  for (const url of buckets) parseProofTarget(url);
  for (const { waypoint } of waypoints) parseWaypointOption(waypoint);
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    const names = NETWORK_NAMES.join(", ");
    throw new ConfigError(`expected ${names} or a JSON file: ${errorText(error)}`, error);
  }
}

/** The network of a name, or of a file. Throws ConfigError. */
export function readNetwork(nameOrFile: string): Network {
  try {
    const value: unknown = NETWORK_NAMES.includes(nameOrFile)
      ? KNOWN[nameOrFile as keyof typeof KNOWN]
      : readJson(nameOrFile);
    assertNetwork(value);
    return value;
  } catch (error) {
    throw new ConfigError(`--network ${nameOrFile}: ${errorText(error)}`, error);
  }
}
