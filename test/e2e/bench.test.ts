import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { toRow } from "../../bench/harness.ts";
import type { Results } from "../../bench/report.ts";
import { endWithTest } from "../support/children.ts";
import { temporaryFolder } from "../support/temporary.ts";

const main = fileURLToPath(new URL("../../bench/main.ts", import.meta.url));
const LOADER = new URL("../../bench/as-built.js", import.meta.url).href;
const folder = temporaryFolder();

async function run(...args: string[]): Promise<{ code: number | null; out: string; errors: string }> {
  const child = spawn(process.execPath, ["--import", LOADER, main, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  endWithTest(child);
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, out, errors };
}

/** A file of results with one row, whose six rounds had about this ratio. */
function resultsFile(name: string, ratio: number, quick = false): string {
  const ours = [0.99, 1, 1, 1, 1, 1.01].map((noise) => ratio * noise);
  const results: Results = {
    machine: {
      date: "2026-01-31T12:00:00.000Z",
      commit: "unknown",
      node: process.version,
      kernel: "Linux",
      model: "a processor",
      processors: 2,
      memoryBytes: 1,
      loadBefore: [0, 0, 0],
      loadAfter: [0, 0, 0],
    },
    quick,
    scale: 1,
    seconds: 1,
    rows: [toRow("a row", { ours, base: ours.map(() => 1) }, { unit: "s", target: { max: 1 } })],
  };
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(results));
  return path;
}

it("prints its options, and names one that it does not have", async () => {
  const [help, wrong, part] = await Promise.all([run("--help"), run("--fast"), run("--scale", "2")]);
  expect(help).toMatchObject({ code: 0, errors: "" });
  expect(help.out).toContain("--compare FILE");
  expect(wrong).toMatchObject({ code: 2, out: "" });
  expect(wrong.errors).toContain("--fast");
  expect(part).toMatchObject({ code: 2, out: "" });
  expect(part.errors).toContain("--scale: expected a number");
});

it("exits with 1 if a row got slower, and only then", async () => {
  const [old, slower] = [resultsFile("old.json", 0.5), resultsFile("slower.json", 0.9)];
  const [worse, better, same] = await Promise.all([
    run("--from", slower, "--compare", old),
    run("--from", old, "--compare", slower),
    run("--from", old, "--compare", old),
  ]);
  expect(worse.errors).toMatch(/^slower +a row +0\.5 .* +0\.9 /m);
  expect([worse.code, better.code, same.code]).toEqual([1, 0, 0]);
  expect(better.errors).toContain("0 slower, 1 faster");
  expect(same.errors).toContain("0 slower, 0 faster, 1 within both intervals");
});

it("exits with 1 if a row of a quick run misses its target by more than a factor of two", async () => {
  const [missed, alarming, bad] = await Promise.all([
    run("--from", resultsFile("missed.json", 1.9, true)),
    run("--from", resultsFile("alarming.json", 2.1, true), "--json"),
    run("--compare", main),
  ]);
  expect(missed.code).toBe(0);
  expect(alarming.code).toBe(1);
  expect(alarming.errors).toContain("ALARM: a row");
  expect((JSON.parse(alarming.out) as Results).machine.processors).toBe(2);
  expect(bad).toMatchObject({ code: 2, out: "" });
  expect(bad.errors).toContain("expected results that were printed by --json");
});
