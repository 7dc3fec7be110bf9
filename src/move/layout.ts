// From a type to the layout of its values on the wire, field by field. Struct and enum definitions come from the
// modules on chain. Every visited type counts towards a limit, so that a small module cannot cause endless work.
import { shortenText } from "../base/texts/text.ts";
import type { AbiStructType, AbiType, FieldAbi, ModuleLoader, PrimitiveName, StructAbi } from "./abi.ts";
import { formatAbiType } from "./bytecode/abi-text.ts";
import { MoveError } from "./errors.ts";
import { MAX_IDENTIFIER_LENGTH } from "./identifier.ts";

/** Largest number of type nodes that one layout may visit. */
export const MAX_LAYOUT_NODES = 513;

/** A member of a struct or of an enum's variant. */
interface FieldLayout {
  readonly name: string;
  readonly layout: Layout;
}

/** Fields in declaration order, and the position of each by name. */
export interface FieldsLayout {
  readonly fields: readonly FieldLayout[];
  readonly positions: ReadonlyMap<string, number>;
}

export interface StructLayout extends FieldsLayout {
  readonly kind: "struct";
  /** Name for messages, such as `0x1::guid::GUID`. */
  readonly name: string;
}

export interface EnumLayout {
  readonly kind: "enum";
  /** Name for messages, such as `0x1::cmp::Ordering`. */
  readonly name: string;
  readonly variants: readonly (FieldsLayout & { readonly name: string })[];
}

/** The form of a type's values on the wire and in JSON. */
export type Layout =
  | { readonly kind: Exclude<PrimitiveName, "signer"> }
  /** `vector<u8>`. */
  | { readonly kind: "bytes" }
  | { readonly kind: "vector"; readonly item: Layout }
  /** `0x1::string::String`. */
  | { readonly kind: "string" }
  /** `0x1::option::Option`: a struct in older frameworks, an enum in newer ones. */
  | { readonly kind: "option"; readonly item: Layout }
  | StructLayout
  | EnumLayout;

const PRIMITIVES: Readonly<Record<Exclude<PrimitiveName, "signer">, Layout>> = {
  bool: { kind: "bool" },
  u8: { kind: "u8" },
  u16: { kind: "u16" },
  u32: { kind: "u32" },
  u64: { kind: "u64" },
  u128: { kind: "u128" },
  u256: { kind: "u256" },
  i8: { kind: "i8" },
  i16: { kind: "i16" },
  i32: { kind: "i32" },
  i64: { kind: "i64" },
  i128: { kind: "i128" },
  i256: { kind: "i256" },
  address: { kind: "address" },
};
const BYTES: Layout = { kind: "bytes" };
const STRING: Layout = { kind: "string" };

/** True for the struct type `0x1::module::name`. */
function isFrameworkStruct(type: AbiType, module: string, name: string): boolean {
  if (type.kind !== "struct" || type.module !== module || type.name !== name) return false;
  for (let i = 0; i < 31; i++) if (type.address[i] !== 0) return false;
  return type.address[31] === 1;
}

/** Layout of a type that needs no module: a primitive or `vector<u8>`. Undefined for every other type. */
export function simpleLayout(type: AbiType): Layout | undefined {
  switch (type.kind) {
    case "struct":
    case "parameter":
    case "reference":
    case "function":
    case "signer":
      return undefined;
    case "vector":
      return type.item.kind === "u8" ? BYTES : undefined;
    default:
      return PRIMITIVES[type.kind];
  }
}

/**
 * Layout of a parameter's type, whose type parameters are already substituted. `0x1::object::Object<T>` as the whole
 * type is an address, and T is not looked up. Throws MoveError `layout` and passes on the errors of the loader.
 */
export async function createParameterLayout(type: AbiType, loadModule: ModuleLoader): Promise<Layout> {
  if (isFrameworkStruct(type, "object", "Object")) return PRIMITIVES.address;
  return new LayoutBuilder(loadModule).build(type, []);
}

/** A layout, and how many type nodes were visited to build it: what it takes in memory follows from that. */
export interface SizedLayout {
  readonly layout: Layout;
  readonly nodes: number;
}

