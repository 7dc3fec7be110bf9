// What the checks of modules and of code share: faults, abilities, and the types of one module.
import { toHex } from "../../base/hex.ts";
import { forEach, type Pieces } from "../../base/pieces.ts";
import type { Ability, AbiStructType, AbiType, ModuleId } from "../../move/abi.ts";
import type {
  FunctionDefinition,
  FunctionReference,
  ProgramTables,
  StructReference,
} from "../../move/bytecode/program.ts";
import { VmError } from "../errors.ts";
import { areSameLists, areSameTypes, countNodes, isConcrete, isSameType, moduleKey } from "../types.ts";

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

const BITS: Readonly<Record<Ability, number>> = { copy: 1, drop: 2, store: 4, key: 8 };
export const COPY = 1;
export const DROP = 2;
export const STORE = 4;
export const KEY = 8;
export const PLAIN = COPY | DROP | STORE;

export function abilityBits(abilities: readonly Ability[]): number {
  return abilities.reduce((bits, one) => bits | BITS[one], 0);
}

export function structKey({ address, module, name }: AbiStructType): string {
  return `${toHex(address)}::${module}::${name}`;
}

export function isSubset(some: readonly Ability[], of: readonly Ability[]): boolean {
  return some.every((one) => of.includes(one));
}

const keysOf = new WeakMap<readonly ModuleId[], ReadonlySet<string>>();

/** True if a list has a module. The keys of a list are made once: thousands of calls ask. */
export function hasModule(modules: readonly ModuleId[], key: string | undefined): boolean {
  const keys = keysOf.get(modules) ?? new Set(modules.map((one) => moduleKey(toHex(one.address), one.name)));
  keysOf.set(modules, keys);
  return key !== undefined && keys.has(key);
}

/**
 * The status of a call whose code names a function of another module that is hidden from it or has another type; undefined
 * for a good one. Structs need no such look while code runs: an upgrade keeps what others count on. `self` is the module
 * that calls, undefined for a script; `friends` are those of the other module.
 */
export function linkFault(
  reference: FunctionReference,
  real: FunctionDefinition | undefined,
  friends: readonly ModuleId[],
  self: string | undefined,
): number | undefined {
  if (real === undefined || real.visibility === "private") return FAULT.lookupFailed;
  if (real.visibility === "friend" && !hasModule(friends, self)) return FAULT.lookupFailed;
  const isSame =
    reference.typeParams.length === real.typeParams.length &&
    reference.typeParams.every((one, i) => isSubset(real.typeParams[i] ?? [], one)) &&
    areSameLists(reference.params, real.params) &&
    areSameLists(reference.returns, real.returns);
  if (!isSame) return FAULT.typeMismatch;
  // Public functions of older code are persistent without saying so.
  const isKept = !reference.isPersistent || real.isPersistent || real.visibility === "public";
  return isKept ? undefined : FAULT.linkerError;
}

/** What the abilities of a struct type depend on. */
type StructAbilities = Pick<StructReference, "abilities" | "typeParams">;

/** Abilities of a type, given those of the type parameters. A struct that is not found has none. */
export function abilitiesOf(
  type: AbiType,
  params: readonly number[],
  find: (type: AbiStructType) => StructAbilities | undefined,
): number {
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
      return PLAIN & abilitiesOf(type.item, params, find);
    case "struct": {
      const struct = find(type);
      if (struct === undefined) return 0;
      let bits = abilityBits(struct.abilities);
      type.typeArgs.forEach((arg, i) => {
        if (struct.typeParams[i]?.phantom === true) return;
        const has = abilitiesOf(arg, params, find);
        // A struct with key needs arguments with store.
        bits &= (has & PLAIN) | (has & STORE ? KEY : 0);
      });
      return bits;
    }
    default:
      return PLAIN;
  }
}

/** Parts of types that are looked at in about a millisecond. */
const WORK_OF_PIECE = 4096;
const STRUCTS_OF_PIECE = 512;
const NO_PARAMS: readonly number[] = [];

/** What was found of a type, with the type parameters that it was looked at with. */
class Found<T> {
  readonly #found = new WeakMap<AbiType, { readonly params: readonly number[]; readonly value: T }>();

  get(type: AbiType, params: readonly number[]): T | undefined {
    const found = this.#found.get(type);
    return found?.params === params ? found.value : undefined;
  }

  set(type: AbiType, params: readonly number[], value: T): T {
    this.#found.set(type, { params, value });
    return value;
  }
}

/** The structs that code names, and what their types can do. Code names a type thousands of times. */
export class CodeTypes {
  readonly structs = new Map<string, StructReference>();
  readonly #abilities = new Found<number>();
  readonly #good = new Found<true>();
  readonly #params = new Map<string, readonly number[]>();
  #work = 0;

  static *of({ structs }: ProgramTables): Pieces<CodeTypes> {
    const types = new CodeTypes();
    yield* forEach(structs, STRUCTS_OF_PIECE, (one) => types.structs.set(structKey(one.base), one));
    return types;
  }

  /** Counts work. */
  charge(work: number): void {
    this.#work += work;
  }

  /** True once for each piece of work. */
  isPieceOver(): boolean {
    if (this.#work < WORK_OF_PIECE) return false;
    this.#work = 0;
    return true;
  }

  /** Abilities of a type, given those of the type parameters. */
  abilities(type: AbiType, given: readonly number[]): number {
    const params = isConcrete(type) ? NO_PARAMS : given;
    const known = this.#abilities.get(type, params);
    if (known !== undefined) return known;
    const size = countNodes(type);
    this.charge(size);
    const found = abilitiesOf(type, params, (struct) => this.structs.get(structKey(struct)));
    return size === 1 ? found : this.#abilities.set(type, params, found);
  }

  /** Abilities of the type parameters of a function: the same list for all that have the same. */
  paramsOf({ typeParams }: Pick<FunctionReference, "typeParams">): readonly number[] {
    const bits = typeParams.map(abilityBits);
    const key = bits.join();
    const known = this.#params.get(key) ?? bits;
    this.#params.set(key, known);
    return known;
  }

  /** Throws VmError for a type that cannot be: references inside of types, arguments without the abilities asked for. */
  assertType(type: AbiType, given: readonly number[], mayBeReference: boolean): void {
    if (type.kind === "reference" && !mayBeReference)
      throw fault(FAULT.invalidSignatureToken, "a reference inside of a type");
    const params = isConcrete(type) ? NO_PARAMS : given;
    if (this.#good.get(type, params) === true) return;
    this.charge(1);
    this.#assertParts(type, params);
    this.#good.set(type, params, true);
  }

  #assertParts(type: AbiType, params: readonly number[]): void {
    if (type.kind === "reference") {
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
