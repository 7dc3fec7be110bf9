// Skips a code body and checks every operand. No part of a body reaches the ABI, but an operand out of range makes the
// whole file invalid.
import { bytecodeError, type Cursor, MAX_INDEX } from "./cursor.ts";
import { OPCODES, type Operand } from "./opcodes.ts";
import type { Signature } from "./types.ts";

/** Largest sum of parameters and locals of one body. */
const MAX_LOCALS = 255;

function codesWith(operand: Operand): number[] {
  return [...OPCODES.keys()].filter((code) => OPCODES[code]?.operand === operand);
}

const LOCAL_CODES = codesWith("local");
const BRANCH_CODES = codesWith("branch");

/** The tables that operands refer to, by table kind. */
export interface CodePools {
  readonly signatures: readonly Signature[];
  /** Number of elements of each table. */
  readonly counts: readonly (number | undefined)[];
  /** Highest type parameter of each element, for the tables whose elements name types. */
  readonly highestParams: readonly (readonly number[] | undefined)[];
  readonly shortcuts: Shortcuts;
}

/**
 * For each opcode, the instruction is valid if its first operand byte is below this number. 0: there is no operand;
 * -1: only `skipInstruction` can tell. Settles most instructions.
 */
type Shortcuts = Int16Array;

/** Shortcuts of one file; `skipCode` sets those of locals and branches for each body. */
export function createShortcuts(pools: Omit<CodePools, "shortcuts">, version: number): Shortcuts {
  const shortcuts = new Int16Array(256).fill(-1);
  for (const [code, opcode] of OPCODES.entries()) {
    if (opcode === undefined || opcode.since > version) continue;
    if (opcode.operand === "none") shortcuts[code] = 0;
    else if (opcode.operand === "index" && pools.highestParams[opcode.table] === undefined) {
      shortcuts[code] = Math.min(0x80, pools.counts[opcode.table] ?? 0) || -1;
    }
  }
  return shortcuts;
}

function setShortcuts(shortcuts: Shortcuts, codes: readonly number[], count: number): void {
  for (const code of codes) shortcuts[code] = Math.min(0x80, count) || -1;
}

/** The function or script of a body. */
export interface CodeOwner {
  readonly typeParamCount: number;
  readonly paramCount: number;
}

/** Checks that the highest type parameter used is below `count`, the number declared. */
export function assertTypeParams(cursor: Cursor, highest: number, count: number, at: number): void {
  if (highest >= count) {
    cursor.fail("INDEX_OUT_OF_BOUNDS", `type parameter ${highest} used where ${count} are declared`, at);
  }
}

/** Skips one body: locals, instruction count, instructions. */
export function skipCode(cursor: Cursor, pools: CodePools, owner: CodeOwner): void {
  const start = cursor.offset;
  const locals = cursor.pick(pools.signatures, "locals signature index");
  const localCount = owner.paramCount + locals.length;
  if (localCount > MAX_LOCALS) {
    cursor.fail("TOO_MANY_LOCALS", `${localCount} parameters and locals, at most ${MAX_LOCALS}`, start);
  }
  assertTypeParams(cursor, locals.highestParam, owner.typeParamCount, start);
  const count = cursor.uleb(MAX_INDEX, "instruction count");
  const { shortcuts } = pools;
  setShortcuts(shortcuts, LOCAL_CODES, localCount);
  setShortcuts(shortcuts, BRANCH_CODES, count);
  const { bytes, end } = cursor;
  for (let i = 0; i < count; i++) {
    const at = cursor.offset;
    const limit = at + 1 < end ? shortcuts[bytes[at] ?? 0] : -1;
    if (limit === 0) cursor.offset = at + 1;
    else if (limit !== undefined && (bytes[at + 1] ?? 0xff) < limit) cursor.offset = at + 2;
    else skipInstruction(cursor, pools, owner.typeParamCount, localCount, count);
  }
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
    // The encoding itself limits the mask to 64 bits.
    else if (operand === "index+mask") cursor.uleb(Number.POSITIVE_INFINITY, "capture mask");
  }
}

function assertBelow(cursor: Cursor, index: number, count: number, at: number): void {
  if (index >= count) cursor.fail("INDEX_OUT_OF_BOUNDS", `operand ${index}, but there are only ${count}`, at);
}
