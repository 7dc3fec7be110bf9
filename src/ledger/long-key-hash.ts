// Hashes of table keys so long that other work of the process must go on meanwhile.
import { createHash } from "node:crypto";
import type { MaybePromise } from "../base/maybe-promise.ts";
import { Slices } from "../base/wait.ts";
import { ADDRESS_LENGTH, type Address } from "../move/address.ts";
import { SEEDS } from "./hash.ts";
import { tableItemKeyHash } from "./key-hash.ts";
import type { KeyTrace } from "./key-trace.ts";

const LONG_KEY_BYTES = 256 * 1024;
/** Bytes that are hashed at once. */
const SLICE_BYTES = 256 * 1024;
/** The kind of a table item in front of its storage form. */
const TABLE_ITEM = 1;

/** As `tableItemKeyHash`, in slices for a long key. */
export function anyTableItemKeyHash(
  handle: Address,
  key: Uint8Array,
  trace: KeyTrace | undefined,
): MaybePromise<Uint8Array> {
  return key.length < LONG_KEY_BYTES
    ? tableItemKeyHash(handle, key, trace)
    : longTableItemKeyHash(handle, key, trace);
}

async function longTableItemKeyHash(
  handle: Address,
  key: Uint8Array,
  trace: KeyTrace | undefined,
): Promise<Uint8Array> {
  const storage = new Uint8Array(1 + ADDRESS_LENGTH + key.length);
  storage[0] = TABLE_ITEM;
  storage.set(handle, 1);
  storage.set(key, 1 + ADDRESS_LENGTH);
  const hasher = createHash("sha3-256").update(SEEDS.stateKey);
  const slices = new Slices();
  for (let at = 0; at < storage.length; at += SLICE_BYTES) {
    hasher.update(storage.subarray(at, at + SLICE_BYTES));
    await slices.pause();
  }
  const keyHash = hasher.digest();
  trace?.noteStorage(keyHash, storage);
  return keyHash;
}
