// Every instruction of the table, in modules of our own: arithmetic against a model, the others against outcomes that are
// worked out by hand.
import { describe, expect, it } from "vitest";
import { OPCODES } from "../../src/move/bytecode/opcodes.ts";
import { CAST_KINDS, INTEGER_NAMES } from "../../src/vm/integers.ts";
import type { Value } from "../../src/vm/values.ts";
import { CASES, caseModule, FAULT, M, PAIR_CODE } from "../support/instruction-cases.ts";
import { functionOf, loadedModule, moduleOf, outcomeOf, TestMachine } from "../support/machine.ts";

const WIDE = 33;
type Integer = (typeof INTEGER_NAMES)[number];

interface Range {
  readonly bits: number;
  readonly min: bigint;
  readonly max: bigint;
}

function rangeOf(type: Integer): Range {
  const bits = Number(type.slice(1));
  return type.startsWith("u")
    ? { bits, min: 0n, max: 2n ** BigInt(bits) - 1n }
    : { bits, min: -(2n ** BigInt(bits - 1)), max: 2n ** BigInt(bits - 1) - 1n };
}

/** A number as the machine holds it. */
function held(value: bigint, type: Integer): Value {
  return rangeOf(type).bits < WIDE ? Number(value) : value;
}

/** A result in its range, or the fault of arithmetic. */
function checked(value: bigint | undefined, type: Integer): readonly Value[] | string {
  const { min, max } = rangeOf(type);
  return value === undefined || value < min || value > max ? FAULT : [held(value, type)];
}

function edges(type: Integer): bigint[] {
  const { min, max } = rangeOf(type);
  const all = [min, min + 1n, -3n, -1n, 0n, 1n, 2n, 7n, max / 2n, max - 1n, max];
  return [...new Set(all)].filter((one) => one >= min && one <= max);
}

type Model = (a: bigint, b: bigint, type: Integer) => bigint | boolean | undefined;

/** A quotient or remainder: the least number divided by -1 is out of range. */
function divided(quotient: bigint, result: bigint, type: Integer): bigint | undefined {
  return quotient > rangeOf(type).max ? undefined : result;
}

/** What two numbers of a type give; undefined for a fault. */
const PAIRS: Readonly<Record<string, Model>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  mod: (a, b, type) => (b === 0n ? undefined : divided(a / b, a % b, type)),
  div: (a, b, type) => (b === 0n ? undefined : divided(a / b, a / b, type)),
  lt: (a, b) => a < b,
  gt: (a, b) => a > b,
  le: (a, b) => a <= b,
  ge: (a, b) => a >= b,
  eq: (a, b) => a === b,
  neq: (a, b) => a !== b,
};
const BITS: Readonly<Record<string, Model>> = {
  "bit or": (a, b) => a | b,
  "bit and": (a, b) => a & b,
  xor: (a, b) => a ^ b,
};
const COMPARED: ReadonlySet<string> = new Set(["lt", "gt", "le", "ge", "eq", "neq"]);
const UNSIGNED = INTEGER_NAMES.filter((name) => name.startsWith("u"));
const SIGNED = INTEGER_NAMES.filter((name) => name.startsWith("i"));

/** One function for each operation and type, and what it gives for each pair of edges. */
const ARITHMETIC = [
  ...Object.entries(PAIRS).map(([name, model]) => ({ name, model, types: INTEGER_NAMES })),
  ...Object.entries(BITS).map(([name, model]) => ({ name, model, types: UNSIGNED })),
];

