// Processes of the benchmark itself: servers, load generators and writers.
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";

export const LOADER: string = new URL("./as-built.js", import.meta.url).href;

/** Runs a file of this folder in a process of its own. Flags of this process, such as those of a profile, are not passed on. */
export function forkFile(file: string, args: readonly string[] = []): ChildProcess {
  return fork(fileURLToPath(new URL(file, import.meta.url)), [...args], { execArgv: ["--import", LOADER] });
}
