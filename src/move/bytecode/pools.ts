// The tables of both modules and scripts: names, addresses, handles, signatures, constants, metadata.
import type { Pieces } from "../../base/pieces.ts";
import type { Ability, AbiStructType, ModuleId } from "../abi.ts";
import { ADDRESS_LENGTH, type Address, addressFromBytes } from "../address.ts";
import { isIdentifier } from "../identifier.ts";
import { abilityList, readAbilityBits, readFunctionTypeParams, readStructTypeParams } from "./abilities.ts";
import { assertTypeParams } from "./code.ts";
import { type Cursor, MAX_INDEX } from "./cursor.ts";
import { type Directory, TABLE } from "./directory.ts";
import { readAttributeCodes, skipAccessSpecifiers } from "./function-extras.ts";
import { NO_TYPES, type Signature, type StructShape, TypeReader } from "./types.ts";

const MAX_IDENTIFIER_LENGTH = 255;

/** A struct or enum that the file defines or uses. */
interface StructHandle extends StructShape {
  readonly name: string;
  readonly abilities: readonly Ability[];
}

/** A function that the file defines or calls. */
export interface FunctionHandle {
  readonly module: ModuleId;
  readonly name: string;
  readonly params: Signature;
  readonly returns: Signature;
  readonly typeParams: readonly (readonly Ability[])[];
  readonly attributes: readonly number[];
}

/** The tables that definitions and bodies refer to. */
export interface Pools {
  readonly identifiers: readonly string[];
  readonly addresses: readonly Address[];
  readonly modules: readonly ModuleId[];
  readonly structs: readonly StructHandle[];
  readonly signatures: readonly Signature[];
  readonly constantCount: number;
  readonly functions: readonly FunctionHandle[];
  /** Highest type parameter in the type arguments of each function instantiation. */
  readonly functionInstantiations: readonly number[];
  /** Metadata values by key; the first entry of a key wins. */
  readonly metadata: ReadonlyMap<string, Uint8Array>;
}

/**
 * Reads elements to the end of the table. The format does not limit their number; this limit keeps a file of tiny
 * elements from taking a hundred times its size in memory.
 */
export function* readTable<T>(cursor: Cursor, read: (cursor: Cursor) => T): Pieces<T[]> {
  const elements: T[] = [];
  yield* countTable(cursor, () => {
    if (elements.length > MAX_INDEX) {
      cursor.fail("TABLE_TOO_LONG", `more than ${MAX_INDEX + 1} elements, which no index reaches`);
    }
    elements.push(read(cursor));
  });
  return elements;
}

/** Skips elements to the end of the table, and returns their number. */
export function* countTable(cursor: Cursor, skip: (cursor: Cursor) => void): Pieces<number> {
  let count = 0;
  for (; cursor.more; count++) {
    const from = cursor.offset;
    skip(cursor);
    if (cursor.isPieceOver(cursor.offset - from)) yield;
  }
  return count;
}

function readIdentifier(cursor: Cursor): string {
  const at = cursor.offset;
  const text = cursor.latin1(MAX_IDENTIFIER_LENGTH, "identifier");
  if (!isIdentifier(text)) cursor.fail("MALFORMED", "invalid identifier", at);
  if (cursor.version < 9 && text.includes("$")) {
    cursor.fail("MALFORMED", `a name with $ does not exist in format version ${cursor.version}`, at);
  }
  return text;
}

// Copied, so that the ABI does not keep the whole input alive.
function readAddress(cursor: Cursor): Address {
  const at = cursor.skip(ADDRESS_LENGTH, "MALFORMED", "address");
  return addressFromBytes(new Uint8Array(cursor.bytes.subarray(at, at + ADDRESS_LENGTH)));
}

/** Reads a module handle or a friend declaration, which have the same form. */
export function readModuleId(
  cursor: Cursor,
  pools: { readonly addresses: readonly Address[]; readonly identifiers: readonly string[] },
): ModuleId {
  const address = cursor.pick(pools.addresses, "address index");
  return { address, name: cursor.pick(pools.identifiers, "module name index") };
}

