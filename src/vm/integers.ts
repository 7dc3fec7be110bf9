// Arithmetic of the machine: one set of rules for each width. Instructions do not name the type of their operands, so the
// types of a body are worked out once from its signatures.
import type { AbiType, StructAbi } from "../move/abi.ts";
import type {
  ClosureReference,
  Constant,
  FieldReference,
  FunctionDefinition,
  FunctionReference,
  Instantiation,
  VariantReference,
  VectorReference,
} from "../move/bytecode/program.ts";
import { invariant, STATUS, VmError } from "./errors.ts";
import { substitute } from "./types.ts";
import type { Value } from "./values.ts";

const NAMES = ["u8", "u16", "u32", "u64", "u128", "u256", "i8", "i16", "i32", "i64", "i128", "i256"] as const;

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
  ...NAMES.map((name): IntegerKind => {
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

const NUMBERS: ReadonlyMap<string, number> = new Map(NAMES.map((name, i) => [name, i + 1]));

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
  return result;
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
      // Zero is added so that no result is minus zero.
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
  return kind.isWide ? inWideRange(-(value as bigint), kind) : inRange(0 - (value as number), kind);
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

const BOOL: AbiType = { kind: "bool" };
const OTHER: AbiType = { kind: "address" };

function withArgs(type: AbiType, args: readonly AbiType[]): AbiType {
  try {
    return substitute(type, args);
  } catch {
    // The type is too large; the machine refuses it when it gets there.
    return OTHER;
  }
}

/** Types of a body's values, followed from instruction to instruction. */
class TypeStack {
  readonly #types: AbiType[] = [];

  push(...types: readonly AbiType[]): void {
    for (const type of types) this.#types.push(type);
  }

  pop(count = 1): AbiType {
    let last: AbiType = OTHER;
    for (let i = 0; i < count; i++) last = this.#types.pop() ?? OTHER;
    return last;
  }

  clear(): void {
    this.#types.length = 0;
  }
}

function referenceTo(to: AbiType): AbiType {
  return { kind: "reference", mutable: false, to };
}

function fieldType({ owner, index, variants }: FieldReference): AbiType {
  const fields = variants === undefined ? owner.fields : owner.variants?.[variants[0] ?? 0]?.fields;
  return fields?.[index]?.type ?? OTHER;
}

const LOADS: Readonly<Record<number, AbiType>> = {
  6: { kind: "u64" },
  8: BOOL,
  9: BOOL,
  49: { kind: "u8" },
  50: { kind: "u128" },
  72: { kind: "u16" },
  73: { kind: "u32" },
  74: { kind: "u256" },
  91: { kind: "i8" },
  92: { kind: "i16" },
  93: { kind: "i32" },
  94: { kind: "i64" },
  95: { kind: "i128" },
  96: { kind: "i256" },
};

/** The integer type of each instruction that calculates; 0 elsewhere. Between blocks the stack is empty. */
export function integerKinds({ params, body }: FunctionDefinition): Uint8Array {
  if (body === undefined) return new Uint8Array(0);
  const { opcodes, operands } = body;
  const locals = [...params, ...body.locals];
  const kinds = new Uint8Array(opcodes.length);
  const stack = new TypeStack();
  for (let pc = 0; pc < opcodes.length; pc++) {
    const opcode = opcodes[pc] ?? 0;
    const operand = operands[pc];
    const load = LOADS[opcode];
    if (load !== undefined) {
      stack.push(load);
      continue;
    }
    const castKind = CAST_KINDS[opcode];
    if (castKind !== undefined) {
      stack.pop();
      stack.push({ kind: NAMES[castKind - 1] ?? "u8" });
      continue;
    }
    switch (opcode) {
      case 0x02:
      case 0x03:
      case 0x04:
      case 0x05:
      case 0x27:
      case 0x68:
        stack.clear();
        break;
      case 0x01:
      case 0x0c:
        stack.pop();
        break;
      case 0x07:
        stack.push((operand as Constant).type);
        break;
      case 0x0a:
      case 0x0b:
        stack.push(locals[operand as number] ?? OTHER);
        break;
      case 0x0d:
      case 0x0e:
        stack.push(referenceTo(locals[operand as number] ?? OTHER));
        break;
      case 0x0f:
      case 0x10:
      case 0x4e:
      case 0x4f:
        stack.pop();
        stack.push(referenceTo(fieldType(operand as FieldReference)));
        break;
      case 0x36:
      case 0x37:
      case 0x50:
      case 0x51: {
        const { of, typeArgs } = operand as Instantiation<FieldReference>;
        stack.pop();
        stack.push(referenceTo(withArgs(fieldType(of), typeArgs)));
        break;
      }
      case 0x11: {
        const { params: taken, returns } = operand as FunctionReference;
        stack.pop(taken.length);
        stack.push(...returns);
        break;
      }
      case 0x38: {
        const { of, typeArgs } = operand as Instantiation<FunctionReference>;
        stack.pop(of.params.length);
        stack.push(...of.returns.map((type) => withArgs(type, typeArgs)));
        break;
      }
      case 0x12:
        stack.pop((operand as StructAbi).fields.length);
        stack.push(OTHER);
        break;
      case 0x39:
        stack.pop((operand as Instantiation<StructAbi>).of.fields.length);
        stack.push(OTHER);
        break;
      case 0x13:
        stack.pop();
        stack.push(...(operand as StructAbi).fields.map(({ type }) => type));
        break;
      case 0x3a: {
        const { of, typeArgs } = operand as Instantiation<StructAbi>;
        stack.pop();
        stack.push(...of.fields.map(({ type }) => withArgs(type, typeArgs)));
        break;
      }
      case 0x52:
      case 0x53: {
        const { owner, variant } =
          opcode === 0x52 ? (operand as VariantReference) : (operand as Instantiation<VariantReference>).of;
        stack.pop(owner.variants?.[variant]?.fields.length ?? 0);
        stack.push(OTHER);
        break;
      }
      case 0x54:
      case 0x55: {
        const { of, typeArgs } =
          opcode === 0x54
            ? { of: operand as VariantReference, typeArgs: [] }
            : (operand as Instantiation<VariantReference>);
        const fields = of.owner.variants?.[of.variant]?.fields ?? [];
        stack.pop();
        stack.push(...fields.map(({ type }) => withArgs(type, typeArgs)));
        break;
      }
      case 0x14: {
        const type = stack.pop();
        stack.push(type.kind === "reference" ? type.to : OTHER);
        break;
      }
      case 0x15:
      case 0x2d:
      case 0x3f:
      case 0x44:
        stack.pop(2);
        break;
      case 0x16:
      case 0x17:
      case 0x18:
      case 0x19:
      case 0x1a:
      case 0x1b:
      case 0x1c:
      case 0x1d:
      case 0x2f:
      case 0x30: {
        const type = stack.pop(2);
        kinds[pc] = NUMBERS.get(type.kind) ?? 0;
        stack.push(type);
        break;
      }
      case 0x67: {
        const type = stack.pop();
        kinds[pc] = NUMBERS.get(type.kind) ?? 0;
        stack.push(type);
        break;
      }
      case 0x1e:
      case 0x1f:
      case 0x21:
      case 0x22:
      case 0x23:
      case 0x24:
      case 0x25:
      case 0x26:
        stack.pop(2);
        stack.push(BOOL);
        break;
      case 0x20:
      case 0x29:
      case 0x3b:
      case 0x56:
      case 0x57:
        stack.pop();
        stack.push(BOOL);
        break;
      case 0x2a:
      case 0x2b:
      case 0x3c:
      case 0x3d:
        stack.pop();
        stack.push(referenceTo(OTHER));
        break;
      case 0x2c:
      case 0x3e:
        stack.pop();
        stack.push(OTHER);
        break;
      case 0x40:
        stack.pop((operand as VectorReference).count);
        stack.push({ kind: "vector", item: (operand as VectorReference).item });
        break;
      case 0x41:
        stack.pop();
        stack.push({ kind: "u64" });
        break;
      case 0x42:
      case 0x43:
        stack.pop(2);
        stack.push(referenceTo((operand as VectorReference).item));
        break;
      case 0x45:
        stack.pop();
        stack.push((operand as VectorReference).item);
        break;
      case 0x46: {
        const { item, count } = operand as VectorReference;
        stack.pop();
        // More than the stack takes is refused when the machine gets there.
        for (let i = 0; i < Math.min(count, 1024); i++) stack.push(item);
        break;
      }
      case 0x47:
        stack.pop(3);
        break;
      case 0x58:
      case 0x59: {
        const { mask } = operand as ClosureReference;
        let captured = 0;
        for (let bits = mask; bits > 0n; bits >>= 1n) captured += Number(bits & 1n);
        stack.pop(captured);
        stack.push(OTHER);
        break;
      }
      case 0x5a: {
        const { item } = operand as VectorReference;
        if (item.kind !== "function") break;
        stack.pop(1 + item.args.length);
        stack.push(...item.results);
      }
    }
  }
  return kinds;
}
