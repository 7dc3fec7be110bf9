// The kept inputs of the fuzzer, once each: seeds are taken, the corpus is taken or refused, and whatever was
// found to be a fault no longer is one.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { closeTargets, FUZZ_TARGETS, tryInput } from "./support/fuzz-targets.ts";

const folder = fileURLToPath(new URL("fuzz-corpus", import.meta.url));

function inputsOf(file: string): Uint8Array[] {
  const lines = readFileSync(`${folder}/${file}`, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => Buffer.from(line, "hex"));
}

/** Files of a folder below the corpus; none when it is not there. */
function filesOf(below: string): string[] {
  try {
    return readdirSync(`${folder}/${below}`).filter((name) => name.endsWith(".hex"));
  } catch {
    return [];
  }
}

afterAll(closeTargets);

describe.each(FUZZ_TARGETS)("fuzz target $name", (target) => {
  it("takes its seeds", { timeout: 180_000 }, async () => {
    const answers = await Promise.all((await target.seeds()).map((seed) => tryInput(target, seed)));
    const refused = answers.filter((answer) => answer !== undefined);
    expect(answers.length).toBeGreaterThan(0);
    expect(refused.length, refused[0]).toBeLessThanOrEqual(answers.length / 3);
  });

  it("has no fault in its corpus", { timeout: 180_000 }, async () => {
    const corpus = inputsOf(`${target.name}.hex`);
    expect(corpus.length).toBeGreaterThan(0);
    for (const input of corpus) await tryInput(target, input);
  });

  it("has none left of those that were found", { timeout: 180_000 }, async () => {
    for (const file of filesOf("found").filter((name) => name.startsWith(`${target.name}-`))) {
      for (const input of inputsOf(`found/${file}`)) await tryInput(target, input);
    }
  });
});
