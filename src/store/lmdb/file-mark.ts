// Which file a path leads to: a copy of a directory, or another one in its place, has the same name and another file.
import { statSync } from "node:fs";
import { join } from "node:path";

/** Device and number of the data file in a directory; undefined if there is none. */
export function fileMark(path: string): string | undefined {
  const stat = statSync(join(path, "data.mdb"), { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}`;
}
