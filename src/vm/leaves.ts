// Leaves: functions that only read a field, or test a variant, of what their one argument refers to. Much code calls
// them, so they run without a frame, at the price of their instructions.
import type { FieldReference } from "../move/bytecode/program.ts";
import type { InstructionPrices } from "./gas.ts";
import { split } from "./instructions.ts";
import type { FunctionInstance } from "./linker.ts";
import { Ref, STACK_SIZE, Struct, type Value } from "./values.ts";

export interface Leaf {
  /** Of all its instructions. */
  readonly price: number;
  /** Place of the field; -1 for a test. */
  readonly field: number;
  readonly variant: number;
}

/** Moves the argument, borrows a field and reads it, or tests the variant, and returns. */
const CODE = /^0b(?:(?:0f|10|36|37)14|5[67])02$/;
const LONGEST = 4;

/** What a function is as a leaf. Undefined for any other function, and for one whose instructions never ran. */
export function leafOf(callee: FunctionInstance, prices: InstructionPrices): Leaf | undefined {
  const { opcodes, operands, resolved, localCount, returnCount, definition } = callee;
  if (opcodes.length > LONGEST || !CODE.test(Buffer.from(opcodes).toString("hex"))) return undefined;
  if (definition.params.length !== 1 || localCount !== 1 || returnCount !== 1) return undefined;
  if (operands[0] !== 0) return undefined;
  const known = resolved[1] as number | { readonly nodes: number; readonly variant: number } | undefined;
  let price = 0;
  for (const opcode of opcodes) price += prices.base[opcode] as number;
  if (typeof known === "object")
    return { price: price + prices.perNode * known.nodes, field: -1, variant: known.variant };
  const { of, typeArgs } = split<FieldReference>(operands[1]);
  if (opcodes.length < LONGEST || (typeArgs.length > 0 && known === undefined)) return undefined;
  price += prices.perNode * (known ?? 0) + prices.readUnit * STACK_SIZE;
  return { price, field: of.index, variant: -1 };
}

/** What a leaf returns. Undefined where it has to run: it would fail, or copy a value with parts. */
export function leafResult({ field, variant }: Leaf, argument: Value): Value | undefined {
  const struct = argument instanceof Ref ? argument.container[argument.index] : undefined;
  if (!(struct instanceof Struct)) return undefined;
  if (field < 0) return struct.tag === variant;
  const value = struct.fields[field];
  return typeof value === "object" ? undefined : value;
}
