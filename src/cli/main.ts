// The `sextant` program: finds the command, parses its options, runs it, and turns errors into one line and an exit
// code.
import { readFileSync } from "node:fs";
import { CodedError, ConfigError, errorText } from "../base/errors.ts";
import { isUsageFault } from "../node.ts";
import { type Command, type CommandContext, EXIT_FAILED, EXIT_OK, EXIT_USAGE } from "./command.ts";
import { commands } from "./commands.ts";
import { commandHelp, programHelp } from "./help.ts";
import { Interrupted } from "./interrupt.ts";
import { didYouMean } from "./nearest.ts";
import { parseCommand } from "./parse.ts";

const context: CommandContext = {
  out: (line) => {
    process.stdout.write(`${line}\n`);
  },
  err: (line) => {
    process.stderr.write(`${line}\n`);
  },
  environment: process.env,
  readStdin: async () => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array);
    return Buffer.concat(chunks);
  },
};

// A reader that closes the pipe early, such as `head`, ends the command quietly.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(EXIT_OK);
});

/** How long a finished process may take to exit by itself. */
const EXIT_WAIT_MS = 2000;

function packageVersion(): string {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}

function commandNamed(name: string): Command {
  const found = commands.find((command) => command.name === name);
  if (found !== undefined) return found;
  const names = commands.map((command) => command.name);
  throw new ConfigError(`unknown command ${name}${didYouMean(name, names)}`);
}

async function run(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    const asked = name === undefined ? undefined : rest[0];
    context.out(asked === undefined ? programHelp(commands) : commandHelp(commandNamed(asked), false));
    return name === undefined ? EXIT_USAGE : EXIT_OK;
  }
  if (name === "--version" || name === "version") {
    context.out(packageVersion());
    return EXIT_OK;
  }
  const command = commandNamed(name);
  const isAll = rest.includes("--help-all");
  if (isAll || rest.includes("--help") || rest.includes("-h")) {
    context.out(commandHelp(command, isAll));
    return EXIT_OK;
  }
  const { options, exclusions } = command;
  const { values, operands, ignored } = parseCommand(rest, options, context.environment, exclusions);
  for (const line of ignored) context.err(`sextant: ${line}`);
  return command.run(values, operands, context);
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  const known = error instanceof CodedError;
  const detail = known || process.env.SEXTANT_LOG_LEVEL !== "debug" ? "" : `\n${(error as Error).stack}`;
  const interrupted = error instanceof Interrupted ? error : undefined;
  if (interrupted?.isTold !== false) context.err(`sextant: ${errorText(error)}${detail}`);
  process.exitCode = interrupted?.exitCode ?? (isUsageFault(error) ? EXIT_USAGE : EXIT_FAILED);
}
// A handle that a library leaves open, such as an attempt to connect, must not keep the process alive.
setTimeout(() => process.exit(), EXIT_WAIT_MS).unref();
