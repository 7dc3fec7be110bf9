// Hostile code, types and bytes: the virtual machine gives values or a coded error, in short pieces, with flat memory, and
// no run changes what another one sees.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { CodedError } from "../../src/base/errors.ts";
import { finish } from "../../src/base/pieces.ts";
import type { AbiType } from "../../src/move/abi.ts";
import { parseAddress } from "../../src/move/address.ts";
import { type FunctionDefinition, readProgram } from "../../src/move/bytecode/program.ts";
import { Interpreter } from "../../src/vm/interpreter.ts";
import { decodeValue, encodeValue, type Layout } from "../../src/vm/layout.ts";
import type { LoadedModule } from "../../src/vm/linker.ts";
import { assertLinks, assertWellFormed } from "../../src/vm/publishing/verify.ts";
import { substitute } from "../../src/vm/types.ts";
import { Ref, Struct, signerOf, type Value, Vec } from "../../src/vm/values.ts";
import { genesisModules } from "../support/genesis-modules.ts";
import { CASES, caseModule, FUNCTIONS, M, STRUCTS } from "../support/instruction-cases.ts";
import { functionOf, loadedModule, moduleOf, outcomeOf, TestMachine } from "../support/machine.ts";
import { RUNS } from "../support/property.ts";
import { hasShared } from "../support/shared.ts";
import { createRandom } from "../support/synthetic-ledger.ts";
import { yardstickMs } from "../support/yardstick.ts";

/** Enough for each outcome to be among them. */
const CASE_COUNT = 10 * RUNS;
const MODULE_COUNT = Math.ceil(1.25 * RUNS);
/** Units of gas of a run: some ten thousand instructions. */
const MAX_GAS = 20;
/** A fifth of the yardstick is 20 ms on a fast core. */
const MAX_PIECE_YARDSTICKS = 0.2;
const AT = "ab".repeat(32);

type Random = (below: number) => number;

/** A small deterministic generator; `SEXTANT_VM_SEED` draws other cases. */
function choose(seed = Number(process.env.SEXTANT_VM_SEED ?? "20261117")): Random {
  const next = createRandom(seed);
  return (below) => next() % below;
}

function pick<T>(list: readonly T[], random: Random): T {
  return list[random(list.length)] as T;
}

function heapAfterGc(): number {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  gc();
  gc();
  return process.memoryUsage().heapUsed;
}

/** Longest piece of the runs so far, in milliseconds of processor time. */
let slowestMs = 0;

/** Runs a function in pieces to its end or a coded error; returns the longest piece. */
function runPieces(
  { linker, session }: TestMachine,
  definition: FunctionDefinition,
  module: LoadedModule,
  args: Value[],
  types: AbiType[],
): number {
  let longest = 0;
  answerOf(() => {
    const interpreter = new Interpreter(linker, session);
    const pieces = interpreter.callInPieces(linker.instance(module, definition, types), args);
    for (;;) {
      const started = process.cpuUsage();
      try {
        const { done, value } = pieces.next();
        if (done !== true) continue;
        for (const [i, one] of value.entries()) {
          const type = substitute(definition.returns[i] as AbiType, types);
          if (type.kind !== "reference") encodeValue(one, linker.layout(type));
        }
        return;
      } finally {
        longest = Math.max(longest, process.cpuUsage(started).user / 1000);
      }
    }
  });
  return longest;
}

/** A text of what a run gave; only coded errors pass. */
function answerOf(run: () => unknown): string {
  try {
    return JSON.stringify(run(), (_, value) => (typeof value === "bigint" ? `${value}n` : value)) ?? "";
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    return `${error.code} ${JSON.stringify(error.details, (_, value) => (typeof value === "bigint" ? `${value}n` : value))}`;
  }
}

const SCALARS: readonly AbiType["kind"][] = [
  "bool",
  "u8",
  "u16",
  "u32",
  "u64",
  "u128",
  "u256",
  "address",
  "signer",
  "i8",
  "i16",
  "i32",
  "i64",
  "i128",
  "i256",
];

/** A type argument: often harmless, sometimes large, deep, unknown or of no value. */
function hostileType(random: Random, depth = 0): AbiType {
  const scalar = (): AbiType => ({ kind: pick(SCALARS, random) }) as AbiType;
  const inner = (): AbiType => hostileType(random, depth + 1);
  const struct = (name: string, typeArgs: AbiType[], module = "m"): AbiType => ({
    kind: "struct",
    address: parseAddress("0xcafe"),
    module,
    name,
    typeArgs,
  });
  switch (random(depth > 6 ? 2 : 12)) {
    case 0:
    case 1:
      return scalar();
    case 2: {
      let type = inner();
      for (let left = random(150); left > 0; left--) type = { kind: "vector", item: type };
      return type;
    }
    case 3:
      return { kind: "reference", mutable: random(2) === 0, to: inner() };
    case 4:
      return { kind: "parameter", index: random(3) };
    case 5:
      return { kind: "function", args: [inner(), scalar()], results: [scalar()], abilities: random(16) };
    case 6:
      return struct("Missing", []);
    case 7:
      return struct("Box", Array.from({ length: random(70) }, scalar), pick(["m", "gone"], random));
    case 8:
      return { kind: "vector", item: inner() };
    default:
      return struct(pick(["Box", "Maybe", "Vault"], random), [inner()]);
  }
}

