// Kills the real program with SIGKILL at random moments while it makes blocks and prunes, again and again, and
// compares what it kept with a model: the same chain made in this process, never killed, in the memory engine.
// After every kill: the position, every kept record and block, and every kept version of a sample of items.
// After every restart: balances over HTTP. Meanwhile readers of the same store (check and backup) die by signals; the
// running program must clear what they held. Nothing is ever repaired by hand. A program that ends with 75 because
// lmdb gave up a write is started again like a killed one, and counted. Exits 1 on any difference.
//   npx tsx scripts/torture.ts [--kills 1000] [--seed N] [--window VERSIONS] [--program bin/sextant.js]
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { equalBytes } from "../src/base/bytes.ts";
import { silentLogger } from "../src/base/log.ts";
import { createLocalChain } from "../src/chain/local-chain.ts";
import { EXIT_TRY_AGAIN } from "../src/cli/command.ts";
import { urlTo } from "../src/interface/route.ts";
import { balanceRoute } from "../src/interface/routes.ts";
import { parseAsset } from "../src/ledger/balances/asset.ts";
import { readBalance } from "../src/ledger/balances/balance.ts";
import { checkGenesis } from "../src/ledger/formats/genesis.ts";
import { LOCAL } from "../src/ledger/trust.ts";
import type { StateItem } from "../src/ledger/view.ts";
import { parseAddress } from "../src/move/address.ts";
import type { StoreView } from "../src/store/contract.ts";
import { openLmdbStore } from "../src/store/lmdb/store.ts";
import { createMemoryStore } from "../src/store/memory/store.ts";
import { Committer } from "../src/sync/committer.ts";
import { bootstrapGenesis } from "../src/sync/genesis.ts";
import { floorFor } from "../src/sync/maintenance/prune-window.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "1000" },
    seed: { type: "string", default: "1" },
    window: { type: "string", default: "60" },
    program: { type: "string", default: fileURLToPath(new URL("../bin/sextant.js", import.meta.url)) },
  },
});
const kills = Number(values.kills);
/** Most runs keep much; the next one that keeps little has a lot to prune. */
const windows = [1n, 20n, 20n].map((times) => times * BigInt(values.window));
const chainSeed = `torture/${values.seed}`;

/** The clock of a chain that makes blocks without a wall clock. */
const FIRST_BLOCK_USEC = 1_704_067_200_000_000n;
const BLOCK_STEP_USEC = 1_000_000n;
/** One kill in this many comes at any moment of the start, the others once blocks are being made. */
const EARLY_KILLS = 5;
const MAX_RUN_MS = 400;
const PRUNING_MS = 40;
const SAMPLE_ITEMS = 16;
const HTTP_READS = 6;
const HTTP_TIMEOUT_MS = 120_000;
const READY_MS = 300_000;
const PAGE_RECORDS = 500;
const PAGE_BYTES = 4 << 20;
const PROGRESS_MS = 10_000;
/** One run in this many has a reader that dies while the program writes. */
const READER_RUNS = 4;
const READER_SIGNALS = ["SIGKILL", "SIGKILL", "SIGKILL", "SIGINT", "SIGTERM"] as const;
const CLEARED_MS = 120_000;
/** More runs than this that end by themselves are a program that does not work. */
const MAX_TRIED_AGAIN = Math.max(3, kills / 50);
/** Where lmdb keeps process ids in its lock file. */
const [FIRST_PID_AT, SLOT_BYTES] = [216, 64];

let state = Number(values.seed) >>> 0;
/** A number below the bound; the same seed gives the same kills, as far as the machine's speed allows. */
function random(below: number): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
}

function pick<T>(items: readonly T[]): T {
  return items[random(items.length)]!;
}

const chain = createLocalChain({ seed: chainSeed });
const model = createMemoryStore();
const committer = new Committer({ store: model, logger: silentLogger, level: LOCAL });
await bootstrapGenesis({ store: model, committer, check: checkGenesis(chain.genesisBlob()) });
const keys = chain.items.all.map((item) => item.keyHash);
const holders = chain
  .guide()
  .accounts.flatMap(({ address, assets }) => assets.map(({ asset }) => ({ address, asset })));

