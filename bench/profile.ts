// Profiles the program under load with V8's sampler and prints processor time by part of the program and by function.
// `npm run profile -- "balance, latest"`; without a name it lists the names.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { balanceBatches } from "./batch.ts";
import { itemsDataSet } from "./data-set.ts";
import { CONNECTIONS, seriesOf } from "./http.ts";
import { runLoad, stopLoad } from "./load.ts";
import { resourceReads } from "./reads.ts";
import { latestBalances } from "./requests.ts";
import { inTime } from "./waits.ts";

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: CallFrame;
}

interface Profile {
  /** On the clock of `process.hrtime`, in microseconds. */
  readonly startTime: number;
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

type Total = [name: string, micros: number];
/** On the clock of the profile. */
type Span = readonly [fromMicros: number, toMicros: number];

/** Number of functions to list. */
const LISTED = 30;
/** Smallest share that gets a line. */
const LEAST = 0.003;
const PROGRAM = fileURLToPath(new URL("../bin/sextant.js", import.meta.url));
/** Samples outside JavaScript, by V8's names. */
const OUTSIDE: Readonly<Record<string, string>> = {
  "(garbage collector)": "garbage collector",
  "(program)": "outside of JavaScript: event loop, system calls",
  "(idle)": "idle",
};

function partOf({ functionName, url }: CallFrame): string {
  const outside = OUTSIDE[functionName];
  if (outside !== undefined) return outside;
  const room = /\/dist\/([a-z]+)/.exec(url)?.[1];
  if (room !== undefined) return `sextant: ${room}`;
  const dependency = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (dependency !== undefined) return dependency;
  if (url.startsWith("node:")) return "node's own modules";
  return url.startsWith("wasm:") ? "WebAssembly: hashes" : "native functions";
}

function nameOf({ functionName, url, lineNumber }: CallFrame): string {
  const file = /(?:\/dist\/|\/node_modules\/|^node:)(.+)$/.exec(url)?.[1];
  return `${functionName === "" ? "(anonymous)" : functionName}${file === undefined ? "" : ` ${file}:${lineNumber + 1}`}`;
}

/** Microseconds of the samples between two moments, by the name of their frame, without idle time. */
function addUp(profile: Profile, [from, to]: Span, nameFrame: (frame: CallFrame) => string): Total[] {
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const totals = new Map<string, number>();
  let now = profile.startTime;
  for (const [index, id] of profile.samples.entries()) {
    const frame = frames.get(id);
    const delta = profile.timeDeltas[index] ?? 0;
    now += delta;
    if (now < from || now > to || frame === undefined || frame.functionName === "(idle)") continue;
    const name = nameFrame(frame);
    totals.set(name, (totals.get(name) ?? 0) + delta);
  }
  return [...totals].sort(([, a], [, b]) => b - a);
}

function print(title: string, totals: readonly Total[], sum: number, requestCount: number): void {
  console.log(`\n${title}`);
  for (const [name, micros] of totals) {
    if (micros < LEAST * sum) continue;
    const share = `${((100 * micros) / sum).toFixed(1)} %`;
    console.log(`${share.padStart(7)} ${(micros / requestCount).toFixed(2).padStart(6)} µs  ${name}`);
  }
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    scale: { type: "string", default: "1" },
    seconds: { type: "string", default: "10" },
  },
});
const set = await itemsDataSet(Math.max(10_000, 1_000_000 * Number(values.scale)));
const all = [
  ...seriesOf(set),
  { name: "resource", requests: resourceReads(set) },
  { name: "100 balances in one request", requests: balanceBatches(latestBalances(set)) },
];
const series = all.find(({ name }) => name === positionals[0]);
if (series === undefined) {
  console.error(`expected one of ${all.map(({ name }) => JSON.stringify(name)).join(" ")}`);
  process.exit(2);
}
const folder = await mkdtemp(join(tmpdir(), "sextant-profile-"));
try {
  const sampling = ["--cpu-prof", "--cpu-prof-interval", "200", "--cpu-prof-dir", folder];
  const quiet = ["--port", "0", "--log-level", "error", "--max-wait", "0"];
  const data = ["--data", set.data, "--genesis", set.genesis, "--prune-window", "off"];
  const node = spawn(process.execPath, [...sampling, PROGRAM, "start", ...quiet, ...data], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let url = "";
  for await (const line of createInterface({ input: node.stdout })) {
    url = /sextant is ready: (http.*)\/v1/.exec(line)?.[1] ?? "";
    if (url !== "") break;
  }
  const seconds = Number(values.seconds);
  const load = { url, requests: series.requests, connections: CONNECTIONS };
  // Warm up the code.
  await runLoad({ ...load, seconds: 2 });
  const now = (): number => Number(process.hrtime.bigint() / 1000n);
  const started = now();
  const { requestCount } = await runLoad({ ...load, seconds });
  const span: Span = [started, now()];
  node.kill();
  await inTime("the program to end", once(node, "exit"));
  const [file] = await readdir(folder);
  if (file === undefined) throw new Error("the program wrote no profile");
  const profile = JSON.parse(await readFile(join(folder, file), "utf8")) as Profile;
  const parts = addUp(profile, span, partOf);
  const sum = parts.reduce((total, [, micros]) => total + micros, 0);
  console.log(`${series.name}: ${requestCount} requests, ${(sum / requestCount).toFixed(1)} µs each`);
  print("by part", parts, sum, requestCount);
  print("by function", addUp(profile, span, nameOf).slice(0, LISTED), sum, requestCount);
} finally {
  stopLoad();
  await rm(folder, { recursive: true, force: true });
}
