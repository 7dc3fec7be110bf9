// Reads the ABI of compiled modules and scripts: the only entry to bytecode. Accepts exactly the files that the chain's
// deserializer and bounds checker accept, except for limits on the size of a file and of a table. Time and memory are
// linear in the input.
import { finish, type Pieces } from "../../base/pieces.ts";
import type {
  FieldAbi,
  FunctionAbi,
  ModuleAbi,
  ScriptAbi,
  StructAbi,
  VariantAbi,
  Visibility,
} from "../abi.ts";
import { readFunctionTypeParams } from "./abilities.ts";
import { assertTypeParams, type CodePools, createShortcuts, skipCode } from "./code.ts";
import type { Cursor } from "./cursor.ts";
import { type Directory, readDirectory, TABLE, TABLE_KINDS } from "./directory.ts";
import { skipAccessSpecifiers } from "./function-extras.ts";
import { type Attributes, decodeAttributes } from "./metadata.ts";
import {
  countTable,
  type FunctionHandle,
  type Pools,
  readInstantiation,
  readModuleId,
  readPools,
  readTable,
} from "./pools.ts";
import { TypeReader } from "./types.ts";

const MAX_FIELDS = 255;
const MAX_VARIANTS = 127;

const NATIVE = 1;
const FIELDS = 2;
const VARIANTS = 3;

const NO_FIELDS: readonly FieldAbi[] = [];

const FLAG_NATIVE = 2;
const FLAG_ENTRY = 4;

function readFields(cursor: Cursor, types: TypeReader, pools: Pools, typeParamCount: number): FieldAbi[] {
  return cursor.list(MAX_FIELDS, "field", () => {
    const at = cursor.offset;
    const name = cursor.pick(pools.identifiers, "field name index");
    types.highestParam = -1;
    const type = types.type();
    assertTypeParams(cursor, types.highestParam, typeParamCount, at);
    return { name, type };
  });
}

function readVariants(cursor: Cursor, types: TypeReader, pools: Pools, typeParamCount: number): VariantAbi[] {
  const at = cursor.offset;
  const variants = cursor.list(MAX_VARIANTS, "variant", () => {
    const name = cursor.pick(pools.identifiers, "variant name index");
    return { name, fields: readFields(cursor, types, pools, typeParamCount) };
  });
  if (variants.length === 0) cursor.fail("ZERO_VARIANTS_ERROR", "an enum has at least one variant", at);
  return variants;
}

/** Reads the struct and enum definitions. */
function* readStructs(directory: Directory, pools: Pools, attributes: Attributes): Pieces<StructAbi[]> {
  const table = directory.table(TABLE.structDefinitions);
  const types = new TypeReader(table, pools.structs);
  return yield* readTable(table, (cursor) => {
    const handle = cursor.pick(pools.structs, "struct handle index");
    const { name, abilities, typeParams } = handle;
    const at = cursor.offset;
    const tag = cursor.u8("struct tag");
    const isEnum = tag === VARIANTS && cursor.version >= 7;
    if (tag !== NATIVE && tag !== FIELDS && !isEnum) {
      cursor.fail("UNKNOWN_NATIVE_STRUCT_FLAG", `struct tag ${tag}`, at);
    }
    const fields = tag === FIELDS ? readFields(cursor, types, pools, typeParams.length) : NO_FIELDS;
    const variants = isEnum ? readVariants(cursor, types, pools, typeParams.length) : undefined;
    return {
      name,
      isNative: tag === NATIVE,
      isEvent: attributes.events.has(name),
      abilities,
      typeParams,
      fields,
      variants,
      groupMemberOf: attributes.groupMembers.get(name),
      groupScope: attributes.groupScopes.get(name),
    };
  });
}

function assertPosition(cursor: Cursor, position: number, count: number, what: string, at: number): void {
  if (position >= count)
    cursor.fail("INDEX_OUT_OF_BOUNDS", `${what} ${position}, but there are only ${count}`, at);
}

function skipFieldHandle(cursor: Cursor, structs: readonly StructAbi[]): void {
  const at = cursor.offset;
  const owner = cursor.pick(structs, "struct definition index");
  const position = cursor.uleb(MAX_FIELDS, "field position");
  assertPosition(cursor, position, owner.fields.length, "field", at);
}

