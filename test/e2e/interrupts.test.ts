// Commands that walk or back up a whole store, stopped half-way: they end with the exit code of the signal, together with
// their helper process, leave no reader slot, and do not block the next run. Each process is frozen once it works, so
// that it cannot finish before the signal arrives.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { outputOf } from "../support/children.ts";
import { runCommand } from "../support/command.ts";
import { startProgram } from "../support/program.ts";
import { readerPids } from "../support/reader-slots.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const bin = fileURLToPath(new URL("../../bin/sextant.js", import.meta.url));
const folder = temporaryFolder();
const data = join(folder, "data");
/** Enough to be found at work: some 1,000 versions. */
const BLOCKS = 200;
const CODES = { SIGINT: 130, SIGTERM: 143 } as const;

interface Run {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

const started = new Set<ChildProcess>();
/** Readers that were frozen: they outlive a run that a failed test leaves behind. */
const frozen = new Set<number>();
afterEach(() => {
  for (const child of started) child.kill("SIGKILL");
  for (const pid of frozen) if (isRunning(pid)) process.kill(pid, "SIGKILL");
  started.clear();
  frozen.clear();
});

/** Starts a command in a new process group, as a shell does. */
function launch(...args: readonly string[]): Run {
  const child = spawn(process.execPath, [bin, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  started.add(child);
  const output = outputOf(child);
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, ...output }));
  return { child, pid: child.pid ?? 0, ended };
}

/** True while a process runs; false for a zombie. */
function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !"ZX".includes(stat.slice(stat.lastIndexOf(")") + 2)[0] ?? "");
  } catch {
    return false;
  }
}

/** The process of a run that reads the store: the run itself, or its child. */
function readerOf(pid: number): Promise<number> {
  return until(() => {
    const own = [pid, ...childrenOf(pid)];
    return readerPids(data).find((reader) => own.includes(reader));
  });
}

function childrenOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  return existsSync(file) ? readFileSync(file, "utf8").split(" ").filter(Boolean).map(Number) : [];
}

