// Fault tests of a cluster of three nodes and its writers: nodes killed, partitioned and slow, writers killed in
// the middle of a batch, two writers at once, responses lost after the work was done, and the whole cluster down.
// Readers compare every result with a model throughout. Exits 1 on any difference, lost version or missing
// recovery.
//   npx tsx scripts/cassandra-faults.ts [--seconds 8] [--seed N] [--keep]
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { openCassandraStore } from "../src/store/cassandra/store.ts";
import { isPassingFault } from "../src/store/errors.ts";
import { createRandom, SYNTHETIC_IDENTITY, SyntheticLedger } from "../test/support/synthetic-ledger.ts";
import { until } from "../test/support/until.ts";
import { compareAll, Readers } from "./cassandra/readers.ts";
import { startSwallower } from "./cassandra/swallow.ts";
import type { WriterLine, WriterTask } from "./cassandra/writer.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "8" },
    seed: { type: "string", default: "1" },
    keep: { type: "boolean", default: false },
  },
});
const faultMs = Number(values.seconds) * 1000;
const seed = Number(values.seed);
const random = createRandom(seed);
const NET = process.env.CASSANDRA_NET ?? "127.0.0";
const PORT = Number(process.env.CASSANDRA_PORT ?? "9042");
const KEYS = 40;
const LEASE_MS = 3000;
const hosts = [1, 2, 3].map((node) => `${NET}.${node}:${PORT}`);
const keyspace = `faults_${randomBytes(5).toString("hex")}`;
const clusterOptions = { hosts, keyspace, replication: 3 };
const run = promisify(execFile);
const cassandra = async (...words: string[]): Promise<void> => {
  await run(fileURLToPath(new URL("cassandra.sh", import.meta.url)), words);
};

/** A writer in its own process. */
class WriterProcess {
  readonly name: string;
  readonly lines: WriterLine[] = [];
  readonly #child: ChildProcess;
  readonly #onCommit: (version: bigint) => void;

  constructor(name: string, ledger: string, onCommit: (version: bigint) => void) {
    this.name = name;
    this.#onCommit = onCommit;
    const task: WriterTask = {
      hosts,
      keyspace,
      ledger,
      seed,
      keys: KEYS,
      maxBatch: 12,
      leaseTimeMs: LEASE_MS,
    };
    const script = fileURLToPath(new URL("cassandra/writer.ts", import.meta.url));
    this.#child = spawn(process.execPath, ["--import", "tsx", script, JSON.stringify(task)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    createInterface({ input: this.#child.stdout! }).on("line", (text) =>
      this.#onLine(JSON.parse(text) as WriterLine),
    );
  }

  get isWriting(): boolean {
    return this.lines.findLast(({ kind }) => kind === "holds" || kind === "lost")?.kind === "holds";
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  #onLine(line: WriterLine): void {
    this.lines.push(line);
    if (line.kind === "error") writerEvents.errors++;
    if (line.kind === "holds") writerEvents.acquisitions++;
    if (line.kind === "committed") this.#onCommit(BigInt(line.version));
  }
}

/** Transient errors and lease acquisitions of the writers during the current fault. */
const writerEvents = { errors: 0, acquisitions: 0 };
let failures = 0;
let totalReads = 0;
let longestMs = 0;
let acknowledged = -1n;
let lastCommit = performance.now();
let longestCommitGap = 0;
const model = new SyntheticLedger(seed, KEYS);

function onCommit(version: bigint): void {
  const now = performance.now();
  longestCommitGap = Math.max(longestCommitGap, now - lastCommit);
  lastCommit = now;
  if (version > acknowledged) acknowledged = version;
  readers.acknowledged = acknowledged;
}

