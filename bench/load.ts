// Puts a server under load from a separate process: wrk if it is installed, else autocannon. Every response must be a
// 200.
import { execFile, fork } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { BenchRequest } from "./requests.ts";

/** Requests, connections and duration. */
export interface Load {
  readonly url: string;
  readonly requests: readonly BenchRequest[];
  readonly connections: number;
  readonly seconds: number;
}

/** Counts of a run. */
export interface LoadResult {
  readonly requestCount: number;
  readonly seconds: number;
  readonly failures: number;
}

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL("./load.lua", import.meta.url));
const AUTOCANNON = fileURLToPath(new URL("./load-autocannon.ts", import.meta.url));
/** Limit on all lists together: autocannon copies the list for each connection. */
const AUTOCANNON_REQUESTS = 40_000;

let generator: "wrk" | "autocannon" | undefined;

/** The load generator that this machine has. */
export async function loadGenerator(): Promise<"wrk" | "autocannon"> {
  generator ??= await run("wrk", ["-v"]).then(
    () => "wrk" as const,
    (error: { code?: unknown }) => (error.code === "ENOENT" ? ("autocannon" as const) : ("wrk" as const)),
  );
  return generator;
}

/** Sends requests for some seconds. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const result = (await loadGenerator()) === "wrk" ? await runWrk(load) : await runAutocannon(load);
  if (result.requestCount === 0 || result.failures > 0) {
    throw new Error(`${load.url}: ${result.failures} of ${result.requestCount} responses were failures`);
  }
  return result;
}

async function runWrk({ url, requests, connections, seconds }: Load): Promise<LoadResult> {
  const folder = await mkdtemp(join(tmpdir(), "sextant-load-"));
  try {
    const file = join(folder, "requests");
    await writeFile(file, requests.map(toLine).join("\n"));
    const args = ["-t1", `-c${connections}`, `-d${seconds}s`, "-s", SCRIPT, url, "--", file];
    const { stdout } = await run("wrk", args);
    const line = stdout.split("\n").find((text) => text.startsWith("result "));
    if (line === undefined) throw new Error(`wrk said: ${stdout}`);
    const [, requestCount, micros, failures] = line.split(" ").map(Number);
    return { requestCount: requestCount ?? 0, seconds: (micros ?? 0) / 1e6, failures: failures ?? 0 };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function toLine({ method, path, headers, body }: BenchRequest): string {
  const accept = headers.Accept ?? "";
  return [method, path, accept, headers["Content-Type"] ?? "", body ?? ""].join("\t");
}

function runAutocannon(load: Load): Promise<LoadResult> {
  const child = fork(AUTOCANNON, [], { execArgv: ["--import", "tsx"] });
  const requests = load.requests.slice(0, Math.ceil(AUTOCANNON_REQUESTS / load.connections));
  return new Promise((resolve, reject) => {
    child.once("message", (result) => resolve(result as LoadResult));
    child.once("exit", (code) => reject(new Error(`autocannon ended with ${code}`)));
    child.send({ ...load, requests });
  });
}
