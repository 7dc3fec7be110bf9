// What `sextant doctor` finds: one line each.
import { LATE, within } from "../../base/wait.ts";

export type Level = "ok" | "warn" | "bad";

export interface Finding {
  /** What was looked at. */
  readonly check: string;
  readonly level: Level;
  /** What was found. */
  readonly text: string;
  /** What to do about it; only where something is to be done. */
  readonly advice?: string;
}

export const ok = (check: string, text: string): Finding => ({ check, level: "ok", text });
export const warn = (check: string, text: string, advice: string): Finding => ({
  check,
  level: "warn",
  text,
  advice,
});
export const bad = (check: string, text: string, advice: string): Finding => ({
  check,
  level: "bad",
  text,
  advice,
});

export function findingLine({ check, level, text, advice }: Finding): string {
  return `${level.padEnd(4)}  ${check}: ${text}${advice === undefined ? "" : `; ${advice}`}`;
}

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"] as const;

export function bytesText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  for (; value >= 1024 && unit < UNITS.length - 1; unit++) value /= 1024;
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** Waits for findings; one that says so if they take too long. */
export async function findInTime(
  check: string,
  ms: number,
  find: () => Promise<readonly Finding[]> | readonly Finding[],
): Promise<readonly Finding[]> {
  try {
    const found = await within(ms, Promise.resolve().then(find));
    if (found !== LATE) return found;
    return [bad(check, `no result in ${ms / 1000} s`, "look whether the disk or the network hangs")];
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return [bad(check, text.split("\n")[0] ?? "", "see docs/operate.md")];
  }
}
