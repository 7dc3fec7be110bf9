// The kept inputs of the fuzzer, once each: seeds are taken, the corpus is taken or refused, and so are inputs that
// once showed a fault.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { closeTargets, FUZZ_TARGETS, tryInput } from "../support/fuzz-targets.ts";

const folder = fileURLToPath(new URL("../fuzz-corpus", import.meta.url));

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
  it("takes its seeds", async () => {
    const answers = await Promise.all((await target.seeds()).map((seed) => tryInput(target, seed)));
    const refused = answers.filter((answer) => answer !== undefined);
    expect(answers.length).toBeGreaterThan(0);
    expect(refused.length, refused[0]).toBeLessThanOrEqual(answers.length / 3);
  });

  it("has no fault in its corpus", async () => {
    const corpus = inputsOf(`${target.name}.hex`);
    expect(corpus.length).toBeGreaterThan(0);
    for (const input of corpus) await tryInput(target, input);
  });
});

// No test where the fuzzer has kept nothing.
describe.each(filesOf("found"))("%s, which showed a fault", (file) => {
  it("is taken or refused", async () => {
    const target = FUZZ_TARGETS.find(({ name }) => file.startsWith(`${name}-`));
    if (target === undefined) throw new Error(`no fuzz target has the name that ${file} begins with`);
    const inputs = inputsOf(`found/${file}`);
    expect(inputs.length).toBeGreaterThan(0);
    for (const input of inputs) await tryInput(target, input);
  });
});
