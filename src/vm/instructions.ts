// What instructions take from the stack and leave on it.
import type { AbiType, StructAbi } from "../move/abi.ts";
import type {
  ClosureReference,
  CodeOperand,
  Constant,
  FieldReference,
  FunctionDefinition,
  FunctionReference,
  Instantiation,
  VariantReference,
  VectorReference,
} from "../move/bytecode/program.ts";
import { CAST_KINDS, INTEGER_NAMES, INTEGER_NUMBERS } from "./integers.ts";
import { substitute } from "./types.ts";

const BOOL: AbiType = { kind: "bool" };
const NO_ARGS: readonly AbiType[] = [];

/** Instructions after which a block ends. */
export const ENDS: ReadonlySet<number> = new Set([0x02, 0x03, 0x04, 0x05, 0x27, 0x68]);

/** Types of the instructions that load a number or a truth value, by opcode. */
export const LOADS: Readonly<Record<number, AbiType>> = {
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

export function isInstantiation(operand: CodeOperand): operand is Instantiation<never> {
  return typeof operand === "object" && "of" in operand;
}

/** What an instruction names, and its type arguments. */
export function split<T>(operand: CodeOperand): { readonly of: T; readonly typeArgs: readonly AbiType[] } {
  if (isInstantiation(operand)) return operand as unknown as Instantiation<T>;
  return { of: operand as unknown as T, typeArgs: NO_ARGS };
}

function capturedCount({ mask }: ClosureReference): number {
  let count = 0;
  for (let bits = mask; bits > 0n; bits >>= 1n) count += Number(bits & 1n);
  return count;
}

function fieldsOf({ owner, variant }: VariantReference): StructAbi["fields"] {
  return owner.variants?.[variant]?.fields ?? [];
}

const TAKE_ONE: ReadonlySet<number> = new Set([0x01, 0x03, 0x04, 0x0c, 0x27]);
const TAKE_TWO: ReadonlySet<number> = new Set([0x15, 0x2d, 0x3f, 0x44, 0x68]);
const GIVE_ONE: ReadonlySet<number> = new Set([0x07, 0x0a, 0x0b, 0x0d, 0x0e]);
const EXCHANGE_ONE: ReadonlySet<number> = new Set([
  0x0f, 0x10, 0x14, 0x20, 0x29, 0x2a, 0x2b, 0x2c, 0x2e, 0x36, 0x37, 0x3b, 0x3c, 0x3d, 0x3e, 0x41, 0x45, 0x4e,
  0x4f, 0x50, 0x51, 0x56, 0x57, 0x67,
]);

/** How many operands an instruction takes and gives; `returns` is the number of values that its function returns. */
export function effectOf(opcode: number, operand: CodeOperand, returns: number): readonly [number, number] {
  if (LOADS[opcode] !== undefined || GIVE_ONE.has(opcode)) return [0, 1];
  if (CAST_KINDS[opcode] !== undefined || EXCHANGE_ONE.has(opcode)) return [1, 1];
  if (TAKE_ONE.has(opcode)) return [1, 0];
  if (TAKE_TWO.has(opcode)) return [2, 0];
  switch (opcode) {
    case 0x02:
      return [returns, 0];
    case 0x05:
    case 0x28:
      return [0, 0];
    case 0x11:
    case 0x38: {
      const { of } = split<FunctionReference>(operand);
      return [of.params.length, of.returns.length];
    }
    case 0x12:
    case 0x39:
      return [split<StructAbi>(operand).of.fields.length, 1];
    case 0x13:
    case 0x3a:
      return [1, split<StructAbi>(operand).of.fields.length];
    case 0x52:
    case 0x53:
      return [fieldsOf(split<VariantReference>(operand).of).length, 1];
    case 0x54:
    case 0x55:
      return [1, fieldsOf(split<VariantReference>(operand).of).length];
    case 0x40:
      return [(operand as VectorReference).count, 1];
    case 0x46:
      return [1, (operand as VectorReference).count];
    case 0x47:
      return [3, 0];
    case 0x58:
    case 0x59:
      return [capturedCount(operand as ClosureReference), 1];
    case 0x5a: {
      const { item } = operand as VectorReference;
      return item.kind === "function" ? [item.args.length + 1, item.results.length] : [0, 0];
    }
    default:
      // Arithmetic, bits, comparisons and borrowing elements.
      return [2, 1];
  }
}

/** In the place of a type that is no integer and no reference to one. */
const OTHER: AbiType = { kind: "address" };
/** More than the stack takes is refused when the machine gets there. */
const MAX_GIVEN = 1024;

function withArgs(type: AbiType, args: readonly AbiType[]): AbiType {
  try {
    return substitute(type, args);
  } catch {
    // The type is too large; the machine refuses it when it gets there.
    return OTHER;
  }
}

function referenceTo(to: AbiType): AbiType {
  return { kind: "reference", mutable: false, to };
}

function fieldType({ owner, index, variants }: FieldReference): AbiType {
  const fields = variants === undefined ? owner.fields : owner.variants?.[variants[0] ?? 0]?.fields;
  return fields?.[index]?.type ?? OTHER;
}

/** Arithmetic, bits, shifts and negation: the result has the type of the first operand. */
function isCalculation(opcode: number): boolean {
  return (opcode >= 0x16 && opcode <= 0x1d) || opcode === 0x2f || opcode === 0x30 || opcode === 0x67;
}

/** Types that an instruction leaves; `first` is the type of its first operand. Types that are missing are no integers. */
function givenTypes(
  opcode: number,
  operand: CodeOperand,
  first: AbiType,
  locals: readonly AbiType[],
): readonly AbiType[] {
  const load = LOADS[opcode];
  if (load !== undefined) return [load];
  const cast = CAST_KINDS[opcode];
  if (cast !== undefined) return [{ kind: INTEGER_NAMES[cast - 1] ?? "u8" }];
  if (isCalculation(opcode)) return [first];
  const all = (types: readonly AbiType[], typeArgs: readonly AbiType[]): readonly AbiType[] =>
    types.map((type) => withArgs(type, typeArgs));
  switch (opcode) {
    case 0x07:
      return [(operand as Constant).type];
    case 0x0a:
    case 0x0b:
      return [locals[operand as number] ?? OTHER];
    case 0x0d:
    case 0x0e:
      return [referenceTo(locals[operand as number] ?? OTHER)];
    case 0x0f:
    case 0x10:
    case 0x36:
    case 0x37:
    case 0x4e:
    case 0x4f:
    case 0x50:
    case 0x51: {
      const { of, typeArgs } = split<FieldReference>(operand);
      return [referenceTo(withArgs(fieldType(of), typeArgs))];
    }
    case 0x11:
    case 0x38: {
      const { of, typeArgs } = split<FunctionReference>(operand);
      return all(of.returns, typeArgs);
    }
    case 0x13:
    case 0x3a: {
      const { of, typeArgs } = split<StructAbi>(operand);
      return all(
        of.fields.map(({ type }) => type),
        typeArgs,
      );
    }
    case 0x54:
    case 0x55: {
      const { of, typeArgs } = split<VariantReference>(operand);
      return all(
        fieldsOf(of).map(({ type }) => type),
        typeArgs,
      );
    }
    case 0x14:
      return first.kind === "reference" ? [first.to] : [];
    case 0x2e:
      return [first];
    case 0x41:
      return [{ kind: "u64" }];
    case 0x42:
    case 0x43:
      return [referenceTo((operand as VectorReference).item)];
    case 0x45:
      return [(operand as VectorReference).item];
    case 0x46: {
      const { item, count } = operand as VectorReference;
      return Array<AbiType>(Math.min(count, MAX_GIVEN)).fill(item);
    }
    case 0x5a: {
      const { item } = operand as VectorReference;
      return item.kind === "function" ? item.results : [];
    }
    default:
      return [];
  }
}

/**
 * The integer type of each instruction that calculates; 0 elsewhere. Instructions do not name the type of their operands,
 * so the types of a body are worked out once. Between blocks the stack is empty.
 */
export function integerKinds({ params, body }: FunctionDefinition): Uint8Array {
  if (body === undefined) return new Uint8Array(0);
  const { opcodes, operands } = body;
  const locals = [...params, ...body.locals];
  const kinds = new Uint8Array(opcodes.length);
  const stack: AbiType[] = [];
  for (let pc = 0; pc < opcodes.length; pc++) {
    const opcode = opcodes[pc] ?? 0;
    if (ENDS.has(opcode)) {
      stack.length = 0;
      continue;
    }
    const [taken, given] = effectOf(opcode, operands[pc], 0);
    const base = Math.max(0, stack.length - taken);
    const first = (taken > stack.length ? undefined : stack[base]) ?? OTHER;
    const types = givenTypes(opcode, operands[pc], first, locals);
    stack.length = base;
    for (let i = 0; i < Math.min(given, MAX_GIVEN); i++) stack.push(types[i] ?? OTHER);
    if (isCalculation(opcode)) kinds[pc] = INTEGER_NUMBERS.get(first.kind) ?? 0;
  }
  return kinds;
}
