// Times as texts: RFC 3339 or Unix seconds in, RFC 3339 out. The ledger counts microseconds since 1970.
import { CodedError } from "./errors.ts";

/** How users are told to write a time. */
export const TIME_EXPECTED = "a time as RFC 3339 (2026-01-31T00:00:00Z) or Unix seconds";

const USEC_PER_SECOND = 1_000_000n;
/** Digits of a second that the ledger knows. */
const USEC_DIGITS = 6;
const MAX_USEC = 0xffff_ffff_ffff_ffffn;

/** With an `@` in front where digits alone could be something else, as `date` of GNU takes it. */
const UNIX_SECONDS = /^@?(\d{1,14})(?:\.(\d{1,9}))?$/;
const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

function refuse(reason: string): never {
  throw new CodedError("time", reason);
}

/** Microseconds of the digits behind the point; those beyond the sixth are cut off, or rounded up where any is not 0. */
function fractionUsec(digits: string, roundsUp: boolean): bigint {
  const usec = BigInt(digits.slice(0, USEC_DIGITS).padEnd(USEC_DIGITS, "0"));
  const isCut = digits.slice(USEC_DIGITS).replaceAll("0", "") !== "";
  return isCut && roundsUp ? usec + 1n : usec;
}

function secondsOfDate(match: RegExpExecArray): bigint {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const date = new Date(Date.UTC(year, month - 1, day));
  // Two-digit years would count from 1900.
  date.setUTCFullYear(year);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) refuse("there is no such day");
  // 60 is a leap second, which Unix time counts as the next one.
  if (hour > 23 || minute > 59 || second > 60) refuse("there is no such time of day");
  const [, , , , , , , , sign, offsetHours = "0", offsetMinutes = "0"] = match;
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59) refuse("there is no such offset");
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === "-" ? -60 : 60);
  return BigInt(date.getTime() / 1000 + hour * 3600 + minute * 60 + second - offset);
}

/**
 * Microseconds since 1970 of a time. Parts of a microsecond are cut off: a block time, which has none, is at or before the
 * result exactly when it is at or before the time. With `roundsUp` the same holds for "at or after".
 */
export function parseTime(text: string, roundsUp = false): bigint {
  const unix = UNIX_SECONDS.exec(text);
  const date = unix === null ? RFC_3339.exec(text) : null;
  if (unix === null && date === null) {
    return refuse(
      /^\d{4}-\d{2}-\d{2}/.test(text)
        ? "it has no time of day with Z or an offset, or more than 9 decimals"
        : "it is neither",
    );
  }
  const seconds = date === null ? BigInt(unix?.[1] ?? 0) : secondsOfDate(date);
  const usec = seconds * USEC_PER_SECOND + fractionUsec(unix?.[2] ?? date?.[7] ?? "", roundsUp);
  if (usec < 0n) refuse("it is before 1970");
  return usec > MAX_USEC ? refuse("it is too far in the future") : usec;
}

/** RFC 3339 of microseconds since 1970; the number itself where no calendar has it. */
export function formatTime(usec: bigint): string {
  const date = new Date(Number(usec / 1000n));
  if (Number.isNaN(date.getTime())) return `${usec} microseconds since 1970`;
  return `${date.toISOString().slice(0, -1)}${`${usec % 1000n}`.padStart(3, "0")}Z`;
}
