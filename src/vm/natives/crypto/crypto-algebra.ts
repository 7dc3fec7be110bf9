// Natives of 0x1::crypto_algebra. Code holds elements as handles: places in a list of the session.
import { toHex } from "../../../base/hex.ts";
import type { AbiType } from "../../../move/abi.ts";
import { aborted, invariant } from "../../errors.ts";
import type { Native, NativeContext, NativeModule } from "../../natives.ts";
import { FRAMEWORK } from "../../types.ts";
import { asBig, asBytes, asVec, byteVec, type Value } from "../../values.ts";
import {
  FAMILIES,
  type Family,
  type FieldStructure,
  type Format,
  type GroupStructure,
  hashToGroup,
  type Structure,
  type TargetStructure,
} from "./algebra-structures.ts";
import { chargeAll } from "./common.ts";

const NOT_IMPLEMENTED = 0x0c0001;
const SIZES_DIFFER = 0x010002;
const TOO_MUCH_MEMORY = 0x090003;
const MAX_BYTES = 1 << 20;
const GROUP = "algebra";

interface Elements {
  bytes: number;
  readonly list: unknown[];
}

function elementsOf({ session }: NativeContext): Elements {
  return session.extension<Elements>("crypto_algebra", () => ({ bytes: 0, list: [] }));
}

/** Keeps an element for the session. */
export function storeElement(context: NativeContext, { bytes }: Structure, element: unknown): bigint {
  const elements = elementsOf(context);
  if (elements.bytes + bytes > MAX_BYTES) throw aborted(TOO_MUCH_MEMORY);
  elements.bytes += bytes;
  elements.list.push(element);
  return BigInt(elements.list.length - 1);
}

function elementAt(context: NativeContext, handle: Value | undefined): unknown {
  const element = elementsOf(context).list[Number(asBig(handle))];
  if (element === undefined) throw invariant("a handle of no element");
  return element;
}

function elementsAt(context: NativeContext, handles: Value | undefined): unknown[] {
  return asVec(handles).items.map((handle) => elementAt(context, handle));
}

/** The chain charges the price of the other curve here. */
const OTHER_PRICES: Readonly<Record<string, string>> = { ark_bn254_fr_one: "ark_bls12_381_fr_one" };

function charge(context: NativeContext, name: string, count = 1): void {
  chargeAll(context, GROUP, { [OTHER_PRICES[name] ?? name]: count });
}

interface Found {
  readonly family: Family;
  readonly structure: Structure;
  readonly name: string;
}

function familyOf(type: AbiType | undefined): Family | undefined {
  return type?.kind === "struct" && type.typeArgs.length === 0 && toHex(type.address) === FRAMEWORK
    ? FAMILIES[type.module]
    : undefined;
}

function nameOf(type: AbiType | undefined): string {
  return type?.kind === "struct" ? type.name : "";
}

function lookUp(type: AbiType | undefined): Found | undefined {
  const family = familyOf(type);
  const name = nameOf(type);
  const structure = Object.hasOwn(family?.structures ?? {}, name) ? family?.structures[name] : undefined;
  return family === undefined || structure === undefined ? undefined : { family, structure, name };
}

/** Aborts unless the chain has switched the curve on. */
function assertOn({ session }: NativeContext, family: Family | undefined): void {
  if (family === undefined || !session.options.features.has(family.flag)) throw aborted(NOT_IMPLEMENTED);
}

/** The structure of a type argument. */
export function structureOf(context: NativeContext, type: AbiType | undefined): Structure {
  const found = lookUp(type);
  assertOn(context, found?.family);
  return (found as Found).structure;
}

/** Structures of one curve by their names; others are not implemented. */
function structuresNamed(
  context: NativeContext,
  types: readonly AbiType[],
  isWanted: (names: readonly string[]) => boolean,
): { readonly family: Family; readonly structures: readonly Structure[] } {
  const found = types.map(lookUp);
  const [first] = found;
  const isOne = found.every((one) => one !== undefined && one.family === first?.family);
  if (first === undefined || !isOne || !isWanted(found.map((one) => one?.name ?? "")))
    throw aborted(NOT_IMPLEMENTED);
  assertOn(context, first.family);
  return { family: first.family, structures: found.map((one) => (one as Found).structure) };
}

