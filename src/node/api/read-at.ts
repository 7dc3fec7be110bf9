// Versions and times as callers give them.
import { ConfigError, errorText } from "../../base/errors.ts";
import { parseTime, TIME_EXPECTED } from "../../base/texts/time-text.ts";
import type { ReadAt } from "../../ledger/read-point.ts";
import type { RangeEnd } from "../../ledger/version-range.ts";
import { MAX_WAIT_MS, type MinVersion } from "../../ledger/watch/min-version.ts";
import type { HistoryEnd, MinVersionOptions, ReadOptions } from "../options/read-options.ts";

/** A moment, as users give it, in microseconds since 1970. */
export function toUsec(name: string, time: string | Date, roundsUp = false): bigint {
  if (typeof time !== "string" && !(time instanceof Date)) {
    throw new ConfigError(`${name}: expected a Date, or ${TIME_EXPECTED}, got ${typeof time}`);
  }
  try {
    return parseTime(typeof time === "string" ? time : time.toISOString(), roundsUp);
  } catch (error) {
    throw new ConfigError(`${name}: expected ${TIME_EXPECTED}: ${errorText(error)}`, error);
  }
}

/** Which state a read is about. */
export function readAtOf({ ledgerVersion, at }: ReadOptions): ReadAt {
  if (ledgerVersion !== undefined && at !== undefined) {
    throw new ConfigError("ledgerVersion, at: expected one of them, got both");
  }
  if (ledgerVersion !== undefined && typeof ledgerVersion !== "bigint") {
    throw new ConfigError(`ledgerVersion: expected a bigint, got ${typeof ledgerVersion}`);
  }
  return at === undefined ? { version: ledgerVersion } : { timestampUsec: toUsec("at", at) };
}

/** The least version that a read needs; undefined if it needs none. */
export function minVersionOf({ minLedgerVersion, waitMs }: MinVersionOptions): MinVersion | undefined {
  if (waitMs !== undefined && !(Number.isInteger(waitMs) && waitMs >= 0 && waitMs <= MAX_WAIT_MS)) {
    throw new ConfigError(`waitMs: expected a whole number from 0 to ${MAX_WAIT_MS}, got ${waitMs}`);
  }
  if (minLedgerVersion === undefined) {
    if (waitMs === undefined) return undefined;
    throw new ConfigError("waitMs: expected together with minLedgerVersion, got it alone");
  }
  if (typeof minLedgerVersion !== "bigint") {
    throw new ConfigError(`minLedgerVersion: expected a bigint, got ${typeof minLedgerVersion}`);
  }
  return { version: minLedgerVersion, waitMs: waitMs ?? 0 };
}

/** One end of a history. */
export function rangeEnd(name: "from" | "to", end: HistoryEnd | undefined): RangeEnd | undefined {
  if (end === undefined) return undefined;
  return typeof end === "bigint" ? { version: end } : { timestampUsec: toUsec(name, end, name === "from") };
}
