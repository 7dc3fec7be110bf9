// Verified replication with two processors over one: the same program in two processes, of which one may use a single
// processor. Both replicate a long ledger, window by window in turn, so that each round measures warm code. By the
// clock: the machine must have two processors idle.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BcsReader } from "../src/bcs/reader.ts";
import { createLocalChain } from "../src/chain/local-chain.ts";
import { createMemoryStore } from "../src/store/memory/store.ts";
import { DEFAULT_PACE } from "../src/sync/follow/follower-parts.ts";
import { ChainRun } from "../test/support/chain-run.ts";
import { readRecords } from "../test/support/follow.ts";
import { encodePage } from "../test/support/recorded-upstream.ts";
import { CACHE } from "./data-set.ts";
import {
  type BenchOptions,
  type BenchRow,
  compareAll,
  median,
  toPlainRow,
  withDirectory,
} from "./harness.ts";
import { LOADER } from "./own-process.ts";
import { nextMessage } from "./waits.ts";

const NAME = "verified replication, wall time with two cores over one";
const CPU_NAME = "verified replication with two processes over one, records per CPU second of the busiest";
const PROCESS = fileURLToPath(new URL("./replication-process.ts", import.meta.url));

/** What the process reports of a window. */
export interface Window {
  readonly recordsPerSecond: number;
  /** Processor time of a record in the process that commits, and in the one that verifies for it. */
  readonly committingMicros: number;
  readonly verifyingMicros: number;
}

interface Sizes {
  readonly blocks: number;
  /** Records of the start of a replication that is not measured, and of each round after it. */
  readonly warmUp: number;
  readonly window: number;
  /** The follower's pace: where a process begins to verify for it, and where it ends. */
  readonly verifierFrom: number;
  readonly verifierUntil: number;
}

const { verifierFromVersions, verifierUntilVersions } = DEFAULT_PACE;
const FULL: Sizes = {
  blocks: 10_000,
  warmUp: 10_000,
  window: 3000,
  verifierFrom: Number(verifierFromVersions),
  verifierUntil: Number(verifierUntilVersions),
};
/** Shows that it works. */
const QUICK: Sizes = { blocks: 150, warmUp: 300, window: 100, verifierFrom: 100, verifierUntil: 20 };

/** The row of two processors. */
export async function benchmarkReplicationCores({ quick }: BenchOptions): Promise<readonly BenchRow[]> {
  const [first, second] = hasTaskset() ? allowedProcessors() : [];
  if (first === undefined || second === undefined) {
    const note = "not measured: it needs two processors, and taskset to give a process one of them";
    return [toPlainRow(NAME, Number.NaN, 1, { unit: "records/s", basis: "clock", note })];
  }
  const sizes = quick ? QUICK : FULL;
  const ledger = await makeLedger(sizes.blocks);
  return withDirectory(async (path) => {
    const start = (name: string, processors: readonly number[]): ChildProcess =>
      startProcess(processors, [
        ledger.file,
        join(path, name),
        `${sizes.verifierFrom}`,
        `${sizes.verifierUntil}`,
      ]);
    const [two, one] = [start("two", [first, second]), start("one", [first])];
    try {
      return await compareCores({ two, one }, ledger.count, sizes);
    } finally {
      for (const child of [two, one]) child.disconnect();
    }
  });
}

async function compareCores(
  { two, one }: { readonly two: ChildProcess; readonly one: ChildProcess },
  count: number,
  { warmUp, window, verifierUntil }: Sizes,
): Promise<readonly BenchRow[]> {
  const take = async (child: ChildProcess, records: number): Promise<Window> => {
    const measured = nextMessage<Window>(child, "the process that replicates");
    child.send(records);
    return measured;
  };
  const windows: Record<"ours" | "base", Window[]> = { ours: [], base: [] };
  const side = (name: "ours" | "base", child: ChildProcess) => async (): Promise<number> => {
    const measured = await take(child, window);
    windows[name].push(measured);
    return measured.recordsPerSecond;
  };
  const busiest = (name: "ours" | "base") => (): number => {
    const { committingMicros = Number.NaN, verifyingMicros = 0 } = windows[name].at(-1) ?? {};
    return 1e6 / Math.max(committingMicros, verifyingMicros);
  };
  await take(two, warmUp);
  await take(one, warmUp);
  // The harness warms up with one round more.
  const rounds = Math.floor((count - verifierUntil - warmUp) / window) - 1;
  const rows = await compareAll(
    {
      ours: side("ours", two),
      base: side("base", one),
      oursCpu: busiest("ours"),
      baseCpu: busiest("base"),
    },
    [
      { name: NAME, ours: "ours", base: "base", unit: "records/s", basis: "clock", target: { min: 1.6 } },
      // Without the waits of each for the other and for the disk: what better pipelining could reach.
      { name: CPU_NAME, ours: "oursCpu", base: "baseCpu", unit: "records/s" },
    ],
    { rounds, inOrder: true, budget: 2 },
  );
  const micros = (name: "ours" | "base", field: keyof Window): string =>
    median(windows[name].map((measured) => measured[field])).toFixed(0);
  const note = `µs of processor time a record: ${micros("ours", "committingMicros")} to commit and ${micros("ours", "verifyingMicros")} to verify, in one process ${micros("base", "committingMicros")}`;
  return rows.map((row) => (row.name === CPU_NAME ? { ...row, note } : row));
}

/** A local chain's records in a file, made once. */
async function makeLedger(blocks: number): Promise<{ readonly file: string; readonly count: number }> {
  const file = join(CACHE, `replication-${blocks}.bin`);
  if (!existsSync(file)) {
    const run = await new ChainRun(createLocalChain({ seed: "replication" }), createMemoryStore()).start();
    await run.steps(blocks);
    await mkdir(CACHE, { recursive: true });
    await writeFile(`${file}.draft`, encodePage(await readRecords(run.store)));
    await rename(`${file}.draft`, file);
  }
  return { file, count: new BcsReader(await readFile(file)).uleb() };
}

function startProcess(processors: readonly number[], args: readonly string[]): ChildProcess {
  const command = ["-c", processors.join(","), process.execPath, "--import", LOADER, PROCESS, ...args];
  return spawn("taskset", command, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
}

function hasTaskset(): boolean {
  return process.platform === "linux" && spawnSync("taskset", ["--version"]).error === undefined;
}

/** Numbers of the processors that this process may use. */
function allowedProcessors(): number[] {
  const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "";
  return list.split(",").flatMap((range) => {
    const [from = Number.NaN, to = from] = range.split("-").map(Number);
    return Array.from({ length: to - from + 1 }, (_, i) => from + i);
  });
}
