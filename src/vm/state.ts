// The state under a run, by state keys: modules, resources, members of resource groups, table items.
import { toHex } from "../base/hex.ts";
import { encodeWith } from "../bcs/codec.ts";
import { accessPathCodec, stateKeyCodec } from "../ledger/formats/state-key.ts";
import { findGroupMembers } from "../ledger/items/resource-group.ts";
import type { AbiStructType } from "../move/abi.ts";
import { type Address, addressFromBytes } from "../move/address.ts";
import { readProgram } from "../move/bytecode/program.ts";
import { MoveError } from "../move/errors.ts";
import { type StructTag, structTagCodec } from "../move/type-tag.ts";
import { parseStructTag } from "../move/type-text.ts";
import { invariant, STATUS, VmError } from "./errors.ts";
import type { LoadedModule } from "./linker.ts";
import type { StateRead, StateSource } from "./session.ts";
import { moduleKey, tagOf } from "./types.ts";

/** Reads the data of an item by its state key in BCS; undefined if there is none. May throw NeedsItem. */
export type ItemReader = (key: Uint8Array) => Uint8Array | undefined;

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
  return pathStateKey(address, encodeWith(accessPathCodec, { kind, struct }));
}

function pathStateKey(address: string, path: Uint8Array): Uint8Array {
  return encodeWith(stateKeyCodec, { kind: "accessPath", address: addressOf(address), path });
}

interface ResourcePath {
  readonly group: string | undefined;
  readonly path: Uint8Array;
  /** Names the resource in its group. */
  readonly tag: Uint8Array;
}

const paths = new WeakMap<AbiStructType, ResourcePath>();

/** Where a resource is kept, in BCS. */
function resourcePath(type: AbiStructType, group: string | undefined): ResourcePath {
  let found = paths.get(type);
  if (found === undefined || found.group !== group) {
    const struct = structTagOf(type);
    const path = encodeWith(
      accessPathCodec,
      group === undefined
        ? { kind: "resource", struct }
        : { kind: "resourceGroup", struct: parseStructTag(group) },
    );
    found = { group, path, tag: encodeWith(structTagCodec, struct) };
    paths.set(type, found);
  }
  return found;
}

export function tableItemStateKey(handle: string, key: Uint8Array): Uint8Array {
  return encodeWith(stateKeyCodec, { kind: "tableItem", handle: addressOf(handle), key });
}

/** Programs by the bytes that they were read from. */
export type ProgramCache = (key: string, bytes: Uint8Array) => LoadedModule;

/** Reads a module from its bytes. Throws VmError for bytes that are no module. */
export function loadModule(key: string, bytes: Uint8Array): LoadedModule {
  const [address = "", name = ""] = key.split("::");
  try {
    return { key, address, name, program: readProgram(bytes), codeBytes: bytes.length };
  } catch (error) {
    if (!(error instanceof MoveError)) throw error;
    throw new VmError(STATUS.codeDeserializationError, `the module ${key} does not parse: ${error.message}`);
  }
}

/** The state of one session. */
export class LedgerState implements StateSource {
  readonly #read: ItemReader;
  readonly #programs: ProgramCache;
  readonly #touchedGroups = new Set<string>();

  constructor(read: ItemReader, programs: ProgramCache) {
    this.#read = read;
    this.#programs = programs;
  }

  module(address: string, name: string): LoadedModule | undefined {
    const bytes = this.#read(moduleStateKey(address, name));
    return bytes && this.#programs(moduleKey(address, name), bytes);
  }

  resource(address: string, type: AbiStructType, group: string | undefined): StateRead {
    const { path, tag } = resourcePath(type, group);
    const key = pathStateKey(address, path);
    const data = this.#read(key);
    if (group === undefined) return { bytes: data, chargedBytes: data?.length ?? 0 };
    const name = toHex(key);
    const isFirst = !this.#touchedGroups.has(name);
    this.#touchedGroups.add(name);
    if (data === undefined) return { bytes: undefined, chargedBytes: 0 };
    const members = findGroupMembers(data, [tag]);
    if (members === undefined) throw invariant("a resource group does not decode");
    const [bytes] = members;
    return { bytes, chargedBytes: (bytes?.length ?? 0) + (isFirst ? data.length : 0) };
  }

  tableItem(handle: string, key: Uint8Array): StateRead {
    const bytes = this.#read(tableItemStateKey(handle, key));
    return { bytes, chargedBytes: bytes?.length ?? 0 };
  }
}
