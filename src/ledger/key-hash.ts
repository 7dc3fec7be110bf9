// Hashes of the state keys that reads use, computed straight from their parts without a key object. `trace` is the
// trace of the view that the hash is for, or undefined. It has no default, so that no read forgets it.
import { MAX_SHORT_INPUT, sha3Short } from "../base/keccak.ts";
import { sha3 } from "../base/sha3.ts";
import { ADDRESS_LENGTH, type Address, addressFromBytes } from "../move/address.ts";
import { stateKeyHashOfBcs } from "./formats/state-key.ts";
import { HASH_LENGTH, SEEDS } from "./hash.ts";
import type { KeyTrace } from "./key-trace.ts";

const ACCESS_PATH = 0;
const TABLE_ITEM = 1;
const CODE = 0;
const RESOURCE = 1;
const RESOURCE_GROUP = 2;
const ADDRESS_END = HASH_LENGTH + 1 + 32;
const ULEB_MAX_BYTES = 5;

const utf8 = new TextEncoder();
const NOTHING = new Uint8Array(0);
const ZERO_ADDRESS = addressFromBytes(new Uint8Array(ADDRESS_LENGTH));

// The seed stays at the front of the buffer. The buffer grows for a longer key.
let scratch: Uint8Array = createScratch(1024);

function createScratch(size: number): Uint8Array {
  const out = new Uint8Array(size);
  out.set(SEEDS.stateKey);
  return out;
}

/** Starts a key with tag and address, and reserves `tailBytes` more and two lengths. */
function begin(tag: number, address: Address, tailBytes: number): void {
  const needed = ADDRESS_END + 2 * ULEB_MAX_BYTES + 34 + tailBytes;
  if (needed > scratch.length) scratch = createScratch(2 * needed);
  scratch[HASH_LENGTH] = tag;
  scratch.set(address, HASH_LENGTH + 1);
}

function putUleb(value: number, at: number): number {
  let rest = value;
  let end = at;
  while (rest >= 0x80) {
    scratch[end++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  scratch[end++] = rest;
  return end;
}

/** Hashes the key that ends at `end`. */
function finish(end: number, trace: KeyTrace | undefined): Uint8Array {
  const bytes = scratch.subarray(0, end);
  const keyHash = end <= MAX_SHORT_INPUT ? sha3Short(bytes, NOTHING) : sha3(bytes);
  trace?.noteStorage(keyHash, scratch.subarray(HASH_LENGTH, end));
  return keyHash;
}

function structKeyHash(
  path: number,
  address: Address,
  structTag: Uint8Array,
  trace: KeyTrace | undefined,
): Uint8Array {
  return finish(putStructKey(path, address, structTag), trace);
}

function putStructKey(path: number, address: Address, structTag: Uint8Array): number {
  begin(ACCESS_PATH, address, structTag.length);
  let at = putUleb(1 + structTag.length, ADDRESS_END);
  scratch[at++] = path;
  scratch.set(structTag, at);
  return at + structTag.length;
}

/** Where the address is in the hashed bytes of a key. */
export const HASHED_ADDRESS_AT: number = HASH_LENGTH + 1;

function structHashInput(path: number, structTag: Uint8Array): Uint8Array {
  // Before `scratch` is looked at: a long key replaces it.
  const end = putStructKey(path, ZERO_ADDRESS, structTag);
  return scratch.slice(0, end);
}

/** The bytes that `resourceKeyHash` hashes, with zeros for the address. */
export function resourceHashInput(structTag: Uint8Array): Uint8Array {
  return structHashInput(RESOURCE, structTag);
}

/** The bytes that `resourceGroupKeyHash` hashes, with zeros for the address. */
export function resourceGroupHashInput(structTag: Uint8Array): Uint8Array {
  return structHashInput(RESOURCE_GROUP, structTag);
}

/** Key hash of a resource, from the BCS of its struct tag. */
export function resourceKeyHash(
  address: Address,
  structTag: Uint8Array,
  trace: KeyTrace | undefined,
): Uint8Array {
  return structKeyHash(RESOURCE, address, structTag, trace);
}

/** Key hash of a resource group, from the BCS of its struct tag. */
export function resourceGroupKeyHash(
  address: Address,
  structTag: Uint8Array,
  trace: KeyTrace | undefined,
): Uint8Array {
  return structKeyHash(RESOURCE_GROUP, address, structTag, trace);
}

/** Key hash of a module. */
export function moduleKeyHash(address: Address, name: string, trace: KeyTrace | undefined): Uint8Array {
  const nameBytes = utf8.encode(name);
  const lengthBytes = nameBytes.length < 0x80 ? 1 : nameBytes.length < 0x4000 ? 2 : 3;
  begin(ACCESS_PATH, address, nameBytes.length);
  let at = putUleb(1 + address.length + lengthBytes + nameBytes.length, ADDRESS_END);
  scratch[at++] = CODE;
  scratch.set(address, at);
  at = putUleb(nameBytes.length, at + address.length);
  scratch.set(nameBytes, at);
  return finish(at + nameBytes.length, trace);
}

/** Key hash of a table item, from the BCS of its key. The storage form has no length in front of the key. */
export function tableItemKeyHash(handle: Address, key: Uint8Array, trace: KeyTrace | undefined): Uint8Array {
  begin(TABLE_ITEM, handle, key.length);
  scratch.set(key, ADDRESS_END);
  return finish(ADDRESS_END + key.length, trace);
}

/** Key hash of a key in BCS. The caller must have decoded or skipped the key first. */
export function keyHashOfBcs(bcs: Uint8Array, trace: KeyTrace | undefined): Uint8Array {
  const keyHash = stateKeyHashOfBcs(bcs);
  trace?.noteBcs(keyHash, bcs);
  return keyHash;
}
