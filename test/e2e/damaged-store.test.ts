// One changed byte anywhere in a store's file: every read is right or fails, and no signal ends the process. And an upgrade
// of the format that is killed again and again loses nothing.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { checkView } from "../support/check-store.ts";
import { endWithTest } from "../support/children.ts";
import { toFormatOne } from "../support/format-one.ts";
import { SYNTHETIC_IDENTITY, SyntheticLedger } from "../support/synthetic-ledger.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { AS_BUILT } from "../support/typescript.ts";

/** More with SEXTANT_FLIPS: half of them fall on any byte, half on bytes that lmdb relies on. */
const FLIPS = Number(process.env.SEXTANT_FLIPS ?? "60");
/** More with SEXTANT_KILLS. */
const KILLS = Number(process.env.SEXTANT_KILLS ?? "8");
/** Changes the bytes; a run repeats with the same seed. */
const SEED = process.env.SEXTANT_SEED ?? "20261115";

const changer = fileURLToPath(new URL("../support/byte-changer.ts", import.meta.url));
const upgrader = fileURLToPath(new URL("../support/store-upgrader.ts", import.meta.url));

function startTool(tool: string, ...args: string[]): ChildProcessByStdio<null, Readable, null> {
  return endWithTest(
    spawn(process.execPath, [...AS_BUILT, tool, ...args], { stdio: ["ignore", "pipe", "inherit"] }),
  );
}

it(`answers right or not at all after each of ${FLIPS} changes of one byte`, {
  timeout: 600_000 + 4000 * FLIPS,
}, async () => {
  const child = startTool(changer, temporaryFolder(), SEED, `${FLIPS}`);
  const ended = once(child, "exit");
  const counts = { refused: 0, errors: 0, right: 0 };
  const wrong: string[] = [];
  let change = "";
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith("change")) change = line;
    else if (line in counts) counts[line as keyof typeof counts]++;
    else if (line.startsWith("WRONG")) wrong.push(`${change}: ${line}`);
  }
  expect(await ended, change).toEqual([0, null]);
  expect(wrong).toEqual([]);
  expect(counts.refused + counts.errors + counts.right).toBe(FLIPS);
  expect(counts.refused).toBeGreaterThan(FLIPS / 20);
  expect(counts.errors).toBeGreaterThan(FLIPS / 20);
  console.log(`changed bytes: ${FLIPS}, ${JSON.stringify(counts)}`);
});

it(`upgrades a store of format 1 that is killed ${KILLS} times meanwhile`, {
  timeout: 600_000 + 30_000 * KILLS,
}, async () => {
  const path = temporaryFolder();
  const head = 400n;
  const ledger = new SyntheticLedger(5, 24);
  const store = await openLmdbStore({ path });
  await store.commit(ledger.batch(undefined, head), SYNTHETIC_IDENTITY);
  await store.close();
  await toFormatOne(path);
  let kills = 0;
  for (let isDone = false; !isDone; ) {
    // Each process does some of the writes before it is killed, the last one all that are left.
    const child = startTool(upgrader, path, kills < KILLS ? "3" : "100");
    const ended = once(child, "exit");
    let writes = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      if (line === "write" && ++writes === 3 + (kills % 5) && kills < KILLS) child.kill("SIGKILL");
      if (line === "done") isDone = true;
    }
    const [, signal] = await ended;
    if (signal === "SIGKILL") kills++;
    else expect(isDone).toBe(true);
    if (!isDone) {
      await expect(openLmdbStore({ path, readOnly: true })).rejects.toMatchObject({
        message: expect.stringMatching("is being upgraded"),
      });
    }
  }
  expect(kills).toBe(KILLS);
  const upgraded = await openLmdbStore({ path, readOnly: true });
  const view = await upgraded.openView();
  expect(await checkView(view, ledger, head)).toBeGreaterThan(5000);
  view.release();
  await upgraded.close();
});
