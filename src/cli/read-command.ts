// A command that prints what one read of the HTTP interface answers, as JSON.
import type { Command } from "./command.ts";
import { command, EXIT_OK } from "./command.ts";
import { checkOperand, type NamedKind, NameFinder } from "./names.ts";
import { operandsOf } from "./operands.ts";
import type { OptionRecord, OptionValues } from "./option.ts";
import { askSource } from "./source/open.ts";
import {
  minVersionOptions,
  readAtExclusions,
  readAtOf,
  readAtOptions,
  type SourceValues,
  sourceExclusions,
  sourceOptions,
} from "./source/options.ts";
import type { Source } from "./source/source.ts";
import type { CommandName } from "./summaries.ts";

/** Operands that may be names of a local chain. */
const NAMED_OPERANDS: Readonly<Record<string, NamedKind>> = { ADDRESS: "address", TABLE_HANDLE: "table" };

const sharedOptions = { ...sourceOptions, ...minVersionOptions };

interface Definition {
  readonly name: CommandName;
  readonly operands: readonly string[];
  readonly examples: readonly string[];
}

/** Finds what names among the operands stand for, and prints what the source answers. */
async function print(
  { operands: names }: Definition,
  values: SourceValues,
  given: readonly string[],
  out: (line: string) => void,
  ask: (source: Source, operands: readonly string[]) => Promise<string> | AsyncIterable<string>,
): Promise<number> {
  const operands = operandsOf(given, [...names]);
  for (const [i, name] of names.entries()) {
    const kind = NAMED_OPERANDS[name];
    if (kind !== undefined) checkOperand(kind, name, operands[i] ?? "");
  }
  await askSource(values, async (source) => {
    const finder = new NameFinder(source);
    const found: string[] = [];
    for (const [i, name] of names.entries()) {
      const kind = NAMED_OPERANDS[name];
      const text = operands[i] ?? "";
      found.push(kind === undefined ? text : await finder.find(kind, name, text));
    }
    const answer = ask(source, found);
    if (answer instanceof Promise) out(await answer);
    else for await (const line of answer) out(line);
  });
  return EXIT_OK;
}

/** A command that reads the state, at the latest or a chosen version. */
export function stateReadCommand(
  definition: Definition & {
    ask(
      source: Source,
      operands: readonly string[],
      at: { readonly ledger_version: bigint | undefined; readonly at: string | undefined },
    ): Promise<string> | AsyncIterable<string>;
  },
): Command {
  return command({
    name: definition.name,
    operands: definition.operands.join(" "),
    options: { ...sharedOptions, ...readAtOptions },
    exclusions: [...sourceExclusions, ...readAtExclusions],
    examples: definition.examples,
    run: (values, given, context) => {
      const { version, at } = readAtOf(values);
      return print(definition, values, given, context.out, (source, operands) =>
        definition.ask(source, operands, { ledger_version: version, at }),
      );
    },
  });
}

/** A command that reads the history. */
export function historyReadCommand<R extends OptionRecord>(
  definition: Definition & {
    readonly options: R;
    ask(source: Source, operands: readonly string[], values: OptionValues<R>): Promise<string>;
  },
): Command {
  return command<R, typeof sharedOptions>({
    name: definition.name,
    operands: definition.operands.join(" "),
    options: { ...sharedOptions, ...definition.options },
    exclusions: [...sourceExclusions],
    examples: definition.examples,
    run: (values, given, context) =>
      print(definition, values, given, context.out, (source, operands) =>
        definition.ask(source, operands, values),
      ),
  });
}
