// All balances of an account, by the balance rule. An account holds an asset while it has a store for it: a coin while it
// has its CoinStore, with the paired fungible asset counted in; any other fungible asset while it has its primary store.

import { compareBytes, equalBytes } from "../../base/bytes.ts";
import { nextTurn } from "../../base/wait.ts";
import { decodeWith } from "../../bcs/codec.ts";
import { type Address, addressFromBytes, formatAddressLong } from "../../move/address.ts";
import { formatStructTag, structTagCodec } from "../../move/type-tag.ts";
import { stateValueData } from "../formats/state-value.ts";
import { ownerOf } from "../indexes/owned-keys.ts";
import { assertIndexed } from "../items/owned-items.ts";
import { findGroupMembers } from "../items/resource-group.ts";
import { frameworkTag } from "../items/resources.ts";
import type { LedgerView, OwnedKey, StateItem } from "../view.ts";
import { type Asset, coinAsset, metadataAsset } from "./asset.ts";
import { type AssetInfo, assetInfoKeys, assetInfoOf } from "./balance-detail.ts";
import { balanceKeys } from "./balance-keys.ts";
import { addParts, amountOfPart } from "./balance-parts.ts";

/** One asset of an account. */
export interface Holding {
  /** The coin's type, or the metadata address: asking for its balance gives the same amount. */
  readonly assetType: string;
  readonly balance: bigint;
  /** Undefined where the ledger does not have it. */
  readonly info: AssetInfo | undefined;
}

/** Which holdings. */
export interface HoldingsQuery {
  readonly account: Address;
  readonly version: bigint;
  /** Only assets after this place. */
  readonly after: Uint8Array | undefined;
  readonly limit: number;
}

/** Holdings in the order of their metadata addresses. */
export interface HoldingsPage {
  readonly holdings: readonly Holding[];
  /** Place to continue after; undefined at the end. */
  readonly next: Uint8Array | undefined;
}

/** Assets that are looked up at once, with up to four items each. */
const RUN = 50;
/** Most assets that a page looks up. */
const MAX_CANDIDATES = 2000;
const STORE = frameworkTag("fungible_asset", "FungibleStore");

/** An asset that the account may have at the version. */
interface Candidate {
  readonly metadata: Address;
  /** BCS of the coin's struct tag. */
  readonly coin: Uint8Array | undefined;
}

/** The next candidates in order, of both kinds; `isEnd` when there are no more. */
async function nextCandidates(
  view: LedgerView,
  { account, version }: HoldingsQuery,
  after: Uint8Array | undefined,
): Promise<{ readonly candidates: Candidate[]; readonly isEnd: boolean }> {
  const page = { version, after, limit: RUN };
  const coins = await view.getOwnedKeys(ownerOf("coin", account), page);
  const stores = await view.getOwnedKeys(ownerOf("fungible", account), page);
  // Beyond the end of a full list the other one cannot be merged.
  const ends = [coins, stores].filter((keys) => keys.length >= RUN).map((keys) => keys.at(-1)?.place);
  const isWithin = ({ place }: OwnedKey): boolean =>
    ends.every((end) => end !== undefined && compareBytes(place, end) <= 0);
  const candidates = new Map<string, Candidate>();
  for (const { place, data } of [...coins.filter(isWithin), ...stores.filter(isWithin)]) {
    const name = Buffer.from(place).toString("hex");
    if (!candidates.has(name)) {
      const coin = data.length === 0 ? undefined : data;
      candidates.set(name, { metadata: addressFromBytes(place), coin });
    }
  }
  const sorted = [...candidates.values()].sort((a, b) => compareBytes(a.metadata, b.metadata));
  return { candidates: sorted, isEnd: ends.length === 0 };
}

function hasStore(group: StateItem | undefined): boolean {
  if (group?.value === undefined) return false;
  return findGroupMembers(stateValueData(group.value), [STORE])?.[0] !== undefined;
}

function assetOf({ metadata, coin }: Candidate): Asset {
  if (coin === undefined) return metadataAsset(metadata);
  const asset = coinAsset(decodeWith(structTagCodec, coin));
  if (!equalBytes(asset.metadata, metadata)) throw new Error("a coin is indexed under another metadata");
  return asset;
}

/** Looks up candidates; undefined for those that the account does not have. */
async function lookUp(
  view: LedgerView,
  { account, version }: HoldingsQuery,
  candidates: readonly Candidate[],
): Promise<(Holding | undefined)[]> {
  const assets = candidates.map(assetOf);
  const trace = view.keyTrace;
  const keys = assets.map((asset) => [...balanceKeys(account, asset, trace), ...assetInfoKeys(asset, trace)]);
  const items = await view.getItems(keys.flat(), version);
  let next = 0;
  return candidates.map(({ metadata, coin }, i) => {
    const [group, ...others] = items.slice(next, next + (keys[i]?.length ?? 0));
    next += keys[i]?.length ?? 0;
    const [coinStore, metadataGroup, coinInfo] = coin === undefined ? [undefined, ...others] : others;
    const amounts = [amountOfPart(0, group), amountOfPart(1, coinStore)];
    if (coin !== undefined && coinStore?.value !== undefined) {
      const assetType = formatStructTag(decodeWith(structTagCodec, coin));
      return { assetType, balance: addParts(amounts), info: assetInfoOf([metadataGroup, coinInfo]) };
    }
    if (!hasStore(group)) return undefined;
    const [balance = 0n] = amounts;
    return { assetType: formatAddressLong(metadata), balance, info: assetInfoOf([metadataGroup]) };
  });
}

/** Reads one page of holdings. Throws LedgerError. */
export async function readHoldings(view: LedgerView, query: HoldingsQuery): Promise<HoldingsPage> {
  await assertIndexed(view);
  // A read of nothing checks the version.
  await view.getItems([], query.version);
  const holdings: Holding[] = [];
  let { after } = query;
  for (let seen = 0; seen < MAX_CANDIDATES; ) {
    if (seen > 0) await nextTurn();
    const { candidates, isEnd } = await nextCandidates(view, query, after);
    const found = await lookUp(view, query, candidates);
    for (const [i, holding] of found.entries()) {
      if (holding !== undefined && holdings.length >= query.limit) return { holdings, next: after };
      if (holding !== undefined) holdings.push(holding);
      after = candidates[i]?.metadata;
    }
    if (isEnd) return { holdings, next: undefined };
    seen += candidates.length;
  }
  return { holdings, next: after };
}