/** Makes blocks of the model until it has the version. */
async function advanceModel(version: bigint): Promise<void> {
  for (;;) {
    const view = await model.openView();
    const { position } = view;
    if (position.version >= version) return view.release();
    const last = position.timestampUsec;
    const { records: block } = await chain.produceBlock({
      position,
      view,
      getTreeNodes: (nodes) => model.getTreeNodes(nodes),
      timestampUsec: last === 0n ? FIRST_BLOCK_USEC : last + BLOCK_STEP_USEC,
    });
    view.release();
    await committer.append(block);
  }
}

async function pruneModel(floor: bigint): Promise<void> {
  while (!(await model.prune(floor, 1_000_000)).done);
}

const total = {
  kills: 0,
  early: 0,
  /** Runs that ended by themselves and asked to be started again. */
  triedAgain: 0,
  pruning: 0,
  restarts: 0,
  readers: 0,
  items: 0,
  records: 0,
  blocks: 0,
  balances: 0,
};
const differences: string[] = [];
let head = -1n;
let oldest = 0n;

function differ(what: string): void {
  differences.push(`after kill ${total.kills}: ${what}`);
}

function plain(item: StateItem | undefined): string {
  if (item === undefined) return "absent";
  return `${item.version}:${item.value === undefined ? "deleted" : Buffer.from(item.value).toString("hex")}`;
}

/** Positions and blocks as text, so that every field counts. */
function describe(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  if (typeof value !== "object" || value === null) return String(value);
  return `{${Object.entries(value).map(([key, part]) => `${key}: ${describe(part)}`)}}`;
}

async function compareViews(kept: StoreView, expected: StoreView): Promise<void> {
  const { position } = kept;
  if (describe(position) !== describe(expected.position)) {
    differ(`position ${describe(position)}, expected ${describe(expected.position)}`);
    return;
  }
  const sample = Array.from({ length: SAMPLE_ITEMS }, () => pick(keys));
  for (let version = position.oldestVersion; version <= position.version; version++) {
    const [items, others] = [await kept.getItems(sample, version), await expected.getItems(sample, version)];
    for (const [i, item] of items.entries()) {
      total.items++;
      if (plain(item) !== plain(others[i])) {
        differ(`item at ${version}: ${plain(item)}, expected ${plain(others[i])}`);
      }
    }
  }
  for (let start = position.oldestVersion; start <= position.version; ) {
    const [page, others] = [
      await kept.getRecords(start, PAGE_RECORDS, PAGE_BYTES),
      await expected.getRecords(start, PAGE_RECORDS, PAGE_BYTES),
    ];
    if (page.length === 0) return differ(`no record ${start}`);
    for (const [i, { version, bytes }] of page.entries()) {
      total.records++;
      const other = others[i];
      if (other?.version !== version || !equalBytes(bytes, other.bytes)) differ(`record ${version}`);
    }
    start += BigInt(page.length);
  }
  for (let height = position.oldestBlockHeight; height <= position.blockHeight; height++) {
    total.blocks++;
    const [block, other] = [await kept.getBlockByHeight(height), await expected.getBlockByHeight(height)];
    if (describe(block) !== describe(other)) differ(`block ${height}: ${describe(block)}`);
  }
}

/** Opens what the killed program left and compares it. */
async function compareStore(path: string, floorBefore: bigint): Promise<void> {
  let store: Awaited<ReturnType<typeof openLmdbStore>>;
  try {
    store = await openLmdbStore({ path, readOnly: true });
  } catch (error) {
    // Killed before there was anything to open.
    if (head < 0n) return;
    throw error;
  }
  try {
    if (store.identity === undefined) {
      if (head >= 0n) differ("the ledger is gone");
      return;
    }
    const view = await store.openView();
    const { version, oldestVersion } = view.position;
    if (version < head) differ(`version ${version} after ${head} was seen`);
    if (oldestVersion < oldest) differ(`oldest version ${oldestVersion} after ${oldest} was seen`);
    if (oldestVersion > oldest && oldestVersion < floorBefore) total.pruning++;
    [head, oldest] = [version, oldestVersion];
    await advanceModel(version);
    await pruneModel(oldestVersion);
    const expected = await model.openView();
    await compareViews(view, expected);
    expected.release();
    view.release();
  } finally {
    await store.close();
  }
}

