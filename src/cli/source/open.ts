// Opens the source that the options of a command name.
import { directorySource } from "./directory-source.ts";
import { HttpSource } from "./http-source.ts";
import { DEFAULT_URL, minVersionOf, parseNodeUrl, type SourceValues } from "./options.ts";
import type { Source } from "./source.ts";

/** Opens the source that the options name. */
export async function openSource(options: SourceValues): Promise<Source> {
  const least = minVersionOf(options);
  if (options.data !== undefined) return directorySource(options.data, least);
  return new HttpSource(parseNodeUrl(options.url ?? DEFAULT_URL), least);
}

/** Runs one question on a source and closes it. */
export async function askSource<T>(
  options: SourceValues,
  question: (source: Source) => Promise<T>,
): Promise<T> {
  const source = await openSource(options);
  try {
    return await question(source);
  } finally {
    await source.close();
  }
}
