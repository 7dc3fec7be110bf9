// Checks of code before it may run: names, types, abilities, and that it uses other modules as they are. Bodies are checked
// in verify-code.ts and verify-references.ts. Left out, because nothing here depends on them: the list of resources that a
// function says it acquires (it is made from the code), loops between instantiations of functions (the size of types is
// bounded at run time), and the shape of loops in a body.
import { toHex } from "../../base/hex.ts";
import type { AbiType, StructAbi } from "../../move/abi.ts";
import type {
  FunctionDefinition,
  FunctionReference,
  Program,
  ProgramTables,
  ScriptProgram,
} from "../../move/bytecode/program.ts";
import type { Linker } from "../linker.ts";
import type { Pieces } from "../pieces.ts";
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

/** A module, and its tables. */
export interface ModuleCode {
  readonly program: Program;
  readonly tables: ProgramTables;
}

/** Throws VmError for a module that is not well formed in itself. */
export function* assertWellFormed({ program, tables }: ModuleCode): Pieces<void> {
  const { abi, functions } = program;
  const self = moduleKey(toHex(abi.address), abi.name);
  assertTableLimits(tables);
  assertUnique(tables.signatures.map((types) => `(${typesKey(types)})`));
  assertDefinitions(program, tables, self);
  const types = new CodeTypes(tables);
  for (const struct of abi.structs) assertStruct(struct, types);
  const code: CheckedCode = { self, functions, tables, types };
  for (const definition of functions) assertSignature(definition, types);
  for (const definition of functions) assertOperands(definition, code);
  for (const { address, name } of abi.friends) {
    if (moduleKey(toHex(address), name) === self)
      throw fault(FAULT.friendIsSelf, "a module is its own friend");
    if (Buffer.compare(address, abi.address) !== 0)
      throw fault(FAULT.friendElsewhere, "a friend is at another address");
  }
  assertNoRecursion(abi.structs, self);
  const rules = new ReferenceRules(code);
  for (const definition of functions) yield* assertBody(definition, code, rules);
}

/** Throws VmError for a script that is not well formed in itself. */
export function* assertWellFormedScript({ main }: ScriptProgram, tables: ProgramTables): Pieces<void> {
  assertTableLimits(tables);
  const types = new CodeTypes(tables);
  const code: CheckedCode = { self: undefined, functions: [main], tables, types };
  assertSignature(main, types);
  assertOperands(main, code);
  yield* assertBody(main, code, new ReferenceRules(code));
}

function assertTableLimits({ functions, structs, signatures }: ProgramTables): void {
  for (const { typeParams, params, returns } of functions) {
    if (typeParams.length > MAX_TYPE_PARAMETERS)
      throw fault(FAULT.tooManyTypeParameters, "a function has too many type parameters");
    if (params.length > MAX_PARAMETERS || returns.length > MAX_PARAMETERS)
      throw fault(FAULT.tooManyParameters, "a function has too many parameters or results");
  }
  for (const { typeParams } of structs)
    if (typeParams.length > MAX_TYPE_PARAMETERS)
      throw fault(FAULT.tooManyTypeParameters, "a struct has too many type parameters");
  for (const types of signatures) for (const type of types) assertTypeSize(type);
}

function assertTypeSize(type: AbiType): void {
  if (countNodes(type) > MAX_TYPE_NODES || depthOf(type) > MAX_TYPE_DEPTH)
    throw fault(FAULT.tooManyTypeNodes, "a type is too large");
}

function assertUnique(keys: readonly string[]): void {
  if (new Set(keys).size !== keys.length)
    throw fault(FAULT.duplicateElement, "a name or signature is there twice");
}

function fieldLists({ fields, variants }: StructAbi): readonly StructAbi["fields"][] {
  return variants === undefined ? [fields] : variants.map((one) => one.fields);
}

/** Handles and definitions of the module itself belong together, one to one. */
function assertDefinitions({ abi, functions }: Program, tables: ProgramTables, self: string): void {
  const ofSelf = ({ address, name }: FunctionReference["module"]): boolean =>
    moduleKey(toHex(address), name) === self;
  assertUnique(tables.structs.map(({ base }) => structKey(base)));
  assertUnique(
    tables.functions.map(({ module, name }) => `${toHex(module.address)}::${module.name}::${name}`),
  );
  assertUnique(abi.structs.map(({ name }) => name));
  assertUnique(functions.map(({ name }) => name));
  for (const struct of abi.structs) {
    if (struct.variants !== undefined) assertUnique(struct.variants.map(({ name }) => name));
    else if (!struct.isNative && struct.fields.length === 0)
      throw fault(FAULT.zeroSizedStruct, `the struct ${struct.name} has no fields`);
    for (const fields of fieldLists(struct)) assertUnique(fields.map(({ name }) => name));
  }
  if (!functions.every(({ module }) => ofSelf(module)))
    throw fault(FAULT.invalidModuleHandle, "a function of another module is defined");
  const structs = new Set(abi.structs.map(({ name }) => name));
  const own = tables.structs.filter(({ base }) => structKey(base).startsWith(`${self}::`));
  if (own.length !== structs.size)
    throw fault(
      own.length < structs.size ? FAULT.invalidModuleHandle : FAULT.unimplementedHandle,
      "structs of the module and definitions differ",
    );
  if (!own.every(({ base }) => structs.has(base.name)))
    throw fault(FAULT.unimplementedHandle, "a struct of the module is not defined");
  const defined = new Set(functions.map(({ name }) => name));
  if (!tables.functions.every(({ module, name }) => !ofSelf(module) || defined.has(name)))
    throw fault(FAULT.unimplementedHandle, "a function of the module is not defined");
}

/** Fields have what the abilities of their struct ask for. */
function assertStruct(struct: StructAbi, types: CodeTypes): void {
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

function assertSignature({ params, returns, typeParams, body }: FunctionDefinition, types: CodeTypes): void {
  const abilities = typeParams.map(abilityBits);
  for (const type of [...params, ...returns, ...(body?.locals ?? [])])
    types.assertType(type, abilities, true);
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
export function assertLinks(
  { structs, functions }: ProgramTables,
  self: string | undefined,
  linker: Linker,
): void {
  const find = (address: Uint8Array, name: string): Program => {
    const abi = linker.peek(toHex(address), name)?.program;
    if (abi?.abi === undefined) throw fault(FAULT.linkerError, `there is no module ${name}`);
    return abi as Program;
  };
  for (const { base, abilities, typeParams } of structs) {
    const { address, module, name } = base;
    if (moduleKey(toHex(address), module) === self) continue;
    const real = find(address, module).abi.structs.find((one) => one.name === name);
    if (real === undefined) throw fault(FAULT.lookupFailed, `there is no struct ${module}::${name}`);
    const isSame =
      isSubset(abilities, real.abilities) &&
      typeParams.length === real.typeParams.length &&
      typeParams.every(({ constraints, phantom }, i) => {
        const other = real.typeParams[i];
        return other !== undefined && isSubset(other.constraints, constraints) && (!phantom || other.phantom);
      });
    if (!isSame) throw fault(FAULT.typeMismatch, `the struct ${module}::${name} is another`);
  }
  for (const reference of functions) {
    const { module, name } = reference;
    if (moduleKey(toHex(module.address), module.name) === self) continue;
    const { functions: defined, abi } = find(module.address, module.name);
    const real = defined.find((one) => one.name === name);
    const status = linkFault(reference, real, abi.friends, self);
    if (status !== undefined) throw fault(status, `the function ${abi.name}::${name} is another`);
  }
}