/** The oldest version that the window will keep once the program has started from here. */
async function nextFloor(window: bigint): Promise<bigint> {
  const view = await model.openView();
  const floor = await floorFor({ kind: "count", versions: window }, view);
  view.release();
  return floor;
}

/**
 * Asks the running program for balances at versions that the model has, and compares. Returns why it had no response: a
 * difference, unless the program ended with 75.
 */
async function compareBalances(url: string): Promise<string | undefined> {
  if (head < 0n) return undefined;
  const view = await model.openView();
  try {
    for (let i = 0; i < HTTP_READS; i++) {
      const { address, asset } = pick(holders);
      const version = oldest + BigInt(random(Number(head - oldest) + 1));
      const path = urlTo(url, balanceRoute, { address, asset_type: asset, ledger_version: version });
      const response = await fetch(path, { signal: AbortSignal.timeout(HTTP_TIMEOUT_MS) });
      const body = await response.text();
      // What the pruner has taken meanwhile is no difference.
      if (response.status === 410) continue;
      if (response.status === 503) return `HTTP: ${body}`;
      const expected = await readBalance(view, parseAddress(address), parseAsset(asset), version);
      total.balances++;
      if (response.status !== 200 || body !== `${expected}`) {
        differ(`${path}: ${response.status} ${body}, expected ${expected}`);
      }
    }
    return undefined;
  } catch (error) {
    return `HTTP: ${String(error)}`;
  } finally {
    view.release();
  }
}

const children = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

interface Run {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
  /** The base URL once it is ready; undefined when it ended before. */
  readonly ready: Promise<string | undefined>;
  readonly errors: () => string;
}

