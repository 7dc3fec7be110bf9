// Arithmetic of the machine: one set of rules for each width.
import { invariant, STATUS, VmError } from "./errors.ts";
import type { Value } from "./values.ts";

/** Integer types by number, less one. */
export const INTEGER_NAMES = [
  "u8",
  "u16",
  "u32",
  "u64",
  "u128",
  "u256",
  "i8",
  "i16",
  "i32",
  "i64",
  "i128",
  "i256",
] as const;

interface IntegerKind {
  readonly bits: number;
  readonly isSigned: boolean;
  readonly isWide: boolean;
  readonly min: number;
  readonly max: number;
  readonly wideMin: bigint;
  readonly wideMax: bigint;
}

/** Integer types by number; 0 stands for none. */
const KINDS: readonly (IntegerKind | undefined)[] = [
  undefined,
  ...INTEGER_NAMES.map((name): IntegerKind => {
    const bits = Number(name.slice(1));
    const isSigned = name.startsWith("i");
    const wideMax = (1n << BigInt(isSigned ? bits - 1 : bits)) - 1n;
    const wideMin = isSigned ? -wideMax - 1n : 0n;
    return {
      bits,
      isSigned,
      isWide: bits > 32,
      min: Number(wideMin),
      max: Number(wideMax),
      wideMin,
      wideMax,
    };
  }),
];

/** The numbers of integer types by their names. */
export const INTEGER_NUMBERS: ReadonlyMap<string, number> = new Map(
  INTEGER_NAMES.map((name, i) => [name, i + 1]),
);

/** Targets of the cast instructions, by opcode. */
export const CAST_KINDS: Readonly<Record<number, number>> = {
  51: 1,
  75: 2,
  76: 3,
  52: 4,
  53: 5,
  77: 6,
  97: 7,
  98: 8,
  99: 9,
  100: 10,
  101: 11,
  102: 12,
};

function kindOf(number: number): IntegerKind {
  const kind = KINDS[number];
  if (kind === undefined) throw invariant("an operand is not an integer");
  return kind;
}

function arithmeticError(what: string): VmError {
  return new VmError(STATUS.arithmeticError, what);
}

function inRange(result: number, { min, max }: IntegerKind): number {
  if (result < min || result > max) throw arithmeticError("a result is out of range");
  // Zero is added so that no result is minus zero.
  return result + 0;
}

function inWideRange(result: bigint, { wideMin, wideMax }: IntegerKind): bigint {
  if (result < wideMin || result > wideMax) throw arithmeticError("a result is out of range");
  return result;
}

/** Add, subtract, multiply, remainder, divide: opcodes 0x16 to 0x1a. */
export function calculate(opcode: number, a: Value, b: Value, number: number): Value {
  const kind = kindOf(number);
  if (kind.isWide) return calculateWide(opcode, a as bigint, b as bigint, kind);
  const [one, other] = [a as number, b as number];
  switch (opcode) {
    case 0x16:
      return inRange(one + other, kind);
    case 0x17:
      return inRange(one - other, kind);
    case 0x18:
      return inRange(one * other, kind);
    default:
      if (other === 0) throw arithmeticError("division by zero");
      if (kind.isSigned && other === -1 && one === kind.min)
        throw arithmeticError("a result is out of range");
      return opcode === 0x19 ? (one % other) + 0 : Math.trunc(one / other) + 0;
  }
}

function calculateWide(opcode: number, a: bigint, b: bigint, kind: IntegerKind): bigint {
  switch (opcode) {
    case 0x16:
      return inWideRange(a + b, kind);
    case 0x17:
      return inWideRange(a - b, kind);
    case 0x18:
      return inWideRange(a * b, kind);
    default:
      if (b === 0n) throw arithmeticError("division by zero");
      if (kind.isSigned && b === -1n && a === kind.wideMin) throw arithmeticError("a result is out of range");
      return opcode === 0x19 ? a % b : a / b;
  }
}

export function negate(value: Value, number: number): Value {
  const kind = kindOf(number);
  return kind.isWide ? inWideRange(-(value as bigint), kind) : inRange(-(value as number), kind);
}

/** Bit operations: or, and, xor: opcodes 0x1b to 0x1d. */
export function combineBits(opcode: number, a: Value, b: Value): Value {
  if (typeof a === "bigint" && typeof b === "bigint")
    return opcode === 0x1b ? a | b : opcode === 0x1c ? a & b : a ^ b;
  if (typeof a !== "number" || typeof b !== "number") throw invariant("operands are not integers");
  return (opcode === 0x1b ? a | b : opcode === 0x1c ? a & b : a ^ b) >>> 0;
}

export function shift(isLeft: boolean, value: Value, amount: number, number: number): Value {
  const { bits, isWide, max } = kindOf(number);
  if (amount >= bits) throw arithmeticError("a shift is as wide as its type");
  if (isWide) {
    const wide = value as bigint;
    return isLeft ? BigInt.asUintN(bits, wide << BigInt(amount)) : wide >> BigInt(amount);
  }
  return isLeft ? (((value as number) << amount) & max) >>> 0 : (value as number) >>> amount;
}

export function cast(value: Value, number: number): Value {
  const kind = kindOf(number);
  if (typeof value === "bigint") {
    const wide = inWideRange(value, kind);
    return kind.isWide ? wide : Number(wide);
  }
  if (typeof value !== "number") throw invariant("only integers are cast");
  const small = inRange(value, kind);
  return kind.isWide ? BigInt(small) : small;
}
