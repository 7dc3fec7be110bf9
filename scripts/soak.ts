// A steady mixed load on the real program while it makes blocks and prunes, and on a second one that follows it, next to
// clients that pipeline streams, histories and reads, and leave. A third one with two workers takes submissions, none of
// which may get lost (load/accepted.ts).
// At the end, compared with what was after the first tenth of the time: the heap in use, at its lowest, within a tenth,
// apart from the cache of tree nodes, which grows with the state up to its bound; anonymous memory, which the runtime takes
// as it sees fit, within a quarter; no more files, handles or timers; and every request answered. Exits 1 when one of
// these does not hold. A short run judges no memory where a machine that is busy with others left it without readings,
// or ended its warm-up before the programs were warm.
//   npx tsx scripts/soak.ts [--minutes 60] [--rate 100] [--warm-up SECONDS] [--seed N]
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Running, startProgram } from "../test/support/program.ts";
import { startSubmissions } from "./load/accepted.ts";
import { Latencies } from "./load/latencies.ts";
import { startLeavingClients } from "./load/leaving-clients.ts";
import { createMix, createRandom, type MixRequest } from "./load/mix.ts";
import { median, processFigures, readMetrics } from "./load/process-figures.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    rate: { type: "string", default: "100" },
    "warm-up": { type: "string", default: "30" },
    seed: { type: "string", default: "1" },
  },
});
const totalMs = Number(values.minutes) * 60_000;
const rate = Number(values.rate);
const CHAIN_SEED = "soak";
const KEPT_CONNECTIONS = 16;
const TICK_MS = 20;
const ANSWER_MS = 60_000;
/** Requests under way; a machine that cannot keep up with the rate is asked less, not more and more. */
const MAX_IN_HAND = 64;
/** One request in this many comes on a connection of its own, one goes away before its answer. */
const [CHURN, ABANDON] = [20, 100];
/** One request in this many goes to the follower. */
const FOLLOWER_SHARE = 4;
const MAX_HEAP_GROWTH = 0.1;
const MAX_GROWTH = 0.25;
/**
 * In a run of minutes a heap is still finding its size: what counts then is that it stays this small. V8 leaves garbage lie
 * for longer than that, more of it the less there is, so that every collection is a full one then.
 */
const SHORT_MINUTES = 20;
/** What the young generation of a heap alone may come to: three times its half-space of 16 MB. */
const SHORT_SLACK_BYTES = 48e6;
/** A warm-up lasts until this many samples, but at most this many times its length. */
const WARM_REQUESTS = 6000;
const WARM_PATIENCE = 3;
/** Handles and timers may differ by what happens to be under way at the moment of the look. */
const HANDLE_SLACK = 4;
const PROGRESS_MS = 60_000;
const SAMPLE_MS = 500;
/** One sample in this many also measures the heap. */
const HEAP_EVERY = 10;
const QUIET_MS = 1500;
/** Readings of what a quiet program holds. */
const READINGS = 10;

const random = createRandom(Number(values.seed));
const versions = { latest: 0n, oldest: 0n };
const next = createMix(CHAIN_SEED, random, versions);
let latencies = new Latencies();
const counts = { sent: 0, answered: 0, abandoned: 0, shed: 0, heldBack: 0, pipelines: 0 };
const wrong: string[] = [];
let inHand = 0;

function complain(text: string): void {
  if (wrong.length < 20) console.error(text);
  wrong.push(text);
}

