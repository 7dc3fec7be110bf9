// Reads a compiled module or script with its code, for the virtual machine, in pieces. `readModuleFile` or `readScriptFile`
// checks every index and operand first, so that this reader only picks things up.
import { forEach, type Pieces } from "../../base/pieces.ts";
import type {
  Ability,
  AbiStructType,
  AbiType,
  ModuleAbi,
  ModuleId,
  ScriptAbi,
  StructAbi,
  Visibility,
} from "../abi.ts";
import type { Cursor } from "./cursor.ts";
import { TABLE } from "./directory.ts";
import { OPCODES } from "./opcodes.ts";
import { readTable } from "./pools.ts";
import { type CodeFile, readModuleFile, readScriptFile } from "./reader.ts";
import { TypeReader } from "./types.ts";

/** A function that a program defines or calls, as its handle describes it. */
export interface FunctionReference {
  readonly module: ModuleId;
  readonly name: string;
  readonly params: readonly AbiType[];
  readonly returns: readonly AbiType[];
  readonly typeParams: readonly (readonly Ability[])[];
  /** May be called from stored closures, whatever its visibility. */
  readonly isPersistent: boolean;
  /** Locks its module against reentrancy while it runs. */
  readonly isModuleLock: boolean;
}

/** An element of a table with type arguments. */
export interface Instantiation<T> {
  readonly of: T;
  readonly typeArgs: readonly AbiType[];
}

export interface Constant {
  readonly type: AbiType;
  readonly bytes: Uint8Array;
}

/** A field of a struct, or of some variants of an enum. */
export interface FieldReference {
  readonly owner: StructAbi;
  readonly index: number;
  /** Undefined for a struct. */
  readonly variants: readonly number[] | undefined;
}

export interface VariantReference {
  readonly owner: StructAbi;
  readonly variant: number;
}

export interface ClosureReference {
  readonly target: Instantiation<FunctionReference>;
  /** Bit i: parameter i is captured. */
  readonly mask: bigint;
}

export interface VectorReference {
  readonly item: AbiType;
  readonly count: number;
}

/** What an instruction refers to. */
export type CodeOperand =
  | undefined
  | number
  | bigint
  | Constant
  | FunctionReference
  | Instantiation<FunctionReference>
  | StructAbi
  | Instantiation<StructAbi>
  | FieldReference
  | Instantiation<FieldReference>
  | VariantReference
  | Instantiation<VariantReference>
  | ClosureReference
  | VectorReference;

export interface FunctionBody {
  /** Types of the locals after the parameters. */
  readonly locals: readonly AbiType[];
  readonly opcodes: Uint8Array;
  readonly operands: readonly CodeOperand[];
}

export interface FunctionDefinition extends FunctionReference {
  readonly index: number;
  readonly visibility: Visibility;
  readonly isEntry: boolean;
  /** Undefined for a native function. */
  readonly body: FunctionBody | undefined;
}

export interface Program {
  readonly abi: ModuleAbi;
  readonly functions: readonly FunctionDefinition[];
  readonly metadata: ReadonlyMap<string, Uint8Array>;
  /** Keys of all metadata entries, in the order of the file. */
  readonly metadataKeys: readonly string[];
  /** Modules that the code names. */
  readonly dependencies: readonly ModuleId[];
}

/** A struct that a module defines or uses, as its handle describes it. */
export interface StructReference {
  readonly base: AbiStructType;
  readonly abilities: readonly Ability[];
  readonly typeParams: StructAbi["typeParams"];
}

/** Tables of a file that only its verification looks at. */
export interface ProgramTables {
  readonly signatures: readonly (readonly AbiType[])[];
  readonly functions: readonly FunctionReference[];
  readonly structs: readonly StructReference[];
  /** Type arguments of all instantiations of functions, structs and fields. */
  readonly instantiations: readonly (readonly AbiType[])[];
}

export interface ScriptProgram {
  readonly abi: ScriptAbi;
  readonly main: FunctionDefinition;
  /** Format version. */
  readonly version: number;
  /** Functions that the code names. */
  readonly functions: readonly FunctionReference[];
  readonly metadata: ReadonlyMap<string, Uint8Array>;
  readonly dependencies: readonly ModuleId[];
}

const NO_MODULE: ModuleId = { address: new Uint8Array(32) as ModuleId["address"], name: "" };
/** Instantiations whose type arguments a module's verification looks at. */
const VERIFIED: ReadonlySet<number> = new Set([
  TABLE.functionInstantiations,
  TABLE.structInstantiations,
  TABLE.fieldInstantiations,
]);
const PERSISTENT = 1;
const MODULE_LOCK = 2;
/** Opcodes with signed operands. */
const [FIRST_SIGNED, LAST_SIGNED] = [91, 96];
const FUNCTIONS_OF_PIECE = 1024;
/** Of a function definition, besides its body. */
const LEAST_BYTES = 8;
const WIDE_BYTES = 8;
const WIDE_BITS = 64n;