/** Runs one fault with readers and writers, and prints what they saw. */
async function runFault(name: string, act: () => Promise<string | undefined>): Promise<void> {
  readers.take();
  const from = acknowledged;
  longestCommitGap = 0;
  lastCommit = performance.now();
  Object.assign(writerEvents, { errors: 0, acquisitions: 0 });
  const note = await act();
  longestCommitGap = Math.max(longestCommitGap, performance.now() - lastCommit);
  const { reads, differences, refused, longestPauseMs } = readers.take();
  totalReads += reads;
  longestMs = Math.max(longestMs, longestPauseMs);
  console.log(
    `${name.padEnd(46)} versions ${String(acknowledged - from).padStart(5)}  reads ${String(reads).padStart(6)}  differences ${differences.length}  ` +
      `refused ${refused}  longest gap of reads ${Math.round(longestPauseMs)} ms, of commits ${Math.round(longestCommitGap)} ms  writers: ${writerEvents.acquisitions} leases acquired, ${writerEvents.errors} errors${note === undefined ? "" : `  (${note})`}`,
  );
  for (const difference of differences.slice(0, 5)) console.log(`  DIFFERENCE ${difference}`);
  failures += differences.length;
}

function check(holds: boolean, what: string): void {
  if (holds) return;
  failures++;
  console.log(`  FAILED ${what}`);
}

/** Waits for the next commit. */
async function untilCommit(): Promise<void> {
  const before = acknowledged;
  await until(() => acknowledged > before);
}

/** Drops packets to a node; returns how, and a function that repairs it. */
async function partition(
  node: number,
): Promise<{ readonly how: string; readonly repair: () => Promise<void> }> {
  const route = ["blackhole", `${NET}.${node}/32`, "table", "local"];
  try {
    await run("ip", ["route", "add", ...route]);
    return {
      how: "its address routed to a blackhole",
      repair: async () => {
        await run("ip", ["route", "del", ...route]);
      },
    };
  } catch {
    await cassandra("pause", String(node));
    return {
      how: "no permission to change routes: frozen instead",
      repair: () => cassandra("resume", String(node)),
    };
  }
}

const started = performance.now();
await cassandra("up", "3");
console.log(
  `three nodes on ${hosts.join(", ")}: up after ${Math.round((performance.now() - started) / 1000)} s`,
);
const setUp = await openCassandraStore({ ...clusterOptions, ledger: "faults" });
const readers = await Readers.open({ ...clusterOptions, ledger: "faults" }, model, random);
let writers = ["A", "B"].map((name) => new WriterProcess(name, "faults", onCommit));
readers.start(4);
await until(() => acknowledged > 20n);

await runFault("no fault", async () => {
  await sleep(faultMs);
  return undefined;
});

await runFault("one node killed, and started again", async () => {
  await sleep(faultMs / 4);
  await cassandra("kill", "2");
  await sleep(faultMs);
  await cassandra("start", "2");
  await untilCommit();
  return undefined;
});

await runFault("one node partitioned", async () => {
  const { how, repair } = await partition(3);
  await sleep(faultMs);
  await repair();
  await untilCommit();
  return how;
});

await runFault("one node slow", async () => {
  const end = performance.now() + faultMs;
  while (performance.now() < end) {
    await cassandra("pause", "1");
    await sleep(300);
    await cassandra("resume", "1");
    await sleep(150);
  }
  return "frozen for 300 ms of every 450";
});

await runFault("the writer killed in the middle of a batch", async () => {
  const kills = 4;
  for (let kill = 0; kill < kills; kill++) {
    const writer = await until(() => writers.find((one) => one.isWriting));
    await until(() => writers.every((one) => one.lines.length > 0));
    await untilCommit();
    await sleep(random() % 200);
    writer.signal("SIGKILL");
    writers = writers.filter((one) => one !== writer);
    writers.push(new WriterProcess(String.fromCharCode(67 + kill), "faults", onCommit));
    await untilCommit();
  }
  return `${kills} times; a standby took over`;
});

await runFault("two writers at once", async () => {
  const first = await until(() => writers.find((one) => one.isWriting));
  await until(() => writers.every((one) => one.lines.length > 0));
  const second = writers.find((one) => one !== first)!;
  first.signal("SIGSTOP");
  await until(() => second.isWriting);
  const said = first.lines.length;
  await untilCommit();
  first.signal("SIGCONT");
  await until(() => first.lines.slice(said).some(({ kind }) => kind === "lost"));
  const before = first.lines.slice(said).filter(({ kind }) => kind === "committed");
  check(before.length <= 1, `the fenced writer committed ${before.length} batches after it was woken`);
  await untilCommit();
  check(second.isWriting, "the second writer writes on");
  return "the first frozen until the second took over, then woken: it was fenced out and stopped";
});

