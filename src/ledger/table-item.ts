// Table items, by handle and serialized key.
import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import type { Address } from "../move/address.ts";
import { tableItemKeyHash } from "./key-hash.ts";
import { stateValueData } from "./state-value.ts";
import type { LedgerView } from "./view.ts";

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
  return andThen(view.getItems([tableItemKeyHash(handle, key, view.keyTrace)], version), ([item]) =>
    item?.value === undefined ? undefined : stateValueData(item.value),
  );
}
