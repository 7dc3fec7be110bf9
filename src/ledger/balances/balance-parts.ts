// The amounts of the items that a balance is made of: the balance of a coin type is its CoinStore plus the primary store
// of the paired fungible asset, that of a metadata address the primary store alone. A missing store counts as 0.
import { U64_MAX } from "../../base/numbers.ts";
import { ADDRESS_LENGTH } from "../../move/address.ts";
import { LedgerError } from "../errors.ts";
import { stateValueData } from "../formats/state-value.ts";
import { findGroupMembers } from "../items/resource-group.ts";
import {
  coinStoreCodec,
  concurrentBalanceCodec,
  frameworkTag,
  fungibleStoreCodec,
} from "../items/resources.ts";
import type { StateItem } from "../view.ts";

// All three layouts have a fixed size. The CoinStore and the concurrent balance start with the amount.
const COIN_STORE_BYTES = coinStoreCodec.minBytes;
const FUNGIBLE_STORE_BYTES = fungibleStoreCodec.minBytes;
const FUNGIBLE_STORE_BALANCE_AT = ADDRESS_LENGTH;
const CONCURRENT_BALANCE_BYTES = concurrentBalanceCodec.minBytes;

const STORE_TAGS: readonly Uint8Array[] = [
  frameworkTag("fungible_asset", "FungibleStore"),
  frameworkTag("fungible_asset", "ConcurrentFungibleBalance"),
];

/** The BCS of an item's value; undefined for an absent item. */
export function dataOf(item: StateItem | undefined): Uint8Array | undefined {
  return item?.value === undefined ? undefined : stateValueData(item.value);
}

function corrupt(name: string, bytes: Uint8Array): never {
  throw new LedgerError("corrupt", `stored ${name} of ${bytes.length} bytes does not decode`);
}

const word = new DataView(new ArrayBuffer(8));

/** Reads a little-endian u64. Copying bytes into one shared view is cheaper than a view per value. */
function readU64(bytes: Uint8Array, at: number): bigint {
  for (let i = 0; i < 8; i++) word.setUint8(i, bytes[at + i] ?? 0);
  return word.getBigUint64(0, true);
}

function coinAmount(data: Uint8Array | undefined): bigint {
  if (data === undefined) return 0n;
  if (data.length !== COIN_STORE_BYTES || (data[8] ?? 2) > 1) corrupt("CoinStore", data);
  return readU64(data, 0);
}

function fungibleAmount(group: Uint8Array | undefined): bigint {
  if (group === undefined) return 0n;
  // A group that does not decode counts as 0, as on the chain's own nodes.
  const [store, concurrent] = findGroupMembers(group, STORE_TAGS) ?? [];
  if (store === undefined) return 0n;
  if (store.length !== FUNGIBLE_STORE_BYTES || (store[FUNGIBLE_STORE_BYTES - 1] ?? 2) > 1) {
    corrupt("FungibleStore", store);
  }
  const balance = readU64(store, FUNGIBLE_STORE_BALANCE_AT);
  if (balance !== 0n || concurrent === undefined) return balance;
  if (concurrent.length !== CONCURRENT_BALANCE_BYTES) corrupt("ConcurrentFungibleBalance", concurrent);
  return readU64(concurrent, 0);
}

/** The amount in one item of `balanceKeys`, by its place there. Throws LedgerError `corrupt`. */
export function amountOfPart(place: number, item: StateItem | undefined): bigint {
  return place === 0 ? fungibleAmount(dataOf(item)) : coinAmount(dataOf(item));
}

/** The balance that the parts make up. Throws LedgerError `corrupt` when it does not fit. */
export function addParts([fungible = 0n, coin = 0n]: readonly bigint[]): bigint {
  const sum = coin + fungible;
  if (sum > U64_MAX) {
    throw new LedgerError("corrupt", `the coin and the fungible balance add up to ${sum}, above u64`);
  }
  return sum;
}