/** A program, and the tables that its verification looks at. */
export interface WithTables<T> {
  readonly program: T;
  readonly tables: ProgramTables;
}

/** The tables that bodies refer to. */
class CodeTables {
  readonly #signatures: readonly (readonly AbiType[])[];
  readonly #tables: readonly (readonly CodeOperand[] | undefined)[];

  constructor(signatures: readonly (readonly AbiType[])[], tables: readonly (readonly CodeOperand[])[]) {
    this.#signatures = signatures;
    this.#tables = tables;
  }

  *body(cursor: Cursor): Pieces<FunctionBody> {
    const locals = cursor.pick(this.#signatures, "locals");
    const count = cursor.uleb(0xffff, "instruction count");
    const opcodes = new Uint8Array(count);
    const operands: CodeOperand[] = new Array<CodeOperand>(count);
    for (let i = 0; i < count; i++) {
      const at = cursor.offset;
      const code = cursor.u8("opcode");
      opcodes[i] = code;
      operands[i] = this.#operand(cursor, code);
      if (cursor.isPieceOver(cursor.offset - at)) yield;
    }
    return { locals, opcodes, operands };
  }

  #operand(cursor: Cursor, code: number): CodeOperand {
    const opcode = OPCODES[code];
    if (opcode === undefined) return cursor.fail("UNKNOWN_OPCODE", `opcode ${code}`);
    const { operand, table } = opcode;
    switch (operand) {
      case "none":
        return undefined;
      case "local":
      case "branch":
        return cursor.uleb(0xffff, operand);
      case "index": {
        const index = cursor.uleb(0xffff, opcode.name);
        if (table !== TABLE.signatures) return this.#tables[table]?.[index];
        return { item: this.#signatures[index]?.[0] ?? { kind: "bool" }, count: 0 };
      }
      case "index+8": {
        const index = cursor.uleb(0xffff, opcode.name);
        const item: AbiType = this.#signatures[index]?.[0] ?? { kind: "bool" };
        return { item, count: Number(readInteger(cursor, WIDE_BYTES, false)) };
      }
      case "index+mask": {
        const of = this.#tables[table]?.[cursor.uleb(0xffff, opcode.name)];
        const target = (
          table === TABLE.functionHandles ? { of, typeArgs: [] } : of
        ) as Instantiation<FunctionReference>;
        return { target, mask: readMask(cursor) };
      }
      default:
        return readInteger(cursor, operand, code >= FIRST_SIGNED && code <= LAST_SIGNED);
    }
  }
}

/** A number if it is shorter than eight bytes. */
function readInteger(cursor: Cursor, bytes: number, isSigned: boolean): number | bigint {
  const at = cursor.skip(bytes, "MALFORMED", "operand");
  if (bytes < WIDE_BYTES) return cursor.bytes[isSigned ? "readIntLE" : "readUIntLE"](at, bytes);
  let value = 0n;
  for (let next = at + bytes - WIDE_BYTES; next >= at; next -= WIDE_BYTES)
    value = (value << WIDE_BITS) | cursor.bytes.readBigUInt64LE(next);
  return isSigned ? BigInt.asIntN(8 * bytes, value) : value;
}

function readMask(cursor: Cursor): bigint {
  let mask = 0n;
  for (let shift = 0n; ; shift += 7n) {
    const byte = cursor.u8("capture mask");
    mask |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return mask;
  }
}

function readField(cursor: Cursor, structs: readonly StructAbi[]): FieldReference {
  const owner = cursor.pick(structs, "struct");
  return { owner, index: cursor.uleb(0xff, "field"), variants: undefined };
}

function readVariantField(cursor: Cursor, structs: readonly StructAbi[]): FieldReference {
  const owner = cursor.pick(structs, "struct");
  const index = cursor.uleb(0xff, "field");
  return { owner, index, variants: cursor.list(0x7f, "variant", () => cursor.uleb(0xff, "variant")) };
}

/** Reads the tables of a checked file. */
function* readTables(
  { directory, pools }: CodeFile<unknown>,
  structs: readonly StructAbi[],
): Pieces<{ readonly tables: ProgramTables; readonly code: CodeTables }> {
  const signatures: (readonly AbiType[])[] = [];
  for (const signature of pools.signatures) {
    signatures.push(signature.types);
    if (directory.tail.isPieceOver(signature.bytes)) yield;
  }
  const functions: FunctionReference[] = [];
  yield* forEach(pools.functions, FUNCTIONS_OF_PIECE, ({ params, returns, attributes, ...handle }) => {
    functions.push({
      params: params.types,
      returns: returns.types,
      isPersistent: attributes.includes(PERSISTENT),
      isModuleLock: attributes.includes(MODULE_LOCK),
      ...handle,
    });
  });
  const tables: (readonly unknown[])[] = [];
  tables[TABLE.functionHandles] = functions;
  tables[TABLE.structDefinitions] = structs;
  const read = function* (kind: number, element: (cursor: Cursor) => unknown): Pieces<void> {
    tables[kind] = yield* readTable(directory.table(kind), element);
  };
  const instantiations: (readonly AbiType[])[] = [];
  const instantiate = (kind: number, of: number): Pieces<void> =>
    read(kind, (cursor) => {
      const instantiation = {
        of: cursor.pick(tables[of] ?? [], "instantiated element"),
        typeArgs: cursor.pick(signatures, "type arguments"),
      };
      if (VERIFIED.has(kind)) instantiations.push(instantiation.typeArgs);
      return instantiation;
    });
  yield* read(TABLE.fieldHandles, (cursor) => readField(cursor, structs));
  yield* read(TABLE.variantFieldHandles, (cursor) => readVariantField(cursor, structs));
  yield* read(TABLE.structVariantHandles, (cursor) => ({
    owner: cursor.pick(structs, "struct"),
    variant: cursor.uleb(0xff, "variant"),
  }));
  const constants = directory.table(TABLE.constants);
  const types = new TypeReader(constants, pools.structs);
  tables[TABLE.constants] = yield* readTable(constants, (cursor) => ({
    type: types.type(),
    bytes: cursor.blob(0xffff, "constant"),
  }));
  yield* instantiate(TABLE.functionInstantiations, TABLE.functionHandles);
  yield* instantiate(TABLE.structInstantiations, TABLE.structDefinitions);
  yield* instantiate(TABLE.fieldInstantiations, TABLE.fieldHandles);
  yield* instantiate(TABLE.variantFieldInstantiations, TABLE.variantFieldHandles);
  yield* instantiate(TABLE.structVariantInstantiations, TABLE.structVariantHandles);
  return {
    tables: { signatures, functions, structs: pools.structs, instantiations },
    code: new CodeTables(signatures, tables as readonly (readonly CodeOperand[])[]),
  };
}

/** Reads a module with its code. Throws MoveError for bytes that the format rejects. */
export function* readProgram(bytes: Uint8Array): Pieces<WithTables<Program>> {
  const file = yield* readModuleFile(bytes);
  const { abi, directory, pools } = file;
  const { tables, code } = yield* readTables(file, abi.structs);
  const cursor = directory.table(TABLE.functionDefinitions);
  const functions: FunctionDefinition[] = [];
  for (const [index, { abi: own, handle, bodyAt }] of file.functions.entries()) {
    const { visibility, isEntry } = own;
    if (bodyAt !== undefined) cursor.offset = bodyAt;
    const body = bodyAt === undefined ? undefined : yield* code.body(cursor);
    // The handle comes last: before other members, it takes forty times as long.
    functions.push({ index, visibility, isEntry, body, ...(tables.functions[handle] as FunctionReference) });
    if (cursor.isPieceOver(LEAST_BYTES)) yield;
  }
  const metadataKeys = yield* readTable(directory.table(TABLE.metadata), (one) => {
    const key = one.latin1(1023, "metadata key");
    one.blob(0xffff, "metadata value");
    return key;
  });
  const dependencies = pools.modules.filter(
    ({ address, name }) => name !== abi.name || Buffer.compare(address, abi.address) !== 0,
  );
  return { program: { abi, functions, metadata: pools.metadata, metadataKeys, dependencies }, tables };
}

/** Reads a script with its code. Throws MoveError for bytes that the format rejects. */
export function* readScriptProgram(bytes: Uint8Array): Pieces<WithTables<ScriptProgram>> {
  const file = yield* readScriptFile(bytes);
  const { abi, directory, pools, bodyAt } = file;
  const { tables, code } = yield* readTables(file, []);
  const { tail, version } = directory;
  tail.offset = bodyAt;
  const main: FunctionDefinition = {
    module: NO_MODULE,
    name: "main",
    params: abi.params,
    returns: [],
    typeParams: abi.typeParams,
    isPersistent: false,
    isModuleLock: false,
    index: 0,
    visibility: "private",
    isEntry: true,
    body: yield* code.body(tail),
  };
  const { metadata, modules } = pools;
  const program = { abi, main, version, functions: tables.functions, metadata, dependencies: modules };
  return { program, tables };
}
