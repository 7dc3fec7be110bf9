// Every resource, resource group member and table item of a network's genesis, with its type. The state does not say what
// the types of a table are, so a second decoder, which shares nothing with the layouts, walks through the values and notes
// the type arguments of each table that it meets.
import { toHex } from "../../src/base/hex.ts";
import { decodeWith } from "../../src/bcs/codec.ts";
import { BcsReader } from "../../src/bcs/reader.ts";
import { accessPathCodec } from "../../src/ledger/formats/state-key.ts";
import { transactionCodec } from "../../src/ledger/formats/transaction.ts";
import { writtenValue } from "../../src/ledger/formats/write-set.ts";
import { resourceGroupCodec } from "../../src/ledger/items/resources.ts";
import type { AbiType, FieldAbi, ModuleLoader } from "../../src/move/abi.ts";
import { typeOfTag } from "../../src/transaction/requests/type-arguments.ts";
import { genesisLoader } from "./genesis-modules.ts";
import { sharedBytes } from "./shared.ts";

/** A value in the state. */
export interface TypedValue {
  readonly kind: "resource" | "member" | "key" | "item";
  readonly type: AbiType;
  readonly bytes: Uint8Array;
}

function substitute(type: AbiType, args: readonly AbiType[]): AbiType {
  if (type.kind === "parameter") return args[type.index] ?? type;
  if (type.kind === "vector") return { kind: "vector", item: substitute(type.item, args) };
  if (type.kind !== "struct") return type;
  return { ...type, typeArgs: type.typeArgs.map((arg) => substitute(arg, args)) };
}

const WIDTHS: Readonly<Record<string, number>> = {
  ...{ bool: 1, u8: 1, u16: 2, u32: 4, u64: 8, u128: 16, u256: 32, address: 32, signer: 32 },
  ...{ i8: 1, i16: 2, i32: 4, i64: 8, i128: 16, i256: 32 },
};

class TableFinder {
  /** Key and value type by handle. */
  readonly tables = new Map<string, readonly AbiType[]>();
  readonly #loadModule: ModuleLoader;

  constructor(loadModule: ModuleLoader) {
    this.#loadModule = loadModule;
  }

  async walk(type: AbiType, reader: BcsReader): Promise<void> {
    const width = WIDTHS[type.kind];
    if (width !== undefined) reader.skip(width);
    else if (type.kind === "vector") {
      const count = reader.uleb();
      for (let i = 0; i < count; i++) await this.walk(type.item, reader);
    } else if (type.kind === "struct") {
      const module = await this.#loadModule({ address: type.address, name: type.module });
      const struct = module?.structs.find(({ name }) => name === type.name);
      if (struct === undefined) throw new Error(`no struct ${type.module}::${type.name}`);
      const fields = struct.variants === undefined ? struct.fields : struct.variants[reader.uleb()]?.fields;
      if (fields === undefined) throw new Error(`no such variant of ${type.name}`);
      if (type.module === "table" && type.name === "Table") {
        this.tables.set(toHex(reader.bytes.subarray(reader.offset, reader.offset + 32)), type.typeArgs);
      }
      await this.#fields(fields, type.typeArgs, reader);
    } else throw new Error(`a ${type.kind} is stored`);
  }

  async #fields(fields: readonly FieldAbi[], args: readonly AbiType[], reader: BcsReader): Promise<void> {
    for (const field of fields) await this.walk(substitute(field.type, args), reader);
  }
}

/** All values, and how many table items have no known type. */
export async function genesisValues(
  network: "devnet" | "mainnet",
): Promise<{ values: TypedValue[]; loadModule: ModuleLoader; untyped: number }> {
  const transaction = decodeWith(transactionCodec, sharedBytes(`networks/${network}/genesis.blob`));
  if (transaction.kind !== "genesis" || transaction.payload.kind !== "direct") throw new Error("no genesis");
  const loadModule = genesisLoader(network);
  const values: TypedValue[] = [];
  let items: { handle: string; key: Uint8Array; bytes: Uint8Array }[] = [];
  for (const [key, op] of transaction.payload.writeSet.writes) {
    const bytes = writtenValue(op)?.data;
    if (bytes === undefined) continue;
    if (key.kind === "tableItem") items.push({ handle: toHex(key.handle), key: key.key, bytes });
    if (key.kind !== "accessPath") continue;
    const path = decodeWith(accessPathCodec, key.path);
    if (path.kind === "resource") {
      values.push({ kind: "resource", type: typeOfTag({ kind: "struct", struct: path.struct }), bytes });
    }
    if (path.kind !== "resourceGroup") continue;
    for (const [struct, member] of decodeWith(resourceGroupCodec, bytes)) {
      values.push({ kind: "member", type: typeOfTag({ kind: "struct", struct }), bytes: member });
    }
  }
  const finder = new TableFinder(loadModule);
  // A table's items may hold further tables.
  for (let walked = 0; walked < values.length; ) {
    for (; walked < values.length; walked++) {
      const value = values[walked];
      if (value !== undefined) await finder.walk(value.type, new BcsReader(value.bytes));
    }
    const rest: typeof items = [];
    for (const item of items) {
      const [keyType, valueType] = finder.tables.get(item.handle) ?? [];
      if (keyType === undefined || valueType === undefined) rest.push(item);
      else {
        values.push({ kind: "key", type: keyType, bytes: item.key });
        values.push({ kind: "item", type: valueType, bytes: item.bytes });
      }
    }
    items = rest;
  }
  return { values, loadModule, untyped: items.length };
}
