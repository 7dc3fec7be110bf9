// Puts a server under load from a separate process: wrk where it is installed, else autocannon. Every answer
// must be a 200.
import { execFile, fork } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Question } from "./questions.ts";

/** What to ask, how hard, how long. */
export interface Load {
  readonly url: string;
  readonly questions: readonly Question[];
  readonly connections: number;
  readonly seconds: number;
}

/** What came of it. */
export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly failures: number;
}

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL("./load.lua", import.meta.url));
const AUTOCANNON = fileURLToPath(new URL("./load-autocannon.ts", import.meta.url));
/** Autocannon copies the list for each connection. */
const AUTOCANNON_QUESTIONS = 40_000;

let generator: "wrk" | "autocannon" | undefined;

/** The load generator of this machine. */
export async function loadGenerator(): Promise<"wrk" | "autocannon"> {
  generator ??= await run("wrk", ["-v"]).then(
    () => "wrk" as const,
    (error: { code?: unknown }) => (error.code === "ENOENT" ? ("autocannon" as const) : ("wrk" as const)),
  );
  return generator;
}

/** Asks for some seconds. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const result = (await loadGenerator()) === "wrk" ? await runWrk(load) : await runAutocannon(load);
  if (result.requests === 0 || result.failures > 0) {
    throw new Error(
      `${load.url}: ${result.failures} of ${result.requests} answers were not as they should be`,
    );
  }
  return result;
}

async function runWrk({ url, questions, connections, seconds }: Load): Promise<LoadResult> {
  const folder = await mkdtemp(join(tmpdir(), "sextant-load-"));
  try {
    const file = join(folder, "questions");
    await writeFile(file, questions.map(toLine).join("\n"));
    const args = ["-t1", `-c${connections}`, `-d${seconds}s`, "-s", SCRIPT, url, "--", file];
    const { stdout } = await run("wrk", args);
    const line = stdout.split("\n").find((text) => text.startsWith("result "));
    if (line === undefined) throw new Error(`wrk said: ${stdout}`);
    const [, requests, micros, failures] = line.split(" ").map(Number);
    return { requests: requests ?? 0, seconds: (micros ?? 0) / 1e6, failures: failures ?? 0 };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function toLine({ method, path, headers, body }: Question): string {
  const accept = headers.Accept ?? "";
  return [method, path, accept, headers["Content-Type"] ?? "", body ?? ""].join("\t");
}

function runAutocannon(load: Load): Promise<LoadResult> {
  const child = fork(AUTOCANNON, [], { execArgv: ["--import", "tsx"] });
  const questions = load.questions.slice(0, Math.ceil(AUTOCANNON_QUESTIONS / load.connections));
  return new Promise((resolve, reject) => {
    child.once("message", (result) => resolve(result as LoadResult));
    child.once("exit", (code) => reject(new Error(`autocannon ended with ${code}`)));
    child.send({ ...load, questions });
  });
}
