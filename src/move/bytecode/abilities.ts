// Ability sets: four bits in the format, lists in bit order in the ABI. The sixteen lists are shared, so a constraint
// costs one pointer.
import type { Ability } from "../abi.ts";
import type { Cursor } from "./cursor.ts";

/** Abilities in bit order. */
export const ABILITIES: readonly Ability[] = ["copy", "drop", "store", "key"];

const LISTS: readonly (readonly Ability[])[] = Array.from({ length: 16 }, (_, bits) =>
  ABILITIES.filter((_ability, bit) => (bits >> bit) & 1),
);

/** A struct's type parameter. */
export interface StructTypeParam {
  readonly constraints: readonly Ability[];
  readonly phantom: boolean;
}

const STRUCT_PARAMS: readonly StructTypeParam[] = Array.from({ length: 32 }, (_, bits) => ({
  constraints: abilityList(bits & 15),
  phantom: bits >= 16,
}));

/** What an ability set belongs to. In version 1 the same byte means something else for each. */
type AbilityOwner = "struct" | "struct parameter" | "function parameter";

const VERSION_1: Readonly<Record<AbilityOwner, readonly number[]>> = {
  struct: [0b1100, 0b0111],
  "struct parameter": [0b0000, 0b0011, 0b1000],
  "function parameter": [0b0100, 0b0111, 0b1100],
};

/** The abilities of a 4-bit set. */
export function abilityList(bits: number): readonly Ability[] {
  const list = LISTS[bits];
  if (list === undefined) throw new Error(`no ability set ${bits}`);
  return list;
}

/** Reads an ability set as bits. */
export function readAbilityBits(cursor: Cursor, owner: AbilityOwner): number {
  if (cursor.version > 1) return cursor.uleb(15, "abilities");
  const at = cursor.offset;
  const kind = cursor.u8("kind");
  const bits = VERSION_1[owner][kind - 1];
  return bits ?? cursor.fail("UNKNOWN_ABILITY", `kind ${kind} of a ${owner}`, at);
}

/** Reads the constraints of a function's or script's type parameters. */
export function readFunctionTypeParams(cursor: Cursor): (readonly Ability[])[] {
  return cursor.list(255, "type parameter", () => abilityList(readAbilityBits(cursor, "function parameter")));
}

/** Reads the type parameters of a struct handle. */
export function readStructTypeParams(cursor: Cursor): StructTypeParam[] {
  return cursor.list(255, "type parameter", () => {
    const bits = readAbilityBits(cursor, "struct parameter");
    const phantom = cursor.version >= 3 ? cursor.uleb(1, "phantom flag") : 0;
    const param = STRUCT_PARAMS[bits + 16 * phantom];
    if (param === undefined) throw new Error(`no type parameter ${bits}`);
    return param;
  });
}
