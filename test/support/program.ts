// Runs the built program as a user would.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { endWithTest, outputOf } from "./children.ts";

/** The launcher of the program. */
export const bin = fileURLToPath(new URL("../../bin/sextant.js", import.meta.url));

/** Path of a file of the build. */
export function builtFile(path: string): string {
  return fileURLToPath(new URL(`../../dist/${path}`, import.meta.url));
}

if (!existsSync(builtFile("cli/main.js")))
  throw new Error("the program is not built: run `npm run build` (npm test does)");

/** How a finished run ended. */
export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running program. */
export interface Running {
  readonly child: ChildProcess;
  readonly url: string;
  /** Standard output so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly finished: Promise<Finished>;
  /** Asks it to stop and waits. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<Finished>;
}

type Environment = Readonly<Record<string, string>>;

function launch(
  args: readonly string[],
  environment: Environment,
  input?: string,
  flags: readonly string[] = [],
) {
  const inherited = Object.entries(process.env).filter(([key]) => !key.startsWith("SEXTANT_"));
  const child = endWithTest(
    spawn(process.execPath, [...flags, bin, ...args], {
      env: { ...Object.fromEntries(inherited), ...environment },
      stdio: ["pipe", "pipe", "pipe"],
      // A new process group, with all processes that it starts.
      detached: true,
    }),
    { group: true },
  );
  child.stdin.end(input ?? "");
  const output = outputOf(child);
  const finished = new Promise<Finished>((resolve) => {
    child.on("close", (code, signal) => resolve({ code, signal, ...output }));
  });
  return { child, output, finished };
}

/** Starts a command that is not a node. */
export function launchProgram(args: readonly string[]): Pick<Running, "child" | "stderr" | "finished"> {
  const { child, output, finished } = launch(args, {});
  return { child, stderr: () => output.stderr, finished };
}

/** Runs a command to its end. */
export function runProgram(
  args: readonly string[],
  environment: Environment = {},
  input?: string,
): Promise<Finished> {
  return launch(args, environment, input).finished;
}

/**
 * Starts a node, on a free port unless the arguments name one, and waits for its ready line, or for the line that it listens. Unless told otherwise, it refuses no request because of
 * event loop delay: a loaded machine must not fail a test.
 */
export async function startProgram(
  args: readonly string[],
  environment: Environment = {},
  line: "ready" | "listening" = "ready",
  /** Of node itself. */
  flags: readonly string[] = [],
): Promise<Running> {
  const settings = {
    SEXTANT_MAX_WAIT: "0",
    // Tests side by side would fight for the usual ones.
    SEXTANT_FAUCET_PORT: "off",
    ...environment,
  };
  const port = args.includes("--port") ? [] : ["--port", "0"];
  const { child, output, finished } = launch(["start", ...port, ...args], settings, undefined, flags);
  const wanted = line === "ready" ? /sextant is ready: (http\S+)/ : /sextant is \w+: (http\S+)/;
  const url = await new Promise<string>((resolve, reject) => {
    const look = (): void => {
      const match = wanted.exec(output.stdout);
      if (match?.[1] !== undefined) resolve(match[1]);
    };
    child.stdout.on("data", look);
    finished.then(({ code, stderr }) =>
      reject(new Error(`ended with ${code} before it was ready: ${stderr}`)),
    );
  });
  return {
    child,
    url,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    finished,
    stop: (signal = "SIGTERM") => {
      child.kill(signal);
      return finished;
    },
  };
}
