// The state under a run, by state keys: modules, resources, members of resource groups, table items.
import { toMapKey } from "../base/bytes.ts";
import { encodeWith } from "../bcs/codec.ts";
import { BcsError } from "../bcs/errors.ts";
import { BcsReader } from "../bcs/reader.ts";
import { BcsWriter } from "../bcs/writer.ts";
import { accessPathCodec, stateKeyCodec } from "../ledger/formats/state-key.ts";
import { findGroupMembers } from "../ledger/items/resource-group.ts";
import type { AbiStructType } from "../move/abi.ts";
import { type Address, addressFromBytes } from "../move/address.ts";
import type { MoveError } from "../move/errors.ts";
import { type StructTag, structTagCodec } from "../move/type-tag.ts";
import { parseStructTag } from "../move/type-text.ts";
import { invariant, STATUS, VmError } from "./errors.ts";
import type { LoadedModule } from "./linker.ts";
import { Pairs, type StateRead, type StateSource } from "./session.ts";
import { assertTagBytes, moduleKey, tagOf } from "./types.ts";

/** Reads the data of an item by its state key in BCS; undefined if there is none. May throw NeedsItem. */
export type ItemReader = (key: Uint8Array) => Uint8Array | undefined;

/** The kind of a table item's state key. */
const TABLE_ITEM = 1;
/** Bytes of a table item's state key besides its own key. */
const TABLE_KEY_BYTES = 40;
const ANY_ADDRESS = "0".repeat(64);

function addressOf(hex: string): Address {
  return addressFromBytes(Buffer.from(hex, "hex"));
}

export function moduleStateKey(address: string, name: string): Uint8Array {
  const path = encodeWith(accessPathCodec, { kind: "code", module: { address: addressOf(address), name } });
  return encodeWith(stateKeyCodec, { kind: "accessPath", address: addressOf(address), path });
}

export function structTagOf(type: AbiStructType): StructTag {
  const tag = tagOf(type);
  if (tag.kind !== "struct") throw invariant("a resource is a struct");
  return tag.struct;
}

export function resourceStateKey(
  address: string,
  struct: StructTag,
  kind: "resource" | "resourceGroup",
): Uint8Array {
  const path = encodeWith(accessPathCodec, { kind, struct });
  return encodeWith(stateKeyCodec, { kind: "accessPath", address: addressOf(address), path });
}

interface ResourceKey {
  readonly group: string | undefined;
  /** The state key of the resource or its group, for any address. */
  readonly key: Uint8Array;
  /** Names the resource in its group. */
  readonly tag: Uint8Array;
}

const resourceKeys = new WeakMap<AbiStructType, ResourceKey>();

/** Where resources of a type are kept. */
function resourceKey(type: AbiStructType, group: string | undefined): ResourceKey {
  let found = resourceKeys.get(type);
  if (found === undefined || found.group !== group) {
    assertTagBytes(type.typeArgs);
    const struct = structTagOf(type);
    const key =
      group === undefined
        ? resourceStateKey(ANY_ADDRESS, struct, "resource")
        : resourceStateKey(ANY_ADDRESS, parseStructTag(group), "resourceGroup");
    found = { group, key, tag: encodeWith(structTagCodec, struct) };
    resourceKeys.set(type, found);
  }
  return found;
}

/** A state key with another address, or another handle. */
function withAddress(key: Uint8Array, address: string): Uint8Array {
  const copy = Buffer.from(key);
  copy.write(address, 1, "hex");
  return copy;
}

export function tableItemStateKey(handle: string, key: Uint8Array): Uint8Array {
  const writer = new BcsWriter(TABLE_KEY_BYTES + key.length);
  return writer.u8(TABLE_ITEM).fixed(addressOf(handle)).byteString(key).take();
}

/** Programs by the bytes that they were read from. May throw NeedsItem. */
export type ProgramCache = (key: string, bytes: Uint8Array) => LoadedModule;

/** The fault of bytes that are no module. */
export function parseFault(key: string, cause: MoveError): VmError {
  const fault = new VmError(
    STATUS.codeDeserializationError,
    `the module ${key} does not parse: ${cause.message}`,
  );
  return Object.assign(fault, { cause });
}

/** A group of more bytes is walked through once for all of its members. */
const MAX_WALKED_BYTES = 1 << 14;
const NOT_DECODED = "a resource group does not decode";

class ReadGroup {
  readonly #data: Uint8Array;
  #places: ReadonlyMap<string, number> | undefined;

  constructor(data: Uint8Array) {
    this.#data = data;
  }

  get length(): number {
    return this.#data.length;
  }

  member(tag: Uint8Array): Uint8Array | undefined {
    if (this.length > MAX_WALKED_BYTES) {
      this.#places ??= placesOf(this.#data);
      const at = this.#places.get(toMapKey(tag));
      return at === undefined ? undefined : readerAt(this.#data, at).byteString();
    }
    const members = findGroupMembers(this.#data, [tag]);
    if (members === undefined) throw invariant(NOT_DECODED);
    return members[0];
  }
}

function readerAt(bytes: Uint8Array, offset: number): BcsReader {
  const reader = new BcsReader(bytes);
  reader.offset = offset;
  return reader;
}

/** Where members of a group begin, by their tags. Throws VmError for one that does not decode. */
function placesOf(group: Uint8Array): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  const reader = new BcsReader(group);
  const text = toMapKey(group);
  let last = "";
  try {
    for (let left = reader.count(); left > 0; left--) {
      const start = reader.offset;
      structTagCodec.skip(reader);
      const tag = text.slice(start, reader.offset);
      if (tag <= last) throw invariant(NOT_DECODED);
      last = tag;
      places.set(tag, reader.offset);
      reader.skipByteString();
    }
    reader.finish();
  } catch (error) {
    throw error instanceof BcsError ? invariant(NOT_DECODED) : error;
  }
  return places;
}

/** The state of one session. */
export class LedgerState implements StateSource {
  readonly #read: ItemReader;
  readonly #programs: ProgramCache;
  /** Groups that were read, by name and address. */
  readonly #groups = new Pairs<ReadGroup | "none">();

  constructor(read: ItemReader, programs: ProgramCache) {
    this.#read = read;
    this.#programs = programs;
  }

  module(address: string, name: string): LoadedModule | undefined {
    const bytes = this.#read(moduleStateKey(address, name));
    return bytes && this.#programs(moduleKey(address, name), bytes);
  }

  resource(address: string, type: AbiStructType, group: string | undefined): StateRead {
    const { key, tag } = resourceKey(type, group);
    if (group === undefined) return { bytes: this.#read(withAddress(key, address)) };
    let found = this.#groups.get(group, address);
    if (found === undefined) {
      const data = this.#read(withAddress(key, address));
      found = data === undefined ? "none" : new ReadGroup(data);
      this.#groups.add(group, address, found);
    }
    return found === "none" ? { bytes: undefined } : { bytes: found.member(tag), groupBytes: found.length };
  }

  tableItem(handle: string, key: Uint8Array): StateRead {
    return { bytes: this.#read(tableItemStateKey(handle, key)) };
  }
}
