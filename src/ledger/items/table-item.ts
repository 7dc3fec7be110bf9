// Table items, by handle and serialized key.
import { createHash } from "node:crypto";
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import { Slices } from "../../base/wait.ts";
import { ADDRESS_LENGTH, type Address } from "../../move/address.ts";
import { stateValueData } from "../formats/state-value.ts";
import { SEEDS } from "../hash.ts";
import { tableItemKeyHash } from "../key-hash.ts";
import type { KeyTrace } from "../key-trace.ts";
import type { LedgerView } from "../view.ts";

/**
 * The stored bytes of an item at a version; undefined if there is none. Valid until the view is released. Throws
 * LedgerError.
 */
export function readTableItem(
  view: LedgerView,
  handle: Address,
  key: Uint8Array,
  version: bigint,
): MaybePromise<Uint8Array | undefined> {
  return andThen(anyTableItemKeyHash(handle, key, view.keyTrace), (keyHash) =>
    andThen(view.getItems([keyHash], version), ([item]) =>
      item?.value === undefined ? undefined : stateValueData(item.value),
    ),
  );
}

/** A table and a serialized key. */
export interface TableQuery {
  readonly handle: Address;
  readonly key: Uint8Array;
}

/** Items read at once. They are counted only when they are there, so this bounds how far one call can go over `maxBytes`. */
const ITEMS_AT_ONCE = 32;

/** Stands for an item that was not read because those before it are large enough for one answer. */
export const UNREAD = "unread";

/**
 * The stored bytes of many items at one version, undefined where there is none. At most `maxBytes` and always at least one
 * item; what follows is UNREAD. Throws LedgerError.
 */
export async function readTableItems(
  view: LedgerView,
  queries: readonly TableQuery[],
  version: bigint,
  maxBytes: number,
): Promise<readonly (Uint8Array | undefined | typeof UNREAD)[]> {
  const found: (Uint8Array | undefined | typeof UNREAD)[] = [];
  let size = 0;
  // Asked at least once: that checks the version.
  for (let start = 0; start === 0 || (start < queries.length && size <= maxBytes); start += ITEMS_AT_ONCE) {
    const some = queries.slice(start, start + ITEMS_AT_ONCE);
    const keys = some.map(({ handle, key }) => tableItemKeyHash(handle, key, view.keyTrace));
    for (const item of await view.getItems(keys, version)) {
      const data = item?.value === undefined ? undefined : stateValueData(item.value);
      const before = size;
      size += data?.length ?? 0;
      found.push(size > maxBytes && before > 0 ? UNREAD : data);
    }
  }
  while (found.length < queries.length) found.push(UNREAD);
  return found;
}

const LONG_KEY_BYTES = 256 * 1024;
/** Bytes that are hashed at once. */
const SLICE_BYTES = 256 * 1024;
/** The kind of a table item in front of its storage form. */
const TABLE_ITEM = 1;

/** As `tableItemKeyHash`, in slices for a key so long that other work of the process must run meanwhile. */
function anyTableItemKeyHash(
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
