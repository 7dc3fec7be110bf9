// Checks of code before it may run: names, types, abilities, and that it uses other modules as they are. Bodies are checked
// in verify-code.ts and verify-references.ts. Left out, because nothing here depends on them: the list of resources that a
// function says it acquires (it is made from the code), loops between instantiations of functions (the size of types is
// bounded at run time), and the shape of loops in a body.
import { toHex } from "../../base/hex.ts";
import { forEach, type Pieces } from "../../base/pieces.ts";
import type { AbiType, ModuleId, StructAbi } from "../../move/abi.ts";
import type {
  FunctionDefinition,
  Program,
  ProgramTables,
  ScriptProgram,
  WithTables,
} from "../../move/bytecode/program.ts";
import { type Linker, named } from "../linker.ts";
import { countNodes, depthOf, moduleKey, typesKey } from "../types.ts";
import { assertBody, assertOperands } from "./verify-code.ts";
import { ReferenceRules } from "./verify-references.ts";
import {
  abilityBits,
  type CheckedCode,
  CodeTypes,
  FAULT,
  fault,
  isSubset,
  KEY,
  linkFault,
  PLAIN,
  STORE,
  structKey,
} from "./verify-types.ts";

const MAX_TYPE_PARAMETERS = 32;
const MAX_PARAMETERS = 128;
const MAX_TYPE_NODES = 128;
const MAX_TYPE_DEPTH = 20;

/** Functions, signatures or the like that are looked at in about a millisecond. */
const ELEMENTS_OF_PIECE = 512;

function keyOfModule({ address, name }: ModuleId): string {
  return moduleKey(toHex(address), name);
}

/** Throws VmError for a module that is not well formed in itself. */
export function* assertWellFormed({ program, tables }: WithTables<Program>): Pieces<void> {
  const { abi, functions } = program;
  const self = moduleKey(toHex(abi.address), abi.name);
  yield* assertTableLimits(tables);
  yield* assertUnique(tables.signatures, typesKey);
  yield* assertDefinitions(program, tables, self);
  const types = new CodeTypes(tables);
  for (const struct of abi.structs) yield* assertStruct(struct, types);
  const code: CheckedCode = { self, functions, tables, types };
  for (const definition of functions) yield* assertSignature(definition, types);
  for (const definition of functions) yield* assertOperands(definition, code);
  for (const { address, name } of abi.friends) {
    if (moduleKey(toHex(address), name) === self)
      throw fault(FAULT.friendIsSelf, "a module is its own friend");
    if (Buffer.compare(address, abi.address) !== 0)
      throw fault(FAULT.friendElsewhere, "a friend is at another address");
  }
  assertNoRecursion(abi.structs, self);
  yield* assertBodies(code);
}

/** Throws VmError for a script that is not well formed in itself. */
export function* assertWellFormedScript({ program, tables }: WithTables<ScriptProgram>): Pieces<void> {
  const { main } = program;
  yield* assertTableLimits(tables);
  const types = new CodeTypes(tables);
  const code: CheckedCode = { self: undefined, functions: [main], tables, types };
  yield* assertSignature(main, types);
  yield* assertOperands(main, code);
  yield* assertBodies(code);
}

function* assertBodies(code: CheckedCode): Pieces<void> {
  const rules = new ReferenceRules(code);
  yield* forEach(code.functions, ELEMENTS_OF_PIECE, (one) => rules.learn(one));
  for (const definition of code.functions) yield* assertBody(definition, code, rules);
}

function* assertTableLimits({ functions, structs, signatures }: ProgramTables): Pieces<void> {
  for (const { typeParams, params, returns } of functions) {
    if (typeParams.length > MAX_TYPE_PARAMETERS)
      throw fault(FAULT.tooManyTypeParameters, "a function has too many type parameters");
    if (params.length > MAX_PARAMETERS || returns.length > MAX_PARAMETERS)
      throw fault(FAULT.tooManyParameters, "a function has too many parameters or results");
  }
  for (const { typeParams } of structs)
    if (typeParams.length > MAX_TYPE_PARAMETERS)
      throw fault(FAULT.tooManyTypeParameters, "a struct has too many type parameters");
  yield* forEach(signatures.flat(), ELEMENTS_OF_PIECE, assertTypeSize);
}

