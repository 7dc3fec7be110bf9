// Rewinds: killed at random moments, refused while another process writes, and finished after a kill before anything else
// may write.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { silentLogger } from "../../src/base/log.ts";
import { ANCHORED, compareTrust, trustAt } from "../../src/ledger/trust.ts";
import { checkData } from "../../src/node/tools/store-tools.ts";
import type { Store, StoreView } from "../../src/store/contract.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { Committer } from "../../src/sync/committer.ts";
import { endWithTest } from "../support/children.ts";
import { runCommand } from "../support/command.ts";
import { type Running, startProgram } from "../support/program.ts";
import { HISTORY_KEYS, RandomHistory } from "../support/random-history.ts";
import { createRandom } from "../support/synthetic-ledger.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { AS_BUILT } from "../support/typescript.ts";
import { until } from "../support/until.ts";

/** More with SEXTANT_KILLS. */
const KILLS = Number(process.env.SEXTANT_KILLS ?? "5");
const SEED = 20_261_115;
const VERSIONS = 240;
const STEP_WRITES = 20;
const rewinder = fileURLToPath(new URL("../support/store-rewinder.ts", import.meta.url));
const folder = temporaryFolder();

type Rewinder = ChildProcessByStdio<Writable, Readable, null>;

/** Starts a process that waits for the version to rewind to. */
function startRewinder(path: string): Rewinder {
  const args = [...AS_BUILT, rewinder, path, `${STEP_WRITES}`];
  return endWithTest(spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] }));
}

/** Lets it work, and kills it some time after the given number of steps. Returns how many it reported. */
async function runAndKill(child: Rewinder, to: bigint, steps: number, delayMs: number) {
  const ended = once(child, "exit");
  child.stdin.write(`${to}\n`);
  const run = { steps: 0, isDone: false };
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith("step")) run.steps++;
    if (line === "done") run.isDone = true;
    const isTime = line === "open" ? steps === 0 : run.steps === steps;
    if (isTime) setTimeout(() => child.kill("SIGKILL"), delayMs);
  }
  await ended;
  return run;
}

