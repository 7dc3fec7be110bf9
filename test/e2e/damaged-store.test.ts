// One changed byte anywhere in a store's file: every read is right or fails, and no signal ends the process.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { endWithTest } from "../support/children.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { AS_BUILT } from "../support/typescript.ts";

/** More with SEXTANT_FLIPS: half of them fall on any byte, half on bytes that lmdb relies on. */
const FLIPS = Number(process.env.SEXTANT_FLIPS ?? "60");
/** Changes the bytes; a run repeats with the same seed. */
const SEED = process.env.SEXTANT_SEED ?? "20261115";

const changer = fileURLToPath(new URL("../support/byte-changer.ts", import.meta.url));

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