await runFault("responses lost after the work was done", async () => {
  const [ledger, lines] = ["swallowed", new SyntheticLedger(seed + 1, KEYS)];
  const far = (node: number): string => `127.9.${NET.split(".").at(-1)}.${node}`;
  const swallowers = await Promise.all(
    [1, 2, 3].map((node) => startSwallower(far(node), `${NET}.${node}`, PORT)),
  );
  const store = await openCassandraStore({
    ...clusterOptions,
    ledger,
    hosts: [1, 2, 3].map((node) => `${far(node)}:${PORT}`),
    translateAddress: (address) => far(Number(address.split(".").at(-1))),
  });
  await until(() => store.lease.acquire());
  const end = performance.now() + 2 * faultMs;
  const timer = setInterval(() => {
    // Every other time all connections at once, so that no second node can help.
    const all = random() % 2 === 0;
    for (const one of swallowers) if (all || random() % 3 === 0) one.swallow(300);
  }, 900);
  let [head, errors]: [bigint | undefined, number] = [undefined, 0];
  while (performance.now() < end) {
    const next: bigint = (head ?? -1n) + BigInt(1 + (random() % 6));
    for (let isDone = false; !isDone; ) {
      try {
        await store.commit(lines.batch(head, next), head === undefined ? SYNTHETIC_IDENTITY : undefined);
        isDone = true;
      } catch (error) {
        if (!isPassingFault(error)) throw error;
        errors++;
      }
    }
    head = next;
  }
  clearInterval(timer);
  const view = await until(() => Promise.resolve(store.openView()).catch(() => undefined));
  check(view.position.version === head, `the ledger ends at ${view.position.version}, not ${head}`);
  const { compared, differences } = await compareAll(view, lines);
  view.release();
  totalReads += compared;
  check(differences.length === 0, differences.slice(0, 5).join("; "));
  const lost = swallowers.reduce((sum, one) => sum + one.lost, 0);
  const { errors: failed } = store.figures;
  const unanswered = failed.timeout + failed.connection + failed.other;
  await store.close();
  await Promise.all(swallowers.map((one) => one.close()));
  check(lost > 0, "responses were lost");
  return `${head! + 1n} versions of another ledger over connections that lost ${lost} bytes of responses; ${unanswered} requests without a response, ${errors} commits retried; all compared`;
});

await runFault("the whole cluster down, and up again", async () => {
  await Promise.all(["1", "2", "3"].map((node) => cassandra("kill", node)));
  await sleep(faultMs / 4);
  const before = { ...readers.figures };
  await sleep(faultMs);
  const refused = readers.figures.refused - before.refused;
  check(
    refused > 0 && readers.figures.reads === before.reads,
    "readers report that the storage is unreachable",
  );
  await Promise.all(["1", "2", "3"].map((node) => cassandra("start", node)));
  const back = performance.now();
  await untilCommit();
  const { reads } = readers.figures;
  await until(() => readers.figures.reads > reads);
  return `${refused} reads refused, none served, while it was down; commits resumed ${Math.round(performance.now() - back)} ms after it was up`;
});

await runFault("no fault again", async () => {
  await sleep(faultMs / 2);
  return undefined;
});

for (const writer of writers) writer.signal("SIGKILL");
await readers.stop();
const view = await setUp.openView();
check(view.position.version >= acknowledged, `every acknowledged version exists up to ${acknowledged}`);
const { compared, differences } = await compareAll(view, model);
view.release();
check(differences.length === 0, differences.slice(0, 5).join("; "));
const written = view.position.version + 1n;
await setUp.close();
if (!values.keep) await cassandra("down", "--wipe");
console.log(
  `${written} versions written; ${totalReads} results compared under faults and ${compared} at the end, over all versions; ` +
    `differences ${failures}; longest gap of reads ${Math.round(longestMs)} ms; ${Math.round((performance.now() - started) / 1000)} s`,
);
process.exit(failures === 0 ? 0 : 1);
