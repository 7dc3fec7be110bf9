// Times as texts: RFC 3339 or Unix seconds in, RFC 3339 out. The ledger counts microseconds since 1970.
import { CodedError } from "../errors.ts";
import { USEC_PER_MS, USEC_PER_SEC } from "../numbers.ts";

/** How users are told to write a time. */
export const TIME_EXPECTED = "a time as RFC 3339 (2026-01-31T00:00:00Z) or Unix seconds";

/** Digits of a second that the ledger knows. */
const USEC_DIGITS = 6;

/** With an `@` in front where digits alone could be something else, as `date` of GNU takes it. */
const UNIX_SECONDS = /^@?(\d{1,40})(?:\.(\d{1,40}))?$/;
/** Digits of a second that a text may have. */
const MAX_DECIMALS = 9;
/** Nobody means a later time; one in milliseconds or microseconds would be. */
export const YEAR_10000_SECS: bigint = 253_402_300_800n;
const TOO_LATE = "it is after the year 9999: expected seconds, not milliseconds or microseconds";
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME_OF_DAY = /^(\d{2}):(\d{2}):(\d{2})$/;
const FRACTION_AND_OFFSET = /^(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;
const DATE_LENGTH = 10;
const TIME_START = DATE_LENGTH + 1;
const TIME_END = TIME_START + 8;

function refuse(reason: string): never {
  throw new CodedError("time", reason);
}

/** Microseconds of the digits behind the point; those beyond the sixth are cut off, or rounded up where any is not 0. */
function fractionUsec(digits: string, roundsUp: boolean): bigint {
  const usec = BigInt(digits.slice(0, USEC_DIGITS).padEnd(USEC_DIGITS, "0"));
  const isCut = digits.slice(USEC_DIGITS).replaceAll("0", "") !== "";
  return isCut && roundsUp ? usec + 1n : usec;
}

/** A time with its parts of a second apart. */
interface SplitTime {
  readonly seconds: bigint;
  /** Digits behind the point. */
  readonly fraction: string;
}

/** Days since 1970 of a calendar day. */
function daysOf(year: number, month: number, day: number): number {
  const date = new Date(Date.UTC(year, month - 1, day));
  // Two-digit years would count from 1900.
  date.setUTCFullYear(year);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) refuse("there is no such day");
  return date.getTime() / 86_400_000;
}

function splitRfc3339(text: string): SplitTime | undefined {
  const date = DATE.exec(text.slice(0, DATE_LENGTH));
  if (date === null) return undefined;
  const time = TIME_OF_DAY.exec(text.slice(TIME_START, TIME_END));
  const end = FRACTION_AND_OFFSET.exec(text.slice(TIME_END));
  if (time === null || end === null || text[DATE_LENGTH]?.toUpperCase() !== "T") {
    return refuse("it has no time of day with Z or an offset, or more than 9 decimals");
  }
  const [year = 0, month = 0, day = 0] = date.slice(1).map(Number);
  const [hour = 0, minute = 0, second = 0] = time.slice(1).map(Number);
  // 60 is a leap second, which Unix time counts as the next one.
  if (hour > 23 || minute > 59 || second > 60) refuse("there is no such time of day");
  const [, fraction = "", sign, offsetHours = "0", offsetMinutes = "0"] = end;
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59) refuse("there is no such offset");
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === "-" ? -60 : 60);
  const seconds = daysOf(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset;
  return { seconds: BigInt(seconds), fraction };
}

function splitUnixSeconds(text: string): SplitTime | undefined {
  const match = UNIX_SECONDS.exec(text);
  if (match === null) return undefined;
  const [, seconds = "", fraction = ""] = match;
  if (fraction.length > MAX_DECIMALS) refuse(`it has more than ${MAX_DECIMALS} decimals`);
  return { seconds: BigInt(seconds), fraction };
}

/**
 * Microseconds since 1970 of a time. Parts of a microsecond are cut off: a block time, which has none, is at or before the
 * result exactly when it is at or before the time. With `roundsUp` the same holds for "at or after".
 */
export function parseTime(text: string, roundsUp = false): bigint {
  // As `toISOString` of a Date writes such years.
  if (/^\+\d{6}-/.test(text)) refuse(TOO_LATE);
  const { seconds, fraction } = splitUnixSeconds(text) ?? splitRfc3339(text) ?? refuse("it is neither");
  const usec = seconds * USEC_PER_SEC + fractionUsec(fraction, roundsUp);
  if (usec < 0n) refuse("it is before 1970");
  return seconds >= YEAR_10000_SECS ? refuse(TOO_LATE) : usec;
}

/** RFC 3339 of microseconds since 1970; the number itself where no calendar has it. */
export function formatTime(usec: bigint): string {
  const date = new Date(Number(usec / USEC_PER_MS));
  if (Number.isNaN(date.getTime())) return `${usec} microseconds since 1970`;
  return `${date.toISOString().slice(0, -1)}${`${usec % USEC_PER_MS}`.padStart(3, "0")}Z`;
}