function launch(data: string, window: bigint): Run {
  const args = ["start", "--port", "0", "--data", data, "--seed", chainSeed, "--block-time", "0"];
  // A busy machine must not make it refuse requests.
  args.push("--prune-window", `${window}`, "--log-level", "error", "--max-wait", "0");
  const child = spawn(process.execPath, [values.program, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  children.add(child);
  const ended = once(child, "close").finally(() => children.delete(child));
  let [out, err] = ["", ""];
  child.stderr?.on("data", (text) => {
    err += text;
  });
  const ready = new Promise<string | undefined>((resolve) => {
    child.stdout?.on("data", (text) => {
      out += text;
      const url = /sextant is ready: (http\S+)/.exec(out)?.[1];
      if (url !== undefined) resolve(url);
    });
    void ended.then(() => resolve(undefined));
  });
  return { child, ended, ready, errors: () => err };
}

/** True while the lock file has a slot of the process. Read as a file: lmdb itself would clear it. */
function hasSlot(data: string, pid: number): boolean {
  const file = readFileSync(join(data, "lock.mdb"));
  for (let at = FIRST_PID_AT; at + SLOT_BYTES <= file.length; at += SLOT_BYTES) {
    if (file.readInt32LE(at) === pid) return true;
  }
  return false;
}

/**
 * Lets a reader die by a signal once it reads, and waits until the running program has cleared its slot. Returns that it
 * has not: a difference, unless the program ended with 75.
 */
async function killReader(data: string): Promise<string | undefined> {
  const to = join(data, "..", `${basename(data)}-backup`);
  const args = random(2) === 0 ? ["check", "--in-process"] : ["backup", "--to", to];
  const child = spawn(process.execPath, [values.program, ...args, "--data", data], { stdio: "ignore" });
  children.add(child);
  const ended = once(child, "close").finally(() => children.delete(child));
  const pid = child.pid ?? 0;
  while (child.exitCode === null && !hasSlot(data, pid)) await sleep(1);
  await sleep(random(20));
  child.kill(pick(READER_SIGNALS));
  await ended;
  if (child.exitCode !== 0) total.readers++;
  const deadline = performance.now() + CLEARED_MS;
  while (hasSlot(data, pid) && performance.now() < deadline) await sleep(5);
  rmSync(to, { recursive: true, force: true });
  return hasSlot(data, pid) ? `the slot of reader ${pid}, which died, is still there` : undefined;
}

/** Starts the program, lets it work for a moment and kills it. */
async function runAndKill(data: string, window: bigint, startMs: number): Promise<number> {
  const started = performance.now();
  const run = launch(data, window);
  const isEarly = random(EARLY_KILLS) === 0;
  let readyMs = startMs;
  /** What would be a difference in a program that runs. */
  const missing: (string | undefined)[] = [];
  if (isEarly) {
    total.early++;
    await sleep(random(Math.ceil(startMs)));
  } else {
    const url = await Promise.race([run.ready, sleep(READY_MS, undefined, { ref: false })]);
    if (url === undefined) {
      missing.push(`does not start: ${run.errors()}`);
    } else {
      readyMs = performance.now() - started;
      total.restarts++;
      if (random(READER_RUNS) === 0) missing.push(await killReader(data));
      // Half of the time the kill comes while the pruner still works on what the last run left.
      if (random(2) === 0) {
        await sleep(random(PRUNING_MS));
      } else {
        missing.push(await compareBalances(url));
        await sleep(random(MAX_RUN_MS));
      }
    }
  }
  run.child.kill("SIGKILL");
  await run.ended;
  const { exitCode } = run.child;
  // Any other reason to try again, such as a store that is still locked, is a difference.
  if (exitCode === EXIT_TRY_AGAIN && run.errors().includes("lmdb gave up a write")) {
    total.triedAgain++;
    console.log(`ended with ${exitCode} after kill ${total.kills}, started again: ${run.errors()}`);
    if (total.triedAgain > MAX_TRIED_AGAIN) differ(`ended with ${exitCode} ${total.triedAgain} times`);
  } else {
    for (const what of missing) if (what !== undefined) differ(what);
    if (exitCode !== null) differ(`ended by itself with ${exitCode}: ${run.errors()}`);
    total.kills++;
  }
  return readyMs;
}

const data = mkdtempSync(join(tmpdir(), "sextant-torture-"));
const started = performance.now();
try {
  let startMs = 1000;
  let shown = started;
  while (total.kills < kills && differences.length === 0) {
    const window = pick(windows);
    const floorBefore = await nextFloor(window);
    startMs = 0.8 * startMs + 0.2 * (await runAndKill(data, window, startMs));
    await compareStore(data, floorBefore);
    if (performance.now() - shown > PROGRESS_MS) {
      shown = performance.now();
      console.log(`${total.kills} of ${kills} kills, version ${head}, ${differences.length} differences`);
    }
  }
  const seconds = (performance.now() - started) / 1000;
  for (const difference of differences.slice(0, 20)) console.log(`difference: ${difference}`);
  console.log(
    `kills ${total.kills} (${total.early} during the start, ${total.pruning} with the pruner half-way), ` +
      `restarts that served ${total.restarts}, readers that died ${total.readers}, versions made ${head + 1n}, oldest kept ${oldest}`,
  );
  console.log(
    `compared: ${total.items} items, ${total.records} records, ${total.blocks} blocks, ` +
      `${total.balances} balances over HTTP`,
  );
  console.log(`ended with ${EXIT_TRY_AGAIN} and started again: ${total.triedAgain}`);
  console.log(`differences: ${differences.length}; manual repairs: 0; ${seconds.toFixed(0)} s`);
  const isWeak =
    total.kills > 20 && (total.items === 0 || oldest === 0n || total.balances === 0 || total.readers === 0);
  if (isWeak) console.log("too little happened for this run to mean anything");
  process.exitCode = differences.length === 0 && !isWeak ? 0 : 1;
} finally {
  for (const child of children) child.kill("SIGKILL");
  rmSync(data, { recursive: true, force: true });
}
