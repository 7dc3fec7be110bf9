// Numbers, times and sizes as people read them. Amounts are bigint throughout: no digit is lost.

export { fullAddress } from "../../../src/cli/asset-texts.ts";

/** Thin enough to read long numbers by, and no part of a copied one: see `Amount`. */
const GROUP = /\B(?=(\d{3})+(?!\d))/g;

/** 1234567 as 1,234,567. */
export function groupDigits(digits: string): string {
  return digits.replace(GROUP, ",");
}

/** `1 event`, `2 events`. */
export function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

/** An amount of the smallest unit with its decimal point, without trailing zeros; every other digit stays. */
export function formatUnits(amount: bigint, decimals: number): string {
  const sign = amount < 0n ? "-" : "";
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return `${sign}${groupDigits(whole)}${fraction === "" ? "" : `.${fraction}`}`;
}

/** Labels of an axis that are longer show the distance from its base. */
const MAX_LABEL = 12;

/**
 * The scale of a chart of amounts. Positions are distances from a round amount below all of them, so that a large
 * balance which hardly changes still shows each change.
 */
export interface AmountScale {
  readonly base: bigint;
  toPosition(amount: bigint): number;
  /** Labels of positions; distances from the base where the amounts themselves are too long. */
  labels(positions: readonly number[]): { readonly texts: readonly string[]; readonly isDistance: boolean };
}

export function amountScale(amounts: readonly bigint[], decimals: number): AmountScale {
  const sorted = [...amounts].sort((a, b) => (a < b ? -1 : 1));
  const [least = 0n, most = 0n] = [sorted[0], sorted.at(-1)];
  const step = 10n ** BigInt(`${most === least ? most : most - least}`.length);
  const base = (least / step) * step;
  const unit = 10 ** decimals;
  return {
    base,
    toPosition: (amount) => Number(amount - base) / unit,
    labels(positions) {
      const distances = positions.map((position) => BigInt(Math.round(position * unit)));
      const texts = distances.map((distance) => formatUnits(base + distance, decimals));
      const isDistance = base > 0n && texts.some((text) => text.length > MAX_LABEL);
      const signed = (distance: bigint): string =>
        `${distance > 0n ? "+" : ""}${formatUnits(distance, decimals)}`;
      return { texts: isDistance ? distances.map(signed) : texts, isDistance };
    },
  };
}

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value >= 100 || unit === 0 ? value.toFixed(0) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** 0.0421 seconds as 42 ms. */
export function formatSeconds(seconds: number): string {
  if (!Number.isFinite(seconds)) return "–";
  if (seconds < 0.001) return `${Math.round(seconds * 1e6)} µs`;
  if (seconds < 1) return `${trim(seconds * 1000)} ms`;
  if (seconds < 120) return `${trim(seconds)} s`;
  return formatSpan(seconds);
}

function trim(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(1).replace(/\.0$/, "");
}

const SPANS: readonly (readonly [number, string])[] = [
  [86_400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
];

/** 93784 seconds as 1 d 2 h. */
export function formatSpan(seconds: number): string {
  let rest = Math.max(0, Math.floor(seconds));
  const parts: string[] = [];
  for (const [length, unit] of SPANS) {
    const count = Math.floor(rest / length);
    if (count === 0 && parts.length === 0 && unit !== "s") continue;
    if (parts.length === 2) break;
    rest -= count * length;
    if (count > 0 || parts.length === 0) parts.push(`${count} ${unit}`);
  }
  return parts.join(" ");
}

/** Milliseconds of a ledger time; undefined for 0, which genesis has instead of a time. */
export function toMillis(usec: string | undefined): number | undefined {
  if (usec === undefined || usec === "0") return undefined;
  return Number(BigInt(usec) / 1000n);
}

const DAY = { year: "numeric", month: "short", day: "numeric" } as const;
const CLOCK = { hour: "2-digit", minute: "2-digit", second: "2-digit" } as const;
const LOCAL_TIME = new Intl.DateTimeFormat(undefined, { ...DAY, ...CLOCK });
const LOCAL_DAY = new Intl.DateTimeFormat(undefined, DAY);
const LOCAL_CLOCK = new Intl.DateTimeFormat(undefined, CLOCK);

/** A time in the reader's zone. */
export function formatLocal(millis: number): string {
  return LOCAL_TIME.format(millis);
}

/** The same without the day, if that is today. */
export function formatLocalShort(millis: number): string {
  const isToday = LOCAL_DAY.format(millis) === LOCAL_DAY.format(Date.now());
  return isToday ? LOCAL_CLOCK.format(millis) : LOCAL_TIME.format(millis);
}

/** The reader's zone, such as CET. */
export function zoneName(millis: number): string {
  const parts = new Intl.DateTimeFormat(undefined, { timeZoneName: "short" }).formatToParts(millis);
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
}

/** RFC 3339 in UTC with all six digits of the ledger's clock. */
export function formatUtc(usec: string): string {
  const whole = BigInt(usec);
  const seconds = new Date(Number(whole / 1_000_000n) * 1000).toISOString().slice(0, 19);
  return `${seconds}.${(whole % 1_000_000n).toString().padStart(6, "0")}Z`;
}

/** An address or hash with its middle left out. */
export function shorten(hex: string, ends = 6): string {
  return hex.length <= 2 * ends + 4 ? hex : `${hex.slice(0, ends + 2)}…${hex.slice(-ends)}`;
}

/** An address in its short form: 0x1 for sixty-four digits that say the same. */
export function trimAddress(address: string): string {
  return address.replace(/^0x0+(?=.)/, "0x");
}