describe("arithmetic", () => {
  it.each(ARITHMETIC)("$name is that of whole numbers, or a fault", ({ name, model, types }) => {
    const functions = types.map((type) =>
      functionOf(
        type,
        `fn(${type},${type}):(${COMPARED.has(name) ? "bool" : type})`,
        `${PAIR_CODE}; ${name}; ret`,
      ),
    );
    const machine = new TestMachine([moduleOf({ functions })]);
    for (const type of types) {
      const got: unknown[] = [];
      const wanted: unknown[] = [];
      for (const a of edges(type)) {
        for (const b of edges(type)) {
          const result = model(a, b, type);
          wanted.push([a, b, typeof result === "boolean" ? [result] : checked(result, type)]);
          const args = [held(a, type), held(b, type)];
          got.push([a, b, outcomeOf(() => machine.call(`${M}::${type}`, args))]);
        }
      }
      expect(got).toEqual(wanted);
    }
  });

  it.each(["shift left", "shift right"])("%s drops bits, and faults from the width on", (name) => {
    const functions = UNSIGNED.map((type) =>
      functionOf(type, `fn(${type},u8):(${type})`, `${PAIR_CODE}; ${name}; ret`),
    );
    const machine = new TestMachine([moduleOf({ functions })]);
    for (const type of UNSIGNED) {
      const { bits, max } = rangeOf(type);
      for (const a of edges(type)) {
        for (const amount of [0, 1, 7, bits - 1, bits, 255]) {
          const moved = name === "shift left" ? (a << BigInt(amount)) & max : a >> BigInt(amount);
          const got = outcomeOf(() => machine.call(`${M}::${type}`, [held(a, type), amount]));
          expect(got, `${a} by ${amount} of ${type}`).toEqual(amount >= bits ? FAULT : [held(moved, type)]);
        }
      }
    }
  });

  it("negate gives the opposite, which the least number has not", () => {
    const functions = SIGNED.map((type) =>
      functionOf(type, `fn(${type}):(${type})`, "move local 0; negate; ret"),
    );
    const machine = new TestMachine([moduleOf({ functions })]);
    for (const type of SIGNED)
      for (const a of edges(type))
        expect(outcomeOf(() => machine.call(`${M}::${type}`, [held(a, type)]))).toEqual(checked(-a, type));
  });

  it.each(INTEGER_NAMES)("casts to %s keep the number, or fault", (to) => {
    const functions = INTEGER_NAMES.map((from) =>
      functionOf(from, `fn(${from}):(${to})`, `move local 0; cast ${to}; ret`),
    );
    const machine = new TestMachine([moduleOf({ functions })]);
    for (const from of INTEGER_NAMES)
      for (const a of edges(from))
        expect(outcomeOf(() => machine.call(`${M}::${from}`, [held(a, from)]))).toEqual(checked(a, to));
  });

  it.each(INTEGER_NAMES)("load %s gives the number of the code", (type) => {
    const functions = edges(type).map((a, i) =>
      functionOf(`f${i}`, `fn():(${type})`, `load ${type} ${a}; ret`),
    );
    const machine = new TestMachine([moduleOf({ functions })]);
    for (const [i, a] of edges(type).entries())
      expect(machine.call(`${M}::f${i}`, [])).toEqual([held(a, type)]);
  });
});

describe("instructions", () => {
  it.each(Object.entries(CASES).flatMap(([name, cases]) => cases.map((one, i) => [name, i, one] as const)))(
    "%s, case %i",
    (name, _, one) => {
      const bytes = caseModule(one);
      const body = loadedModule(bytes).program.functions.find((one) => one.name === "f")?.body;
      const names = [...(body?.opcodes ?? [])].map((opcode) => OPCODES[opcode]?.name);
      expect(names).toContain(name);
      expect(outcomeOf(() => new TestMachine([bytes]).call(`${M}::f`, one.args))).toEqual(one.gives);
    },
  );

  it("all have a case", () => {
    const tried = new Set([
      ...Object.keys(CASES),
      ...ARITHMETIC.map(({ name }) => name),
      ...["shift left", "shift right", "negate"],
      ...INTEGER_NAMES.flatMap((type) => [`load ${type}`, `cast ${type}`]),
    ]);
    const all = OPCODES.flatMap((opcode) => (opcode === undefined ? [] : [opcode.name]));
    expect(all.filter((name) => !tried.has(name))).toEqual([]);
    expect([...tried].filter((name) => !all.includes(name))).toEqual([]);
    expect(Object.keys(CAST_KINDS).length).toBe(INTEGER_NAMES.length);
  });
});
