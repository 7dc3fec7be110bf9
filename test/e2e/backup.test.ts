// Interrupted backups: the program is killed while it copies, checks or renames, its partial copy is damaged, and the
// next run must still finish a sound backup without copying intact parts again.
import { type ChildProcess, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_SEED } from "../../src/node/options/local-chain-options.ts";
import { createNode } from "../../src/node.ts";
import { CHUNK_BYTES } from "../../src/store/lmdb/backup.ts";
import { endWithTest, outputOf } from "../support/children.ts";
import { runCommand } from "../support/command.ts";
import { type Running, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";

const folder = temporaryFolder();
const bin = fileURLToPath(new URL("../../bin/sextant.js", import.meta.url));
const data = join(folder, "live");
const PAGE_BYTES = 4096;
const steady = ["--block-time", "50ms", "--prune-window", "900", "--log-level", "error"];
/** Blocks of the store that is backed up: enough for several chunks. */
const BLOCKS = 250;
/** Kills while a node writes; more with SEXTANT_KILLS. */
const KILLS = Number(process.env.SEXTANT_KILLS ?? "2");

interface Report {
  readonly version: string;
  readonly bytes: number;
  readonly written_bytes: number;
  readonly kept_bytes: number;
}

async function backup(to: string): Promise<Report> {
  const run = await runCommand(["backup", "--data", data, "--to", to, "--json"]);
  expect(run).toMatchObject({ code: 0 });
  return JSON.parse(run.stdout) as Report;
}

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

function changeOf(file: string): number {
  return existsSync(file) ? statSync(file).mtimeMs : 0;
}

function startBackup(to: string): ChildProcess {
  const args = [bin, "backup", "--data", data, "--to", to];
  return endWithTest(spawn(process.execPath, args, { stdio: "ignore" }));
}

/** Starts a backup and kills it as soon as the condition holds; false if it finished first. */
async function killWhen(to: string, holds: () => boolean): Promise<boolean> {
  const child = startBackup(to);
  const ended = new Promise((resolve) => child.once("close", resolve));
  while (child.exitCode === null && !holds()) await sleep(1);
  child.kill("SIGKILL");
  await ended;
  return child.signalCode === "SIGKILL";
}

/** Runs a backup with a limit on the size of files. */
async function backupWithin(to: string, bytes: number): Promise<{ code: number | null; stderr: string }> {
  const command = [process.execPath, bin, "backup", "--data", data, "--to", to];
  const args = ["-c", `ulimit -f ${bytes / 1024}; exec "$@"`, "bash", ...command];
  const child = endWithTest(spawn("bash", args));
  const output = outputOf(child);
  await new Promise((resolve) => child.once("close", resolve));
  return { code: child.exitCode, stderr: output.stderr };
}

/** The directory must not look like a backup or a store. */
async function expectUnfinished(to: string): Promise<void> {
  expect(readdirSync(to).filter((name) => name !== ".partial")).toEqual([]);
  expect((await runCommand(["restore", "--from", to, "--data", join(folder, "never")])).code).toBe(2);
  expect((await runCommand(["check", "--in-process", "--data", to])).code).toBe(2);
}

/** Restores a backup, which checks all of it, and opens the restored store as a writer. */
async function expectRestorable(from: string, { version }: Report): Promise<void> {
  const restored = join(folder, "restored");
  rmSync(restored, { recursive: true, force: true });
  const run = await runCommand(["restore", "--from", from, "--data", restored, "--json"]);
  expect(run).toMatchObject({ code: 0 });
  expect(JSON.parse(run.stdout)).toMatchObject({ version });
  const node = await createNode({ data: restored, localChain: { seed: DEFAULT_SEED, traffic: false } });
  expect(`${(await node.info()).ledger_version}`).toBe(version);
  await node.close();
}

function flipByte(file: string, at: number): void {
  const handle = openSync(file, "r+");
  const byte = Buffer.alloc(1);
  readSync(handle, byte, 0, 1, at);
  writeSync(handle, Buffer.from([(byte[0] ?? 0) ^ 0x10]), 0, 1, at);
}

async function untilHeight(node: Running, height: number): Promise<void> {
  for (;;) {
    const info = (await (await fetch(`${node.url}/info`)).json()) as { block_height: string };
    if (Number(info.block_height) >= height) return;
    await sleep(50);
  }
}

describe("an interrupted backup", () => {
  beforeAll(async () => {
    const blocks = ["--block-time", "0", "--blocks", `${BLOCKS}`];
    const node = await startProgram(["--data", data, ...blocks, "--prune-window", "off"]);
    await untilHeight(node, BLOCKS);
    expect((await node.stop()).code).toBe(0);
  });

  it("resumes, and rewrites parts damaged in between", async () => {
    const to = join(folder, "still");
    const draft = join(to, ".partial", "data.mdb");
    const whole = statSync(join(data, "data.mdb")).size;
    expect(whole).toBeGreaterThan(4 * CHUNK_BYTES);
    // Out of space twice, the second time further on; then killed while it checks.
    for (const chunks of [1, 3]) {
      const run = await backupWithin(to, chunks * CHUNK_BYTES);
      expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining("no space left") });
      expect(sizeOf(draft)).toBe(chunks * CHUNK_BYTES);
    }
    expect(await killWhen(to, () => sizeOf(draft) === whole)).toBe(true);
    await expectUnfinished(to);

    flipByte(draft, Math.floor(1.5 * CHUNK_BYTES));
    const report = await backup(to);
    expect(report.written_bytes).toBe(PAGE_BYTES);
    expect(report.kept_bytes).toBe(report.bytes - PAGE_BYTES);
    expect(readdirSync(to).sort()).toEqual(["backup.json", "data.mdb"]);

    // As if killed between the renames, when only the last one was missing.
    mkdirSync(join(to, ".partial"));
    renameSync(join(to, "backup.json"), join(to, ".partial", "backup.json"));
    expect((await runCommand(["restore", "--from", to, "--data", join(folder, "never")])).code).toBe(2);
    const again = await backup(to);
    expect(again).toMatchObject({ version: report.version, written_bytes: 0, kept_bytes: report.bytes });
    await expectRestorable(to, again);
    // What is in the way, or no backup, is refused.
    for (const args of [
      ["backup", "--data", data, "--to", to],
      ["restore", "--from", to, "--data", data],
      ["restore", "--from", data, "--data", join(folder, "never")],
    ])
      expect((await runCommand(args)).code, args[0]).toBe(2);

    // Restoring finds damage of a finished backup at any byte.
    const file = join(to, "data.mdb");
    for (const at of [0, Math.floor(report.bytes / 2), report.bytes - 1]) {
      flipByte(file, at);
      const run = await runCommand(["restore", "--from", to, "--data", join(folder, "never")]);
      expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining("damaged") });
      expect(existsSync(join(folder, "never", "data.mdb"))).toBe(false);
      flipByte(file, at);
    }
  });

  it("ends as a sound snapshot however often it is killed while a node writes and prunes", {
    timeout: 600_000 + 10_000 * KILLS,
  }, async () => {
    const node = await startProgram(["--data", data, ...steady]);
    const to = join(folder, "moving");
    const draft = join(to, ".partial", "data.mdb");
    const started = performance.now();
    const first = await backup(join(folder, "timed"));
    const wholeMs = performance.now() - started;
    let kills = 0;
    for (let tries = 0; tries < KILLS || (kills === 0 && tries < 10 * KILLS); tries++) {
      // Alternately at any moment and as soon as it writes.
      const at = performance.now() + Math.random() * wholeMs;
      const before = changeOf(draft);
      const moment = (): boolean => (tries % 2 === 0 ? performance.now() >= at : changeOf(draft) !== before);
      if (await killWhen(to, moment)) kills++;
      if (!existsSync(join(to, "backup.json"))) continue;
      // It finished first: check its backup and start over.
      await expectRestorable(to, JSON.parse(readFileSync(join(to, "backup.json"), "utf8")) as Report);
      rmSync(to, { recursive: true });
    }
    // If the last try finished, or was killed before its first chunk, there is nothing to resume.
    const wasBegun = sizeOf(draft) >= CHUNK_BYTES;
    const report = await backup(to);
    expect((await node.stop()).code).toBe(0);
    expect(BigInt(report.version)).toBeGreaterThan(BigInt(first.version));
    await expectRestorable(to, report);
    console.log(`kills ${kills}; at last ${report.kept_bytes} bytes kept, ${report.written_bytes} written`);
    expect(kills).toBeGreaterThan(0);
    if (wasBegun) expect(report.kept_bytes).toBeGreaterThan(0);
  });

  it("is not worked on by two at once", async () => {
    const to = join(folder, "shared");
    const child = startBackup(to);
    const ended = new Promise((resolve) => child.once("close", resolve));
    while (!existsSync(join(to, ".partial", "data.mdb"))) await sleep(1);
    child.kill("SIGSTOP");
    const second = await runCommand(["backup", "--data", data, "--to", to]);
    expect(second).toMatchObject({
      code: 75,
      stderr: expect.stringContaining(`process ${child.pid} is working`),
    });
    child.kill("SIGKILL");
    await ended;
    await backup(to);
  });
});
