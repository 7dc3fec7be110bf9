// Files that appear under their name only when they are whole and on the disk.
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { ConfigError, errorText } from "../../base/errors.ts";

export type Put = (text: Uint8Array | string) => Promise<void>;

/** Renames a file or folder, for good also if the power fails then. */
export async function renameForGood(from: string, to: string): Promise<void> {
  await rename(from, to);
  const folder = await open(dirname(to), "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

const compress = promisify(gzip);

/** Writes a file that the option `name` asked for, compressed if its name ends in .gz. There is none if `write` throws or returns undefined. */
export async function writeWhole<T>(
  name: string,
  path: string,
  write: (put: Put) => Promise<T | undefined>,
): Promise<T | undefined> {
  const unfinished = `${path}.part`;
  const file = await open(unfinished, "w").catch((error) => {
    throw new ConfigError(`${name}: cannot write ${path}: ${errorText(error)}`, error);
  });
  try {
    // Each part is a member of its own: a file in gzip may have many.
    const isGzip = path.endsWith(".gz");
    const written = await write(async (text) => file.writeFile(isGzip ? await compress(text) : text));
    if (written === undefined) return undefined;
    await file.sync();
    await renameForGood(unfinished, path);
    return written;
  } finally {
    await file.close();
    await rm(unfinished, { force: true });
  }
}
