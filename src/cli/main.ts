// The `sextant` program: runs a command on the streams of this process.
import { EXIT_OK } from "./command.ts";
import { runCommand } from "./run-command.ts";

// A reader that closes the pipe early, such as `head`, ends the command quietly.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(EXIT_OK);
});

/** How long a finished process may take to exit by itself. */
const EXIT_WAIT_MS = 2000;

process.exitCode = await runCommand(process.argv.slice(2), {
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
});
// A handle that a library leaves open, such as an attempt to connect, must not keep the process alive.
setTimeout(() => process.exit(), EXIT_WAIT_MS).unref();
