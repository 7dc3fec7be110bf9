// The instruction set as one table. A body has no byte length, so skipping it takes the operand of every opcode. The
// table also names the pool that an operand refers to and the format version that introduced the opcode.
import { TABLE } from "./directory.ts";

/**
 * The operand: none, a local, an instruction number, an index, an index and 8 raw bytes, an index and a 64-bit mask, or
 * that many raw bytes.
 */
export type Operand =
  | "none"
  | "local"
  | "branch"
  | "index"
  | "index+8"
  | "index+mask"
  | 1
  | 2
  | 4
  | 8
  | 16
  | 32;

/** One instruction. `table` is the kind of table that its index refers to, 0 for none. */
export interface Opcode {
  readonly name: string;
  readonly operand: Operand;
  readonly table: number;
  readonly since: number;
}

type Row = readonly [code: number, name: string, operand: Operand, table: number, since: number];

const ROWS: readonly Row[] = [
  [0x01, "pop", "none", 0, 1],
  [0x02, "ret", "none", 0, 1],
  [0x03, "branch if true", "branch", 0, 1],
  [0x04, "branch if false", "branch", 0, 1],
  [0x05, "branch", "branch", 0, 1],
  [0x06, "load u64", 8, 0, 1],
  [0x07, "load constant", "index", TABLE.constants, 1],
  [0x08, "load true", "none", 0, 1],
  [0x09, "load false", "none", 0, 1],
  [0x0a, "copy local", "local", 0, 1],
  [0x0b, "move local", "local", 0, 1],
  [0x0c, "store local", "local", 0, 1],
  [0x0d, "borrow local mutably", "local", 0, 1],
  [0x0e, "borrow local", "local", 0, 1],
  [0x0f, "borrow field mutably", "index", TABLE.fieldHandles, 1],
  [0x10, "borrow field", "index", TABLE.fieldHandles, 1],
  [0x11, "call", "index", TABLE.functionHandles, 1],
  [0x12, "pack", "index", TABLE.structDefinitions, 1],
  [0x13, "unpack", "index", TABLE.structDefinitions, 1],
  [0x14, "read ref", "none", 0, 1],
  [0x15, "write ref", "none", 0, 1],
  [0x16, "add", "none", 0, 1],
  [0x17, "sub", "none", 0, 1],
  [0x18, "mul", "none", 0, 1],
  [0x19, "mod", "none", 0, 1],
  [0x1a, "div", "none", 0, 1],
  [0x1b, "bit or", "none", 0, 1],
  [0x1c, "bit and", "none", 0, 1],
  [0x1d, "xor", "none", 0, 1],
  [0x1e, "or", "none", 0, 1],
  [0x1f, "and", "none", 0, 1],
  [0x20, "not", "none", 0, 1],
  [0x21, "eq", "none", 0, 1],
  [0x22, "neq", "none", 0, 1],
  [0x23, "lt", "none", 0, 1],
  [0x24, "gt", "none", 0, 1],
  [0x25, "le", "none", 0, 1],
  [0x26, "ge", "none", 0, 1],
  [0x27, "abort", "none", 0, 1],
  [0x28, "nop", "none", 0, 1],
  [0x29, "exists", "index", TABLE.structDefinitions, 1],
  [0x2a, "borrow global mutably", "index", TABLE.structDefinitions, 1],
  [0x2b, "borrow global", "index", TABLE.structDefinitions, 1],
  [0x2c, "move from", "index", TABLE.structDefinitions, 1],
  [0x2d, "move to", "index", TABLE.structDefinitions, 1],
  [0x2e, "freeze", "none", 0, 1],
  [0x2f, "shift left", "none", 0, 1],
  [0x30, "shift right", "none", 0, 1],
  [0x31, "load u8", 1, 0, 1],
  [0x32, "load u128", 16, 0, 1],
  [0x33, "cast u8", "none", 0, 1],
  [0x34, "cast u64", "none", 0, 1],
  [0x35, "cast u128", "none", 0, 1],
  [0x36, "borrow generic field mutably", "index", TABLE.fieldInstantiations, 1],
  [0x37, "borrow generic field", "index", TABLE.fieldInstantiations, 1],
  [0x38, "call generic", "index", TABLE.functionInstantiations, 1],
  [0x39, "pack generic", "index", TABLE.structInstantiations, 1],
  [0x3a, "unpack generic", "index", TABLE.structInstantiations, 1],
  [0x3b, "exists generic", "index", TABLE.structInstantiations, 1],
  [0x3c, "borrow global mutably generic", "index", TABLE.structInstantiations, 1],
  [0x3d, "borrow global generic", "index", TABLE.structInstantiations, 1],
  [0x3e, "move from generic", "index", TABLE.structInstantiations, 1],
  [0x3f, "move to generic", "index", TABLE.structInstantiations, 1],
  [0x40, "vector pack", "index+8", TABLE.signatures, 4],
  [0x41, "vector length", "index", TABLE.signatures, 4],
  [0x42, "vector borrow", "index", TABLE.signatures, 4],
  [0x43, "vector borrow mutably", "index", TABLE.signatures, 4],
  [0x44, "vector push", "index", TABLE.signatures, 4],
  [0x45, "vector pop", "index", TABLE.signatures, 4],
  [0x46, "vector unpack", "index+8", TABLE.signatures, 4],
  [0x47, "vector swap", "index", TABLE.signatures, 4],
  [0x48, "load u16", 2, 0, 6],
  [0x49, "load u32", 4, 0, 6],
  [0x4a, "load u256", 32, 0, 6],
  [0x4b, "cast u16", "none", 0, 6],
  [0x4c, "cast u32", "none", 0, 6],
  [0x4d, "cast u256", "none", 0, 6],
  [0x4e, "borrow variant field", "index", TABLE.variantFieldHandles, 7],
  [0x4f, "borrow variant field mutably", "index", TABLE.variantFieldHandles, 7],
  [0x50, "borrow variant field generic", "index", TABLE.variantFieldInstantiations, 7],
  [0x51, "borrow variant field mutably generic", "index", TABLE.variantFieldInstantiations, 7],
  [0x52, "pack variant", "index", TABLE.structVariantHandles, 7],
  [0x53, "pack variant generic", "index", TABLE.structVariantInstantiations, 7],
  [0x54, "unpack variant", "index", TABLE.structVariantHandles, 7],
  [0x55, "unpack variant generic", "index", TABLE.structVariantInstantiations, 7],
  [0x56, "test variant", "index", TABLE.structVariantHandles, 7],
  [0x57, "test variant generic", "index", TABLE.structVariantInstantiations, 7],
  [0x58, "pack closure", "index+mask", TABLE.functionHandles, 8],
  [0x59, "pack closure generic", "index+mask", TABLE.functionInstantiations, 8],
  [0x5a, "call closure", "index", TABLE.signatures, 8],
  [0x5b, "load i8", 1, 0, 9],
  [0x5c, "load i16", 2, 0, 9],
  [0x5d, "load i32", 4, 0, 9],
  [0x5e, "load i64", 8, 0, 9],
  [0x5f, "load i128", 16, 0, 9],
  [0x60, "load i256", 32, 0, 9],
  [0x61, "cast i8", "none", 0, 9],
  [0x62, "cast i16", "none", 0, 9],
  [0x63, "cast i32", "none", 0, 9],
  [0x64, "cast i64", "none", 0, 9],
  [0x65, "cast i128", "none", 0, 9],
  [0x66, "cast i256", "none", 0, 9],
  [0x67, "negate", "none", 0, 9],
  [0x68, "abort with message", "none", 0, 10],
];

/** Instructions by opcode; a hole is an unknown opcode. */
export const OPCODES: readonly (Opcode | undefined)[] = ROWS.reduce<(Opcode | undefined)[]>(
  (table, [code, name, operand, tableKind, since]) => {
    table[code] = { name, operand, table: tableKind, since };
    return table;
  },
  [],
);