/**
 * Layout of a stored value's type, whose type parameters are already substituted: an object reference is the struct that
 * it is in storage. Throws like `createParameterLayout`.
 */
export async function createValueLayout(type: AbiType, loadModule: ModuleLoader): Promise<SizedLayout> {
  const builder = new LayoutBuilder(loadModule);
  const layout = await builder.build(type, []);
  return { layout, nodes: builder.nodes };
}

class LayoutBuilder {
  readonly #loadModule: ModuleLoader;
  #nodes = 0;

  constructor(loadModule: ModuleLoader) {
    this.#loadModule = loadModule;
  }

  get nodes(): number {
    return this.#nodes;
  }

  async build(type: AbiType, typeArgs: readonly Layout[]): Promise<Layout> {
    if (++this.#nodes > MAX_LAYOUT_NODES) {
      throw new MoveError("layout", `the type is too large: it has more than ${MAX_LAYOUT_NODES} parts`);
    }
    switch (type.kind) {
      case "vector": {
        const item = await this.build(type.item, typeArgs);
        return item.kind === "u8" ? BYTES : { kind: "vector", item };
      }
      case "struct":
        return this.#struct(type, typeArgs);
      case "parameter": {
        const layout = typeArgs[type.index];
        if (layout === undefined) {
          throw new MoveError("layout", `the type parameter T${type.index} has no type to stand for`);
        }
        return layout;
      }
      case "signer":
        throw new MoveError("layout", "no value can hold a signer");
      case "reference":
        throw new MoveError("layout", "a reference cannot be given as a value");
      case "function":
        throw new MoveError("layout", "a function value cannot be given as JSON");
      default:
        return PRIMITIVES[type.kind];
    }
  }

  async #struct(type: AbiStructType, outerTypeArgs: readonly Layout[]): Promise<Layout> {
    const name = formatAbiType({ ...type, typeArgs: [] });
    const typeArgs: Layout[] = [];
    for (const arg of type.typeArgs) typeArgs.push(await this.build(arg, outerTypeArgs));
    const definition = await this.#definition(type, name);
    if (definition.typeParams.length !== typeArgs.length) {
      throw new MoveError(
        "layout",
        `${name} takes ${definition.typeParams.length} type arguments, not ${typeArgs.length}`,
      );
    }
    if (definition.variants === undefined) {
      const fields = await this.#fields(definition.fields, typeArgs);
      if (isFrameworkStruct(type, "string", "String")) return STRING;
      return optionLayout(type, typeArgs) ?? { kind: "struct", name, ...fields };
    }
    const variants: (FieldsLayout & { name: string })[] = [];
    for (const variant of definition.variants) {
      variants.push({ name: variant.name, ...(await this.#fields(variant.fields, typeArgs)) });
    }
    return optionLayout(type, typeArgs) ?? { kind: "enum", name, variants };
  }

  async #definition(type: AbiStructType, name: string): Promise<StructAbi> {
    const isPossible =
      type.module.length <= MAX_IDENTIFIER_LENGTH && type.name.length <= MAX_IDENTIFIER_LENGTH;
    const module = isPossible
      ? await this.#loadModule({ address: type.address, name: type.module })
      : undefined;
    if (module === undefined)
      throw new MoveError("layout", `the module of ${shortenText(name)} is not on chain`);
    const definition = module.structs.find((struct) => struct.name === type.name);
    if (definition === undefined)
      throw new MoveError("layout", `the module is on chain, but has no struct or enum ${name}`);
    if (definition.isNative) throw new MoveError("layout", `${name} is native: its values have no fields`);
    return definition;
  }

  async #fields(definitions: readonly FieldAbi[], typeArgs: readonly Layout[]): Promise<FieldsLayout> {
    const fields: FieldLayout[] = [];
    const positions = new Map<string, number>();
    for (const { name, type } of definitions) {
      positions.set(name, fields.length);
      fields.push({ name, layout: await this.build(type, typeArgs) });
    }
    return { fields, positions };
  }
}

function optionLayout(type: AbiStructType, typeArgs: readonly Layout[]): Layout | undefined {
  const [item] = typeArgs;
  if (item === undefined || !isFrameworkStruct(type, "option", "Option")) return undefined;
  return { kind: "option", item };
}
