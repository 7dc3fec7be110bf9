// Modes of what a store creates: readable by its own user alone, however loose the umask is. Existing directories and
// files keep their modes, so that an operator may open them to a group.
import { closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

const DIRECTORY_MODE = 0o700;
export const FILE_MODE = 0o600;

/**
 * Creates a directory and its parents if missing, one by one: Node's recursive form hides why a directory cannot be made,
 * and never returns where a file system refuses with "no such file".
 */
export function makeDirectory(path: string): void {
  const whole = resolve(path);
  const missing: string[] = [];
  for (let at = whole; !existsSync(at); at = dirname(at)) missing.push(at);
  for (const directory of missing.reverse()) {
    try {
      mkdirSync(directory, { mode: DIRECTORY_MODE });
    } catch (error) {
      // Another process may make the same one.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
  if (!statSync(whole).isDirectory()) mkdirSync(whole);
}

/** Creates an empty file if missing, before lmdb would with a mode of its own. */
export function createFile(file: string): void {
  closeSync(openSync(file, "a", FILE_MODE));
}
