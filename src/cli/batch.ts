// What the commands that ask many questions at once share: pairs from a file, in requests of a thousand, all at one version.
import { readFile } from "node:fs/promises";
import { ConfigError, errorText } from "../base/errors.ts";
import type { CommandContext } from "./command.ts";
import type { ReadAtOperand } from "./source.ts";

/** Queries of one request. */
const MAX_QUERIES = 1000;
/** Characters of the queries of one request; a batch may have 1 MiB, and a character takes up to three bytes. */
const MAX_LENGTH = 300_000;

/** A pair of texts of one line. */
export type TextPair = readonly [first: string, second: string];

/** Pairs from a file or, for `-`, from the input: one on each line, with blanks between; lines with `#` in front are left out. */
export async function readPairs(file: string, context: CommandContext): Promise<readonly TextPair[]> {
  let bytes: Uint8Array;
  try {
    bytes = file === "-" ? await context.readStdin() : await readFile(file);
  } catch (error) {
    throw new ConfigError(`cannot read ${file}: ${errorText(error)}`, error);
  }
  const pairs: TextPair[] = [];
  for (const [number, line] of new TextDecoder().decode(bytes).split("\n").entries()) {
    const text = line.trim();
    if (text === "" || text.startsWith("#")) continue;
    const gap = text.search(/\s/);
    if (gap < 0)
      throw new ConfigError(`${file}, line ${number + 1}: expected two texts with a blank between`);
    pairs.push([text.slice(0, gap), text.slice(gap).trim()]);
  }
  if (pairs.length === 0) throw new ConfigError(`${file}: expected at least one line with two texts`);
  return pairs;
}

/** An error in the place of an answer. */
export interface ItemError {
  readonly error?: { readonly message: string; readonly error_code: string };
}

/** The answers to all of them, in order, with the version and time of all. */
export interface AllAnswers<R> {
  readonly ledger_version: string;
  readonly timestamp_usec: string;
  readonly results: readonly R[];
}

/** The queries of each request, within the bounds of a batch. */
function* inRequests<Q>(queries: readonly Q[]): Generator<readonly Q[]> {
  let some: Q[] = [];
  let length = 0;
  for (const query of queries) {
    const size = JSON.stringify(query).length;
    if (some.length === MAX_QUERIES || (some.length > 0 && length + size > MAX_LENGTH)) {
      yield some;
      some = [];
      length = 0;
    }
    some.push(query);
    length += size;
  }
  yield some;
}

/** Asks in as many requests as it takes. The first one settles the version. */
export async function askAll<Q, R>(
  queries: readonly Q[],
  at: ReadAtOperand,
  member: string,
  ask: (queries: readonly Q[], at: ReadAtOperand) => Promise<string>,
): Promise<AllAnswers<R>> {
  const results: R[] = [];
  let read: { ledger_version: string; timestamp_usec: string } | undefined;
  for (const some of inRequests(queries)) {
    const when = read === undefined ? at : { version: BigInt(read.ledger_version), at: undefined };
    const text = await ask(some, when);
    const answer = JSON.parse(text) as { ledger_version: string; timestamp_usec: string };
    read ??= { ledger_version: answer.ledger_version, timestamp_usec: answer.timestamp_usec };
    results.push(...((answer as unknown as Record<string, readonly R[]>)[member] ?? []));
  }
  return { ledger_version: "", timestamp_usec: "", ...read, results };
}
