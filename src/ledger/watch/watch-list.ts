// Lists of balances that are watched together: what a transaction deposits to them and withdraws from them. A record is
// looked up in a list by the stores that it writes, so the length of a list costs memory, but no time.
import { toMapKey } from "../../base/bytes.ts";
import { formatAddress } from "../../move/address.ts";
import type { BalancePair } from "../balances/balance.ts";
import { balanceKeys } from "../balances/balance-keys.ts";
import { addParts, amountOfPart } from "../balances/balance-parts.ts";
import { stateKeyHashOfBcs } from "../formats/state-key.ts";
import type { LedgerView } from "../view.ts";
import { type RecordFacts, type StoreWrite, storeNamesIn, storesIn } from "./record-filter.ts";

/** A balance, with its asset as the client writes it. */
export interface WatchedPair extends BalancePair {
  readonly assetType: string;
}

/** What one transaction did to a balance. */
export interface Movement extends WatchedPair {
  readonly before: bigint;
  readonly after: bigint;
  /** Owner of the only other balance of the asset that moved the other way; undefined where there is none or several. */
  readonly counterparty: string | undefined;
}

/** Other stores of the asset that are read for a counterparty. */
const MAX_OTHERS = 16;

export class WatchList {
  readonly #pairs = new Map<string, WatchedPair>();
  #size = 0;

  /** Balances that were added. */
  get size(): number {
    return this.#size;
  }

  add(pair: WatchedPair): void {
    for (const key of balanceKeys(pair.owner, pair.asset, undefined)) this.#pairs.set(toMapKey(key), pair);
    this.#size++;
  }

  /** The balances that a record may have changed, each by the place of its first write. */
  touched(facts: RecordFacts): ReadonlyMap<number, WatchedPair> {
    const found = new Map<number, WatchedPair>();
    const seen = new Set<WatchedPair>();
    const names = facts.find(storeNamesIn);
    for (const [i, { index }] of facts.find(storesIn).entries()) {
      const pair = this.#pairs.get(names[i] as string);
      if (pair === undefined || seen.has(pair)) continue;
      seen.add(pair);
      found.set(index, pair);
    }
    return found;
  }
}

/** The sums of some parts before and at a version. */
async function readParts(
  view: LedgerView,
  version: bigint,
  keys: readonly Uint8Array[],
  places: readonly number[],
): Promise<readonly [before: readonly bigint[], after: readonly bigint[]]> {
  const amounts = async (at: bigint): Promise<bigint[]> => {
    const items = at < 0n ? [] : await view.getItems(keys, at);
    return places.map((place, i) => amountOfPart(place, items[i]));
  };
  return [await amounts(version - 1n), await amounts(version)];
}

/** The owners of other balances of the asset that moved the other way. */
async function counterpartyOf(
  view: LedgerView,
  version: bigint,
  others: readonly StoreWrite[],
  isDeposit: boolean,
): Promise<string | undefined> {
  const keys = others.map(({ key }) => stateKeyHashOfBcs(key));
  const places = others.map(({ place }) => place);
  const [before, after] = await readParts(view, version, keys, places);
  const owners = new Set<string>();
  for (const [i, { owner }] of others.entries()) {
    const change = (after[i] ?? 0n) - (before[i] ?? 0n);
    if (owner !== undefined && (isDeposit ? change < 0n : change > 0n)) owners.add(formatAddress(owner));
  }
  const [only] = owners;
  return owners.size === 1 ? only : undefined;
}

/** What a version did to a balance; undefined if the balance is as it was. */
export async function readMovement(
  view: LedgerView,
  version: bigint,
  facts: RecordFacts,
  pair: WatchedPair,
): Promise<Movement | undefined> {
  const { owner, asset } = pair;
  const keys = balanceKeys(owner, asset, view.keyTrace);
  const parts = await readParts(view, version, keys, [...keys.keys()]);
  const [before, after] = parts.map(addParts) as [bigint, bigint];
  if (before === after) return undefined;
  const stores = facts
    .find(storesIn)
    .filter(({ metadata }) => metadata !== undefined && Buffer.compare(metadata, asset.metadata) === 0);
  // Before the keys of all of them are hashed.
  if (stores.length > MAX_OTHERS + keys.length) return { ...pair, before, after, counterparty: undefined };
  const own = new Set(keys.map(toMapKey));
  const others = stores.filter(({ key }) => !own.has(toMapKey(stateKeyHashOfBcs(key))));
  const isFew = others.length <= MAX_OTHERS;
  const counterparty = isFew ? await counterpartyOf(view, version, others, after > before) : undefined;
  return { ...pair, before, after, counterparty };
}