interface Rule<S, Args extends readonly unknown[]> {
  readonly price: string;
  run(structure: S, ...args: Args): unknown;
}

/** What an operation costs and gives in each kind of structure; undefined where there is none. */
interface Operation<Args extends readonly unknown[]> {
  readonly field?: Rule<FieldStructure, Args>;
  readonly group?: Rule<GroupStructure, Args>;
  readonly target?: Rule<TargetStructure, Args>;
}

function operation<Args extends readonly unknown[]>(
  context: NativeContext,
  structure: Structure,
  rules: Operation<Args>,
  args: Args,
): unknown {
  const rule = rules[structure.kind] as Rule<Structure, Args> | undefined;
  if (rule === undefined) throw aborted(NOT_IMPLEMENTED);
  charge(context, `${structure.price}_${structure.kind === "group" ? "proj_" : ""}${rule.price}`);
  return rule.run(structure, ...args);
}

/** A native that makes an element of the elements that it is given. */
function computing<Args extends readonly unknown[]>(rule: Operation<Args>): Native {
  return (context, handles, [type]) => {
    const structure = structureOf(context, type);
    const args = handles.map((handle) => elementAt(context, handle)) as unknown as Args;
    return [storeElement(context, structure, operation(context, structure, rule, args))];
  };
}

type Point = GroupStructure["zero"];
type Two = readonly [unknown, unknown];
type One = readonly [unknown];

/** The inverse in a field, or undefined for zero. */
function inverse(ops: FieldStructure["ops"], element: unknown): unknown {
  return ops.is0(element) ? undefined : ops.inv(element);
}

/** The inverse of an element of a group. */
function inverseInGroup(ops: TargetStructure["ops"], element: unknown): unknown {
  const result = inverse(ops, element);
  if (result === undefined) throw invariant("zero is in no group");
  return result;
}

function formatOf(
  context: NativeContext,
  [type, formatType]: readonly AbiType[],
): { readonly structure: Structure; readonly format: Format } {
  const family = familyOf(formatType);
  const name = nameOf(formatType);
  const formats = Object.values(family?.structures ?? {}).map((one) => one.formats);
  if (!formats.some((one) => Object.hasOwn(one, name))) throw aborted(NOT_IMPLEMENTED);
  assertOn(context, family);
  const found = lookUp(type);
  const format =
    found?.family === family && Object.hasOwn(found?.structure.formats ?? {}, name)
      ? found?.structure.formats[name]
      : undefined;
  if (found === undefined || format === undefined) throw aborted(NOT_IMPLEMENTED);
  return { structure: found.structure, format };
}

const GAS_VERSION_OF_CONVERSION_PRICE = 21;

const nothing = (): readonly Value[] => [false, 0n];

/** Names of a group and its scalars. */
function isScaled([group = "", scalars]: readonly string[], groups: readonly string[]): boolean {
  return groups.includes(group) && scalars === "Fr";
}

function isPairing(names: readonly string[]): boolean {
  return names.join() === "G1,G2,Gt";
}

/** Windows and buckets by which the chain prices a sum of products. */
function msmCounts(count: number): { readonly adds: number; readonly doubles: number } {
  const width = count < 32 ? 3 : Math.floor(((32 - Math.clz32(count - 1)) * 69) / 100) + 2;
  const windows = Math.ceil(255 / width);
  const buckets = 2 ** width;
  return { adds: (count + buckets + 1) * windows, doubles: buckets * windows };
}

