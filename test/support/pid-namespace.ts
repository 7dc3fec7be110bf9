// Runs the built program in a new PID namespace, as a container does.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { outputOf } from "./children.ts";
import type { Finished } from "./program.ts";
import { until } from "./until.ts";

const bin = fileURLToPath(new URL("../../bin/sextant.js", import.meta.url));
const UNSHARE = ["--pid", "--fork", "--kill-child", "--mount-proc"];

/** Whether this process may create namespaces: needs root, or a system that allows users. */
export function canUnshare(): boolean {
  try {
    execFileSync("unshare", [...UNSHARE, "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** A program in a new namespace, where its process id is 1. */
export interface Contained {
  readonly finished: Promise<Finished>;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Its process id outside the namespace. */
  readonly pid: () => Promise<number>;
  /** Ends it as stopping its container would. */
  readonly kill: () => Promise<Finished>;
}

const children = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

/** Starts the program in a new namespace. */
export function contain(args: readonly string[]): Contained {
  const inherited = Object.entries(process.env).filter(([key]) => !key.startsWith("SEXTANT_"));
  const child = spawn("unshare", [...UNSHARE, process.execPath, bin, ...args], {
    env: { ...Object.fromEntries(inherited), SEXTANT_MAX_WAIT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.add(child);
  const output = outputOf(child);
  const finished = new Promise<Finished>((resolve) => {
    child.on("close", (code, signal) => {
      children.delete(child);
      resolve({ code, signal, ...output });
    });
  });
  return {
    finished,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    pid: () =>
      until(() => {
        const [first] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").split(" ");
        return first === undefined || first === "" ? undefined : Number(first);
      }),
    kill: () => {
      child.kill("SIGKILL");
      return finished;
    },
  };
}

/** Waits for the ready line of a node and returns the base URL of its operations. */
export function untilReady(node: Contained): Promise<string> {
  return until(() => /sextant is \w+: (http\S+)/.exec(node.stdout())?.[1]);
}
