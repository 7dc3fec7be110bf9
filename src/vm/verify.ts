// Checks of code before it may run: names, types, abilities, and that it uses other modules as they are. Bodies are checked
// in verify-code.ts. Left out, because nothing here depends on them: borrows of references and acquired resources (a
// reference that names nothing is a fault at run time), loops between instantiations of functions (the size of types is
// bounded at run time), and the shape of loops in a body.
import { toHex } from "../base/hex.ts";
import type { Ability, AbiStructType, AbiType, StructAbi } from "../move/abi.ts";
import type {
  FunctionDefinition,
  FunctionReference,
  Program,
  ProgramTables,
  ScriptProgram,
  StructReference,
} from "../move/bytecode/program.ts";
import { VmError } from "./errors.ts";
import type { Linker } from "./linker.ts";
import { areSameTypes, countNodes, depthOf, isSameType, moduleKey, typesKey } from "./types.ts";
import { assertBody, assertOperands } from "./verify-code.ts";

/** Statuses of faults in code. */
export const FAULT = {
  invalidSignatureToken: 1003,
  recursiveStruct: 1005,
  fieldMissingAbility: 1006,
  duplicateElement: 1012,
  invalidModuleHandle: 1013,
  unimplementedHandle: 1014,
  lookupFailed: 1017,
  typeMismatch: 1020,
  constraintNotSatisfied: 1075,
  typeArgumentCount: 1076,
  zeroSizedStruct: 1080,
  linkerError: 1081,
  friendIsSelf: 1104,
  friendElsewhere: 1105,
  phantomPosition: 1108,
  tooManyTypeParameters: 1112,
  tooManyParameters: 1113,
  tooManyTypeNodes: 1116,
} as const;

export function fault(status: number, what: string): VmError {
  return new VmError(status, what);
}

const MAX_TYPE_PARAMETERS = 32;
const MAX_PARAMETERS = 128;
const MAX_TYPE_NODES = 128;
const MAX_TYPE_DEPTH = 20;

const BITS: Readonly<Record<Ability, number>> = { copy: 1, drop: 2, store: 4, key: 8 };
export const COPY = 1;
export const DROP = 2;
export const STORE = 4;
export const KEY = 8;
const PLAIN = COPY | DROP | STORE;

export function abilityBits(abilities: readonly Ability[]): number {
  return abilities.reduce((bits, one) => bits | BITS[one], 0);
}

export function structKey({ address, module, name }: AbiStructType): string {
  return `${toHex(address)}::${module}::${name}`;
}

/** The structs that code names, and what their types can do. */
export class CodeTypes {
  readonly structs: ReadonlyMap<string, StructReference>;

  constructor({ structs }: ProgramTables) {
    this.structs = new Map(structs.map((one) => [structKey(one.base), one]));
  }

  /** Abilities of a type, given those of the type parameters. */
  abilities(type: AbiType, params: readonly number[]): number {
    switch (type.kind) {
      case "signer":
        return DROP;
      case "reference":
        return COPY | DROP;
      case "parameter":
        return params[type.index] ?? 0;
      case "function":
        return type.abilities;
      case "vector":
        return PLAIN & this.abilities(type.item, params);
      case "struct": {
        const struct = this.structs.get(structKey(type));
        if (struct === undefined) return 0;
        let bits = abilityBits(struct.abilities);
        type.typeArgs.forEach((arg, i) => {
          if (struct.typeParams[i]?.phantom === true) return;
          const has = this.abilities(arg, params);
          // A struct with key needs arguments with store.
          bits &= (has & PLAIN) | (has & STORE ? KEY : 0);
        });
        return bits;
      }
      default:
        return PLAIN;
    }
  }

  /** Throws VmError for a type that cannot be: references inside of types, arguments without the abilities asked for. */
  assertType(type: AbiType, params: readonly number[], mayBeReference: boolean): void {
    if (type.kind === "reference") {
      if (!mayBeReference) throw fault(FAULT.invalidSignatureToken, "a reference inside of a type");
      this.assertType(type.to, params, false);
      return;
    }
    if (type.kind === "vector") this.assertType(type.item, params, false);
    if (type.kind === "function")
      for (const one of [...type.args, ...type.results]) this.assertType(one, params, true);
    if (type.kind !== "struct") return;
    const struct = this.structs.get(structKey(type));
    if (struct !== undefined)
      this.assertTypeArgs(
        type.typeArgs,
        struct.typeParams.map(({ constraints }) => constraints),
        params,
      );
  }