/** Files that a process has open; none after its end. */
function countFiles(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

/**
 * Freezes the reader of a run once it reads, sends the signal, and resumes it. A child resumes only after its parent has
 * handled the signal: the parent closed the channel between them, or ended.
 */
async function stopReading(run: Run, send: () => void): Promise<number> {
  const reader = await readerOf(run.pid);
  process.kill(reader, "SIGSTOP");
  frozen.add(reader);
  const files = countFiles(run.pid);
  send();
  if (reader !== run.pid) await until(() => countFiles(run.pid) < files);
  process.kill(reader, "SIGCONT");
  return reader;
}

/** Checks that a run left no process and no slot. The store has no writer, so nothing else clears slots. */
async function expectGone(run: Run, reader: number): Promise<void> {
  await until(() => !isRunning(run.pid) && !isRunning(reader));
  expect(readerPids(data)).toEqual([]);
}

describe.skipIf(process.platform !== "linux")("a command stopped half-way", () => {
  beforeAll(async () => {
    const blocks = ["--block-time", "0", "--blocks", `${BLOCKS}`];
    const node = await startProgram(["--data", data, ...blocks, "--prune-window", "off"]);
    await until(async () => {
      const info = (await (await fetch(`${node.url}/info`)).json()) as { block_height: string };
      return Number(info.block_height) >= BLOCKS;
    });
    expect((await node.stop()).code).toBe(0);
  });

  it.each(Object.entries(CODES))(
    "check exits cleanly on %s, together with its child",
    async (signal, code) => {
      const run = launch("check", "--data", data);
      const reader = await stopReading(run, () => process.kill(run.pid, signal));
      expect(reader).not.toBe(run.pid);
      expect(await run.ended).toEqual({
        code,
        stdout: "",
        stderr: `sextant: stopped by ${signal}\n`,
      });
      await expectGone(run, reader);
    },
  );

  it("check exits cleanly on Ctrl-C, which its child gets too", async () => {
    const run = launch("check", "--data", data);
    const reader = await stopReading(run, () => process.kill(-run.pid, "SIGINT"));
    expect(await run.ended).toEqual({ code: 130, stdout: "", stderr: "sextant: stopped by SIGINT\n" });
    await expectGone(run, reader);
  });

  it("a killed check leaves no reading child", async () => {
    const run = launch("check", "--data", data);
    const reader = await stopReading(run, () => process.kill(run.pid, "SIGKILL"));
    // A child that finished would have written its report here.
    expect(await run.ended).toEqual({ code: null, stdout: "", stderr: "" });
    await expectGone(run, reader);
  });

  it("check --in-process exits cleanly on SIGTERM", async () => {
    const run = launch("check", "--in-process", "--data", data);
    const reader = await stopReading(run, () => process.kill(run.pid, "SIGTERM"));
    expect(reader).toBe(run.pid);
    expect(await run.ended).toEqual({ code: 143, stdout: "", stderr: "sextant: stopped by SIGTERM\n" });
    await expectGone(run, reader);
  });

  it("backup exits cleanly on SIGINT, and the next one resumes", async () => {
    const to = join(folder, "backup");
    const run = launch("backup", "--data", data, "--to", to);
    const draft = join(to, ".partial", "data.mdb");
    await until(() => existsSync(draft) && statSync(draft).size > 0);
    process.kill(run.pid, "SIGSTOP");
    process.kill(run.pid, "SIGINT");
    process.kill(run.pid, "SIGCONT");
    expect(await run.ended).toMatchObject({
      code: 130,
      stdout: "",
      stderr: expect.stringContaining("sextant: stopped by SIGINT; the same command resumes from here\n"),
    });
    await expectGone(run, run.pid);
    expect(readdirSync(to)).toEqual([".partial"]);
    const again = await runCommand(["backup", "--data", data, "--to", to, "--json"]);
    expect(again).toMatchObject({ code: 0 });
    expect((JSON.parse(again.stdout) as { kept_bytes: number }).kept_bytes).toBeGreaterThan(0);
  });

  it("restore exits cleanly on SIGINT, and the next one resumes", async () => {
    const [from, to] = [join(folder, "restored-from"), join(folder, "restored")];
    expect(await runCommand(["backup", "--data", data, "--to", from])).toMatchObject({ code: 0 });
    const run = launch("restore", "--from", from, "--data", to);
    const draft = join(to, ".partial", "data.mdb");
    await until(() => existsSync(draft) && statSync(draft).size > 0);
    process.kill(run.pid, "SIGSTOP");
    process.kill(run.pid, "SIGINT");
    process.kill(run.pid, "SIGCONT");
    expect(await run.ended).toMatchObject({ code: 130, stdout: "" });
    expect(readdirSync(to)).toEqual([".partial"]);
    expect(await runCommand(["restore", "--from", from, "--data", to])).toMatchObject({ code: 0 });
  });

  it("rewind exits cleanly on SIGINT, and the next one resumes", async () => {
    const run = launch("rewind", "--data", data, "--to", "0");
    const reader = await stopReading(run, () => process.kill(run.pid, "SIGINT"));
    expect(await run.ended).toMatchObject({
      code: 130,
      stdout: "",
      stderr: expect.stringContaining("sextant: stopped by SIGINT; the same command resumes from here\n"),
    });
    await expectGone(run, reader);
    const again = await runCommand(["rewind", "--data", data, "--to", "0", "--json"]);
    expect(again).toMatchObject({ code: 0 });
    expect(JSON.parse(again.stdout)).toMatchObject({ ledger_version: "0", block_height: "0" });
  });
});

describe.skipIf(process.platform !== "linux")("a reader killed while a node runs", () => {
  it("leaves a slot that the node clears", async () => {
    const live = join(folder, "live");
    const node = await startProgram(["--data", live, "--block-time", "20ms", "--log-level", "info"]);
    const run = launch("check", "--in-process", "--data", live);
    await until(() => readerPids(live).includes(run.pid));
    run.child.kill("SIGKILL");
    await run.ended;
    await until(() => !readerPids(live).includes(run.pid));
    await until(() => node.stderr().includes("cleared the slots of dead readers"));
    expect((await node.stop()).code).toBe(0);
  });
});
