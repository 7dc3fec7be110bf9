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
export const HOUR_MS = 3600 * SECOND_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Picks the settings out of the options and fills in their defaults. */
export function numbersOf<S extends NumberSettings>(settings: S, options: NumberOptions<S>): Numbers<S> {
  const entries = Object.entries(settings).map(([name, { fallback }]) => [name, options[name] ?? fallback]);
  return Object.fromEntries(entries) as Numbers<S>;
}

/** Such as `500ms`, `10s` or `24h`. */
export function formatTime(ms: number): string {
  if (ms === 0) return "0";
  if (ms % HOUR_MS === 0) return `${ms / HOUR_MS}h`;
  return ms % SECOND_MS === 0 ? `${ms / SECOND_MS}s` : `${ms}ms`;
}

/** What a number out of bounds should have been, such as `expected a time from 0 to 1h`; undefined within the bounds. */
export function numberFault(
  value: number,
  { min, max }: NumberSetting,
  kind: "time" | "number",
): string | undefined {
  if (Number.isInteger(value) && value >= min && value <= max) return undefined;
  return kind === "time"
    ? `expected a time from ${formatTime(min)} to ${formatTime(max)}`
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
      throw new ConfigError(`${prefix}.${name}: ${fault}, got ${value}${isTime ? " ms" : ""}`);
    }
  }
}
