// The JSON form of module ABIs, keys in the order of the API. It counts the size before it builds anything, because
// functions that share one long signature each print it.
import type { Ability, AbiType, FieldAbi, FunctionAbi, ModuleAbi, ScriptAbi, StructAbi } from "./abi.ts";
import { formatAddress } from "./address.ts";
import { AbiPrinter } from "./bytecode/abi-text.ts";
import { MoveError } from "./errors.ts";

/** Default limit of a printed ABI; the largest known is a fortieth of it. */
export const MAX_ABI_JSON_BYTES = 4 << 20;

interface TypeParamJson {
  readonly constraints: readonly Ability[];
}

export interface FunctionAbiJson {
  readonly name: string;
  readonly visibility: string;
  readonly is_entry: boolean;
  readonly is_view: boolean;
  readonly generic_type_params: readonly TypeParamJson[];
  readonly params: readonly string[];
  readonly return: readonly string[];
}

interface FieldAbiJson {
  readonly name: string;
  readonly type: string;
}

export interface StructAbiJson {
  readonly name: string;
  readonly is_native: boolean;
  readonly is_event: boolean;
  readonly is_enum: boolean;
  readonly abilities: readonly Ability[];
  readonly generic_type_params: readonly TypeParamJson[];
  readonly fields: readonly FieldAbiJson[];
  readonly variants: readonly { readonly name: string; readonly fields: readonly FieldAbiJson[] }[];
}

/** True for functions that the ABI lists: all except private ones that are neither entry nor view. */
function isExposed(fun: FunctionAbi): boolean {
  return fun.isEntry || fun.isView || fun.visibility !== "private";
}

// `0x1::option::Option` became an enum of the same layout; the API still shows it as a struct.
function asOldOption(abi: ModuleAbi, struct: StructAbi): StructAbi {
  const item = struct.variants?.length === 2 ? struct.variants[1]?.fields[0]?.type : undefined;
  if (item === undefined || abi.name !== "option" || formatAddress(abi.address) !== "0x1") return struct;
  return { ...struct, variants: undefined, fields: [{ name: "vec", type: { kind: "vector", item } }] };
}

/** Builds the lists of an ABI, each shared list once. */
class JsonBuilder {
  readonly printer = new AbiPrinter();
  readonly #types = new Map<readonly AbiType[], string[]>();
  readonly #typeParams = new Map<readonly (readonly Ability[])[], TypeParamJson[]>();

  function(fun: FunctionAbi): FunctionAbiJson {
    return {
      name: fun.name,
      visibility: fun.visibility,
      is_entry: fun.isEntry,
      is_view: fun.isView,
      generic_type_params: this.#functionTypeParams(fun.typeParams),
      params: this.#typeList(fun.params),
      return: this.#typeList(fun.returns),
    };
  }

  struct(struct: StructAbi): StructAbiJson {
    return {
      name: struct.name,
      is_native: struct.isNative,
      is_event: struct.isEvent,
      is_enum: struct.variants !== undefined,
      abilities: struct.abilities,
      generic_type_params: struct.typeParams.map(({ constraints }) => ({ constraints })),
      fields: this.#fields(struct.fields),
      variants: (struct.variants ?? []).map(({ name, fields }) => ({ name, fields: this.#fields(fields) })),
    };
  }

  #fields(fields: readonly FieldAbi[]): FieldAbiJson[] {
    return fields.map(({ name, type }) => ({ name, type: this.printer.print(type) }));
  }

  #typeList(types: readonly AbiType[]): string[] {
    const known = this.#types.get(types);
    if (known !== undefined) return known;
    const list = types.map((type) => this.printer.print(type));
    this.#types.set(types, list);
    return list;
  }

  #functionTypeParams(typeParams: readonly (readonly Ability[])[]): TypeParamJson[] {
    const known = this.#typeParams.get(typeParams);
    if (known !== undefined) return known;
    const list = typeParams.map((constraints) => ({ constraints }));
    this.#typeParams.set(typeParams, list);
    return list;
  }
}

/** Counts the printed size of an ABI, each shared list once; throws above the limit. */
class JsonCounter {
  readonly #printer = new AbiPrinter();
  readonly #lists = new Map<readonly unknown[], number>();
  readonly #maxBytes: number;
  #bytes: number;

  constructor(abi: ModuleAbi, maxBytes: number) {
    this.#maxBytes = maxBytes;
    const skeleton = { address: formatAddress(abi.address), name: abi.name, friends: [] };
    this.#bytes = JSON.stringify({ ...skeleton, exposed_functions: [], structs: [] }).length;
    let first = true;
    for (const { address, name } of abi.friends) {
      this.#add((first ? 4 : 5) + this.#printer.address(address).length + name.length);
      first = false;
    }
  }

