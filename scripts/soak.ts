// A steady mixed load on the real program while it makes blocks and prunes. At the end: anonymous memory within
// a tenth of what it was after the first tenth of the time, no more files, handles or timers than then, and
// every request answered. Exits 1 when one of these does not hold.
//   npx tsx scripts/soak.ts [--minutes 60] [--rate 200] [--seed N]
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Running, startProgram } from "../test/support/program.ts";
import { Latencies } from "./load/latencies.ts";
import { createMix, createRandom, type MixRequest } from "./load/mix.ts";
import { median, processFigures, readMetrics, sumOf } from "./load/process-figures.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    rate: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
  },
});
const totalMs = Number(values.minutes) * 60_000;
const rate = Number(values.rate);
const CHAIN_SEED = "soak";
const KEPT_CONNECTIONS = 16;
const TICK_MS = 20;
const ANSWER_MS = 30_000;
/** One request in this many comes on a connection of its own, one goes away before its answer. */
const [CHURN, ABANDON] = [20, 100];
const MAX_GROWTH = 0.1;
/** Handles and timers may differ by what happens to be under way at the moment of the look. */
const HANDLE_SLACK = 4;
const PROGRESS_MS = 60_000;
const SAMPLE_MS = 500;
const QUIET_MS = 1500;

const random = createRandom(Number(values.seed));
const versions = { latest: 0n, oldest: 0n };
const next = createMix(CHAIN_SEED, random, versions);
const latencies = new Latencies();
const counts = { sent: 0, answered: 0, abandoned: 0, shed: 0 };
const wrong: string[] = [];
let inHand = 0;

function complain(text: string): void {
  if (wrong.length < 20) console.error(text);
  wrong.push(text);
}

/** Sends one request and sees to it that it is answered as it should be. */
function send(url: URL, agent: Agent, one: MixRequest, abandon: boolean): void {
  const started = performance.now();
  counts.sent++;
  inHand++;
  let settled = false;
  const settle = (problem?: string): void => {
    if (settled) return;
    settled = true;
    inHand--;
    clearTimeout(timer);
    if (problem !== undefined) complain(`${one.method} ${one.path}: ${problem}`);
  };
  const path = url.pathname + one.path;
  const request = httpRequest({
    host: url.hostname,
    port: url.port,
    agent,
    method: one.method,
    path,
    headers: one.headers,
  });
  const timer = setTimeout(() => {
    settle(`no answer in ${ANSWER_MS} ms`);
    request.destroy();
  }, ANSWER_MS);
  request.on("error", (error) => {
    if (abandon) counts.abandoned++;
    settle(abandon ? undefined : error.message);
  });
  request.on("response", (response) => {
    const status = response.statusCode ?? 0;
    response.resume();
    response.on("error", (error) => settle(abandon ? undefined : error.message));
    response.on("end", () => {
      counts.answered++;
      latencies.add(performance.now() - started);
      if (status === 503 && response.headers["retry-after"] !== undefined) counts.shed++;
      else if (!one.expected.includes(status))
        settle(`answered ${status}, expected ${one.expected.join(" or ")}`);
      settle();
    });
  });
  if (one.body !== undefined) request.write(one.body);
  request.end();
  if (abandon) setTimeout(() => request.destroy(), 1);
}

/** Steady load for a time, then every request awaited and every connection closed. */
async function load(node: Running, forMs: number): Promise<void> {
  const url = new URL(node.url);
  const kept = new Agent({ keepAlive: true, maxSockets: KEPT_CONNECTIONS });
  const fresh = new Agent({ keepAlive: false });
  const started = performance.now();
  for (let made = 0; performance.now() - started < forMs; ) {
    // What a late tick missed is made up for.
    const due = (rate * (performance.now() - started)) / 1000;
    for (; made < due; made++) {
      send(url, random() * CHURN < 1 ? fresh : kept, next(), random() * ABANDON < 1);
    }
    await sleep(TICK_MS);
  }
  while (inHand > 0) await sleep(TICK_MS);
  kept.destroy();
}

