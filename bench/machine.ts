// Facts about the machine and the program that a run measured.
import { execFileSync } from "node:child_process";
import { availableParallelism, cpus, loadavg, release, totalmem, type } from "node:os";

/** What a reader of results must know about where they come from. */
export interface Machine {
  /** ISO 8601, at the start of the run. */
  readonly date: string;
  /** Followed by "+" if the sources differ from it; "unknown" outside of a git checkout. */
  readonly commit: string;
  readonly node: string;
  readonly kernel: string;
  readonly model: string;
  readonly processors: number;
  readonly memoryBytes: number;
  /** Load averages of one, five and fifteen minutes. */
  readonly loadBefore: readonly number[];
  readonly loadAfter: readonly number[];
}

/** The facts of a run that begins now; `end` completes them. */
export function describeMachine(): { readonly end: () => Machine } {
  const facts = {
    date: new Date().toISOString(),
    commit: commitOf(),
    node: process.version,
    kernel: `${type()} ${release()}`,
    model: cpus()[0]?.model ?? "unknown",
    processors: availableParallelism(),
    memoryBytes: totalmem(),
    loadBefore: loadavg(),
  };
  return { end: () => ({ ...facts, loadAfter: loadavg() }) };
}

function commitOf(): string {
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  try {
    return git("rev-parse", "--short=12", "HEAD") + (git("status", "--porcelain", "-uno") === "" ? "" : "+");
  } catch {
    return "unknown";
  }
}
