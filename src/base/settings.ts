// Numbers that a user can set. Each is stated once, with default and bounds, in the file that uses it; types, checks,
// flags and help come from there. A name that ends in Ms is a time in milliseconds.
import { ConfigError } from "./errors.ts";

/** A timer above 2^31 - 1 ms fires at once, and 0 switches some limits off: bounds keep both out. */
export interface NumberSetting {
  /** Undefined where the option has no default. */
  readonly fallback: number | undefined;
  readonly min: number;
  readonly max: number;
}

export type NumberSettings = Readonly<Record<string, NumberSetting>>;

/** The settings as options, each of which may be left out. */
export type NumberOptions<S extends NumberSettings> = { readonly [K in keyof S]?: number | undefined };

/** The settings with their defaults filled in. */
export type Numbers<S extends NumberSettings> = {
  readonly [K in keyof S]: S[K]["fallback"] extends number ? number : number | undefined;
};

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Picks the settings out of the options and fills in their defaults. */
export function numbersOf<S extends NumberSettings>(settings: S, options: NumberOptions<S>): Numbers<S> {
  const entries = Object.entries(settings).map(([name, { fallback }]) => [name, options[name] ?? fallback]);
  return Object.fromEntries(entries) as Numbers<S>;
}

/** An exact time as options take it, such as `500ms`, `10s`, `24h` or `30d`. */
export function formatDuration(ms: number): string {
  if (ms === 0) return "0";
  if (ms % DAY_MS === 0 && ms > DAY_MS) return `${ms / DAY_MS}d`;
  if (ms % HOUR_MS === 0) return `${ms / HOUR_MS}h`;
  return ms % SECOND_MS === 0 ? `${ms / SECOND_MS}s` : `${ms}ms`;
}

const SPAN_UNITS = [
  ["d", DAY_MS],
  ["h", HOUR_MS],
  ["m", MINUTE_MS],
  ["s", SECOND_MS],
] as const;

/**
 * A time for people, in whole seconds rounded up and cut off after its two largest units: `20772d 9h`, `3m 5s`, `31s`;
 * below a second `120ms`.
 */
export function spanText(ms: number): string {
  if (ms < SECOND_MS) return ms <= 0 ? "0" : `${Math.round(ms)}ms`;
  let rest = Math.ceil(ms / SECOND_MS) * SECOND_MS;
  const first = SPAN_UNITS.findIndex(([, size]) => rest >= size);
  const parts = SPAN_UNITS.slice(first, first + 2).map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? "" : `${count}${unit}`;
  });
  return parts.filter((part) => part !== "").join(" ");
}

/** What a number out of bounds should have been, such as `expected a time from 0 to 1h`; undefined within the bounds. */
export function numberFault(
  value: number,
  { min, max }: NumberSetting,
  kind: "time" | "number",
): string | undefined {
  if (Number.isInteger(value) && value >= min && value <= max) return undefined;
  return kind === "time"
    ? `expected a time from ${formatDuration(min)} to ${formatDuration(max)}`
    : `expected a whole number from ${min} to ${max}`;
}

/** Throws ConfigError, naming the option as `prefix.name`, for a number out of bounds. */
export function assertNumbers<S extends NumberSettings>(
  prefix: string,
  settings: S,
  options: NumberOptions<S> | undefined,
): void {
  for (const [name, setting] of Object.entries(settings)) {
    const value = options?.[name];
    if (value === undefined) continue;
    const isTime = name.endsWith("Ms");
    const fault = numberFault(value, setting, isTime ? "time" : "number");
    if (fault !== undefined) {
      throw new ConfigError(`${prefix}.${name}: ${fault}, got ${String(value)}${isTime ? " ms" : ""}`);
    }
  }
}
