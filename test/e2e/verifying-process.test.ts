// The process that verifies pages for a follower, for real: over a store on disk, killed in the middle, and left by its
// follower.
import { execFileSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { silentLogger } from "../../src/base/log.ts";
import { startVerifyingProcess } from "../../src/node/following/verifying-process.ts";
import type { VerifierStarter } from "../../src/node/store-engine.ts";
import { checkData } from "../../src/node/tools/store-tools.ts";
import type { Store } from "../../src/store/contract.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { Committer } from "../../src/sync/committer.ts";
import { Follower } from "../../src/sync/follow/follower.ts";
import { VerdictReader } from "../../src/sync/verify/verified-page.ts";
import { positionOf, recordChain, recorded, untilVersion } from "../support/follow.ts";
import { encodePage } from "../support/recorded-upstream.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const { records } = await recordChain(60);
const head = BigInt(records.length - 1);
/** With room for few nodes of the state tree, it reads the store again and again. */
const verification = { bounds: {}, keepsChanges: false, treeBytes: 10_000 };

/** A store, and what starts verifying processes for it, however many processors the machine has. */
async function open(path: string): Promise<{ store: Store; startVerifier: VerifierStarter }> {
  const startVerifier: VerifierStarter = (version, how, signal) =>
    startVerifyingProcess({ path, version, verification: how }, { logger: silentLogger, signal });
  return { store: await openLmdbStore({ path }), startVerifier };
}

/** Process ids of the verifying processes that this process started. */
function verifying(): number[] {
  const lines = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n");
  return lines.flatMap((line) => {
    const [pid, parent, ...command] = line.trim().split(/\s+/);
    const isOurs = Number(parent) === process.pid && command.join(" ").includes("verifying-main");
    return isOurs ? [Number(pid)] : [];
  });
}

function followWith(store: Store, startVerifier: VerifierStarter): Follower {
  const committer = new Committer({ store, logger: silentLogger });
  return new Follower({
    upstreams: [recorded(records)],
    committer,
    ledger: store,
    logger: silentLogger,
    startVerifier: ({ version }, signal) => startVerifier(version, committer.verification, signal),
    pace: { pageLimit: 5, verifierFromVersions: 60n, verifierUntilVersions: 10n },
  });
}

it.each([false, true])(
  "a follower reaches the head with it, and without it when it is killed: %s",
  async (isKilled) => {
    const path = join(temporaryFolder(), "store");
    const { store, startVerifier } = await open(path);
    let started = 0;
    const follower = followWith(store, async (...args) => {
      const remote = await startVerifier(...args);
      started++;
      expect(verifying()).toHaveLength(1);
      if (!isKilled || started > 1) return remote;
      const verify = async (page: Uint8Array): Promise<Uint8Array | undefined> => {
        const verdict = await remote.verify(page);
        for (const pid of verifying()) process.kill(pid, "SIGKILL");
        return verdict;
      };
      const { committed, sent, close } = remote;
      return {
        verify,
        committed: committed.bind(remote),
        sent: sent.bind(remote),
        close: close.bind(remote),
      };
    });
    await untilVersion(store, head);
    await follower.close();
    expect(started).toBeGreaterThan(0);
    await until(() => verifying().length === 0);
    await store.close();
    const report = await checkData(path);
    expect(report).toMatchObject({ findings: [], version: head });
  },
);

it("it reads what was committed since, refuses a page that does not follow, and gives no verdict after that", async () => {
  const path = join(temporaryFolder(), "store");
  const { store, startVerifier } = await open(path);
  const committer = new Committer({ store, logger: silentLogger });
  await committer.append(records.slice(0, 1));
  const { signal } = new AbortController();
  await expect(startVerifier(7n, verification, signal)).rejects.toThrow("expected a store at version 7");
  expect(verifying()).toEqual([]);
  const remote = await startVerifier(0n, verification, signal);
  const reader = new VerdictReader((await positionOf(store))?.chainId ?? 0);
  const pages = Array.from({ length: 10 }, (_, i) => encodePage(records.slice(1 + 15 * i, 16 + 15 * i)));
  const verdicts = pages.map((page) => remote.verify(page));
  for (const [i, page] of pages.entries()) {
    const verdict = await verdicts[i];
    if (verdict === undefined) throw new Error(`page ${i} has no verdict`);
    const { version } = await committer.commitVerified(await reader.read(page, verdict));
    remote.committed(version);
  }
  expect(await remote.verify(encodePage(records.slice(152, 160)))).toBeUndefined();
  expect(await remote.verify(encodePage(records.slice(151, 160)))).toBeUndefined();
  await remote.close();
  expect(verifying()).toEqual([]);
  expect((await positionOf(store))?.version).toBeGreaterThan(140n);
  await store.close();
});

it("it ends with its follower, also while it starts, and also when it does not answer", async () => {
  const path = join(temporaryFolder(), "store");
  const { store, startVerifier } = await open(path);
  await new Committer({ store, logger: silentLogger }).append(records.slice(0, 1));
  const early = new AbortController();
  const starting = startVerifier(0n, verification, early.signal);
  early.abort();
  await expect(starting).rejects.toThrow("it was closed");
  expect(verifying()).toEqual([]);

  const stop = new AbortController();
  const remote = await startVerifier(0n, verification, stop.signal);
  for (const pid of verifying()) process.kill(pid, "SIGSTOP");
  const verdict = remote.verify(encodePage(records.slice(1, 20)));
  stop.abort();
  expect(await verdict).toBeUndefined();
  await remote.close();
  expect(verifying()).toEqual([]);
  await store.close();
});

/** More would take long, and might leave none to other processes. */
const MAX_FILES = 200_000;

it("it says why it cannot be created", async (context) => {
  const opened: number[] = [];
  try {
    while (opened.length < MAX_FILES) opened.push(openSync(devNull, "r"));
  } catch {
    // All are open.
  }
  try {
    if (opened.length === MAX_FILES) context.skip(`a process may open more than ${MAX_FILES} files here`);
    const setup = { path: temporaryFolder(), version: 0n, verification };
    const starting = startVerifyingProcess(setup, {
      logger: silentLogger,
      signal: new AbortController().signal,
    });
    await expect(starting).rejects.toThrow(/the verifying process did not start: spawn .* EMFILE/);
  } finally {
    for (const file of opened) closeSync(file);
  }
});
