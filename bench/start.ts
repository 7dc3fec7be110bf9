// Start-up: what a process costs that does little, and the time from the start of the process to the first response, on
// stores of different sizes.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { get } from "node:http";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { type DataSet, itemsDataSet } from "./data-set.ts";
import { type BenchOptions, type BenchRow, compare, toRow } from "./harness.ts";
import { inTime, waitUntil } from "./waits.ts";

const PROGRAM = fileURLToPath(new URL("../bin/sextant.js", import.meta.url));
const PRELOADED = fileURLToPath(new URL("./report-cpu.cjs", import.meta.url));
const LIMIT_SECONDS = 1;
/** A process that uses the package as a test of a user does. */
const IN_PROCESS = `import { createNode } from ${JSON.stringify(new URL("../dist/index.js", import.meta.url))};
  const node = await createNode();
  await node.produceBlock();
  await node.close();`;

/** Rows of start-up. */
export async function benchmarkStart(options: BenchOptions): Promise<readonly BenchRow[]> {
  // A quick run does not judge the clock.
  if (options.quick) return shortRuns();
  const small = await itemsDataSet(10_000);
  const large = await itemsDataSet(Math.max(10_000, 10_000_000 * options.scale));
  const taken: number[] = [];
  const ours = async (): Promise<number> => {
    const seconds = await startOnce(large);
    taken.push(seconds);
    return seconds;
  };
  const growth = await compare(
    `start to the first 200, ${large.items.toLocaleString("en-US")} items over 10,000`,
    { ours, base: () => startOnce(small) },
    { unit: "s", basis: "clock", target: { max: 1.15 } },
  );
  const limits = taken.map(() => LIMIT_SECONDS);
  return [
    ...(await shortRuns()),
    toRow(
      `start to the first 200, ${large.items.toLocaleString("en-US")} items, over one second`,
      { ours: taken, base: limits },
      { unit: "s", basis: "clock", target: { max: 1 }, headline: true },
    ),
    growth,
  ];
}

/** Runs that do little, over a Node that does nothing: processor time, so that a busy machine can judge them. */
async function shortRuns(): Promise<readonly BenchRow[]> {
  const base = (): number => cpuMs("-e", "0");
  return [
    await compare(
      "sextant --help over node -e 0, CPU time",
      { ours: () => cpuMs(PROGRAM, "--help"), base },
      { unit: "ms", target: { max: 2 }, headline: true },
    ),
    await compare(
      "import, create a node and make one block, over node -e 0, CPU time",
      { ours: () => cpuMs("--input-type=module", "-e", IN_PROCESS), base },
      { unit: "ms", target: { max: 3 }, headline: true },
    ),
  ];
}

/** Processor time of a Node, from its start to its exit. */
function cpuMs(...args: readonly string[]): number {
  const { status, stderr, output } = spawnSync(process.execPath, ["--require", PRELOADED, ...args], {
    stdio: ["ignore", "ignore", "pipe", "pipe"],
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${args.join(" ")} failed: ${stderr}`);
  return Number(output[3]) / 1000;
}

/** Seconds from the start of the process to its first 200. */
async function startOnce(set: DataSet): Promise<number> {
  const port = await freePort();
  const args = [
    "--data",
    set.data,
    "--genesis",
    set.genesis,
    "--prune-window",
    "off",
    "--log-level",
    "error",
  ];
  const started = performance.now();
  const child = spawn(process.execPath, [PROGRAM, "start", "--port", `${port}`, ...args], {
    stdio: "ignore",
  });
  try {
    await waitUntil("the program's first answer", () => isAnswering(port), { everyMs: 2 });
    return (performance.now() - started) / 1000;
  } finally {
    const ended = once(child, "exit");
    child.kill();
    await inTime("the program to end", ended);
  }
}

function isAnswering(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ port, path: "/v1", agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on("error", () => resolve(false));
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address.port;
}
