// Throws damaged inputs at every decoder. Inputs are made from seeds, a kept corpus and whatever was answered in a
// new way before: an error with a new text marks a place in the decoder that was not reached yet. A fault, or an
// input that takes too long, is printed, kept under test/fuzz-corpus/found and fails the run.
//   npx tsx scripts/fuzz.ts [--seconds 5] [--target NAME] [--seed N] [--keep]
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { closeTargets, FUZZ_TARGETS, type FuzzTarget, tryInput } from "../test/support/fuzz-targets.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "5" },
    target: { type: "string" },
    seed: { type: "string", default: `${process.pid}` },
    keep: { type: "boolean", default: false },
  },
});

const folder = fileURLToPath(new URL("../test/fuzz-corpus", import.meta.url));
const MAX_INPUT_BYTES = 1 << 20;
/** What is kept between runs: small inputs, a bounded number of them. */
const MAX_KEPT_BYTES = 1500;
const MAX_KEPT = 60;
const MAX_LIVE = 4000;
const SLOW_MS = 2000;
const EDGES = [0, 1, 2, 0x7f, 0x80, 0xff, 0x20, 0x22, 0x5c];

let state = Number(values.seed) | 0;
function random(below: number): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
}

function pick<T>(items: readonly T[]): T {
  return items[random(items.length)]!;
}

/** Puts bytes in the place of others. */
function replace(input: Uint8Array, at: number, removed: number, inserted: Uint8Array): Uint8Array {
  return Buffer.concat([input.subarray(0, at), inserted, input.subarray(at + removed)]);
}

function mutateOnce(input: Uint8Array, target: FuzzTarget, other: Uint8Array): Uint8Array {
  const at = random(input.length + 1);
  const left = input.length - at;
  const from = random(other.length + 1);
  switch (random(9)) {
    case 0:
      return replace(input, at, 0, Buffer.from([pick(EDGES)]));
    case 1:
      return replace(input, at, random(Math.min(8, left) + 1), new Uint8Array(0));
    case 2:
      return replace(input, at, random(Math.min(32, left) + 1), other.subarray(from, from + random(33)));
    case 3:
      return replace(input, at, 0, input.subarray(at, at + random(Math.min(64, left) + 1)));
    case 4:
      return input.subarray(0, at);
    case 5:
      return Buffer.concat([input.subarray(0, at), other.subarray(from)]);
    case 6:
      if (target.words !== undefined) return replace(input, at, random(4), Buffer.from(pick(target.words)));
      break;
    default:
  }
  if (left === 0) return input;
  const out = Uint8Array.from(input);
  const old = out[at] ?? 0;
  out[at] = pick([old ^ (1 << random(8)), old + 1, old - 1, pick(EDGES), random(256)]);
  return out;
}

function mutate(corpus: readonly Uint8Array[], target: FuzzTarget): Uint8Array {
  let input = pick(corpus);
  for (let times = 1 + random(4); times > 0; times--) input = mutateOnce(input, target, pick(corpus));
  return input.subarray(0, MAX_INPUT_BYTES);
}

/** The text of an answer without what differs from input to input: quoted parts, numbers, what came. */
function shapeOf(answer: string | undefined): string {
  if (answer === undefined) return "taken";
  const quoted = answer.indexOf('"');
  const text = quoted < 0 ? answer : answer.slice(0, quoted) + answer.slice(answer.lastIndexOf('"') + 1);
  return text.replace(/0x[0-9a-f]+|[0-9]+|got .*$/gs, "#").slice(0, 160);
}

function corpusFile(target: FuzzTarget): string {
  return `${folder}/${target.name}.hex`;
}

function loadCorpus(target: FuzzTarget): Uint8Array[] {
  const file = corpusFile(target);
  const kept = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  return kept.map((line) => Buffer.from(line, "hex"));
}

function keepFault(target: FuzzTarget, input: Uint8Array, error: unknown): void {
  mkdirSync(`${folder}/found`, { recursive: true });
  const name = `${target.name}-${createHash("sha256").update(input).digest("hex").slice(0, 12)}.hex`;
  writeFileSync(`${folder}/found/${name}`, `${Buffer.from(input).toString("hex")}\n`);
  console.log(
    `FAULT in ${target.name} (${name}): ${error instanceof Error ? (error.stack ?? error.message) : error}`,
  );
}

interface Tally {
  inputs: number;
  taken: number;
  shapes: number;
  faults: number;
  slowestMs: number;
}

async function fuzz(target: FuzzTarget, budgetMs: number): Promise<Tally> {
  const tally: Tally = { inputs: 0, taken: 0, shapes: 0, faults: 0, slowestMs: 0 };
  const kept = loadCorpus(target);
  const live = [...(await target.seeds()), ...kept];
  const seen = new Map<string, number>();
  const fresh: Uint8Array[] = [];
  const attempt = async (input: Uint8Array): Promise<void> => {
    const started = performance.now();
    const cpu = process.cpuUsage();
    try {
      const answer = await tryInput(target, input);
      if (answer === undefined) tally.taken++;
      const shape = shapeOf(answer);
      const times = seen.get(shape) ?? 0;
      seen.set(shape, times + 1);
      // A few inputs of each shape: the first one found is seldom the best to go on from.
      if (times < 4 && live.length < MAX_LIVE) {
        live.push(input);
        if (times === 0 && input.length <= MAX_KEPT_BYTES) fresh.push(input);
      }
    } catch (error) {
      tally.faults++;
      keepFault(target, input, error);
    }
    const ms = performance.now() - started;
    if (ms > tally.slowestMs) {
      tally.slowestMs = ms;
      // The processor's time counts: the machine may have other work.
      const { user, system } = process.cpuUsage(cpu);
      if ((user + system) / 1000 > SLOW_MS) {
        tally.faults++;
        keepFault(target, input, `took ${ms.toFixed(0)} ms`);
      }
    }
    tally.inputs++;
  };
  for (const input of [...live]) await attempt(input);
  for (const ends = performance.now() + budgetMs; performance.now() < ends && tally.faults < 5; ) {
    await attempt(mutate(live, target));
  }
  tally.shapes = seen.size;
  if (values.keep) {
    mkdirSync(folder, { recursive: true });
    const room = Math.max(0, MAX_KEPT - kept.length);
    for (const input of fresh.slice(0, room)) {
      appendFileSync(corpusFile(target), `${Buffer.from(input).toString("hex")}\n`);
    }
  }
  return tally;
}

const targets = FUZZ_TARGETS.filter(({ name }) => values.target === undefined || name === values.target);
if (targets.length === 0) throw new Error(`no target ${values.target}`);
const started = performance.now();
const total = { inputs: 0, faults: 0 };
console.log("target       inputs      taken  answers  slowest ms  faults");
for (const target of targets) {
  const tally = await fuzz(target, 1000 * Number(values.seconds));
  total.inputs += tally.inputs;
  total.faults += tally.faults;
  console.log(
    target.name.padEnd(10),
    `${tally.inputs}`.padStart(8),
    `${tally.taken}`.padStart(10),
    `${tally.shapes}`.padStart(8),
    tally.slowestMs.toFixed(0).padStart(11),
    `${tally.faults}`.padStart(7),
  );
}
await closeTargets();
const seconds = ((performance.now() - started) / 1000).toFixed(0);
const found = existsSync(`${folder}/found`) ? readdirSync(`${folder}/found`).length : 0;
console.log(
  `inputs ${total.inputs}, faults ${total.faults}, ${seconds} s, seed ${values.seed}; found before: ${found}`,
);
process.exitCode = total.faults === 0 ? 0 : 1;
