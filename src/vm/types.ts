// Types at run time. A concrete type is an AbiType without type parameters; its key identifies it.
import { toHex } from "../base/hex.ts";
import type { AbiStructType, AbiType } from "../move/abi.ts";
import { addressFromBytes, formatAddress } from "../move/address.ts";
import { type FunctionParamTag, MAX_TAG_NESTING, type TypeTag } from "../move/type-tag.ts";
import { STATUS, VmError } from "./errors.ts";

const MAX_TYPE_NODES = 128;
const MAX_TYPE_DEPTH = 20;
const MAX_TAG_COST = 5000;

/** The address of the framework, as the machine writes addresses. */
export const FRAMEWORK: string = `${"0".repeat(63)}1`;

const NO_TYPES: readonly AbiType[] = [];

/** `address::name` of a module, with all 64 digits of the address. */
export function moduleKey(address: string, name: string): string {
  return `${address}::${name}`;
}

const keys = new WeakMap<AbiType, string>();

/** Two types are the same if their keys are. */
export function typeKey(type: AbiType): string {
  switch (type.kind) {
    case "vector":
    case "struct":
    case "reference":
    case "function":
    case "parameter": {
      let key = keys.get(type);
      if (key === undefined) {
        key = makeKey(type);
        keys.set(type, key);
      }
      return key;
    }
    default:
      return type.kind;
  }
}

export function typesKey(types: readonly AbiType[]): string {
  const [first] = types;
  return types.length === 1 && first !== undefined ? typeKey(first) : types.map(typeKey).join(",");
}

function makeKey(type: AbiType): string {
  switch (type.kind) {
    case "vector":
      return `vector<${typeKey(type.item)}>`;
    case "struct": {
      const args = type.typeArgs.length === 0 ? "" : `<${typesKey(type.typeArgs)}>`;
      return `${toHex(type.address)}::${type.module}::${type.name}${args}`;
    }
    case "reference":
      return `${type.mutable ? "&mut " : "&"}${typeKey(type.to)}`;
    case "function":
      return `|${typesKey(type.args)}|(${typesKey(type.results)})${type.abilities}`;
    case "parameter":
      return `#${type.index}`;
    default:
      return type.kind;
  }
}

/** True if two types are the same; quicker than their keys for types that are made for one use. */
export function isSameType(a: AbiType, b: AbiType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind) return false;
  switch (a.kind) {
    case "vector":
      return isSameType(a.item, (b as typeof a).item);
    case "reference":
      return a.mutable === (b as typeof a).mutable && isSameType(a.to, (b as typeof a).to);
    case "parameter":
      return a.index === (b as typeof a).index;
    case "struct": {
      const other = b as typeof a;
      return (
        a.name === other.name &&
        a.module === other.module &&
        areSameTypes(a.typeArgs, other.typeArgs) &&
        (a.address === other.address || Buffer.compare(a.address, other.address) === 0)
      );
    }
    case "function": {
      const other = b as typeof a;
      return (
        a.abilities === other.abilities &&
        areSameTypes(a.args, other.args) &&
        areSameTypes(a.results, other.results)
      );
    }
    default:
      return true;
  }
}

export function areSameTypes(a: readonly AbiType[], b: readonly AbiType[]): boolean {
  return a === b || (a.length === b.length && a.every((one, i) => isSameType(one, b[i] as AbiType)));
}

const sameLists = new WeakMap<readonly AbiType[], readonly AbiType[]>();

/** As `areSameTypes`, for what functions take and return: thousands of functions of two modules may share two long lists. */
export function areSameLists(a: readonly AbiType[], b: readonly AbiType[]): boolean {
  if (sameLists.get(a) === b) return true;
  const areSame = areSameTypes(a, b);
  if (areSame) sameLists.set(a, b);
  return areSame;
}

const concrete = new WeakSet<AbiType>();

/** True for a type without type parameters. */
export function isConcrete(type: AbiType): boolean {
  switch (type.kind) {
    case "parameter":
      return false;
    case "vector":
    case "reference":
    case "struct":
    case "function": {
      if (concrete.has(type)) return true;
      const are = partsOf(type).every(isConcrete);
      if (are) concrete.add(type);
      return are;
    }
    default:
      return true;
  }
}

export function partsOf(type: AbiType): readonly AbiType[] {
  switch (type.kind) {
    case "vector":
      return [type.item];
    case "reference":
      return [type.to];
    case "struct":
      return type.typeArgs;
    case "function":
      return [...type.args, ...type.results];
    default:
      return NO_TYPES;
  }
}

/** Replaces type parameters. Throws VmError for a type that is too large or too deep. */
export function substitute(type: AbiType, args: readonly AbiType[]): AbiType {
  if (isConcrete(type)) return type;
  const budget = { nodes: 0 };
  return replace(type, args, budget, 1);
}

