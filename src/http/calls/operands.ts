// Texts, bytes, versions and times as callers give them. Each refusal names the parameter.
import { ConfigError, errorText } from "../../base/errors.ts";
import { fromHex, hexBytesFault } from "../../base/hex.ts";
import { parseTime, TIME_EXPECTED } from "../../base/texts/time-text.ts";
import type { RangeEnd } from "../../ledger/version-range.ts";
import { MAX_WAIT_MS, type MinVersion } from "../../ledger/watch/head-watch.ts";
import { type Field, parseField } from "../field.ts";
import {
  type HistoryEnd,
  knownOptions,
  type MinVersionOptions,
  type OptionNames,
  READ_NAMES,
  type ReadOptions,
} from "./options.ts";

/** Checks that a caller gave a text. */
export function toText(name: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw new ConfigError(`${name}: expected a text, got ${typeof value}`);
}

/** A copy of bytes that are given in hex or as bytes, by default those of a serialized key. */
export function toBytes(key: string | Uint8Array, name = "key"): Uint8Array {
  if (key instanceof Uint8Array) return Buffer.from(key);
  const text = toText(name, key);
  const bytes = fromHex(text.startsWith("0x") ? text.slice(2) : text);
  if (bytes === undefined) {
    throw new ConfigError(`${name}: expected an even number of hex digits: ${hexBytesFault(text)}`);
  }
  return bytes;
}

/** A moment, as users give it, in microseconds since 1970. */
export function toUsec(name: string, time: string | number | Date, roundsUp = false): bigint {
  if (typeof time !== "string" && typeof time !== "number" && !(time instanceof Date)) {
    throw new ConfigError(`${name}: expected a Date, or ${TIME_EXPECTED}, got ${typeof time}`);
  }
  try {
    return parseTime(time instanceof Date ? time.toISOString() : `${time}`, roundsUp);
  } catch (error) {
    throw new ConfigError(`${name}: expected ${TIME_EXPECTED}: ${errorText(error)}`, error);
  }
}

/** Which state a read is about, as operations take it. */
export function readAtArgs(
  options: ReadOptions,
  names: OptionNames<ReadOptions> = READ_NAMES,
): { readonly ledger_version: bigint | undefined; readonly at: bigint | undefined } {
  const { ledgerVersion, at } = knownOptions(names, options);
  if (ledgerVersion !== undefined && at !== undefined) {
    throw new ConfigError("ledgerVersion, at: expected one of them, got both");
  }
  if (ledgerVersion !== undefined && typeof ledgerVersion !== "bigint") {
    throw new ConfigError(`ledgerVersion: expected a bigint, got ${typeof ledgerVersion}`);
  }
  return { ledger_version: ledgerVersion, at: at === undefined ? undefined : toUsec("at", at) };
}

/** A parameter of an operation, where it is given. Throws HttpError. */
export function fieldOf<T>(name: string, field: Field<T>, value: unknown): T | undefined {
  return value === undefined ? undefined : parseField(name, field, `${value}`);
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