/** A value for a parameter: of its type, or of any. */
function hostileValue(type: AbiType, random: Random, depth = 0): Value {
  if (random(12) === 0)
    return pick<Value>([0, 1n, true, AT, new Struct([]), new Vec("u8", []), new Struct([], 7)], random);
  switch (type.kind) {
    case "bool":
      return random(2) === 0;
    case "address":
      return AT;
    case "signer":
      return signerOf(AT);
    case "reference":
      return new Ref([hostileValue(type.to, random, depth + 1)], 0);
    case "vector":
      return depth > 5
        ? new Vec("other", [])
        : new Vec(
            type.item.kind === "u8" ? "u8" : "other",
            Array.from({ length: random(4) }, () => hostileValue(type.item, random, depth + 1)),
          );
    case "struct":
    case "function":
    case "parameter":
      return new Struct([1n, 2], random(4) - 1);
    default:
      return ["u8", "u16", "u32", "i8", "i16", "i32"].includes(type.kind)
        ? random(200)
        : BigInt(random(1 << 30));
  }
}

/** Instructions of all cases, to make code of. */
const LINES = [
  ...new Set(
    Object.values(CASES)
      .flat()
      .flatMap(({ code }) => code.split(/[;\n]/).map((line) => line.trim()))
      .filter((line) => line !== "" && !line.endsWith(":") && !line.startsWith("branch")),
  ),
];

/** Code that the checks of bounds pass: instructions of the cases with branches between them. */
function randomCode(random: Random): string {
  const length = 1 + random(40);
  const lines = Array.from({ length }, (_, i) => {
    const line =
      random(6) === 0 ? pick(["branch", "branch if true", "branch if false"], random) : pick(LINES, random);
    const whole = line.startsWith("branch")
      ? `${line} l${random(length)}`
      : line.replace(/local( mutably)? \d/, `local$1 ${random(6)}`);
    return `l${i}:; ${whole}`;
  });
  return `${lines.join("; ")}; ret`;
}

const LOCALS = ["u64", "vector<u64>", `${M}::Pair`, `${M}::Maybe<u64>`, "&u64", "bool"];

function randomModule(random: Random): Uint8Array {
  const signature = `fn(${Array.from({ length: random(3) }, () => pick(["u64", "bool", "&signer", "address", "vector<u64>", `${M}::Shape`], random)).join(",") || ""})`;
  return moduleOf({
    structs: STRUCTS,
    functions: [
      ...FUNCTIONS,
      functionOf("f", signature === "fn()" ? "fn():(u64)" : `${signature}:(u64)`, randomCode(random), {
        locals: LOCALS,
      }),
    ],
  });
}

function mutate(bytes: Uint8Array, random: Random): Uint8Array {
  const out = Uint8Array.from(bytes);
  for (let edits = 1 + random(4); edits > 0; edits--) {
    const at = random(out.length);
    const old = out[at] as number;
    out[at] = pick([random(256), random(0x69), old ^ (1 << random(8)), old + 1, old - 1], random);
  }
  return out;
}

/** The bytes in the middle of others: a reader that leaves its view finds them. */
function surrounded(bytes: Uint8Array, filler: number): Uint8Array {
  const whole = new Uint8Array(bytes.length + 256).fill(filler);
  whole.set(bytes, 128);
  return whole.subarray(128, 128 + bytes.length);
}

const PROBE = caseModule(CASES["borrow global mutably"]?.[0] ?? fail());

function fail(): never {
  throw new Error("no such case");
}

interface Counts {
  refused: number;
  unsound: number;
  ran: number;
}

/** Checks a module, and runs all of its functions, checked or not. */
function tryModule(bytes: Uint8Array, others: readonly LoadedModule[], random: Random, counts: Counts): void {
  const answers = [0x00, 0xff].map((filler) =>
    answerOf(() => loadedModule(surrounded(bytes, filler)).program.functions.length),
  );
  expect(answers[0]).toBe(answers[1]);
  if (answers[0]?.startsWith("bytecode")) {
    counts.refused++;
    return;
  }
  const module = loadedModule(bytes);
  // A damaged name may be that of another module.
  const machineOf = (): TestMachine =>
    new TestMachine([...others, module], { maxGas: MAX_GAS, isUnchecked: true });
  const verdict = answerOf(() => {
    const code = finish(readProgram(bytes));
    finish(assertWellFormed(code));
    finish(assertLinks(code.tables, module.key, machineOf().linker));
  });
  if (verdict !== "") counts.unsound++;
  for (const definition of module.program.functions.slice(0, 40)) {
    const types = definition.typeParams.map(() => hostileType(random));
    const seed = random(1 << 30);
    const run = (): number => {
      const draw = choose(seed);
      const args = definition.params.map((type) => hostileValue(type, draw));
      return runPieces(machineOf(), definition, module, args, types);
    };
    counts.ran++;
    let ms = run();
    // Slow code is slow every time, a loaded machine is not.
    for (let tries = 0; tries < 3 && ms > slowestMs; tries++) ms = Math.min(ms, run());
    slowestMs = Math.max(slowestMs, ms);
  }
}

