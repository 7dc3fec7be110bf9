// The measured servers, each in its own process: the built program on a data set, and the bare alternatives. Each
// reports the processor time it used.
import type { ChildProcess } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import type { BareCommand, BareReport, BareResponse } from "./bare-server.ts";
import type { DataSet } from "./data-set.ts";
import { forkFile } from "./own-process.ts";
import type { BenchRequest } from "./requests.ts";
import { nextMessage } from "./waits.ts";

/** A server under measurement. */
export interface BenchServer {
  /** Without a path. */
  readonly url: string;
  /** Processor time used so far by all of its processes. */
  cpuMicros(): Promise<number>;
  stop(): Promise<void>;
}

/** The program. */
export interface NodeServer extends BenchServer {
  readonly pid: number;
}

/** A server that always sends one given response. */
export interface BareServer extends BenchServer {
  repeat(response: BareResponse): Promise<void>;
}

/** Headers that node sets on every response. */
const OWN_HEADERS = new Set(["date", "connection", "keep-alive"]);

/** Starts the program on a data set without changing it. */
export function startStatic(set: DataSet, args: readonly string[] = []): Promise<NodeServer> {
  return startNode(["--data", set.data, "--genesis", set.genesis, "--prune-window", "off", ...args]);
}

/** Starts the program. */
export async function startNode(args: readonly string[]): Promise<NodeServer> {
  // Imported late, because it needs the built program.
  const { startProgram } = await import("../test/support/program.ts");
  // No admission control: a bare server has none either.
  const running = await startProgram(["--log-level", "error", "--max-wait", "0", ...args]);
  const url = running.url.replace(/\/v1$/, "");
  return {
    url,
    pid: running.child.pid ?? 0,
    cpuMicros: () => treeCpuMicros(running.child.pid ?? 0),
    stop: async () => {
      const { code, stderr } = await running.stop();
      if (code !== 0) throw new Error(`the program ended with ${code}: ${stderr}`);
    },
  };
}

/**
 * Processor time of a process and its children, by all of their threads that run. Read from the system, because a server
 * would spend time on a response, and workers report theirs only once a second.
 */
export async function treeCpuMicros(pid: number): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  let nanoseconds = 0;
  for (const id of [pid, ...children.split(" ").filter(Boolean).map(Number)]) {
    for (const thread of await readdir(`/proc/${id}/task`)) {
      // A thread that has ended since is not there.
      const text = await readFile(`/proc/${id}/task/${thread}/schedstat`, "utf8").catch(() => "0");
      nanoseconds += Number(text.split(" ")[0]);
    }
  }
  return nanoseconds / 1000;
}

/** Starts a server file of this folder in its own process. */
export async function forkServer(
  file: string,
  args: readonly string[] = [],
): Promise<{
  child: ChildProcess;
  server: BenchServer;
  send: (command: BareCommand) => Promise<BareReport>;
}> {
  const child = forkFile(file, args);
  const nextReport = (): Promise<BareReport> => nextMessage(child, file);
  const send = (command: BareCommand): Promise<BareReport> => {
    const report = nextReport();
    child.send(command);
    return report;
  };
  const { port } = await nextReport();
  const server: BenchServer = {
    url: `http://127.0.0.1:${port}`,
    cpuMicros: async () => (await send("cpu")).cpuMicros ?? 0,
    stop: async () => {
      child.kill();
    },
  };
  return { child, server, send };
}

/** Starts a bare node:http server. */
export async function startBare(): Promise<BareServer> {
  const { server, send } = await forkServer("./bare-server.ts");
  return {
    ...server,
    repeat: async (response) => {
      await send({ response });
    },
  };
}

/** Sends a request once, checks the expected body if there is one, and returns the response for a bare server. */
export async function recordResponse(server: BenchServer, request: BenchRequest): Promise<BareResponse> {
  const response = await fetch(`${server.url}${request.path}`, {
    method: request.method,
    headers: { ...request.headers },
    ...(request.body === undefined ? {} : { body: request.body }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`${request.path}: ${response.status} ${bytes}`);
  if (request.expectedBody !== undefined && !bytes.equals(request.expectedBody)) {
    throw new Error(
      `${request.path}: expected ${request.expectedBody.toString("hex")}, got ${bytes.toString("hex")}`,
    );
  }
  const headers = [...response.headers].filter(([name]) => !OWN_HEADERS.has(name)).flat();
  return { headers, body: bytes.toString("base64") };
}

/** Anonymous memory of a process in bytes, without mapped files. */
export async function anonymousBytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, "utf8");
  const match = /^Anonymous:\s+(\d+) kB/m.exec(text);
  if (match === null) throw new Error("this system does not report anonymous memory");
  return Number(match[1]) * 1024;
}
