// The `sextant` program: runs a command on the streams of this process.
import { EXIT_FAILED, EXIT_OK } from "./command.ts";
import { runCommand } from "./run-command.ts";

/** The reader of a pipe left; a write after that is refused by node itself. */
const CLOSED_PIPE = ["EPIPE", "ERR_STREAM_DESTROYED"];
/** A node serves its clients, whether or not anyone reads what it prints. */
const isNode = process.argv[2] === "start";

process.stdout.on("error", ({ code = "" }: NodeJS.ErrnoException) => {
  if (isNode) return;
  // A reader that closes the pipe early, such as `head`, has what it wanted.
  if (CLOSED_PIPE.includes(code)) process.exit(EXIT_OK);
  process.stderr.write(`sextant: cannot write to standard output: ${code}\n`);
  process.exit(EXIT_FAILED);
});
// Without a place for its messages, a command still does its work and returns its own exit code.
process.stderr.on("error", () => {});

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
