// Options of calls: at which version they read, what they wait for, and which part they want.
import { ConfigError } from "../../base/errors.ts";
import { BYTES, OBJECT } from "../../base/option.ts";
import { didYouMean } from "../../base/texts/nearest.ts";

/** Never the value itself, which may be a secret. */
export function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return BYTES.fits(value) ? "bytes" : `a value of type ${typeof value}`;
}

/** Throws ConfigError for options that are no object. */
export function assertObject(name: string, options: unknown): void {
  if (OBJECT.fits(options)) return;
  throw new ConfigError(`${name}: expected ${OBJECT.expected}, got ${typeName(options)}`);
}

export function unknownOption(name: string, known: readonly string[], prefix = ""): ConfigError {
  return new ConfigError(`${prefix}${name}: there is no such option${didYouMean(name, known, prefix)}`);
}

/** Every name of some options, as the compiler checks. */
export type OptionNames<Options> = { readonly [K in keyof Required<Options>]: string | true };

/** Options of a call as they were given. Throws ConfigError for a name that the call does not have. */
export function knownOptions<O extends object>(names: OptionNames<O>, options: O, called = "options"): O {
  assertObject(called, options);
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && !Object.hasOwn(names, name)) throw unknownOption(name, Object.keys(names));
  }
  return options;
}

/** Read your writes: the least version that a read needs. */
export interface MinVersionOptions {
  /** Reads once the ledger is at this version, and rejects with code `behind` if it is not in time. */
  readonly minLedgerVersion?: bigint | undefined;
  /** How long to wait for it, at most 30,000 ms; 0, no wait, when left out. */
  readonly waitMs?: number | undefined;
}

export const MIN_VERSION_NAMES: OptionNames<MinVersionOptions> = { minLedgerVersion: true, waitMs: true };

/** At which version to read: the latest unless a version or a time is given. */
export interface ReadOptions extends MinVersionOptions {
  readonly ledgerVersion?: bigint | undefined;
  /** The last version whose block is not after this time: a Date, RFC 3339, or Unix seconds. */
  readonly at?: string | Date | undefined;
}

export const READ_NAMES: OptionNames<ReadOptions> = { ...MIN_VERSION_NAMES, ledgerVersion: true, at: true };

/** What a proof is about and where it begins. */
export interface ProveOptions extends ReadOptions {
  /** The waypoint of an epoch's end, such as that of genesis; the end of the epoch before when left out. */
  readonly fromWaypoint?: string | undefined;
}

export const PROVE_NAMES: OptionNames<ProveOptions> = { ...READ_NAMES, fromWaypoint: true };

/** What the proof of a set of balances is about. */
export interface ProveBalancesOptions extends ProveOptions {
  /** Proves the authentication key of each account too; no when left out. */
  readonly authenticationKeys?: boolean | undefined;
}

export const PROVE_BALANCES_NAMES: OptionNames<ProveBalancesOptions> = {
  ...PROVE_NAMES,
  authenticationKeys: true,
};

/** Where the proof of a transaction or an event begins. */
export type ProveRecordOptions = MinVersionOptions & Pick<ProveOptions, "fromWaypoint">;

export const PROVE_RECORD_NAMES: OptionNames<ProveRecordOptions> = {
  ...MIN_VERSION_NAMES,
  fromWaypoint: true,
};

/** Which rows of a table. */
export interface TableItemsOptions extends ReadOptions {
  /** Only rows that changed after this version; deleted ones have no value. */
  readonly since?: bigint | undefined;
}

export const TABLE_ITEMS_NAMES: OptionNames<TableItemsOptions> = { ...READ_NAMES, since: true };

/** A version, or a time: a Date, RFC 3339, or Unix seconds. */
export type HistoryEnd = bigint | string | Date;

/** Which changes of a balance to tell. */
export interface HistoryOptions extends MinVersionOptions {
  /** The first version, or the first one whose block is not before this time; the oldest that can be told when left out. */
  readonly from?: HistoryEnd | undefined;
  /** The last version, or the last one whose block is not after this time; the latest when left out. */
  readonly to?: HistoryEnd | undefined;
  /** For charts: about this many changes: the first, last, lowest and highest of equal time spans. */
  readonly points?: number | undefined;
}

export const HISTORY_NAMES: OptionNames<HistoryOptions> = {
  ...MIN_VERSION_NAMES,
  from: true,
  to: true,
  points: true,
};

/** Where to begin to watch, and when to stop. */
export interface WatchOptions {
  /**
   * Tells the changes after this version, or after the event with this id, instead of the state now. A ledger that does not
   * have that version, or has another history up to the event, tells the state now.
   */
  readonly after?: bigint | string | undefined;
  /** Ends the sequence. */
  readonly signal?: AbortSignal | undefined;
}

export const WATCH_NAMES: OptionNames<WatchOptions> = { after: true, signal: true };