function replace(type: AbiType, args: readonly AbiType[], budget: { nodes: number }, depth: number): AbiType {
  if (++budget.nodes > MAX_TYPE_NODES) throw tooManyNodes();
  if (depth > MAX_TYPE_DEPTH) throw new VmError(STATUS.typeDepthReached, "a type is nested too deeply");
  switch (type.kind) {
    case "parameter": {
      const arg = args[type.index];
      if (arg === undefined)
        throw new VmError(STATUS.unknownInvariantViolation, "a type argument is missing");
      budget.nodes += countNodes(arg) - 1;
      if (budget.nodes > MAX_TYPE_NODES) throw tooManyNodes();
      if (depth + depthOf(arg) - 1 > MAX_TYPE_DEPTH)
        throw new VmError(STATUS.typeDepthReached, "a type is nested too deeply");
      return arg;
    }
    case "vector":
      return { kind: "vector", item: replace(type.item, args, budget, depth + 1) };
    case "reference":
      return { kind: "reference", mutable: type.mutable, to: replace(type.to, args, budget, depth + 1) };
    case "struct":
      if (type.typeArgs.length === 0) return type;
      return { ...type, typeArgs: type.typeArgs.map((one) => replace(one, args, budget, depth + 1)) };
    case "function":
      return {
        kind: "function",
        args: type.args.map((one) => replace(one, args, budget, depth + 1)),
        results: type.results.map((one) => replace(one, args, budget, depth + 1)),
        abilities: type.abilities,
      };
    default:
      return type;
  }
}

function tooManyNodes(): VmError {
  return new VmError(STATUS.verificationError, "a type has too many parts");
}

const nodes = new WeakMap<AbiType, number>();

/** Parts of a type: one for each vector, reference, struct, function and primitive type in it. */
export function countNodes(type: AbiType): number {
  const parts = partsOf(type);
  if (parts.length === 0) return 1;
  let count = nodes.get(type);
  if (count === undefined) {
    count = parts.reduce((sum, part) => sum + countNodes(part), 1);
    nodes.set(type, count);
  }
  return count;
}

export function depthOf(type: AbiType): number {
  const parts = partsOf(type);
  let deepest = 0;
  for (const part of parts) deepest = Math.max(deepest, depthOf(part));
  return deepest + 1;
}

/** How deeply vectors, structs and functions are nested in a type. */
export function tagNesting(type: AbiType): number {
  let deepest = 0;
  for (const part of partsOf(type)) deepest = Math.max(deepest, tagNesting(part));
  return type.kind === "vector" || type.kind === "struct" || type.kind === "function" ? deepest + 1 : deepest;
}

/** Throws VmError for types whose tags have no bytes. */
export function assertTagBytes(types: readonly AbiType[]): void {
  if (types.some((type) => tagNesting(type) > MAX_TAG_NESTING))
    throw new VmError(STATUS.valueSerializationError, "a type tag is nested too deeply");
}

export function structType(
  address: string,
  module: string,
  name: string,
  typeArgs = NO_TYPES,
): AbiStructType {
  return { kind: "struct", address: addressFromBytes(Buffer.from(address, "hex")), module, name, typeArgs };
}

/** The tag of a concrete type. Throws VmError for a type that has none, or one that costs too much. */
export function tagOf(type: AbiType): TypeTag {
  const budget = { cost: 0 };
  return makeTag(type, budget);
}

function makeTag(type: AbiType, budget: { cost: number }): TypeTag {
  budget.cost += 100;
  if (type.kind === "struct") budget.cost += 32 + type.module.length + type.name.length;
  if (budget.cost > MAX_TAG_COST) throw new VmError(STATUS.typeTagLimitExceeded, "a type tag is too large");
  switch (type.kind) {
    case "vector":
      return { kind: "vector", item: makeTag(type.item, budget) };
    case "struct": {
      const { address, module, name, typeArgs } = type;
      return {
        kind: "struct",
        struct: { address, module, name, typeArgs: typeArgs.map((one) => makeTag(one, budget)) },
      };
    }
    case "function":
      return {
        kind: "function",
        args: type.args.map((one) => paramTag(one, budget)),
        results: type.results.map((one) => paramTag(one, budget)),
        abilities: type.abilities,
      };
    case "reference":
    case "parameter":
      throw new VmError(STATUS.unknownInvariantViolation, "a reference has no type tag");
    default:
      return { kind: type.kind };
  }
}

function paramTag(type: AbiType, budget: { cost: number }): FunctionParamTag {
  if (type.kind !== "reference") return { as: "value", type: makeTag(type, budget) };
  return { as: type.mutable ? "mutable" : "reference", type: makeTag(type.to, budget) };
}

const ABILITY_NAMES = ["copy", "drop", "store", "key"] as const;

/** A type as the chain prints it: short addresses, `, ` between arguments. */
export function formatType(type: AbiType): string {
  switch (type.kind) {
    case "vector":
      return `vector<${formatType(type.item)}>`;
    case "struct": {
      const args = type.typeArgs.length === 0 ? "" : `<${type.typeArgs.map(formatType).join(", ")}>`;
      return `${formatAddress(type.address)}::${type.module}::${type.name}${args}`;
    }
    case "function": {
      const abilities = ABILITY_NAMES.filter((_, bit) => (type.abilities & (1 << bit)) !== 0);
      const has = abilities.length === 0 ? "" : ` has ${abilities.join(" + ")}`;
      return `|${type.args.map(formatType).join(", ")}|(${type.results.map(formatType).join(", ")})${has}`;
    }
    case "reference":
      return `${type.mutable ? "&mut " : "&"}${formatType(type.to)}`;
    case "parameter":
      return `#${type.index}`;
    default:
      return type.kind;
  }
}
