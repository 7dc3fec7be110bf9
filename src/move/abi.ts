// The ABI of a Move module as structured types: the bytecode reader returns it, the encoder uses it. Printed types are
// never parsed back, because function types print ambiguously.
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { Address } from "./address.ts";

/** Abilities, in bit order 1, 2, 4, 8. */
export type Ability = "copy" | "drop" | "store" | "key";

/** Names of the primitive types. */
export type PrimitiveName =
  | "bool"
  | "u8"
  | "u16"
  | "u32"
  | "u64"
  | "u128"
  | "u256"
  | "i8"
  | "i16"
  | "i32"
  | "i64"
  | "i128"
  | "i256"
  | "address"
  | "signer";

/** A type in a signature. */
export type AbiType =
  | { readonly kind: PrimitiveName }
  | { readonly kind: "vector"; readonly item: AbiType }
  | AbiStructType
  | { readonly kind: "parameter"; readonly index: number }
  | { readonly kind: "reference"; readonly mutable: boolean; readonly to: AbiType }
  | {
      readonly kind: "function";
      readonly args: readonly AbiType[];
      readonly results: readonly AbiType[];
      readonly abilities: number;
    };

/** A struct or enum type with its type arguments. */
export interface AbiStructType {
  readonly kind: "struct";
  readonly address: Address;
  readonly module: string;
  readonly name: string;
  readonly typeArgs: readonly AbiType[];
}

export type Visibility = "private" | "public" | "friend";

export interface FunctionAbi {
  readonly name: string;
  readonly visibility: Visibility;
  readonly isEntry: boolean;
  readonly isView: boolean;
  /** Constraints of each type parameter. */
  readonly typeParams: readonly (readonly Ability[])[];
  readonly params: readonly AbiType[];
  readonly returns: readonly AbiType[];
}

export interface FieldAbi {
  readonly name: string;
  readonly type: AbiType;
}

export interface VariantAbi {
  readonly name: string;
  readonly fields: readonly FieldAbi[];
}

export interface StructAbi {
  readonly name: string;
  readonly isNative: boolean;
  readonly isEvent: boolean;
  readonly abilities: readonly Ability[];
  readonly typeParams: readonly { readonly constraints: readonly Ability[]; readonly phantom: boolean }[];
  /** Fields of a struct; empty for natives and enums. */
  readonly fields: readonly FieldAbi[];
  /** Variants of an enum; undefined for structs and natives. */
  readonly variants: readonly VariantAbi[] | undefined;
  /** Resource group that this struct is a member of, as struct tag text. */
  readonly groupMemberOf: string | undefined;
  /** Scope, if this struct is a resource group: `global`, `address` or `module_`. */
  readonly groupScope: string | undefined;
}

export interface ModuleId {
  readonly address: Address;
  readonly name: string;
}

export interface ModuleAbi extends ModuleId {
  readonly formatVersion: number;
  readonly friends: readonly ModuleId[];
  /** Every function definition, private ones too. */
  readonly functions: readonly FunctionAbi[];
  readonly structs: readonly StructAbi[];
}

/** The entry point of a script. */
export interface ScriptAbi {
  readonly typeParams: readonly (readonly Ability[])[];
  readonly params: readonly AbiType[];
}

/**
 * Loads a module's ABI at one ledger version; undefined when there is no such module. Throws when its bytes do not
 * parse.
 */
export type ModuleLoader = (module: ModuleId) => MaybePromise<ModuleAbi | undefined>;