  /** Throws VmError unless type arguments fit their parameters. */
  assertTypeArgs(
    args: readonly AbiType[],
    wanted: readonly (readonly Ability[])[],
    params: readonly number[],
  ): void {
    if (args.length !== wanted.length)
      throw fault(FAULT.typeArgumentCount, `expected ${wanted.length} type arguments, got ${args.length}`);
    args.forEach((arg, i) => {
      this.assertType(arg, params, false);
      const needed = abilityBits(wanted[i] ?? []);
      if ((this.abilities(arg, params) & needed) !== needed)
        throw fault(FAULT.constraintNotSatisfied, `type argument ${i} lacks an ability`);
    });
  }
}

/** Code whose bodies are checked. */
export interface CheckedCode {
  /** `address::name`; undefined for a script. */
  readonly self: string | undefined;
  readonly functions: readonly FunctionDefinition[];
  readonly tables: ProgramTables;
  readonly types: CodeTypes;
}

/** A module, and its tables. */
export interface ModuleCode {
  readonly program: Program;
  readonly tables: ProgramTables;
}

/** Throws VmError for a module that is not well formed in itself. */
export function assertWellFormed({ program, tables }: ModuleCode): void {
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
  for (const definition of functions) assertBody(definition, code);
}

/** Throws VmError for a script that is not well formed in itself. */
export function assertWellFormedScript({ main }: ScriptProgram, tables: ProgramTables): void {
  assertTableLimits(tables);
  const types = new CodeTypes(tables);
  const code: CheckedCode = { self: undefined, functions: [main], tables, types };
  assertSignature(main, types);
  assertOperands(main, code);
  assertBody(main, code);
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
  // Takes away structs that name no other, until none is left or all that are left are part of a circle.
  for (let left = edges.size; left > 0; ) {
    for (const [name, into] of edges) {
      if ([...into].some((one) => edges.has(one))) continue;
      edges.delete(name);
    }
    if (edges.size === left) throw fault(FAULT.recursiveStruct, "a struct is part of itself");
    left = edges.size;
  }
}

function isSubset(some: readonly Ability[], of: readonly Ability[]): boolean {
  return some.every((one) => of.includes(one));
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
    assertFunctionLink(reference, find(module.address, module.name), self, name);
  }
}

function assertFunctionLink(
  reference: FunctionReference,
  program: Program,
  self: string | undefined,
  name: string,
): void {
  const real = program.functions.find((one) => one.name === name);
  const isFriend = program.abi.friends.some(
    (one) => self !== undefined && moduleKey(toHex(one.address), one.name) === self,
  );
  const isVisible =
    real !== undefined && (real.visibility === "public" || (real.visibility === "friend" && isFriend));
  if (!isVisible) throw fault(FAULT.lookupFailed, `there is no function ${program.abi.name}::${name}`);
  const isSame =
    reference.typeParams.length === real.typeParams.length &&
    reference.typeParams.every((one, i) => isSubset(real.typeParams[i] ?? [], one)) &&
    areSameTypes(reference.params, real.params) &&
    areSameTypes(reference.returns, real.returns);
  if (!isSame) throw fault(FAULT.typeMismatch, `the function ${program.abi.name}::${name} is another`);
  // Public functions of older code are persistent without saying so.
  if (reference.isPersistent && !real.isPersistent && real.visibility !== "public")
    throw fault(FAULT.linkerError, `the function ${program.abi.name}::${name} is not persistent`);
}

/** True if a value of one type may stand where another is asked for: a function may be able to do more. */
export function isAssignable(to: AbiType, from: AbiType): boolean {
  if (to.kind === "function" && from.kind === "function")
    return (
      areSameTypes(to.args, from.args) &&
      areSameTypes(to.results, from.results) &&
      (to.abilities & from.abilities) === to.abilities
    );
  if (to.kind === "reference" && from.kind === "reference" && !to.mutable && !from.mutable)
    return isAssignable(to.to, from.to);
  return isSameType(to, from);
}
