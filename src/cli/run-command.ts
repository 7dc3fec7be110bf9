// The commands as one function: it finds the command, parses its options, runs it, and turns errors into one line and an
// exit code. It touches no stream of the process, so tests can run commands without starting processes.
import { ConfigError, errorText } from "../base/errors.ts";
import { isTryAgainFault, isUsageFault, SOFTWARE_VERSION } from "../node.ts";
import {
  type Command,
  type CommandContext,
  EXIT_FAILED,
  EXIT_OK,
  EXIT_TRY_AGAIN,
  EXIT_USAGE,
} from "./command.ts";
import { commands } from "./commands.ts";
import { unknownVariables } from "./environment.ts";
import { commandHelp, nextSteps, programHelp } from "./help.ts";
import { Interrupted } from "./interrupt.ts";
import { didYouMean } from "./nearest.ts";
import { parseCommand } from "./parse.ts";

function commandNamed(name: string): Command {
  const found = commands.find((command) => command.name === name);
  if (found !== undefined) return found;
  const names = commands.map((command) => command.name);
  throw new ConfigError(`unknown command ${name}${didYouMean(name, names)}`);
}

async function run(args: readonly string[], context: CommandContext): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined) {
    context.out(nextSteps(SOFTWARE_VERSION));
    return EXIT_USAGE;
  }
  if (["help", "--help", "-h"].includes(name)) {
    const [asked] = rest;
    context.out(asked === undefined ? programHelp(commands) : commandHelp(commandNamed(asked), false));
    return EXIT_OK;
  }
  if (["version", "--version", "-v", "-V"].includes(name)) {
    context.out(SOFTWARE_VERSION);
    return EXIT_OK;
  }
  const command = commandNamed(name);
  const isAll = rest.includes("--help-all");
  if (isAll || rest.includes("--help") || rest.includes("-h")) {
    context.out(commandHelp(command, isAll));
    return EXIT_OK;
  }
  const { options, exclusions, otherConfigKeys } = command;
  const { environment } = context;
  const parsed = parseCommand(rest, options, environment, exclusions, otherConfigKeys);
  const { values, operands, ignored } = parsed;
  const unknown = unknownVariables(environment, commands);
  for (const line of [...ignored, ...unknown]) context.err(`sextant: ${line}`);
  return command.run(values, operands, context);
}

/** Runs the command that the arguments name, and returns its exit code. */
export async function runCommand(args: readonly string[], context: CommandContext): Promise<number> {
  try {
    return await run(args, context);
  } catch (error) {
    const isDebugging = context.environment.SEXTANT_LOG_LEVEL === "debug" || isDebugFlag(args);
    const detail = isDebugging && error instanceof Error ? `\n${error.stack}` : "";
    const interrupted = error instanceof Interrupted ? error : undefined;
    if (interrupted?.isTold !== false) context.err(`sextant: ${oneLine(errorText(error))}${detail}`);
    return interrupted?.exitCode ?? exitCodeOf(error);
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

function exitCodeOf(error: unknown): number {
  if (isTryAgainFault(error)) return EXIT_TRY_AGAIN;
  return isUsageFault(error) ? EXIT_USAGE : EXIT_FAILED;
}
