// The bounds of every duration that a user can set, by the name of its option. A timer above 2^31 - 1 ms fires at once,
// and 0 would switch some limits off or make a busy loop, so both are refused.
import { ConfigError } from "./errors.ts";

interface Bounds {
  readonly min: number;
  readonly max: number;
}

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const DAY = 24 * HOUR;

/** Milliseconds. */
const BOUNDS = {
  "block-time": { min: 0, max: 24 * DAY },
  // Jitter and back-off multiply these two by up to 60.
  "poll-time": { min: 1, max: HOUR },
  "retry-time": { min: 1, max: HOUR },
  // No timer runs for these two; they are compared with a clock.
  "give-up-time": { min: 0, max: 365 * DAY },
  "max-lag": { min: 0, max: 365 * DAY },
  "max-wait": { min: 0, max: HOUR },
  "headers-timeout": { min: 1, max: DAY },
  "request-timeout": { min: 1, max: DAY },
  "keep-alive-timeout": { min: 1, max: DAY },
  "read-timeout": { min: 1, max: DAY },
  "answer-timeout": { min: 1, max: DAY },
  // Below this the holder has no time to renew the lease at a cluster.
  "lease-time": { min: SECOND, max: HOUR },
} as const satisfies Readonly<Record<string, Bounds>>;

/** Name of an option that is a duration. */
export type DurationName = keyof typeof BOUNDS;

function format(ms: number): string {
  if (ms === 0) return "0";
  if (ms % HOUR === 0) return `${ms / HOUR}h`;
  return ms % SECOND === 0 ? `${ms / SECOND}s` : `${ms}ms`;
}

/** The expected range; undefined if the milliseconds are within the option's bounds. */
export function durationFault(name: DurationName, ms: number): string | undefined {
  const { min, max } = BOUNDS[name];
  if (Number.isInteger(ms) && ms >= min && ms <= max) return undefined;
  return `expected a time from ${format(min)} to ${format(max)}`;
}

/** Throws ConfigError unless each given duration is a whole number of milliseconds within its bounds. */
export function assertDurations(times: Readonly<Partial<Record<DurationName, number | undefined>>>): void {
  for (const [name, ms] of Object.entries(times) as [DurationName, number | undefined][]) {
    const fault = ms === undefined ? undefined : durationFault(name, ms);
    if (fault !== undefined) throw new ConfigError(`${name}: ${fault}, got ${ms} ms`);
  }
}
