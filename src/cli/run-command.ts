// The commands as one function: it finds the command, parses its options, runs it, and turns errors into one line and an
// exit code. It touches no stream of the process, so tests can run commands without starting processes.
import { CodedError, ConfigError, errorText } from "../base/errors.ts";
import { didYouMean } from "../base/nearest.ts";
import { SOFTWARE_VERSION } from "../base/software-version.ts";
import {
  type Command,
  type CommandContext,
  EXIT_FAILED,
  EXIT_OK,
  EXIT_TRY_AGAIN,
  EXIT_USAGE,
} from "./command.ts";
import { LoadError, loadCommand, loadCommands } from "./commands.ts";
import { unknownVariables } from "./environment.ts";
import { commandHelp, nextSteps, programHelp } from "./help.ts";
import { Interrupted } from "./interrupt.ts";
import { parseCommand } from "./parse.ts";
import { COMMAND_NAMES, SUMMARIES } from "./summaries.ts";

async function commandNamed(name: string): Promise<Command> {
  const found = COMMAND_NAMES.find((one) => one === name);
  if (found !== undefined) return loadCommand(found);
  throw new ConfigError(`unknown command ${name}${didYouMean(name, COMMAND_NAMES)}`);
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
  const { options, exclusions, otherConfigKeys } = command;
  const { environment } = context;
  const parsed = parseCommand(rest, options, environment, exclusions, otherConfigKeys);
  const { values, operands, ignored } = parsed;
  const unknown = await unknownVariables(environment, command, loadCommands);
  for (const line of [...ignored, ...unknown]) context.err(`sextant: ${line}`);
  return command.run(values, operands, context);
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