export const cryptoAlgebraNatives: NativeModule = {
  add_internal: computing<Two>({
    field: { price: "add", run: ({ ops }, a, b) => ops.add(a, b) },
    group: { price: "add", run: (_, a, b) => (a as Point).add(b) },
    target: { price: "mul", run: ({ ops }, a, b) => ops.mul(a, b) },
  }),
  sub_internal: computing<Two>({
    field: { price: "sub", run: ({ ops }, a, b) => ops.sub(a, b) },
    group: { price: "sub", run: (_, a, b) => (a as Point).subtract(b) },
    target: { price: "div", run: ({ ops }, a, b) => ops.mul(a, inverseInGroup(ops, b)) },
  }),
  mul_internal: computing<Two>({ field: { price: "mul", run: ({ ops }, a, b) => ops.mul(a, b) } }),
  sqr_internal: computing<One>({ field: { price: "square", run: ({ ops }, a) => ops.sqr(a) } }),
  neg_internal: computing<One>({
    field: { price: "neg", run: ({ ops }, a) => ops.neg(a) },
    group: { price: "neg", run: (_, a) => (a as Point).negate() },
    target: { price: "inv", run: ({ ops }, a) => inverseInGroup(ops, a) },
  }),
  double_internal: computing<One>({
    group: { price: "double", run: (_, a) => (a as Point).double() },
    target: { price: "square", run: ({ ops }, a) => ops.sqr(a) },
  }),
  div_internal: (context, [a, b], [type]) => {
    const structure = structureOf(context, type);
    if (structure.kind !== "field") throw aborted(NOT_IMPLEMENTED);
    const [one, other] = [elementAt(context, a), elementAt(context, b)];
    charge(context, `${structure.price}_eq`);
    const divisor = inverse(structure.ops, other);
    if (divisor === undefined) return nothing();
    charge(context, `${structure.price}_div`);
    return [true, storeElement(context, structure, structure.ops.mul(one, divisor))];
  },
  inv_internal: (context, [a], [type]) => {
    const structure = structureOf(context, type);
    if (structure.kind !== "field") throw aborted(NOT_IMPLEMENTED);
    const element = elementAt(context, a);
    charge(context, `${structure.price}_inv`);
    const result = inverse(structure.ops, element);
    return result === undefined ? nothing() : [true, storeElement(context, structure, result)];
  },
  eq_internal: (context, [a, b], [type]) => {
    const structure = structureOf(context, type);
    const args: Two = [elementAt(context, a), elementAt(context, b)];
    const isEqual = operation(
      context,
      structure,
      {
        field: { price: "eq", run: ({ ops }, x, y) => ops.eql(x, y) },
        group: { price: "eq", run: (_, x, y) => (x as Point).equals(y) },
        target: { price: "eq", run: ({ ops }, x, y) => ops.eql(x, y) },
      },
      args,
    );
    return [isEqual === true];
  },
  zero_internal: computing<[]>({
    field: { price: "zero", run: ({ ops }) => ops.ZERO },
    group: { price: "infinity", run: ({ zero }) => zero },
    target: { price: "one", run: ({ ops }) => ops.ONE },
  }),
  one_internal: computing<[]>({
    field: { price: "one", run: ({ ops }) => ops.ONE },
    group: { price: "generator", run: ({ generator }) => generator },
    target: { price: "clone", run: ({ generator }) => generator() },
  }),
  order_internal: (context, _, [type]) => [byteVec(structureOf(context, type).order)],
  from_u64_internal: (context, [value], [type]) => {
    const structure = structureOf(context, type);
    if (structure.kind !== "field") throw aborted(NOT_IMPLEMENTED);
    charge(context, `${structure.price}_from_u64`);
    return [storeElement(context, structure, structure.fromNumber(asBig(value)))];
  },
  scalar_mul_internal: (context, [element, scalar], types) => {
    const { structures } = structuresNamed(context, types, (names) => isScaled(names, ["G1", "G2", "Gt"]));
    const structure = structures[0] as GroupStructure | TargetStructure;
    const base = elementAt(context, element);
    const by = elementAt(context, scalar) as bigint;
    if (structure.kind === "group") {
      charge(context, `${structure.price}_proj_scalar_mul`);
      return [storeElement(context, structure, (base as Point).multiplyUnsafe(by))];
    }
    charge(context, `${structure.price}_pow_u256`);
    return [storeElement(context, structure, structure.ops.pow(base, by))];
  },
  *multi_scalar_mul_internal(context, [elements, scalars], types) {
    const { structures } = structuresNamed(context, types, (names) => isScaled(names, ["G1", "G2"]));
    const structure = structures[0] as GroupStructure;
    const count = asVec(elements).items.length;
    if (count !== asVec(scalars).items.length) throw aborted(SIZES_DIFFER);
    charge(context, `${structure.price}_proj_to_affine`, count);
    const points = elementsAt(context, elements);
    const factors = elementsAt(context, scalars) as bigint[];
    const { adds, doubles } = msmCounts(count);
    chargeAll(context, GROUP, {
      [`${structure.price}_proj_add`]: adds,
      [`${structure.price}_proj_double`]: doubles,
    });
    return [storeElement(context, structure, yield* structure.multiMultiply(points, factors))];
  },
  *pairing_internal(context, [a, b], types) {
    const { family, structures } = structuresNamed(context, types, isPairing);
    const [g1, g2] = [elementAt(context, a), elementAt(context, b)];
    charge(context, `${family.price}_g1_proj_to_affine`);
    charge(context, `${family.price}_g2_proj_to_affine`);
    charge(context, `${family.price}_pairing`);
    return [storeElement(context, structures[2] as Structure, yield* family.pair([g1], [g2]))];
  },
  *multi_pairing_internal(context, [a, b], types) {
    const { family, structures } = structuresNamed(context, types, isPairing);
    const count = asVec(a).items.length;
    if (count !== asVec(b).items.length) throw aborted(SIZES_DIFFER);
    charge(context, `${family.price}_g1_proj_to_affine`, count);
    const g1 = elementsAt(context, a);
    charge(context, `${family.price}_g2_proj_to_affine`, count);
    const g2 = elementsAt(context, b);
    chargeAll(context, GROUP, {
      [`${family.price}_multi_pairing_base`]: 1,
      [`${family.price}_multi_pairing_per_pair`]: count,
    });
    return [storeElement(context, structures[2] as Structure, yield* family.pair(g1, g2))];
  },
  hash_to_internal: (context, [tag, bytes], [type, suite]) => {
    const found = lookUp(type);
    const family = familyOf(suite);
    const group = found?.name;
    const isKnown =
      family === FAMILIES.bls12381_algebra &&
      found?.family === family &&
      (group === "G1" || group === "G2") &&
      nameOf(suite) === `Hash${group}XmdSha256SswuRo`;
    if (!isKnown || found === undefined) throw aborted(NOT_IMPLEMENTED);
    assertOn(context, family);
    const [domain, message] = [asBytes(tag), asBytes(bytes)];
    const { meter } = context;
    const key = `aptos_framework.algebra.ark_h2c_bls12381${group.toLowerCase()}_xmd_sha256_sswu`;
    const shortening =
      domain.length <= 255
        ? 0
        : meter.price("move_stdlib.hash.sha2_256.base") +
          meter.price("move_stdlib.hash.sha2_256.per_byte") * (17 + domain.length);
    meter.charge(
      meter.price(`${key}_base`) + meter.price(`${key}_per_msg_byte`) * message.length + shortening,
    );
    return [storeElement(context, found.structure, hashToGroup(group, message, domain))];
  },
  serialize_internal: (context, [handle], types) => {
    const { structure, format } = formatOf(context, types);
    const element = elementAt(context, handle);
    if (structure.kind === "group") {
      if (context.meter.version >= GAS_VERSION_OF_CONVERSION_PRICE)
        charge(context, `${structure.price}_proj_to_affine`);
      charge(context, `${structure.price}_affine_serialize${format.price}`);
    } else charge(context, `${structure.price}_serialize`);
    return [byteVec(format.encode(element))];
  },
  deserialize_internal: (context, [value], types) => {
    const { structure, format } = formatOf(context, types);
    if (asVec(value).items.length !== format.length) return nothing();
    const bytes = asBytes(value);
    charge(
      context,
      structure.kind === "group"
        ? `${structure.price}_affine_deser${format.price}`
        : `${structure.price}_deser`,
    );
    const element = format.decode(bytes);
    if (element === undefined) return nothing();
    if (structure.kind === "target") {
      chargeAll(context, GROUP, { [`${structure.price}_pow_u256`]: 1, [`${structure.price}_eq`]: 1 });
      if (!isInTarget(structure, element)) return nothing();
    }
    return [true, storeElement(context, structure, element)];
  },
  upcast_internal: (context, [handle], types) => {
    structuresNamed(context, types, (names) => names.join() === "Gt,Fq12");
    return [asBig(handle)];
  },
  downcast_internal: (context, [handle], types) => {
    const { structures } = structuresNamed(context, types, (names) => names.join() === "Fq12,Gt");
    const target = structures[1] as TargetStructure;
    const element = elementAt(context, handle);
    charge(context, `${target.price}_pow_u256`);
    return [isInTarget(target, element), asBig(handle)];
  },
};

function isInTarget({ ops, groupOrder }: TargetStructure, element: unknown): boolean {
  return ops.eql(ops.pow(element, groupOrder), ops.ONE);
}