/** What the program holds while nobody asks anything. */
async function quietFigures(node: Running, pid: number) {
  await sleep(QUIET_MS);
  const metrics = await readMetrics(new URL(node.url).origin);
  return {
    ...processFigures(pid),
    handles: sumOf(metrics, "sextant_nodejs_active_handles_total"),
    resources: sumOf(metrics, "sextant_nodejs_active_resources_total"),
    blocks: metrics.get("sextant_commits_total") ?? 0,
    pruned: metrics.get("sextant_pruned_rows") ?? 0,
    version: metrics.get("sextant_ledger_version") ?? 0,
  };
}

async function followVersions(node: Running): Promise<void> {
  const body = (await (await fetch(node.url)).json()) as Record<string, string>;
  versions.latest = BigInt(body.ledger_version ?? "0");
  versions.oldest = BigInt(body.oldest_ledger_version ?? "0");
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

const folder = mkdtempSync(join(tmpdir(), "sextant-soak-"));
const node = await startProgram([
  ...["--data", join(folder, "data"), "--seed", CHAIN_SEED, "--block-time", "250ms"],
  ...["--prune-window", "30s", "--log-level", "warn"],
]);
const pid = node.child.pid ?? 0;
await followVersions(node);
const samples: { readonly atMs: number; readonly bytes: number }[] = [];
const startedMs = performance.now();
const sampler = setInterval(() => {
  samples.push({ atMs: performance.now() - startedMs, bytes: processFigures(pid).anonymousBytes });
  followVersions(node).catch((error: unknown) => complain(`ledger info: ${String(error)}`));
}, SAMPLE_MS);
const progress = setInterval(() => {
  const minutes = ((performance.now() - startedMs) / 60_000).toFixed(0);
  console.info(
    `${minutes} min: ${counts.answered} answered, ${counts.shed} shed, ${megabytes(samples.at(-1)?.bytes ?? 0)}`,
  );
}, PROGRESS_MS);
/** Middle of the samples of a stretch of time, given as shares of the whole. */
const memoryIn = (from: number, to: number): number =>
  median(
    samples.filter(({ atMs }) => atMs >= from * totalMs && atMs < to * totalMs).map(({ bytes }) => bytes),
  );

await load(node, totalMs / 10);
const first = await quietFigures(node, pid);
await load(node, totalMs - (performance.now() - startedMs));
const memory = { first: memoryIn(0.1, 0.2), last: memoryIn(0.9, 1) };
clearInterval(sampler);
clearInterval(progress);
const last = await quietFigures(node, pid);
const stopped = await node.stop();
rmSync(folder, { recursive: true, force: true });

const growth = memory.last / memory.first - 1;
const perSecond = (counts.answered / (totalMs / 1000)).toFixed(0);
console.info(
  [
    `${counts.sent} requests in ${values.minutes} min (${perSecond} per second): ${counts.answered} answered, ` +
      `${counts.shed} of them shed, ${counts.abandoned} left by the client, ${wrong.length} wrong or unanswered`,
    `latency ${latencies.text()}`,
    `${last.blocks} blocks to version ${last.version}, ${last.pruned} rows pruned`,
    `anonymous memory ${megabytes(memory.first)} after the first tenth, ${megabytes(memory.last)} at the end: ${(growth * 100).toFixed(1)} %`,
    `files ${first.files} -> ${last.files}, sockets ${first.sockets} -> ${last.sockets}, handles ${first.handles} -> ${last.handles}, handles and timers ${first.resources} -> ${last.resources}`,
  ].join("\n"),
);
if (growth > MAX_GROWTH) complain(`memory grew by more than ${MAX_GROWTH * 100} %`);
if (last.files > first.files) complain("files were left open");
if (last.sockets > first.sockets + HANDLE_SLACK) complain("sockets were left open");
if (last.handles > first.handles + HANDLE_SLACK) complain("handles were left open");
if (last.resources > first.resources + HANDLE_SLACK) complain("handles or timers were left");
if (last.blocks <= first.blocks) complain("no blocks were made");
if (last.pruned <= first.pruned) complain("nothing was pruned");
if (counts.sent !== counts.answered + counts.abandoned) complain("requests are not accounted for");
if (stopped.code !== 0) complain(`the program ended with ${stopped.code}: ${stopped.stderr}`);
process.exitCode = wrong.length === 0 ? 0 : 1;