async function inStore<T>(path: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openLmdbStore({ path });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function commit(store: Store, history: RandomHistory): Promise<void> {
  const committer = new Committer({ store, logger: silentLogger });
  await committer.append(history.records.slice(Number(await committer.nextVersion())));
}

async function expectStates(view: StoreView, history: RandomHistory): Promise<void> {
  for (let at = 0n; at <= view.position.version; at++) {
    const items = await view.getItems(HISTORY_KEYS, at);
    expect(items.map((item) => item?.value && Buffer.from(item.value).toString())).toEqual(
      history.states[Number(at)]?.map((value) => value && Buffer.from(value).toString()),
    );
  }
}

it(`loses nothing below the target in ${KILLS} kills during rewinds, and finishes each`, async () => {
  const path = join(folder, "killed");
  const random = createRandom(SEED);
  let history = new RandomHistory(SEED).grow(VERSIONS);
  const anchor = { version: history.head, hash: new Uint8Array(32).fill(3) };
  await inStore(path, async (store) => {
    await commit(store, history);
    await new Committer({ store, logger: silentLogger }).noteMatchedWaypoint(anchor);
  });
  const total = { kills: 0, steps: 0, finished: 0, halfway: 0 };
  const pickTarget = () => history.blockEnds[random() % (history.blockEnds.length >> 1)] ?? 0n;
  let to = pickTarget();
  let next = startRewinder(path);
  // Each process gets on from where the one before it was killed, so one of them finishes.
  while (total.kills < KILLS || total.finished === 0) {
    const child = next;
    // The next process loads its code meanwhile.
    next = startRewinder(path);
    const run = await runAndKill(child, to, random() % 10, random() % 12);
    total.kills++;
    total.steps += run.steps;
    expect((await checkData(path)).findings).toEqual([]);
    await inStore(path, async (store) => {
      const raw = await store.openRawView();
      const view = await store.openView();
      const { version, refuted, trust } = view.position;
      expect(version).toBeGreaterThanOrEqual(to);
      await expectStates(raw, history);
      const isUntouched = refuted === undefined && version === history.head;
      const isFinished = refuted === undefined && version === to;
      expect(compareTrust(trustAt(trust, version), ANCHORED)).toBe(
        isUntouched || version <= to || refuted ? 0 : -1,
      );
      if (run.isDone) expect(isFinished).toBe(true);
      if (!isUntouched && !isFinished) {
        total.halfway++;
        expect(refuted?.firstVersion).toBe(to + 1n);
        await expect(async () => view.getItems(HISTORY_KEYS, to + 1n)).rejects.toThrow(`--to ${to}`);
        await expect(commit(store, history)).rejects.toThrow("takes no commits");
      }
      raw.release();
      view.release();
      if (!isFinished) return;
      // Another history comes instead, at its own level.
      total.finished++;
      history = history.fork(to, random()).grow(VERSIONS - Number(to));
      await commit(store, history);
      await new Committer({ store, logger: silentLogger }).noteMatchedWaypoint({
        ...anchor,
        version: history.head,
      });
      to = pickTarget();
    });
  }
  console.log(`rewind kills: ${JSON.stringify(total)}`);
  expect(total.steps).toBeGreaterThan(0);
  expect(total.halfway).toBeGreaterThan(0);
});

describe("sextant rewind", () => {
  const data = join(folder, "data");
  const chain = ["--data", data, ..."--seed rewind --block-time 0 --blocks 20 --prune-window off".split(" ")];

  const infoOf = async ({ url }: Running) =>
    (await (await fetch(`${url}/info`)).json()) as Readonly<Record<string, string>>;

  /** Runs a node, which makes 20 blocks more, up to a height. Returns the last versions of all blocks. */
  async function fill(height: number): Promise<{ version: bigint; ends: bigint[] }> {
    const node = await startProgram(chain);
    await until(async () => Number((await infoOf(node)).block_height) >= height);
    // The node is the writer.
    const refused = await runCommand(["rewind", "--data", data, "--to", "0"]);
    expect(refused).toMatchObject({ code: 75, stdout: "" });
    expect(refused.stderr).toContain("writes to the store");
    expect((await node.stop()).code).toBe(0);
    return inStore(data, async (store) => {
      const view = await store.openView();
      const ends: bigint[] = [];
      const { version, blockHeight } = view.position;
      for (let at = 0n; at <= blockHeight; at++) {
        ends.push((await view.getBlockByHeight(at))!.lastVersion);
      }
      view.release();
      return { version, ends };
    });
  }

  it("returns to a block, from which a node goes on; refuses versions, stores and writers it cannot serve", async () => {
    const { version, ends } = await fill(20);
    const to = ends[12]!;
    const inside = ends.find((end, i) => i > 0 && end - ends[i - 1]! > 1n)! - 1n;
    const refusals: readonly (readonly [string, string[]])[] = [
      ["--to: expected the last version of a block", ["--data", data]],
      ["--to: expected the last version of a block", ["--data", data, "--to", "-1"]],
      ["--to: expected the last version of a block", ["--data", data, "--to", `${inside}`]],
      [`--to: expected a kept version, 0 to ${version}`, ["--data", data, "--to", `${version + 1n}`]],
      ["there is no store at", ["--data", join(folder, "none"), "--to", "5"]],
      ["engine memory", ["--store", "memory", "--to", "5"]],
    ];
    for (const [message, args] of refusals) {
      const run = await runCommand(["rewind", ...args]);
      expect(run).toMatchObject({ code: 2, stdout: "" });
      expect(run.stderr).toContain(message);
      expect(run.stderr.trim().split("\n")).toHaveLength(1);
    }
    const done = await runCommand(["rewind", "--data", data, "--to", `${to}`, "--json"]);
    expect(done).toMatchObject({ code: 0 });
    expect(JSON.parse(done.stdout)).toEqual({
      chain_id: 4,
      ledger_version: `${to}`,
      block_height: "12",
      versions_removed: `${version - to}`,
    });
    const checked = await runCommand(["check", "--in-process", "--data", data, "--json"]);
    expect(JSON.parse(checked.stdout)).toMatchObject({ verdict: "sound", ledger_version: `${to}` });
    const { ends: after } = await fill(32);
    expect(after.slice(0, 13)).toEqual(ends.slice(0, 13));
  });

  it("must finish after a kill before a node starts; a reader serves what stays", async () => {
    const { ends } = await fill(52);
    const to = ends[10]!;
    const { steps } = await runAndKill(startRewinder(data), to, 2, 0);
    expect(steps).toBeGreaterThanOrEqual(2);
    const start = await runCommand(["start", "--port", "0", ...chain]);
    expect(start).toMatchObject({ code: 2, stdout: "" });
    expect(start.stderr).toContain(`run sextant rewind --to ${to} again to finish it`);
    const reader = await startProgram(["--data", data, "--read-only"], {}, "listening");
    const status = async (at: bigint) =>
      (await fetch(`${reader.url}/accounts/0x1/balance/0x1::aptos_coin::AptosCoin?ledger_version=${at}`))
        .status;
    expect([await status(to), await status(to + 1n)]).toEqual([200, 503]);
    expect((await fetch(`${reader.url}/-/ready`)).status).toBe(503);
    const done = await runCommand(["rewind", "--data", data, "--to", `${to}`]);
    expect(done).toMatchObject({ code: 0 });
    expect(done.stdout).toMatch(new RegExp(`ledger_version +${to}\n`));
    // The reader needs no restart.
    await until(async () => (await fetch(`${reader.url}/-/ready`)).status === 200);
    expect([await status(to), await status(to + 1n)]).toEqual([200, 404]);
    // The chain goes on with other blocks, which the reader does not confuse with those it had read.
    const { version: now } = await fill(30);
    await until(async () => (await infoOf(reader)).ledger_version === `${now}`);
    const other = await startProgram(["--data", data, "--read-only"]);
    expect((await infoOf(reader)).waypoint).toBe((await infoOf(other)).waypoint);
    expect((await infoOf(reader)).waypoint).toContain(`${now}:`);
    expect((await other.stop()).code).toBe(0);
    expect((await reader.stop()).code).toBe(0);
  });
});
