// Modes of what a store creates: readable by its own user alone, however loose the umask is. Existing directories and
// files keep their modes, so that an operator may open them to a group.
import { closeSync, mkdirSync, openSync } from "node:fs";

const DIRECTORY_MODE = 0o700;
export const FILE_MODE = 0o600;

/** Creates a directory and its parents if missing. */
export function makeDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: DIRECTORY_MODE });
}

/** Creates an empty file if missing, before lmdb would with a mode of its own. */
export function createFile(file: string): void {
  closeSync(openSync(file, "a", FILE_MODE));
}