  get bytes(): number {
    return this.#bytes;
  }

  function(fun: FunctionAbi, first: boolean): void {
    const skeleton = {
      name: fun.name,
      visibility: fun.visibility,
      is_entry: fun.isEntry,
      is_view: fun.isView,
    };
    const lists = { generic_type_params: [], params: [], return: [] };
    this.#add(JSON.stringify({ ...skeleton, ...lists }).length + (first ? 0 : 1));
    this.#add(this.#list(fun.typeParams, typeParamLength));
    this.#add(this.#list(fun.params, (type) => this.#quoted(type)));
    this.#add(this.#list(fun.returns, (type) => this.#quoted(type)));
  }

  struct(struct: StructAbi, first: boolean): void {
    const { name, isNative, isEvent, abilities } = struct;
    const flags = { name, is_native: isNative, is_event: isEvent, is_enum: struct.variants !== undefined };
    const lists = { abilities, generic_type_params: [], fields: [], variants: [] };
    this.#add(JSON.stringify({ ...flags, ...lists }).length + (first ? 0 : 1));
    this.#add(this.#list(struct.typeParams, ({ constraints }) => typeParamLength(constraints)));
    this.#add(this.#fields(struct.fields));
    const variantLength = (variant: { name: string; fields: readonly FieldAbi[] }) =>
      '{"name":"","fields":[]}'.length + variant.name.length + this.#fields(variant.fields);
    this.#add(this.#list(struct.variants ?? [], variantLength));
  }

  #fields(fields: readonly FieldAbi[]): number {
    return this.#list(
      fields,
      ({ name, type }) => '{"name":"","type":}'.length + name.length + this.#quoted(type),
    );
  }

  #quoted(type: AbiType): number {
    return 2 + this.#printer.length(type);
  }

  #list<T>(items: readonly T[], length: (item: T) => number): number {
    const known = this.#lists.get(items);
    if (known !== undefined) return known;
    let total = Math.max(0, items.length - 1);
    for (const item of items) total += length(item);
    this.#lists.set(items, total);
    return total;
  }

  #add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#maxBytes) {
      throw new MoveError("bytecode", `the ABI of this module prints to more than ${this.#maxBytes} bytes`, {
        details: { status: "ABI_TOO_LARGE", maxBytes: this.#maxBytes },
      });
    }
  }
}

function typeParamLength(constraints: readonly Ability[]): number {
  return '{"constraints":}'.length + JSON.stringify(constraints).length;
}

/** Bytes of the printed ABI; throws above `maxBytes`. */
export function countAbiJsonBytes(abi: ModuleAbi, options: { readonly maxBytes?: number } = {}): number {
  const counter = new JsonCounter(abi, options.maxBytes ?? MAX_ABI_JSON_BYTES);
  let first = true;
  for (const fun of abi.functions) {
    if (!isExposed(fun)) continue;
    counter.function(fun, first);
    first = false;
  }
  for (const [i, struct] of abi.structs.entries()) counter.struct(asOldOption(abi, struct), i === 0);
  return counter.bytes;
}

/** Pieces of the JSON text of a module's ABI. Throws before the first piece if they have more than `maxBytes`. */
export function* moduleAbiPieces(
  abi: ModuleAbi,
  options: { readonly maxBytes?: number } = {},
): Generator<string, void> {
  countAbiJsonBytes(abi, options);
  const builder = new JsonBuilder();
  const friends = abi.friends.map(({ address, name }) => `${builder.printer.address(address)}::${name}`);
  const head = JSON.stringify({ address: formatAddress(abi.address), name: abi.name, friends });
  yield `${head.slice(0, -1)},"exposed_functions":[`;
  let separator = "";
  for (const fun of abi.functions) {
    if (!isExposed(fun)) continue;
    yield separator + JSON.stringify(builder.function(fun));
    separator = ",";
  }
  yield '],"structs":[';
  separator = "";
  for (const struct of abi.structs) {
    yield separator + JSON.stringify(builder.struct(asOldOption(abi, struct)));
    separator = ",";
  }
  yield "]}";
}

/** JSON of a script's entry point; undefined if it prints to more than `maxBytes`. */
export function scriptAbiToJson(
  { typeParams, params }: ScriptAbi,
  maxBytes = MAX_ABI_JSON_BYTES,
): FunctionAbiJson | undefined {
  const builder = new JsonBuilder();
  let bytes = 0;
  for (const type of params) bytes += builder.printer.length(type);
  if (bytes > maxBytes) return undefined;
  const main = { name: "main", visibility: "public", isEntry: true, isView: false } as const;
  return builder.function({ ...main, typeParams, params, returns: [] });
}
