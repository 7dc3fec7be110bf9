// Reads a compiled module or script with its code, for the virtual machine. `readModule` or `readScript` checks every index
// and operand first, so that this reader only picks things up.
import type { Ability, AbiStructType, AbiType, ModuleAbi, ModuleId, ScriptAbi, StructAbi, Visibility } from "../abi.ts";
import { readFunctionTypeParams } from "./abilities.ts";
import type { Cursor } from "./cursor.ts";
import { type Directory, readDirectory, TABLE } from "./directory.ts";
import { readAttributeCodes, skipAccessSpecifiers } from "./function-extras.ts";
import { OPCODES } from "./opcodes.ts";
import { type Pools, readPools, readTable } from "./pools.ts";
import { readModule, readScript } from "./reader.ts";
import { type Signature, TypeReader } from "./types.ts";

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

/** Tables of a module that only its publishing looks at. */
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
const FLAG_NATIVE = 2;
const PERSISTENT = 1;
const MODULE_LOCK = 2;
/** Signed operands by opcode, with their width in bits. */
const SIGNED: Readonly<Record<number, number>> = { 91: 8, 92: 16, 93: 32, 94: 64, 95: 128, 96: 256 };
const WIDE_BYTES = 8;

/** The tables that bodies refer to. */
class CodeTables {
  readonly signatures: readonly Signature[];
  readonly functions: readonly FunctionReference[];
  readonly #tables: (readonly CodeOperand[] | undefined)[] = [];

  constructor(directory: Directory, pools: Pools, structs: readonly StructAbi[]) {
    const { signatures } = pools;
    this.signatures = signatures;
    this.functions = readTable(directory.table(TABLE.functionHandles), (cursor) => readHandle(cursor, pools));
    const constants = directory.table(TABLE.constants);
    const types = new TypeReader(constants, pools.structs);
    const fields = readTable(directory.table(TABLE.fieldHandles), (cursor) => readField(cursor, structs));
    const variantFields = readTable(directory.table(TABLE.variantFieldHandles), (cursor) =>
      readVariantField(cursor, structs),
    );
    const variants = readTable(directory.table(TABLE.structVariantHandles), (cursor) => ({
      owner: cursor.pick(structs, "struct"),
      variant: cursor.uleb(0xff, "variant"),
    }));
    const instantiations = <T>(kind: number, of: readonly T[]): readonly Instantiation<T>[] =>
      readTable(directory.table(kind), (cursor) => ({
        of: cursor.pick(of, "instantiated element"),
        typeArgs: cursor.pick(signatures, "type arguments").types,
      }));
    const set = (kind: number, table: readonly CodeOperand[]): void => {
      this.#tables[kind] = table;
    };
    set(
      TABLE.constants,
      readTable(constants, (cursor) => ({ type: types.type(), bytes: cursor.blob(0xffff, "constant") })),
    );
    set(TABLE.functionHandles, this.functions);
    set(TABLE.functionInstantiations, instantiations(TABLE.functionInstantiations, this.functions));
    set(TABLE.structDefinitions, structs);
    set(TABLE.structInstantiations, instantiations(TABLE.structInstantiations, structs));
    set(TABLE.fieldHandles, fields);
    set(TABLE.fieldInstantiations, instantiations(TABLE.fieldInstantiations, fields));
    set(TABLE.variantFieldHandles, variantFields);
    set(TABLE.variantFieldInstantiations, instantiations(TABLE.variantFieldInstantiations, variantFields));
    set(TABLE.structVariantHandles, variants);
    set(TABLE.structVariantInstantiations, instantiations(TABLE.structVariantInstantiations, variants));
  }

  body(cursor: Cursor): FunctionBody {
    const locals = cursor.pick(this.signatures, "locals").types;
    const count = cursor.uleb(0xffff, "instruction count");
    const opcodes = new Uint8Array(count);
    const operands: CodeOperand[] = new Array<CodeOperand>(count);
    for (let i = 0; i < count; i++) {
      const code = cursor.u8("opcode");
      opcodes[i] = code;
      operands[i] = this.#operand(cursor, code);
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
        return { item: this.signatures[index]?.types[0] ?? { kind: "bool" }, count: 0 };
      }
      case "index+8": {
        const index = cursor.uleb(0xffff, opcode.name);
        const item: AbiType = this.signatures[index]?.types[0] ?? { kind: "bool" };
        return { item, count: Number(readInteger(cursor, WIDE_BYTES)) };
      }
      case "index+mask": {
        const of = this.#tables[table]?.[cursor.uleb(0xffff, opcode.name)];
        const target = (
          table === TABLE.functionHandles ? { of, typeArgs: [] } : of
        ) as Instantiation<FunctionReference>;
        return { target, mask: readMask(cursor) };
      }
      default: {
        const value = readInteger(cursor, operand);
        const bits = SIGNED[code];
        const signed = bits === undefined ? value : BigInt.asIntN(bits, value);
        return operand < WIDE_BYTES ? Number(signed) : signed;
      }
    }
  }
}