function assertTypeSize(type: AbiType): void {
  if (countNodes(type) > MAX_TYPE_NODES || depthOf(type) > MAX_TYPE_DEPTH)
    throw fault(FAULT.tooManyTypeNodes, "a type is too large");
}

/** Returns the keys. */
function* assertUnique<T>(
  elements: readonly T[],
  keyOf: (element: T) => string,
): Pieces<ReadonlySet<string>> {
  const keys = new Set<string>();
  yield* forEach(elements, ELEMENTS_OF_PIECE, (one) => keys.add(keyOf(one)));
  if (keys.size !== elements.length)
    throw fault(FAULT.duplicateElement, "a name or signature is there twice");
  return keys;
}

const nameOf = ({ name }: { readonly name: string }): string => name;

function fieldLists({ fields, variants }: StructAbi): readonly StructAbi["fields"][] {
  return variants === undefined ? [fields] : variants.map((one) => one.fields);
}

/** Handles and definitions of the module itself belong together, one to one. */
function* assertDefinitions({ abi, functions }: Program, tables: ProgramTables, self: string): Pieces<void> {
  yield* assertUnique(tables.structs, ({ base }) => structKey(base));
  yield* assertUnique(tables.functions, ({ module, name }) => `${keyOfModule(module)}::${name}`);
  const structs = yield* assertUnique(abi.structs, nameOf);
  const defined = yield* assertUnique(functions, nameOf);
  for (const struct of abi.structs) {
    if (struct.variants !== undefined) yield* assertUnique(struct.variants, nameOf);
    else if (!struct.isNative && struct.fields.length === 0)
      throw fault(FAULT.zeroSizedStruct, `the struct ${struct.name} has no fields`);
    for (const fields of fieldLists(struct)) yield* assertUnique(fields, nameOf);
  }
  yield* forEach(functions, ELEMENTS_OF_PIECE, ({ module }) => {
    if (keyOfModule(module) !== self)
      throw fault(FAULT.invalidModuleHandle, "a function of another module is defined");
  });
  const own = tables.structs.filter(({ base }) => structKey(base).startsWith(`${self}::`));
  if (own.length !== structs.size)
    throw fault(
      own.length < structs.size ? FAULT.invalidModuleHandle : FAULT.unimplementedHandle,
      "structs of the module and definitions differ",
    );
  if (!own.every(({ base }) => structs.has(base.name)))
    throw fault(FAULT.unimplementedHandle, "a struct of the module is not defined");
  yield* forEach(tables.functions, ELEMENTS_OF_PIECE, ({ module, name }) => {
    if (keyOfModule(module) === self && !defined.has(name))
      throw fault(FAULT.unimplementedHandle, "a function of the module is not defined");
  });
}

/** Fields have what the abilities of their struct ask for. */
function* assertStruct(struct: StructAbi, types: CodeTypes): Pieces<void> {
  const { abilities, typeParams } = struct;
  const declared = typeParams.map(({ constraints }) => abilityBits(constraints));
  const bits = abilityBits(abilities);
  // A struct has an ability only for arguments that have it, so its fields may count on that.
  const assumed = declared.map((one) => one | (bits & PLAIN) | (bits & KEY ? STORE : 0));
  const needed = (bits & PLAIN) | (bits & KEY ? STORE : 0);
  for (const fields of fieldLists(struct)) {
    for (const { type } of fields) {
      assertTypeSize(type);
      types.assertType(type, declared, false);
      assertPhantoms(type, struct, types, false);
      if ((types.abilities(type, assumed) & needed) !== needed)
        throw fault(FAULT.fieldMissingAbility, `a field of ${struct.name} lacks an ability`);
      types.charge(countNodes(type));
      if (types.isPieceOver()) yield;
    }
  }
}

