// Runs a command of the program in this process: the same exit code, output and messages as from a process, without the
// half second of processor time that a start costs.
import { runCommand as run } from "../../src/cli/run-command.ts";
import type { Finished } from "./program.ts";

/** Runs a command to its end. */
export async function runCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  input = "",
): Promise<Finished> {
  const output = { stdout: "", stderr: "" };
  const code = await run(args, {
    out: (line) => {
      output.stdout += `${line}\n`;
    },
    err: (line) => {
      output.stderr += `${line}\n`;
    },
    environment,
    readStdin: async () => Buffer.from(input),
  });
  return { code, signal: null, ...output };
}
