// Leaves: functions that only read a field, or test a variant, of what their one argument refers to. Much code calls
// them, so they run without a frame, at the price of their instructions.
import type { FieldReference, Instantiation } from "../move/bytecode/program.ts";
import type { InstructionPrices } from "./gas.ts";
import type { FunctionInstance } from "./linker.ts";
import { Ref, STACK_SIZE, Struct, type Value } from "./values.ts";

export interface Leaf {
  /** Of all its instructions. */
  readonly price: number;
  /** Place of the field; -1 for a test. */
  readonly field: number;
  readonly variant: number;
}

const MOVE_LOCAL = 0x0b;
const READ = 0x14;
const RETURN = 0x02;

/** What a function is as a leaf. Undefined for any other function, and for one whose instructions never ran. */
export function leafOf(callee: FunctionInstance, prices: InstructionPrices): Leaf | undefined {
  const { opcodes, operands, resolved, localCount, returnCount } = callee;
  const [first, opcode = 0, ...rest] = opcodes.subarray(0, 5);
  if (localCount !== 1 || returnCount !== 1 || first !== MOVE_LOCAL) return undefined;
  const { plain, base, perNode } = prices;
  const sum = [...opcodes].reduce((price, one) => price + (plain[one] as number), 0);
  const known = resolved[1] as number | { readonly nodes: number; readonly variant: number } | undefined;
  if ((opcode === 0x56 || opcode === 0x57) && rest.length === 1 && rest[0] === RETURN) {
    if (typeof known !== "object") return undefined;
    const price = opcode === 0x57 ? perNode * known.nodes + (base[opcode] as number) : 0;
    return { price: sum + price, field: -1, variant: known.variant };
  }
  if (rest.length !== 2 || rest[0] !== READ || rest[1] !== RETURN) return undefined;
  const read = (base[READ] as number) + prices.readUnit * STACK_SIZE;
  if (opcode === 0x0f || opcode === 0x10)
    return { price: sum + read, field: (operands[1] as FieldReference).index, variant: -1 };
  if ((opcode !== 0x36 && opcode !== 0x37) || typeof known !== "number") return undefined;
  const { index } = (operands[1] as Instantiation<FieldReference>).of;
  return { price: sum + read + perNode * known + (base[opcode] as number), field: index, variant: -1 };
}

/** What a leaf returns. Undefined where it has to run: it would fail, or copy a value with parts. */
export function leafResult({ field, variant }: Leaf, argument: Value): Value | undefined {
  const struct = argument instanceof Ref ? argument.container[argument.index] : undefined;
  if (!(struct instanceof Struct)) return undefined;
  if (field < 0) return struct.tag === variant;
  const value = struct.fields[field];
  return typeof value === "object" ? undefined : value;
}