function readInteger(cursor: Cursor, bytes: number): bigint {
  const at = cursor.skip(bytes, "MALFORMED", "operand");
  let value = 0n;
  for (let i = bytes - 1; i >= 0; i--) value = (value << 8n) | BigInt(cursor.bytes[at + i] ?? 0);
  return value;
}

function readMask(cursor: Cursor): bigint {
  let mask = 0n;
  for (let shift = 0n; ; shift += 7n) {
    const byte = cursor.u8("capture mask");
    mask |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return mask;
  }
}

function readHandle(cursor: Cursor, pools: Pools): FunctionReference {
  const module = cursor.pick(pools.modules, "module");
  const name = cursor.pick(pools.identifiers, "function name");
  const params = cursor.pick(pools.signatures, "parameters");
  const returns = cursor.pick(pools.signatures, "returns");
  const typeParams = readFunctionTypeParams(cursor);
  if (cursor.version >= 7) skipAccessSpecifiers(cursor);
  const attributes = cursor.version >= 8 ? readAttributeCodes(cursor) : [];
  return {
    module,
    name,
    params: params.types,
    returns: returns.types,
    typeParams,
    isPersistent: attributes.includes(PERSISTENT),
    isModuleLock: attributes.includes(MODULE_LOCK),
  };
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

function readDefinition(cursor: Cursor, tables: CodeTables, index: number): FunctionDefinition {
  const reference = cursor.pick(tables.functions, "function handle");
  const byte = cursor.u8("visibility");
  const isOld = cursor.version === 1;
  const flags = isOld ? byte : cursor.u8("function flags");
  const isScriptOnly = !isOld && byte === 2 && cursor.version < 5;
  const visibility = byte === 3 && !isOld ? "friend" : (isOld ? byte & 1 : byte) === 0 ? "private" : "public";
  const isEntry = isScriptOnly || (cursor.version >= 5 && (flags & 4) !== 0);
  cursor.list(0xff, "acquired struct", () => cursor.uleb(0xffff, "acquired struct"));
  const isNative = (flags & FLAG_NATIVE) !== 0;
  return { ...reference, index, visibility, isEntry, body: isNative ? undefined : tables.body(cursor) };
}

/** Reads a module with its code. Throws MoveError for bytes that the format rejects. */
export function readProgram(bytes: Uint8Array): Program {
  const abi = readModule(bytes);
  const directory = readDirectory(bytes, "module");
  const pools = readPools(directory);
  const tables = new CodeTables(directory, pools, abi.structs);
  let index = 0;
  const functions = readTable(directory.table(TABLE.functionDefinitions), (cursor) =>
    readDefinition(cursor, tables, index++),
  );
  const metadataKeys = readTable(directory.table(TABLE.metadata), (cursor) => {
    const key = cursor.latin1(1023, "metadata key");
    cursor.blob(0xffff, "metadata value");
    return key;
  });
  const dependencies = pools.modules.filter(
    ({ address, name }) => name !== abi.name || Buffer.compare(address, abi.address) !== 0,
  );
  return { abi, functions, metadata: pools.metadata, metadataKeys, dependencies };
}

/** Reads the tables of a module that `readProgram` accepts. */
export function readProgramTables(bytes: Uint8Array): ProgramTables {
  const directory = readDirectory(bytes, "module");
  const pools = readPools(directory);
  const functions = readTable(directory.table(TABLE.functionHandles), (cursor) => readHandle(cursor, pools));
  const kinds = [TABLE.functionInstantiations, TABLE.structInstantiations, TABLE.fieldInstantiations];
  const instantiations = kinds.flatMap((kind) =>
    readTable(directory.table(kind), (cursor) => {
      cursor.uleb(0xffff, "instantiated element");
      return cursor.pick(pools.signatures, "type arguments").types;
    }),
  );
  const signatures = pools.signatures.map(({ types }) => types);
  return { signatures, functions, structs: pools.structs, instantiations };
}

/** Reads a script with its code. Throws MoveError for bytes that the format rejects. */
export function readScriptProgram(bytes: Uint8Array): ScriptProgram {
  const abi = readScript(bytes);
  const directory = readDirectory(bytes, "script");
  const pools = readPools(directory);
  const tables = new CodeTables(directory, pools, []);
  const { tail, version } = directory;
  const typeParams = readFunctionTypeParams(tail);
  const params = tail.pick(pools.signatures, "parameters").types;
  if (version >= 8) skipAccessSpecifiers(tail);
  const body = tables.body(tail);
  const main: FunctionDefinition = {
    module: NO_MODULE,
    name: "main",
    params,
    returns: [],
    typeParams,
    isPersistent: false,
    isModuleLock: false,
    index: 0,
    visibility: "private",
    isEntry: true,
    body,
  };
  const { metadata, modules } = pools;
  return { abi, main, version, functions: tables.functions, metadata, dependencies: modules };
}
