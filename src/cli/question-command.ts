// Commands that ask a source one question: their operands are checked before the source is open, and names among them are
// found in it.
import type { Exclusion, OptionRecord, OptionValues } from "../base/option.ts";
import { type CommandContext, type CommandRecord, command, EXIT_OK } from "./command.ts";
import { findOperands, type Operands } from "./names.ts";
import { askSource } from "./source/open.ts";
import {
  type ReadAtValues,
  readAtExclusions,
  readAtOf,
  readAtOptions,
  type SourceValues,
  sourceExclusions,
  type sourceOptions,
} from "./source/options.ts";
import type { ReadAt, Source } from "./source/source.ts";

/** What a command answers from. */
interface Asked<N extends readonly string[], R extends OptionRecord, P> {
  readonly source: Source;
  /** With what names stand for. */
  readonly operands: Operands<N>;
  /** The version or time to read at; the latest for commands without these options. */
  readonly at: ReadAt;
  readonly values: OptionValues<R>;
  readonly prepared: P;
  readonly context: CommandContext;
}

interface QuestionDefinition<N extends readonly string[], R extends OptionRecord, P> {
  readonly name: string;
  readonly operands: N;
  /** The operands in the usage line, where they are not only words. */
  readonly usage?: string;
  /** Those of the source among them. */
  readonly options: R;
  readonly exclusions?: readonly Exclusion<keyof R & string>[];
  readonly examples: readonly string[];
  /** Checks and reads what needs no source. */
  readonly prepare?: (
    operands: Operands<N>,
    values: OptionValues<R>,
    context: CommandContext,
  ) => P | Promise<P>;
  readonly answer: (asked: Asked<N, R, P>) => Promise<void>;
}

export function questionCommand<
  const N extends readonly string[],
  R extends OptionRecord & typeof sourceOptions,
  P = undefined,
>(definition: QuestionDefinition<N, R, P>): CommandRecord {
  const { name, operands: words, usage = words.join(" "), options, examples, prepare, answer } = definition;
  const readsState = Object.keys(readAtOptions).every((option) => Object.hasOwn(options, option));
  return command<R>({
    name,
    operands: usage,
    options,
    exclusions: [
      ...sourceExclusions,
      ...(readsState ? readAtExclusions : []),
      ...(definition.exclusions ?? []),
    ] as readonly Exclusion<keyof R & string>[],
    examples,
    run: async (values, given, context) => {
      const find = findOperands(given, words, context);
      const at = readAtOf(values as ReadAtValues);
      const prepared = (await prepare?.(given as Operands<N>, values, context)) as P;
      await askSource(values as SourceValues, async (source) =>
        answer({ source, operands: await find(source), at, values, prepared, context }),
      );
      return EXIT_OK;
    },
  });
}