function skipVariantFieldHandle(cursor: Cursor, structs: readonly StructAbi[]): void {
  const at = cursor.offset;
  const owner = cursor.pick(structs, "struct definition index");
  const position = cursor.uleb(MAX_FIELDS, "field position");
  const count = cursor.uleb(MAX_VARIANTS, "variant count");
  if (count === 0) cursor.fail("ZERO_VARIANTS_ERROR", "a variant field names at least one variant", at);
  const variants = owner.variants ?? [];
  for (let i = 0; i < count; i++) {
    const variant = cursor.uleb(MAX_VARIANTS, "variant position");
    assertPosition(cursor, variant, variants.length, "variant", at);
    assertPosition(cursor, position, variants[variant]?.fields.length ?? 0, "field", at);
  }
}

function skipStructVariantHandle(cursor: Cursor, structs: readonly StructAbi[]): void {
  const at = cursor.offset;
  const owner = cursor.pick(structs, "struct definition index");
  const variant = cursor.uleb(MAX_VARIANTS, "variant position");
  assertPosition(cursor, variant, owner.variants?.length ?? 0, "variant", at);
}

/** Checks the handle and instantiation tables, and collects the tables that bodies refer to. */
function* readCodePools(
  directory: Directory,
  pools: Pools,
  structs: readonly StructAbi[],
): Pieces<CodePools> {
  const counts: (number | undefined)[] = new Array(TABLE_KINDS);
  const highestParams: (readonly number[] | undefined)[] = new Array(TABLE_KINDS);
  counts[TABLE.structDefinitions] = structs.length;
  const handles = function* (kind: number, skip: typeof skipFieldHandle): Pieces<void> {
    counts[kind] = yield* countTable(directory.table(kind), (cursor) => skip(cursor, structs));
  };
  const instantiations = function* (kind: number, of: number): Pieces<void> {
    const count = counts[of] ?? 0;
    const elements = yield* readTable(directory.table(kind), (cursor) =>
      readInstantiation(cursor, count, pools.signatures),
    );
    counts[kind] = elements.length;
    highestParams[kind] = elements;
  };
  yield* handles(TABLE.fieldHandles, skipFieldHandle);
  yield* handles(TABLE.variantFieldHandles, skipVariantFieldHandle);
  yield* handles(TABLE.structVariantHandles, skipStructVariantHandle);
  yield* instantiations(TABLE.structInstantiations, TABLE.structDefinitions);
  yield* instantiations(TABLE.fieldInstantiations, TABLE.fieldHandles);
  yield* instantiations(TABLE.variantFieldInstantiations, TABLE.variantFieldHandles);
  yield* instantiations(TABLE.structVariantInstantiations, TABLE.structVariantHandles);
  return createCodePools(pools, counts, highestParams, directory.version);
}

function createCodePools(
  pools: Pools,
  counts: (number | undefined)[],
  highestParams: (readonly number[] | undefined)[],
  version: number,
): CodePools {
  counts[TABLE.signatures] = pools.signatures.length;
  counts[TABLE.constants] = pools.constantCount;
  counts[TABLE.functionHandles] = pools.functions.length;
  counts[TABLE.functionInstantiations] = pools.functionInstantiations.length;
  highestParams[TABLE.functionInstantiations] = pools.functionInstantiations;
  highestParams[TABLE.signatures] = pools.signatures.map((signature) => signature.highestParam);
  const known = { signatures: pools.signatures, counts, highestParams };
  return { ...known, shortcuts: createShortcuts(known, version) };
}

/**
 * The tables that the body of a script refers to. The format does not check operands that refer to tables which only
 * modules have.
 */
function createScriptCodePools(pools: Pools, version: number): CodePools {
  const counts: (number | undefined)[] = new Array(TABLE_KINDS).fill(Number.POSITIVE_INFINITY);
  return createCodePools(pools, counts, new Array(TABLE_KINDS), version);
}

interface FunctionFlags {
  readonly visibility: Visibility;
  readonly isEntry: boolean;
  readonly isNative: boolean;
}

function readFlags(cursor: Cursor): FunctionFlags {
  const at = cursor.offset;
  const byte = cursor.u8("visibility");
  if (cursor.version === 1) {
    if ((byte & ~(1 | FLAG_NATIVE)) !== 0) cursor.fail("INVALID_FLAG_BITS", `function flags ${byte}`, at);
    return {
      visibility: (byte & 1) === 1 ? "public" : "private",
      isEntry: false,
      isNative: (byte & FLAG_NATIVE) !== 0,
    };
  }
  // Visibility 2 meant "script" before version 5, which made entry a flag.
  const isScript = byte === 2 && cursor.version < 5;
  if (byte > 3 || (byte === 2 && !isScript)) cursor.fail("MALFORMED", `visibility ${byte}`, at);
  const flagsAt = cursor.offset;
  const flags = cursor.u8("function flags");
  const known = cursor.version >= 5 ? FLAG_NATIVE | FLAG_ENTRY : FLAG_NATIVE;
  if ((flags & ~known) !== 0) cursor.fail("INVALID_FLAG_BITS", `function flags ${flags}`, flagsAt);
  return {
    visibility: byte === 0 ? "private" : byte === 3 ? "friend" : "public",
    isEntry: isScript || (flags & FLAG_ENTRY) !== 0,
    isNative: (flags & FLAG_NATIVE) !== 0,
  };
}

