// Finds the shared folder with networks and vectors next to the project. If it is absent, tests that use it are skipped
// with that reason.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const beside = fileURLToPath(new URL("../../../shared", import.meta.url));
// Renamed by end-with-run.ts; programs that run outside of the tests see the first name.
const folder = process.env.SHARED_FOLDER ?? process.env.SEXTANT_SHARED ?? beside;

/** True when the shared folder exists. */
export const hasShared: boolean = existsSync(`${folder}/vectors/README.md`);

if (!hasShared && process.env.VITEST !== undefined)
  console.warn(`skipped: tests on shared vectors (no folder at ${folder}; set SEXTANT_SHARED)`);

/** Path of a file in the shared folder. */
export function sharedPath(name: string): string {
  return `${folder}/${name}`;
}

/** Bytes of a file in the shared folder. */
export function sharedBytes(name: string): Uint8Array {
  return readFileSync(sharedPath(name));
}

/** Parsed JSON of a file in the shared folder. */
export function sharedJson<T>(name: string): T {
  return JSON.parse(readFileSync(sharedPath(name), "utf8")) as T;
}
