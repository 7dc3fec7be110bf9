// What the commands that ask many questions at once share: pairs from a file, in requests of a thousand, all at one
// version; a line for each answer, or one JSON object.
import { ConfigError } from "../base/errors.ts";
import { type OptionValues, switchOption } from "../base/option.ts";
import type { balancesRoute, rawItemsRoute } from "../interface/routes.ts";
import { type CommandContext, EXIT_FAILED, EXIT_OK, operandsOf, readInput } from "./command.ts";
import { NameFinder } from "./names.ts";
import { askSource } from "./source/open.ts";
import { readAtOf, stateOptions } from "./source/options.ts";

/** Options of these commands. */
export const batchOptions = { ...stateOptions, json: switchOption("Print one JSON object", false) };

/** Queries of one request. */
const MAX_QUERIES = 1000;
/** Characters of the queries of one request; a batch may have 1 MiB, and a character takes up to three bytes. */
const MAX_LENGTH = 300_000;

/** The two texts of one line. */
interface TextPair {
  readonly first: string;
  readonly second: string;
  /** File and line, for messages. */
  readonly place: string;
}

/** Pairs from a file or, for `-`, from the input: one on each line, with blanks between; lines with `#` in front are left out. */
async function readPairs(file: string, context: CommandContext): Promise<readonly TextPair[]> {
  const bytes = await readInput(file, context);
  const pairs: TextPair[] = [];
  for (const [number, line] of new TextDecoder().decode(bytes).split("\n").entries()) {
    const text = line.trim();
    if (text === "" || text.startsWith("#")) continue;
    const gap = text.search(/\s/);
    if (gap < 0)
      throw new ConfigError(`${file}, line ${number + 1}: expected two texts with a blank between`);
    const place = `${file}, line ${number + 1}`;
    pairs.push({ first: text.slice(0, gap), second: text.slice(gap).trim(), place });
  }
  if (pairs.length === 0) throw new ConfigError(`${file}: expected at least one line with two texts`);
  return pairs;
}

/** A result: its value under the name that the source gives it, or an error. */
interface Result {
  readonly value: string | undefined;
  readonly error?: { readonly message: string; readonly error_code: string };
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

/** What makes one of these commands differ from another. */
interface BatchKind<Q> {
  readonly route: typeof balancesRoute | typeof rawItemsRoute;
  /** Member of a response that holds the results. */
  readonly results: string;
  /** Member of a result that holds the value. */
  readonly value: string;
  readonly toQuery: (names: NameFinder, pair: TextPair) => Promise<Q>;
  /** Sums by name of what was asked for. */
  readonly addUp?: (queries: readonly Q[], values: readonly (string | undefined)[]) => Map<string, bigint>;
}

/** A response as its text has it. */
type Answer = { readonly ledger_version: string; readonly timestamp_usec: string } & Readonly<
  Record<string, unknown>
>;

/** Runs one of these commands. The first response settles the version for the requests after it. */
export async function runBatch<Q extends object>(
  values: OptionValues<typeof batchOptions>,
  operands: readonly string[],
  context: CommandContext,
  { route, results: member, value: valueName, toQuery, addUp }: BatchKind<Q>,
): Promise<number> {
  const [file] = operandsOf(operands, ["FILE"]);
  const at = readAtOf(values);
  const pairs = await readPairs(file, context);
  const queries: Q[] = [];
  const objects: Readonly<Record<string, unknown>>[] = [];
  let read: Pick<Answer, "ledger_version" | "timestamp_usec"> | undefined;
  await askSource(values, async (source) => {
    const names = new NameFinder(source);
    for (const pair of pairs) queries.push(await toQuery(names, pair));
    for (const some of inRequests(queries)) {
      const when = read === undefined ? at : { ledger_version: BigInt(read.ledger_version), at: undefined };
      const answer = JSON.parse(await source.readBatch(route, when, some)) as Answer;
      const { ledger_version, timestamp_usec } = answer;
      read ??= { ledger_version, timestamp_usec };
      // The source has checked the shape.
      objects.push(...(answer[member] as typeof objects));
    }
  });
  const results = objects.map(({ [valueName]: value, error }) => ({ value, error }) as Result);
  const totals = addUp?.(
    queries,
    results.map(({ value }) => value),
  );
  if (values.json) {
    const sums = totals && { totals: Object.fromEntries([...totals].map(([name, sum]) => [name, `${sum}`])) };
    context.out(JSON.stringify({ ...read, [member]: objects, ...sums }));
  } else {
    for (const [i, { value, error }] of results.entries()) {
      const pair = `${pairs[i]?.first} ${pairs[i]?.second}`;
      if (value !== undefined) context.out(`${pair} ${value}`);
      else context.err(`sextant: ${pair}: ${error?.message}`);
    }
    for (const [name, sum] of totals ?? []) context.out(`total ${name} ${sum}`);
  }
  return results.every(({ error }) => error === undefined) ? EXIT_OK : EXIT_FAILED;
}