/** A function definition, and where its handle and its body are. */
interface FoundFunction {
  readonly abi: FunctionAbi;
  readonly handle: number;
  /** Undefined for a native function. */
  readonly bodyAt: number | undefined;
}

/** Reads the function definitions and skips their bodies. */
function* readFunctions(
  directory: Directory,
  pools: Pools,
  codePools: CodePools,
  attributes: Attributes,
): Pieces<FoundFunction[]> {
  const structCount = codePools.counts[TABLE.structDefinitions] ?? 0;
  return yield* readTable(directory.table(TABLE.functionDefinitions), (cursor) => {
    const handle = cursor.index(pools.functions.length, "function handle index");
    const { name, params, returns, typeParams } = pools.functions[handle] as FunctionHandle;
    const { visibility, isEntry, isNative } = readFlags(cursor);
    const acquires = cursor.uleb(255, "acquires count");
    for (let i = 0; i < acquires; i++) cursor.index(structCount, "acquired struct index");
    const bodyAt = isNative ? undefined : cursor.offset;
    if (!isNative) {
      skipCode(cursor, codePools, { typeParamCount: typeParams.length, paramCount: params.length });
    }
    const isView = attributes.views.has(name);
    const types = { params: params.types, returns: returns.types };
    return { abi: { name, visibility, isEntry, isView, typeParams, ...types }, handle, bodyAt };
  });
}

/** A checked module or script. */
export interface CodeFile<T> {
  readonly abi: T;
  /** The format ignores bytes after the end. */
  readonly end: number;
  readonly directory: Directory;
  readonly pools: Pools;
}

/** Checks a module, and reads its ABI. */
export function* readModuleFile(
  bytes: Uint8Array,
): Pieces<CodeFile<ModuleAbi> & { readonly functions: readonly FoundFunction[] }> {
  const directory = readDirectory(bytes, "module");
  const { tail, version } = directory;
  const pools = yield* readPools(directory);
  if (pools.modules.length === 0) tail.fail("NO_MODULE_HANDLES", "a module has at least one module handle");
  const self = tail.pick(pools.modules, "self module handle index");
  const attributes = decodeAttributes(pools.metadata, version);
  const friends = yield* readTable(directory.table(TABLE.friends), (cursor) => readModuleId(cursor, pools));
  const structs = yield* readStructs(directory, pools, attributes);
  const codePools = yield* readCodePools(directory, pools, structs);
  const functions = yield* readFunctions(directory, pools, codePools, attributes);
  const { address, name } = self;
  const abi = {
    address,
    name,
    formatVersion: version,
    friends,
    functions: functions.map((one) => one.abi),
    structs,
  };
  return { abi, end: tail.offset, directory, pools, functions };
}

/** Checks a script, and reads its ABI. */
export function* readScriptFile(
  bytes: Uint8Array,
): Pieces<CodeFile<ScriptAbi> & { readonly bodyAt: number }> {
  const directory = readDirectory(bytes, "script");
  const { tail, version } = directory;
  const pools = yield* readPools(directory);
  const typeParams = readFunctionTypeParams(tail);
  const at = tail.offset;
  const params = tail.pick(pools.signatures, "parameters signature index");
  assertTypeParams(tail, params.highestParam, typeParams.length, at);
  if (version >= 8) skipAccessSpecifiers(tail);
  const bodyAt = tail.offset;
  skipCode(tail, createScriptCodePools(pools, version), {
    typeParamCount: typeParams.length,
    paramCount: params.length,
  });
  return { abi: { typeParams, params: params.types }, end: tail.offset, directory, pools, bodyAt };
}

/** Reads the ABI of a compiled module. */
export function readModule(bytes: Uint8Array): ModuleAbi {
  return finish(readModuleFile(bytes)).abi;
}

/** Reads the ABI of a compiled script's entry point. */
export function readScript(bytes: Uint8Array): ScriptAbi {
  return finish(readScriptFile(bytes)).abi;
}