/** Sends one request and sees to it that it is answered as it should be. */
function send(url: URL, agent: Agent, one: MixRequest, abandon: boolean, onSettled = () => {}): void {
  const started = performance.now();
  counts.sent++;
  inHand++;
  let settled = false;
  const settle = (problem?: string): void => {
    if (settled) return;
    settled = true;
    inHand--;
    onSettled();
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

/** A program under load, with what was seen of it. */
interface Watched {
  readonly name: string;
  readonly node: Running;
  readonly pid: number;
  readonly url: URL;
  readonly samples: Sample[];
  /** The heap in use, garbage included. */
  readonly heap: Sample[];
}

interface Sample {
  readonly atMs: number;
  readonly bytes: number;
}

function watch(name: string, node: Running): Watched {
  return { name, node, pid: node.child.pid ?? 0, url: new URL(node.url), samples: [], heap: [] };
}

/** A request as the follower may answer it: it may not have the latest versions yet. */
function forFollower(one: MixRequest): MixRequest {
  return /[?&](ledger_version|start)=/.test(one.path)
    ? { ...one, expected: [...one.expected, 400, 404] }
    : one;
}

/**
 * Requests as fast as they are answered, so that compiled code and heap have their size before anything is
 * measured: a short run would measure nothing else. False where the time ended before enough were answered.
 */
async function warmUp(forMs: number): Promise<boolean> {
  const agent = new Agent({ keepAlive: true, maxSockets: KEPT_CONNECTIONS });
  const started = performance.now();
  const isWarm = (): boolean => {
    const ms = performance.now() - started;
    return ms > WARM_PATIENCE * forMs || (ms > forMs && counts.answered >= WARM_REQUESTS);
  };
  const work = async ({ url }: Watched): Promise<void> => {
    while (!isWarm()) {
      await new Promise<void>((resolve) => send(url, agent, forFollower(next()), false, resolve));
    }
  };
  await Promise.all(
    Array.from({ length: KEPT_CONNECTIONS }, (_, index) => work(both[index % 2 === 0 ? 0 : 1])),
  );
  agent.destroy();
  const wasEnough = counts.answered >= WARM_REQUESTS;
  Object.assign(counts, { sent: 0, answered: 0, abandoned: 0, shed: 0, heldBack: 0 });
  latencies = new Latencies();
  return wasEnough;
}

/** Steady load for a time, then every request awaited and every connection closed. */
async function load(forMs: number): Promise<void> {
  const kept = new Agent({ keepAlive: true, maxSockets: KEPT_CONNECTIONS });
  const fresh = new Agent({ keepAlive: false });
  const leaving = startLeavingClients([leader.url, follower.url], next, random);
  const started = performance.now();
  for (let made = 0; performance.now() - started < forMs; ) {
    // What a late tick missed is made up for.
    const due = (rate * (performance.now() - started)) / 1000;
    for (; made < due; made++) {
      if (inHand >= MAX_IN_HAND) {
        counts.heldBack++;
        continue;
      }
      const toFollower = random() * FOLLOWER_SHARE < 1;
      const one = toFollower ? forFollower(next()) : next();
      const { url } = toFollower ? follower : leader;
      send(url, random() * CHURN < 1 ? fresh : kept, one, random() * ABANDON < 1);
    }
    await sleep(TICK_MS);
  }
  await leaving.stop();
  counts.pipelines += leaving.left;
  while (inHand > 0) await sleep(TICK_MS);
  kept.destroy();
}

/** What a program holds while nobody asks anything. */
async function quietFigures({ url, pid }: Watched) {
  // A block that is being made has timers of its own: the least of several readings counts.
  const resources: number[] = [];
  for (let reading = 0; reading < READINGS; reading++) {
    resources.push((await readMetrics(url.origin)).get("sextant_nodejs_active_resources") ?? 0);
    await sleep(TICK_MS);
  }
  const metrics = await readMetrics(url.origin);
  return {
    ...processFigures(pid),
    resources: Math.min(...resources),
    blocks: metrics.get("sextant_ledger_block_height") ?? 0,
    open: (metrics.get("sextant_http_streams") ?? 0) + (metrics.get("sextant_http_in_flight") ?? 0),
    pruned: metrics.get("sextant_pruned_rows_total") ?? 0,
    treeCacheBytes: metrics.get("sextant_tree_cache_bytes") ?? Number.NaN,
  };
}

async function allQuiet() {
  await sleep(QUIET_MS);
  return [await quietFigures(leader), await quietFigures(follower)] as const;
}

async function ledgerInfo({ node }: Watched): Promise<Readonly<Record<string, string>>> {
  return (await (await fetch(`${node.url}/info`)).json()) as Record<string, string>;
}

async function followVersions(): Promise<void> {
  const info = await ledgerInfo(leader);
  versions.latest = BigInt(info.ledger_version ?? "0");
  versions.oldest = BigInt(info.oldest_ledger_version ?? "0");
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Bytes of a stretch of time, given as shares of the whole. */
function bytesIn(samples: readonly Sample[], from: number, to: number): readonly number[] {
  const inside = samples.filter(({ atMs }) => atMs >= from * totalMs && atMs < to * totalMs);
  return inside.map(({ bytes }) => bytes);
}

/** What `measure` says of a stretch after the first tenth of the time, and of one at its end. */
function firstAndLast(samples: readonly Sample[], measure: (bytes: readonly number[]) => number) {
  return { first: measure(bytesIn(samples, 0.1, 0.2)), last: measure(bytesIn(samples, 0.9, 1)) };
}

/** What is left after a collection: all but the garbage. */
function lowest(bytes: readonly number[]): number {
  return Math.min(...bytes);
}

const folder = mkdtempSync(join(tmpdir(), "sextant-soak-"));
/** Requests are turned away as by default, which tests switch off. */
const isShort = Number(values.minutes) < SHORT_MINUTES;
const FLAGS = isShort ? ["--gc-global"] : [];
const PRUNING = ["--prune-window", "1000", "--log-level", "warn", "--max-wait", "500ms"];
const startNode = (args: readonly string[]): Promise<Running> =>
  startProgram([...args, ...PRUNING], {}, "ready", FLAGS);
const leader = watch(
  "leader",
  await startNode(["--data", join(folder, "leader"), "--seed", CHAIN_SEED, "--block-time", "250ms"]),
);
const waypoint = (await ledgerInfo(leader)).genesis_waypoint ?? "";
const follower = watch(
  "follower",
  await startNode([
    ...["--data", join(folder, "follower"), "--upstream", leader.node.url, "--waypoint", waypoint],
  ]),
);
const both = [leader, follower] as const;
const submissions = await startSubmissions(folder, complain);
await followVersions();
const wasWarm = await warmUp(Number(values["warm-up"]) * 1000);
await followVersions();
const startedMs = performance.now();
let isAsking = false;
let asked = 0;

/** Asks both nodes about themselves, one question at a time: connections of `fetch` are kept, and would be counted. */
async function askBoth(): Promise<void> {
  if (isAsking) return;
  isAsking = true;
  try {
    await followVersions();
    if (asked++ % HEAP_EVERY !== 0) return;
    for (const { heap, url } of both) {
      const atMs = performance.now() - startedMs;
      const metrics = await readMetrics(url.origin);
      heap.push({ atMs, bytes: metrics.get("sextant_nodejs_heap_size_used_bytes") ?? Number.NaN });
    }
  } catch (error) {
    complain(`info: ${String(error)}`);
  } finally {
    isAsking = false;
  }
}

const sampler = setInterval(() => {
  for (const { samples, pid } of both) {
    samples.push({ atMs: performance.now() - startedMs, bytes: processFigures(pid).anonymousBytes });
  }
  void askBoth();
}, SAMPLE_MS);
const progress = setInterval(() => {
  const minutes = ((performance.now() - startedMs) / 60_000).toFixed(0);
  const memory = both.map(({ samples }) => megabytes(samples.at(-1)?.bytes ?? 0)).join(" and ");
  console.info(`${minutes} min: ${counts.answered} answered, ${counts.shed} shed, ${memory}`);
}, PROGRESS_MS);

await load(totalMs / 10);
submissions.settle();
const first = await allQuiet();
await load(totalMs - (performance.now() - startedMs));
clearInterval(sampler);
while (isAsking) await sleep(TICK_MS);
clearInterval(progress);
const last = await allQuiet();
console.info(await submissions.stop());
const stopped = [await follower.node.stop(), await leader.node.stop()];
rmSync(folder, { recursive: true, force: true });

const perSecond = (counts.answered / (totalMs / 1000)).toFixed(0);
console.info(
  `${counts.sent} requests in ${values.minutes} min (${perSecond} per second): ${counts.answered} answered, ` +
    `${counts.shed} of them shed, ${counts.abandoned} left by the client, ${counts.heldBack} held back, ${counts.pipelines} pipelines left, ${wrong.length} wrong or unanswered\n` +
    `latency ${latencies.text()}`,
);
for (const [index, one] of both.entries()) {
  const [before, after] = [first[index]!, last[index]!];
  const memory = firstAndLast(one.samples, (bytes) => median([...bytes]));
  const heap = firstAndLast(one.heap, lowest);
  const cached = after.treeCacheBytes - before.treeCacheBytes;
  const heapGrowth = (heap.last - cached) / heap.first - 1;
  const growth = memory.last / memory.first - 1;
  console.info(
    `${one.name}: block ${after.blocks}, ${after.pruned} rows pruned; heap in use at its lowest ${megabytes(heap.first)} after ` +
      `the first tenth, ${megabytes(heap.last)} at the end, of it ${megabytes(cached)} more of cached tree nodes (${(heapGrowth * 100).toFixed(1)} % without); ` +
      `anonymous memory ${megabytes(memory.first)} and ${megabytes(memory.last)} (${(growth * 100).toFixed(1)} %); files ${before.files} -> ` +
      `${after.files}, sockets ${before.sockets} -> ${after.sockets}, ` +
      `handles and timers ${before.resources} -> ${after.resources}`,
  );
  const slack = isShort ? SHORT_SLACK_BYTES : 0;
  const isJudged = !isShort || (wasWarm && Number.isFinite(growth));
  if (!isJudged) console.info(`${one.name}: too short to judge memory`);
  if (!isShort && !(heapGrowth <= MAX_HEAP_GROWTH)) complain(`${one.name}: the heap grew by too much`);
  if (isJudged && !(memory.last <= Math.max(memory.first * (1 + MAX_GROWTH), memory.first + slack)))
    complain(`${one.name}: memory grew by too much`);
  if (after.files > before.files) complain(`${one.name}: files were left open`);
  if (after.sockets > before.sockets + HANDLE_SLACK) complain(`${one.name}: sockets were left open`);
  if (after.resources > before.resources + HANDLE_SLACK) complain(`${one.name}: handles or timers were left`);
  // The request for the metrics is in flight itself.
  if (after.open > 1)
    complain(`${one.name}: ${after.open} streams or requests are left of clients that left`);
  if (after.blocks <= before.blocks) complain(`${one.name}: no blocks came`);
  if (after.pruned <= before.pruned) complain(`${one.name}: nothing was pruned`);
}
if (counts.sent !== counts.answered + counts.abandoned) complain("requests are not accounted for");
for (const { code, stderr } of stopped) if (code !== 0) complain(`the program ended with ${code}: ${stderr}`);
process.exitCode = wrong.length === 0 ? 0 : 1;