/** Phantom parameters stand only where phantom parameters are asked for. */
function assertPhantoms(type: AbiType, struct: StructAbi, types: CodeTypes, isPhantom: boolean): void {
  switch (type.kind) {
    case "parameter":
      if (!isPhantom && struct.typeParams[type.index]?.phantom === true)
        throw fault(FAULT.phantomPosition, "a phantom type parameter is used");
      return;
    case "vector":
      assertPhantoms(type.item, struct, types, false);
      return;
    case "struct": {
      const params = types.structs.get(structKey(type))?.typeParams;
      type.typeArgs.forEach((one, i) => {
        assertPhantoms(one, struct, types, params?.[i]?.phantom === true);
      });
      return;
    }
    case "function":
      for (const one of [...type.args, ...type.results]) assertPhantoms(one, struct, types, false);
      return;
    case "reference":
      assertPhantoms(type.to, struct, types, false);
      return;
    default:
  }
}

function* assertSignature(definition: FunctionDefinition, types: CodeTypes): Pieces<void> {
  const { params, returns, body } = definition;
  const abilities = types.paramsOf(definition);
  for (const type of [...params, ...returns, ...(body?.locals ?? [])]) {
    types.assertType(type, abilities, true);
    types.charge(1);
    if (types.isPieceOver()) yield;
  }
}

/** No struct of a module is part of itself. */
function assertNoRecursion(structs: readonly StructAbi[], self: string): void {
  const edges = new Map<string, Set<string>>();
  const collect = (type: AbiType, into: Set<string>): void => {
    if (type.kind === "vector") collect(type.item, into);
    if (type.kind !== "struct") return;
    if (moduleKey(toHex(type.address), type.module) === self) into.add(type.name);
    for (const one of type.typeArgs) collect(one, into);
  };
  for (const struct of structs) {
    const into = new Set<string>();
    for (const fields of fieldLists(struct)) for (const { type } of fields) collect(type, into);
    edges.set(struct.name, into);
  }
  // Takes away structs that name no other one that is left, until none is left or all of them are part of a circle.
  const users = new Map<string, string[]>(structs.map(({ name }) => [name, []]));
  for (const [name, into] of edges) for (const one of into) users.get(one)?.push(name);
  const free = structs.map(({ name }) => name).filter((name) => edges.get(name)?.size === 0);
  for (const name of free) {
    for (const user of users.get(name) ?? []) {
      const into = edges.get(user);
      if (into?.delete(name) === true && into.size === 0) free.push(user);
    }
  }
  if (free.length < structs.length) throw fault(FAULT.recursiveStruct, "a struct is part of itself");
}

/** Throws VmError unless code uses other modules as they are. `self` is undefined for a script. */
export function* assertLinks(
  { structs, functions }: ProgramTables,
  self: string | undefined,
  linker: Linker,
): Pieces<void> {
  const find = (address: Uint8Array, name: string): Program => {
    const abi = linker.peek(toHex(address), name)?.program;
    if (abi?.abi === undefined) throw fault(FAULT.linkerError, `there is no module ${name}`);
    return abi as Program;
  };
  yield* forEach(structs, ELEMENTS_OF_PIECE, ({ base, abilities, typeParams }) => {
    const { address, module, name } = base;
    if (moduleKey(toHex(address), module) === self) return;
    const real = named(find(address, module).abi.structs, name);
    if (real === undefined) throw fault(FAULT.lookupFailed, `there is no struct ${module}::${name}`);
    const isSame =
      isSubset(abilities, real.abilities) &&
      typeParams.length === real.typeParams.length &&
      typeParams.every(({ constraints, phantom }, i) => {
        const other = real.typeParams[i];
        return other !== undefined && isSubset(other.constraints, constraints) && (!phantom || other.phantom);
      });
    if (!isSame) throw fault(FAULT.typeMismatch, `the struct ${module}::${name} is another`);
  });
  yield* forEach(functions, ELEMENTS_OF_PIECE, (reference) => {
    const { module, name } = reference;
    if (keyOfModule(module) === self) return;
    const { functions: defined, abi } = find(module.address, module.name);
    const status = linkFault(reference, named(defined, name), abi.friends, self);
    if (status !== undefined) throw fault(status, `the function ${abi.name}::${name} is another`);
  });
}
