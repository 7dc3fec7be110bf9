// Checks of code before it may run: names, types, abilities, and that it uses other modules as they are. Bodies are checked
// in verify-code.ts and verify-references.ts. Left out, because nothing here depends on them: the list of resources that a
// function says it acquires (it is made from the code), loops between instantiations of functions (the size of types is
// bounded at run time), and the shape of loops in a body.
import { toHex } from "../../base/hex.ts";
import { finish, forEach, type Pieces } from "../../base/pieces.ts";
import type { AbiStructType, AbiType, ModuleAbi, ModuleId, StructAbi } from "../../move/abi.ts";
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
/** A list may have tens of thousands of parts. */
const LISTS_OF_PIECE = 8;
/** Of a function without code, or a struct without fields, as parts of types. */
const WORK_OF_ELEMENT = 8;

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
  const types = yield* CodeTypes.of(tables);
  for (const struct of abi.structs) yield* assertStruct(struct, types);
  const code: CheckedCode = { self, functions, tables, types };
  yield* eachFunction(code, (one) => assertSignature(one, types));
  yield* eachFunction(code, (one) => assertOperands(one, code));
  for (const { address, name } of abi.friends) {
    if (moduleKey(toHex(address), name) === self)
      throw fault(FAULT.friendIsSelf, "a module is its own friend");
    if (Buffer.compare(address, abi.address) !== 0)
      throw fault(FAULT.friendElsewhere, "a friend is at another address");
  }
  yield* assertNoRecursion(abi);
  yield* assertBodies(code);
}

/** Throws VmError for a script that is not well formed in itself. */
export function* assertWellFormedScript({ program, tables }: WithTables<ScriptProgram>): Pieces<void> {
  const { main } = program;
  yield* assertTableLimits(tables);
  const types = yield* CodeTypes.of(tables);
  const code: CheckedCode = { self: undefined, functions: [main], tables, types };
  yield* assertSignature(main, types);
  yield* assertOperands(main, code);
  yield* assertBodies(code);
}

function* assertBodies(code: CheckedCode): Pieces<void> {
  const rules = new ReferenceRules(code);
  yield* eachFunction(code, (one) => rules.learn(one));
  yield* eachFunction(code, (one) => assertBody(one, code, rules));
}

/** Looks at each function, which is some work even if there is nothing in it. */
function* eachFunction(
  { functions, types }: CheckedCode,
  look: (definition: FunctionDefinition) => Pieces<void> | void,
): Pieces<void> {
  for (const definition of functions) {
    yield* look(definition) ?? [];
    types.charge(WORK_OF_ELEMENT + ((definition.body?.opcodes.length ?? 0) >> 4));
    if (types.isPieceOver()) yield;
  }
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
  yield* forEach(signatures, LISTS_OF_PIECE, (types) => types.forEach(assertTypeSize));
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

function isOwn({ address, module }: AbiStructType, abi: ModuleId): boolean {
  return module === abi.name && (address === abi.address || Buffer.compare(address, abi.address) === 0);
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
  yield* forEach(abi.structs, LISTS_OF_PIECE, (struct) => {
    if (struct.variants !== undefined) finish(assertUnique(struct.variants, nameOf));
    else if (!struct.isNative && struct.fields.length === 0)
      throw fault(FAULT.zeroSizedStruct, `the struct ${struct.name} has no fields`);
    for (const fields of fieldLists(struct)) finish(assertUnique(fields, nameOf));
  });
  yield* forEach(functions, ELEMENTS_OF_PIECE, ({ module }) => {
    if (keyOfModule(module) !== self)
      throw fault(FAULT.invalidModuleHandle, "a function of another module is defined");
  });
  let [own, areDefined] = [0, true];
  yield* forEach(tables.structs, ELEMENTS_OF_PIECE, ({ base }) => {
    if (!isOwn(base, abi)) return;
    own++;
    areDefined &&= structs.has(base.name);
  });
  if (own !== structs.size)
    throw fault(
      own < structs.size ? FAULT.invalidModuleHandle : FAULT.unimplementedHandle,
      "structs of the module and definitions differ",
    );
  if (!areDefined) throw fault(FAULT.unimplementedHandle, "a struct of the module is not defined");
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
      types.charge(WORK_OF_ELEMENT + countNodes(type));
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
function* assertNoRecursion(abi: ModuleAbi): Pieces<void> {
  const { structs } = abi;
  // Of structs that name others, these; and who names a struct.
  const edges = new Map<string, Set<string>>();
  const users = new Map<string, string[]>();
  const free: string[] = [];
  const collect = (type: AbiType, into: Set<string>): void => {
    if (type.kind === "vector") collect(type.item, into);
    if (type.kind !== "struct") return;
    if (isOwn(type, abi)) into.add(type.name);
    for (const one of type.typeArgs) collect(one, into);
  };
  yield* forEach(structs, LISTS_OF_PIECE, (struct) => {
    const into = new Set<string>();
    for (const fields of fieldLists(struct)) for (const { type } of fields) collect(type, into);
    if (into.size === 0) free.push(struct.name);
    else edges.set(struct.name, into);
    for (const one of into) {
      const known = users.get(one);
      if (known === undefined) users.set(one, [struct.name]);
      else known.push(struct.name);
    }
  });
  // Takes away structs that name no other one that is left, until none is left or all of them are part of a circle.
  yield* forEach(free, ELEMENTS_OF_PIECE, (name) => {
    for (const user of users.get(name) ?? []) {
      const into = edges.get(user);
      if (into?.delete(name) === true && into.size === 0) free.push(user);
    }
  });
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
