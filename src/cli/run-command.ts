// The commands as one function: it finds the command, parses its options, runs it, and turns errors into one line and an
// exit code. It touches no stream of the process, so tests can run commands without starting processes.
import { CodedError, ConfigError, errorText } from "../base/errors.ts";
import { environmentName } from "../base/option.ts";
import { SOFTWARE_VERSION } from "../base/software-version.ts";
import { didYouMean } from "../base/texts/nearest.ts";
import {
  type Command,
  type CommandContext,
  EXIT_FAILED,
  EXIT_OK,
  EXIT_TRY_AGAIN,
  EXIT_USAGE,
  OperandError,
} from "./command.ts";
import { LoadError, loadCommand, loadCommands, SUMMARIES } from "./commands.ts";
import { commandHelp, nextSteps, programHelp, usageOf } from "./help/help.ts";
import { Interrupted } from "./interrupt.ts";
import { parseCommand } from "./parse.ts";

async function commandNamed(name: string): Promise<Command> {
  if (Object.hasOwn(SUMMARIES, name)) return loadCommand(name);
  throw new ConfigError(`unknown command ${name}${didYouMean(name, Object.keys(SUMMARIES))}`);
}

async function run(args: readonly string[], context: CommandContext): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined) {
    context.out(nextSteps(SOFTWARE_VERSION));
    return EXIT_USAGE;
  }
  if (["help", "--help", "-h"].includes(name)) {
    const [asked] = rest;
    context.out(asked === undefined ? programHelp(SUMMARIES) : commandHelp(await commandNamed(asked), false));
    return EXIT_OK;
  }
  if (["version", "--version", "-v", "-V"].includes(name)) {
    context.out(SOFTWARE_VERSION);
    return EXIT_OK;
  }
  const command = await commandNamed(name);
  const isAll = rest.includes("--help-all");
  if (isAll || rest.includes("--help") || rest.includes("-h")) {
    context.out(commandHelp(command, isAll));
    return EXIT_OK;
  }
  const { options, otherConfigKeys } = command;
  const { environment } = context;
  const parsed = parseCommand(rest, options, environment, command, otherConfigKeys);
  const { values, operands, ignored } = parsed;
  const unknown = await unknownVariables(environment, command, loadCommands);
  for (const line of [...ignored, ...unknown]) context.err(`sextant: ${line}`);
  try {
    return await command.run(values, operands, context);
  } catch (error) {
    if (!(error instanceof OperandError)) throw error;
    throw new ConfigError(`${error.message}; usage: ${usageOf(command)}`, error);
  }
}

/** Runs the command that the arguments name, and returns its exit code. Rejects if a part of the program cannot be loaded. */
export async function runCommand(args: readonly string[], context: CommandContext): Promise<number> {
  try {
    return await run(args, context);
  } catch (error) {
    if (error instanceof LoadError) throw error.cause;
    const isDebugging = context.environment.SEXTANT_LOG_LEVEL === "debug" || isDebugFlag(args);
    const detail = isDebugging && error instanceof Error ? `\n${error.stack}` : "";
    const interrupted = error instanceof Interrupted ? error : undefined;
    if (interrupted?.isTold !== false) context.err(`sextant: ${oneLine(errorText(error))}${detail}`);
    return interrupted?.exitCode ?? (await exitCodeOf(error));
  }
}

function isDebugFlag(args: readonly string[]): boolean {
  return args.some(
    (arg, i) => arg === "--log-level=debug" || (arg === "debug" && args[i - 1] === "--log-level"),
  );
}

/** Drivers put stacks into their messages. */
function oneLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

async function exitCodeOf(error: unknown): Promise<number> {
  if (error instanceof ConfigError) return EXIT_USAGE;
  if (!(error instanceof CodedError)) return EXIT_FAILED;
  // The command that failed has loaded this already.
  const { isTryAgainFault, isUsageFault } = await import("../node.ts");
  if (isTryAgainFault(error)) return EXIT_TRY_AGAIN;
  return isUsageFault(error) ? EXIT_USAGE : EXIT_FAILED;
}

const PREFIX = "SEXTANT_";
const API_KEY = "SEXTANT_UPSTREAM_API_KEY";
/** `start` checks the numbers. */
const API_KEY_PATTERN = /^SEXTANT_UPSTREAM_API_KEY(?:_\d{1,9})?(?:_HEADER)?$/;

/** The variables that look like options and that `known` does not have. */
function variablesOutside(
  environment: CommandContext["environment"],
  known: ReadonlySet<string>,
): readonly string[] {
  return Object.keys(environment).filter(
    (name) => name.startsWith(PREFIX) && !API_KEY_PATTERN.test(name) && !known.has(name),
  );
}

function variablesOf(commands: readonly Command[]): ReadonlySet<string> {
  return new Set(commands.flatMap(({ options }) => Object.keys(options).map(environmentName)));
}

/**
 * One sentence for each variable that looks like an option and that no command reads: a misspelt one would be ignored in
 * silence. Loads the other commands only if `command` does not read all.
 */
export async function unknownVariables(
  environment: CommandContext["environment"],
  command: Command,
  loadAll: () => Promise<readonly Command[]>,
): Promise<string[]> {
  if (variablesOutside(environment, variablesOf([command])).length === 0) return [];
  const known = variablesOf(await loadAll());
  const settings = [...known, API_KEY].map((one) => one.slice(PREFIX.length));
  return variablesOutside(environment, known)
    .toSorted()
    .map((name) => {
      const hint = didYouMean(name.slice(PREFIX.length), settings, PREFIX);
      return `${name} is not a setting and is ignored${hint}`;
    });
}