function probe(): unknown {
  return outcomeOf(() => new TestMachine([PROBE]).call(`${M}::f`, [new Ref([signerOf(AT)], 0), AT]));
}

async function tryAll(
  make: (random: Random) => Uint8Array,
  others: readonly LoadedModule[],
  count: number,
): Promise<Counts> {
  const random = choose();
  const counts: Counts = { refused: 0, unsound: 0, ran: 0 };
  const wanted = probe();
  let heapBefore = 0;
  for (let i = 0; i < count; i++) {
    if (i === Math.floor(count / 4)) heapBefore = heapAfterGc();
    const bytes = make(random);
    try {
      tryModule(bytes, others, random, counts);
    } catch (error) {
      throw new Error(`module ${Buffer.from(bytes).toString("hex")}`, { cause: error });
    }
    if (i % 50 === 0) expect(probe()).toEqual(wanted);
  }
  expect(probe()).toEqual(wanted);
  expect(heapAfterGc() - heapBefore).toBeLessThan(24 << 20);
  return counts;
}

describe("hostile code", () => {
  it(`of random instructions (${CASE_COUNT} modules)`, async () => {
    const counts = await tryAll(randomModule, [], CASE_COUNT);
    expect(counts.refused).toBe(0);
    expect(counts.unsound).toBeGreaterThan(CASE_COUNT / 2);
  });

  it(`of damaged modules of our own (${CASE_COUNT} modules)`, async () => {
    const seeds = Object.values(CASES).flat().map(caseModule);
    const counts = await tryAll((random) => mutate(pick(seeds, random), random), [], CASE_COUNT);
    // All outcomes must be common, or the cases did not get far.
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(CASE_COUNT / 50);
  });

  it.skipIf(!hasShared)(`of damaged modules of a network (${MODULE_COUNT} modules)`, async () => {
    const framework = [...genesisModules("devnet").values()];
    const others = framework.map(loadedModule);
    const counts = await tryAll((random) => mutate(pick(framework, random), random), others, MODULE_COUNT);
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(MODULE_COUNT / 25);
  });

  it("holds the loop for at most 20 ms", async () => {
    expect(slowestMs / (await yardstickMs())).toBeLessThan(MAX_PIECE_YARDSTICKS);
  });
});

const HOSTILE_BYTES_LAYOUT: Layout = { kind: "vector", item: { kind: "function" }, itemKind: "other" };

describe("hostile bytes and types", () => {
  it("types have a layout, or a coded error", () => {
    const random = choose();
    const machine = new TestMachine([moduleOf({ structs: STRUCTS, functions: FUNCTIONS })]);
    const answers = new Set<string>();
    for (let i = 0; i < 10 * CASE_COUNT; i++) {
      const type = hostileType(random);
      answers.add(answerOf(() => machine.linker.layout(type)).slice(0, 60));
      answers.add(answerOf(() => machine.call(`${M}::same`, [1n], [type])).slice(0, 60));
    }
    expect(answers.size).toBeGreaterThan(10);
  });

  it("stored closures decode to themselves, or not at all", () => {
    const random = choose();
    const closures = ["pack closure", "pack closure generic"].flatMap((name) => CASES[name] ?? []);
    const seeds = closures.map((one) => {
      const [value] = new TestMachine([caseModule(one)]).call(`${M}::f`, one.args);
      return encodeValue(new Vec("other", [value as Value]), HOSTILE_BYTES_LAYOUT);
    });
    let taken = 0;
    for (let i = 0; i < 20 * CASE_COUNT; i++) {
      const bytes = mutate(pick(seeds, random), random);
      const answer = answerOf(() => {
        const value = decodeValue(bytes, HOSTILE_BYTES_LAYOUT);
        if (value === undefined) return "refused";
        taken++;
        return Buffer.compare(encodeValue(value, HOSTILE_BYTES_LAYOUT), bytes);
      });
      if (answer !== '"refused"' && !answer.startsWith("vm "))
        expect(answer, Buffer.from(bytes).toString("hex")).toBe("0");
    }
    expect(taken).toBeGreaterThan(CASE_COUNT / 20);
  });
});
