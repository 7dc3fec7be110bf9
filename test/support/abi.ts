// Hand-made ABIs, for tests that need modules no real chain has.
import { toHex } from "../../src/base/hex.ts";
import type {
  AbiStructType,
  AbiType,
  FunctionAbi,
  ModuleAbi,
  ModuleLoader,
  StructAbi,
} from "../../src/move/abi.ts";
import { type Address, parseAddress } from "../../src/move/address.ts";

/** `0x1`. */
export const ONE: Address = parseAddress("0x1");

export function structType(
  module: string,
  name: string,
  typeArgs: readonly AbiType[] = [],
  address: Address = ONE,
): AbiStructType {
  return { kind: "struct", address, module, name, typeArgs };
}

export function structAbi(name: string, typeParams: number, parts: Partial<StructAbi>): StructAbi {
  return {
    name,
    isNative: false,
    isEvent: false,
    abilities: ["copy", "drop", "store"],
    typeParams: Array.from({ length: typeParams }, () => ({ constraints: [], phantom: false })),
    fields: [],
    variants: undefined,
    groupMemberOf: undefined,
    groupScope: undefined,
    ...parts,
  };
}

export function functionAbi(
  name: string,
  params: readonly AbiType[],
  parts: Partial<FunctionAbi> = {},
): FunctionAbi {
  return {
    name,
    visibility: "public",
    isEntry: true,
    isView: false,
    typeParams: [],
    params,
    returns: [],
    ...parts,
  };
}

export function moduleAbi(address: Address, name: string, parts: Partial<ModuleAbi>): ModuleAbi {
  return { address, name, formatVersion: 10, friends: [], functions: [], structs: [], ...parts };
}

/** A loader of exactly these modules. */
export function loaderOf(modules: readonly ModuleAbi[]): ModuleLoader {
  return async (id) =>
    modules.find((module) => module.name === id.name && toHex(module.address) === toHex(id.address));
}

const T0: AbiType = { kind: "parameter", index: 0 };

/** `0x1::option::Option` of old and of new frameworks. */
const OPTION_FORMS: Readonly<Record<"struct" | "enum", StructAbi>> = {
  struct: structAbi("Option", 1, { fields: [{ name: "vec", type: { kind: "vector", item: T0 } }] }),
  enum: structAbi("Option", 1, {
    variants: [
      { name: "None", fields: [] },
      { name: "Some", fields: [{ name: "e", type: T0 }] },
    ],
  }),
};

/** The framework modules whose structs have a special JSON form. */
export function frameworkModules(optionForm: "struct" | "enum" = "enum"): ModuleAbi[] {
  const bytes: AbiType = { kind: "vector", item: { kind: "u8" } };
  return [
    moduleAbi(ONE, "option", { structs: [OPTION_FORMS[optionForm]] }),
    moduleAbi(ONE, "string", {
      structs: [structAbi("String", 0, { fields: [{ name: "bytes", type: bytes }] })],
    }),
    moduleAbi(ONE, "object", {
      structs: [structAbi("Object", 1, { fields: [{ name: "inner", type: { kind: "address" } }] })],
    }),
    moduleAbi(ONE, "coin", {
      structs: [structAbi("Coin", 0, { fields: [{ name: "value", type: { kind: "u64" } }] })],
    }),
  ];
}
