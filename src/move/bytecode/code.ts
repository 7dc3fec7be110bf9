// Walks a code body without keeping it. Nothing of a body reaches the ABI, but a body that refers to what is
// not there makes the whole file invalid, so every operand is checked on the way.
import { bytecodeError, type Cursor, MAX_INDEX } from "./cursor.ts";
import { OPCODES } from "./opcodes.ts";
import type { Signature } from "./types.ts";

/** Most parameters and locals of one body together. */
const MAX_LOCALS = 255;

/** What operands may refer to, by table kind. */
export interface CodePools {
  readonly signatures: readonly Signature[];
  /** Elements of each table. */
  readonly counts: readonly (number | undefined)[];
  /** Highest type parameter of each element, for the tables whose elements name types. */
  readonly highestParams: readonly (readonly number[] | undefined)[];
}

/** What a body belongs to. */
export interface CodeOwner {
  readonly typeParamCount: number;
  readonly paramCount: number;
}

/** Checks the highest type parameter of something used by an owner with `count` type parameters. */
export function assertTypeParams(cursor: Cursor, highest: number, count: number, at: number): void {
  if (highest >= count) {
    cursor.fail("INDEX_OUT_OF_BOUNDS", `type parameter ${highest} used where ${count} are declared`, at);
  }
}

/** Passes over one body: locals, instruction count, instructions. */
export function skipCode(cursor: Cursor, pools: CodePools, owner: CodeOwner): void {
  const start = cursor.offset;
  const locals = cursor.pick(pools.signatures, "locals signature index");
  const localCount = owner.paramCount + locals.types.length;
  if (localCount > MAX_LOCALS) {
    cursor.fail("TOO_MANY_LOCALS", `${localCount} parameters and locals, at most ${MAX_LOCALS}`, start);
  }
  assertTypeParams(cursor, locals.highestParam, owner.typeParamCount, start);
  const count = cursor.uleb(MAX_INDEX, "instruction count");
  for (let i = 0; i < count; i++) skipInstruction(cursor, pools, owner.typeParamCount, localCount, count);
}

function skipInstruction(
  cursor: Cursor,
  pools: CodePools,
  typeParamCount: number,
  localCount: number,
  codeLength: number,
): void {
  const at = cursor.offset;
  const code = cursor.u8("opcode");
  const opcode = OPCODES[code];
  if (opcode === undefined) throw bytecodeError("UNKNOWN_OPCODE", at, `opcode ${code}`);
  if (cursor.version < opcode.since) {
    cursor.fail("MALFORMED", `${opcode.name} does not exist in format version ${cursor.version}`, at);
  }
  const { operand } = opcode;
  if (operand === "none") return;
  if (operand === "local") {
    assertBelow(cursor, cursor.uleb(255, "local index"), localCount, at);
  } else if (operand === "branch") {
    assertBelow(cursor, cursor.uleb(MAX_INDEX, "branch target"), codeLength, at);
  } else if (typeof operand === "number") {
    cursor.skip(operand, operand === 1 ? "MALFORMED" : `BAD_U${8 * operand}`, opcode.name);
  } else {
    const index = cursor.uleb(MAX_INDEX, opcode.name);
    assertBelow(cursor, index, pools.counts[opcode.table] ?? 0, at);
    const highest = pools.highestParams[opcode.table]?.[index];
    if (highest !== undefined) assertTypeParams(cursor, highest, typeParamCount, at);
    if (operand === "index+8") cursor.skip(8, "BAD_U64", opcode.name);
    // The bound of 64 bits is the encoding's own.
    else if (operand === "index+mask") cursor.uleb(Number.POSITIVE_INFINITY, "capture mask");
  }
}

function assertBelow(cursor: Cursor, index: number, count: number, at: number): void {
  if (index >= count) cursor.fail("INDEX_OUT_OF_BOUNDS", `operand ${index}, there are ${count}`, at);
}
