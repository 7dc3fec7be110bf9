// Lists of balances that are watched together: what a transaction deposits to them and withdraws from them. A record is
// looked up in a list by the stores that it writes, so the length of a list costs memory, but no time.
import { toMapKey } from "../../base/bytes.ts";
import { formatAddress } from "../../move/address.ts";
import type { BalancePair } from "../balances/balance.ts";
import { balanceKeys } from "../balances/balance-keys.ts";
import { addParts, amountOfPart } from "../balances/balance-parts.ts";
import { stateKeyHashOfBcs } from "../formats/state-key.ts";
import type { LedgerView } from "../view.ts";
import { type RecordFacts, storeNamesIn, storesIn } from "./record-filter.ts";

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

/** What a version did to a balance; undefined if the balance is as it was. */
export async function readMovement(
  view: LedgerView,
  version: bigint,
  facts: RecordFacts,
  pair: WatchedPair,
): Promise<Movement | undefined> {
  const { owner, asset } = pair;
  const own = balanceKeys(owner, asset, view.keyTrace);
  const ownNames = new Set(own.map(toMapKey));
  const names = facts.find(storeNamesIn);
  const ofAsset = (metadata: Uint8Array | undefined): boolean =>
    metadata !== undefined && Buffer.compare(metadata, asset.metadata) === 0;
  const found = facts
    .find(storesIn)
    .filter((store, i) => ofAsset(store.metadata) && !ownNames.has(names[i] as string));
  const others = found.length > MAX_OTHERS ? [] : found;
  const keys = [...own, ...others.map(({ key }) => stateKeyHashOfBcs(key))];
  const places = [...own.keys(), ...others.map(({ place }) => place)];
  const amountsAt = async (at: bigint): Promise<bigint[]> => {
    const items = at < 0n ? [] : await view.getItems(keys, at);
    return places.map((place, i) => amountOfPart(place, items[i]));
  };
  const [were, are] = [await amountsAt(version - 1n), await amountsAt(version)];
  const [before, after] = [addParts(were.slice(0, own.length)), addParts(are.slice(0, own.length))];
  if (before === after) return undefined;
  const owners = new Set<string>();
  for (const [i, other] of others.entries()) {
    const change = (are[own.length + i] ?? 0n) - (were[own.length + i] ?? 0n);
    const isOpposite = before < after ? change < 0n : change > 0n;
    if (other.owner !== undefined && isOpposite) owners.add(formatAddress(other.owner));
  }
  const [only] = owners;
  return { ...pair, before, after, counterparty: owners.size === 1 ? only : undefined };
}
