// Runs a command of the built program in this process: the same exit code, output and messages as from a process, without
// the half second of processor time that a start costs.
import { builtFile, type Finished } from "./program.ts";

const { runCommand: run } = (await import(
  builtFile("cli/run-command.js")
)) as typeof import("../../src/cli/run-command.ts");

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
