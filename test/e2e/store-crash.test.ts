// A writer is killed at random moments, many times: after each kill the store must open at a committed version, and every
// kept version must read exactly as written.
import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { checkView } from "../support/check-store.ts";
import { endWithTest } from "../support/children.ts";
import { createRandom, SyntheticLedger } from "../support/synthetic-ledger.ts";
import { AS_BUILT } from "../support/typescript.ts";

/** More with SEXTANT_KILLS; `npm run torture` kills the whole program, a thousand times. */
const KILLS = Number(process.env.SEXTANT_KILLS ?? "10");
const SEED = 20_260_131;
const KEYS = 24;
const KEEP = 60;
const writer = fileURLToPath(new URL("../support/store-writer.ts", import.meta.url));

interface Run {
  /** Last version that the writer reported as committed. */
  readonly committed: bigint;
  readonly commits: number;
  readonly prunes: number;
}

it(`is right after ${KILLS} kills during commits and pruning`, async () => {
  const path = await mkdtemp(join(tmpdir(), "sextant-crash-"));
  const random = createRandom(SEED);
  const ledger = new SyntheticLedger(SEED, KEYS);
  const total = { kills: 0, commits: 0, prunes: 0, reads: 0 };
  let head = -1n;
  let oldest = 0n;
  let next = startWriter(path);
  while (total.kills < KILLS) {
    const child = next;
    // The next process loads its code meanwhile.
    if (total.kills < KILLS - 1) next = startWriter(path);
    const run = await runAndKill(child, random() % 10, random() % 8);
    total.kills++;
    total.commits += run.commits;
    total.prunes += run.prunes;

    const store = await openLmdbStore({ path });
    if (store.identity === undefined) {
      expect(head).toBe(-1n);
      await store.close();
      continue;
    }
    const view = await store.openView();
    const { version, oldestVersion } = view.position;
    // Reported commits are durable; one more may have finished before its report.
    expect(version).toBeGreaterThanOrEqual(run.committed);
    expect(version).toBeGreaterThanOrEqual(head);
    expect(oldestVersion).toBeGreaterThanOrEqual(oldest);
    total.reads += await checkView(view, ledger, version);
    head = version;
    oldest = oldestVersion;
    view.release();
    await store.close();
  }
  await rm(path, { recursive: true });
  console.log(`crash test: ${JSON.stringify(total)}, head ${head}, oldest ${oldest}`);
  expect(total.commits).toBeGreaterThan(KILLS);
  expect(total.prunes).toBeGreaterThan(KILLS);
  expect(oldest).toBeGreaterThan(0n);
});

/** Starts a writer, which waits for input before it opens the store. */
function startWriter(path: string): ChildProcessByStdio<Writable, Readable, null> {
  const args = [...AS_BUILT, writer, path, `${SEED}`, `${KEYS}`, `${KEEP}`];
  return endWithTest(spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] }));
}

/** Starts the writer's work and kills it some milliseconds after the given number of commits and pruning steps. */
async function runAndKill(
  child: ChildProcessByStdio<Writable, Readable, null>,
  steps: number,
  delayMs: number,
): Promise<Run> {
  child.stdin.write("go\n");
  const ended = once(child, "exit");
  const run = { committed: -1n, commits: 0, prunes: 0 };
  const lines = createInterface({ input: child.stdout });
  let opened = false;
  for await (const line of lines) {
    const [what, version = "0"] = line.split(" ");
    if (what === "open") opened = true;
    if (what === "commit") {
      run.committed = BigInt(version);
      run.commits++;
    }
    if (what === "prune") run.prunes++;
    if (run.commits + run.prunes === steps) killLater(child, delayMs);
  }
  await ended;
  if (!opened) throw new Error("the writer could not open the store");
  return run;
}

function killLater(child: ChildProcess, delayMs: number): void {
  setTimeout(() => child.kill("SIGKILL"), delayMs);
}
