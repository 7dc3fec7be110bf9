// The servers that are measured, each in a process of its own: the built program on a data set, and the bare
// alternatives. Each tells the processor time it used, from its own counters.
import { type ChildProcess, fork } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { BareAnswer, BareCommand, BareReport } from "./bare-server.ts";
import type { DataSet } from "./data-set.ts";
import type { Question } from "./questions.ts";

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

/** A server that repeats what it is told. */
export interface BareServer extends BenchServer {
  repeat(answer: BareAnswer): Promise<void>;
}

/** Headers that node sets by itself on every answer. */
const OWN_HEADERS = new Set(["date", "connection", "keep-alive"]);

/** Starts the program on a data set that it leaves as it is. */
export function startStatic(set: DataSet, args: readonly string[] = []): Promise<NodeServer> {
  return startNode(["--data", set.data, "--genesis", set.genesis, "--prune-window", "off", ...args]);
}

/** Starts the program. */
export async function startNode(args: readonly string[]): Promise<NodeServer> {
  // Looked up late: it wants the program to be built.
  const { startProgram } = await import("../test/support/program.ts");
  // A bare server turns nobody away either.
  const running = await startProgram(["--log-level", "error", "--max-wait", "0", ...args]);
  const url = running.url.replace(/\/v1$/, "");
  return {
    url,
    pid: running.child.pid ?? 0,
    cpuMicros: async () => readCpu(await (await fetch(`${url}/metrics`)).text()),
    stop: async () => {
      const { code, stderr } = await running.stop();
      if (code !== 0) throw new Error(`the program ended with ${code}: ${stderr}`);
    },
  };
}

function readCpu(page: string): number {
  const line = page.split("\n").find((text) => text.startsWith("sextant_process_cpu_seconds_total "));
  if (line === undefined) throw new Error("the metrics page tells no processor time");
  return Number(line.split(" ")[1]) * 1e6;
}

/** Starts a bench server of this folder in a process of its own. */
export async function forkServer(
  file: string,
  args: readonly string[] = [],
): Promise<{ child: ChildProcess; server: BenchServer; ask: (command: BareCommand) => Promise<BareReport> }> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [...args], {
    execArgv: ["--import", "tsx"],
  });
  const ended = new Promise<never>((_, reject) => {
    child.once("exit", (code) => reject(new Error(`${file} ended with ${code}`)));
  });
  ended.catch(() => {});
  const nextReport = (): Promise<BareReport> => {
    const report = new Promise<BareReport>((resolve) => {
      child.once("message", (message) => resolve(message as BareReport));
    });
    return Promise.race([report, ended]);
  };
  const ask = (command: BareCommand): Promise<BareReport> => {
    const report = nextReport();
    child.send(command);
    return report;
  };
  const { port } = await nextReport();
  const server: BenchServer = {
    url: `http://127.0.0.1:${port}`,
    cpuMicros: async () => (await ask("cpu")).cpuMicros ?? 0,
    stop: async () => {
      child.kill();
    },
  };
  return { child, server, ask };
}

/** Starts a bare node:http server. */
export async function startBare(): Promise<BareServer> {
  const { server, ask } = await forkServer("./bare-server.ts");
  return {
    ...server,
    repeat: async (answer) => {
      await ask({ answer });
    },
  };
}

/** Asks once, checks the answer where it is known, and records it for a bare server to repeat. */
export async function recordAnswer(server: BenchServer, question: Question): Promise<BareAnswer> {
  const response = await fetch(`${server.url}${question.path}`, {
    method: question.method,
    headers: { ...question.headers },
    ...(question.body === undefined ? {} : { body: question.body }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`${question.path}: ${response.status} ${bytes}`);
  if (question.answer !== undefined && !bytes.equals(question.answer)) {
    throw new Error(
      `${question.path}: expected ${question.answer.toString("hex")}, got ${bytes.toString("hex")}`,
    );
  }
  const headers = [...response.headers].filter(([name]) => !OWN_HEADERS.has(name)).flat();
  return { headers, body: bytes.toString("base64") };
}

/** Anonymous memory of a process: what it holds beside mapped files, in bytes. */
export async function anonymousBytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, "utf8");
  const match = /^Anonymous:\s+(\d+) kB/m.exec(text);
  if (match === null) throw new Error("this system does not tell anonymous memory");
  return Number(match[1]) * 1024;
}
