// Concrete types on the wire and in text: type tags and struct tags.
import type { PrimitiveName } from "./abi.ts";
import type { Address } from "./address.ts";

/** How a function type's argument or result is passed. */
export type PassedAs = "reference" | "mutable" | "value";

export interface FunctionParamTag {
  readonly as: PassedAs;
  readonly type: TypeTag;
}

export type TypeTag =
  | { readonly kind: PrimitiveName }
  | { readonly kind: "vector"; readonly item: TypeTag }
  | { readonly kind: "struct"; readonly struct: StructTag }
  | {
      readonly kind: "function";
      readonly args: readonly FunctionParamTag[];
      readonly results: readonly FunctionParamTag[];
      readonly abilities: number;
    };

export interface StructTag {
  readonly address: Address;
  readonly module: string;
  readonly name: string;
  readonly typeArgs: readonly TypeTag[];
}