function readStructHandle(
  cursor: Cursor,
  modules: readonly ModuleId[],
  identifiers: readonly string[],
): StructHandle {
  const module = cursor.pick(modules, "module handle index");
  const name = cursor.pick(identifiers, "struct name index");
  const abilities = abilityList(readAbilityBits(cursor, "struct"));
  const typeParams = readStructTypeParams(cursor);
  const { address } = module;
  const base: AbiStructType = { kind: "struct", address, module: module.name, name, typeArgs: NO_TYPES };
  return { name, abilities, typeParams, base };
}

function readFunctionHandle(
  cursor: Cursor,
  pools: Pick<Pools, "modules" | "identifiers" | "signatures">,
): FunctionHandle {
  const at = cursor.offset;
  const module = cursor.pick(pools.modules, "module handle index");
  const name = cursor.pick(pools.identifiers, "function name index");
  const params = cursor.pick(pools.signatures, "parameters signature index");
  const returns = cursor.pick(pools.signatures, "return signature index");
  const typeParams = readFunctionTypeParams(cursor);
  assertTypeParams(cursor, params.highestParam, typeParams.length, at);
  assertTypeParams(cursor, returns.highestParam, typeParams.length, at);
  if (cursor.version >= 7) skipAccessSpecifiers(cursor);
  const attributes = cursor.version >= 8 ? readAttributeCodes(cursor) : [];
  return { module, name, params, returns, typeParams, attributes };
}

/** Reads an instantiation of one of `count` elements and returns its highest type parameter. */
export function readInstantiation(cursor: Cursor, count: number, signatures: readonly Signature[]): number {
  cursor.index(count, "instantiated element index");
  return cursor.pick(signatures, "type arguments signature index").highestParam;
}

function readMetadata(cursor: Cursor): Map<string, Uint8Array> {
  const entries = new Map<string, Uint8Array>();
  while (cursor.more) {
    const key = cursor.latin1(1023, "metadata key");
    const value = cursor.blob(0xffff, "metadata value");
    if (!entries.has(key)) entries.set(key, value);
  }
  return entries;
}

/** Reads the common tables in the order of their dependencies. */
export function* readPools(directory: Directory): Pieces<Pools> {
  const identifiers = yield* readTable(directory.table(TABLE.identifiers), readIdentifier);
  const addresses = yield* readTable(directory.table(TABLE.addresses), readAddress);
  const modules = yield* readTable(directory.table(TABLE.moduleHandles), (cursor) =>
    readModuleId(cursor, { addresses, identifiers }),
  );
  const structs = yield* readTable(directory.table(TABLE.structHandles), (cursor) =>
    readStructHandle(cursor, modules, identifiers),
  );
  const signatureCursor = directory.table(TABLE.signatures);
  const signatureReader = new TypeReader(signatureCursor, structs);
  const signatures = yield* readTable(signatureCursor, () => signatureReader.signature());
  const constantCursor = directory.table(TABLE.constants);
  const constantReader = new TypeReader(constantCursor, structs);
  const constantCount = yield* countTable(constantCursor, () => {
    constantReader.skip();
    constantCursor.blob(0xffff, "constant");
  });
  const functions = yield* readTable(directory.table(TABLE.functionHandles), (cursor) =>
    readFunctionHandle(cursor, { modules, identifiers, signatures }),
  );
  const functionInstantiations = yield* readTable(directory.table(TABLE.functionInstantiations), (cursor) =>
    readInstantiation(cursor, functions.length, signatures),
  );
  const metadata = readMetadata(directory.table(TABLE.metadata));
  return {
    identifiers,
    addresses,
    modules,
    structs,
    signatures,
    constantCount,
    functions,
    functionInstantiations,
    metadata,
  };
}
