// Verified replication on two processors over one: the same program in two processes, one of which may use a single
// processor only. Judged by the clock, so the machine must have two processors idle.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { encodePage } from "../test/support/recorded-upstream.ts";
import { type BenchRow, compare, median, toPlainRow } from "./harness.ts";
import type { Measured } from "./replication.ts";

const NAME = "verified replication, wall time with two cores over one";
const PROCESS = fileURLToPath(new URL("./replication-process.ts", import.meta.url));
/** With fewer idle processors nothing is judged. */
const IDLE_PROCESSORS = 1.7;
const LOOK_MS = 500;

/** The row of two processors. */
export async function compareCores(path: string, records: readonly Uint8Array[]): Promise<BenchRow> {
  const [first, second] = hasTaskset() ? allowedProcessors() : [];
  const idle = await idleProcessors();
  if (first === undefined || second === undefined) {
    const note = "not judged: it needs two processors, and taskset to give a process one of them";
    return toPlainRow(NAME, Number.NaN, 1, { unit: "records/s", basis: "clock", note });
  }
  const file = join(path, "records.bin");
  await writeFile(file, encodePage(records));
  const [two, one] = [start([first, second], file), start([first], file)];
  const cpu: Record<"ours" | "base", number[]> = { ours: [], base: [] };
  let turn = 0;
  const side = (name: "ours" | "base", child: ChildProcess) => async (): Promise<number> => {
    child.send(join(path, `${name}-on-cores-${turn++}`));
    const [measured] = (await once(child, "message")) as [Measured];
    cpu[name].push(1e6 / measured.cpuRate);
    return measured.rate;
  };
  try {
    const row = await compare(
      NAME,
      { ours: side("ours", two), base: side("base", one) },
      {
        unit: "records/s",
        basis: "clock",
        ...(idle < IDLE_PROCESSORS ? {} : { target: { min: 1.6 } }),
      },
    );
    const each = `${median(cpu.ours).toFixed(0)} and ${median(cpu.base).toFixed(0)} µs of processor time a record`;
    const reason = idle < IDLE_PROCESSORS ? `not judged: ${idle.toFixed(1)} processors idle; ` : "";
    return { ...row, note: `${reason}${each}` };
  } finally {
    for (const child of [two, one]) child.disconnect();
  }
}

function start(processors: readonly number[], file: string): ChildProcess {
  const child = spawn(
    "taskset",
    ["-c", processors.join(","), process.execPath, "--import", "tsx", PROCESS, file],
    {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    },
  );
  child.once("exit", (code) => {
    if (code !== 0) throw new Error(`the process that replicates ended with ${code}`);
  });
  return child;
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

/** How many processors did nothing for a moment. */
async function idleProcessors(): Promise<number> {
  const total = (): { idle: number; all: number } => {
    const times = cpus().map((cpu) => cpu.times);
    const idle = times.reduce((sum, time) => sum + time.idle, 0);
    const all = times.reduce((sum, time) => sum + time.idle + time.user + time.sys + time.nice + time.irq, 0);
    return { idle, all };
  };
  const before = total();
  await setTimeout(LOOK_MS);
  const after = total();
  return (cpus().length * (after.idle - before.idle)) / (after.all - before.all);
}
