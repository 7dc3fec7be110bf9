// A command: a name, option records, examples, and a function that runs it and returns the exit code.
import { readFile } from "node:fs/promises";
import { ConfigError, errorText } from "../base/errors.ts";
import type { OptionRecord, OptionRules, OptionValues } from "../base/option.ts";

/** Exit codes, as documented in docs/cli.md. */
export const EXIT_OK = 0;
/** The command ran and failed: a check found damage, an item is absent, a node refused. */
export const EXIT_FAILED = 1;
/** The command or the configuration cannot be used; nothing was touched. */
export const EXIT_USAGE = 2;
/** Try again: something that the command needs is not there now, or only a new process may write; EX_TEMPFAIL of sysexits.h. */
export const EXIT_TRY_AGAIN = 75;

/** A command's streams and environment. */
export interface CommandContext {
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly readStdin: () => Promise<Uint8Array>;
}

/** A command as its file has it. */
export interface CommandRecord extends OptionRules {
  readonly name: string;
  /** Operands as shown in the usage line. */
  readonly operands: string;
  readonly options: OptionRecord;
  /** In the order that help shows them; that of the options when left out. */
  readonly headings?: readonly string[];
  /** The options that `--help` shows; `--help-all` shows the rest. All when left out. */
  readonly mainOptions?: readonly string[];
  /** Keys of another command that the configuration file may have; this command ignores them. */
  readonly otherConfigKeys?: readonly string[];
  readonly examples: readonly string[];
  readonly run: (
    values: Readonly<Record<string, unknown>>,
    operands: readonly string[],
    context: CommandContext,
  ) => Promise<number>;
}

export interface Command extends CommandRecord {
  readonly summary: string;
}

/** A command as its maker has it: `run` sees the types of its own options. */
interface CommandDefinition<R extends OptionRecord>
  extends Omit<CommandRecord, "options" | "mainOptions" | "run" | keyof OptionRules>,
    OptionRules<keyof R & string> {
  readonly options: R;
  readonly mainOptions?: readonly (keyof R & string)[];
  readonly run: (
    values: OptionValues<R>,
    operands: readonly string[],
    context: CommandContext,
  ) => Promise<number>;
}

export function command<R extends OptionRecord>(definition: CommandDefinition<R>): CommandRecord {
  // The parser gives `run` the values of these options; a list of commands cannot say so for each.
  return definition as CommandRecord;
}

/** Operands that do not fit the usage line, which the message ends with once the command is known. */
export class OperandError extends ConfigError {}

/** Checks the number of operands of a command. */
export function operandsOf<const N extends readonly string[]>(
  operands: readonly string[],
  names: N,
): { readonly [K in keyof N]: string } {
  if (operands.length < names.length) throw new OperandError(`missing ${names[operands.length]}`);
  if (operands.length > names.length) throw new OperandError(`unexpected ${operands[names.length]}`);
  return operands as { readonly [K in keyof N]: string };
}

/** The bytes of a file, or of the standard input for `-`. */
export async function readInput(file: string, { readStdin }: CommandContext): Promise<Uint8Array> {
  try {
    return file === "-" ? await readStdin() : await readFile(file);
  } catch (error) {
    throw new ConfigError(`cannot read ${file}: ${errorText(error)}`, error);
  }
}
