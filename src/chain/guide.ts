// What a newcomer can ask the local chain for: accounts with their assets, tables with keys, functions.
import { toPrefixedHex } from "../base/hex.ts";
import { encodeWith } from "../bcs/codec.ts";
import { text, u64 } from "../bcs/scalars.ts";
import { formatAddress, formatAddressLong } from "../move/address.ts";
import { type AssetName, assetText } from "./assets.ts";
import type { Holding } from "./cast.ts";
import { type Places, PRICED_SYMBOLS } from "./places.ts";

/** An asset that an account holds. */
export interface GuideAsset {
  /** As the balance operation takes it: a coin type or a metadata address. */
  readonly asset: string;
  readonly symbol: string;
  /** Where the balance is kept. */
  readonly form: string;
  readonly note: string;
}

/** An account to ask about. */
export interface GuideAccount {
  readonly name: string;
  readonly address: string;
  readonly note: string;
  readonly assets: readonly GuideAsset[];
}

/** A key of a table. */
export interface GuideTableKey {
  /** For people. */
  readonly name: string;
  /** BCS of the key in hex, as the raw item operation takes it. */
  readonly key: string;
  readonly note: string;
}

/** A table with keys to read. */
export interface GuideTable {
  readonly name: string;
  readonly handle: string;
  readonly note: string;
  readonly keys: readonly GuideTableKey[];
}

/** What the local chain has to show. */
export interface ChainGuide {
  readonly accounts: readonly GuideAccount[];
  readonly tables: readonly GuideTable[];
  /** Entry functions to encode for. */
  readonly functions: readonly string[];
}

const FRAMEWORK_FUNCTIONS = [
  ["aptos_account", "transfer"],
  ["coin", "transfer"],
  ["primary_fungible_store", "transfer"],
  ["object", "transfer"],
] as const;

const FORMS = { coin: "coin store", store: "primary store" } as const;

function formOf({ part, concurrent }: Holding): string {
  return concurrent === true ? "primary store, concurrent balance" : FORMS[part];
}

function guideAccount(places: Places, name: keyof Places["cast"]): GuideAccount {
  const actor = places.cast[name];
  const assets = Object.keys(places.assets).flatMap((asset) => {
    const held = actor.holdings.filter((holding) => holding.asset === asset);
    if (held.length === 0) return [];
    const definition = places.assets[asset as AssetName];
    return {
      asset: assetText(definition),
      symbol: definition.symbol,
      form: held.map(formOf).join(" and "),
      note: held.some((holding) => holding.frozen === true) ? "frozen" : "",
    };
  });
  const { framework } = places;
  const comesWith = framework.hasFunction("aptos_account", "transfer_coins")
    ? ["native", "gold"]
    : ["native"];
  const visiting: GuideAsset[] = comesWith.map((asset) => ({
    asset: assetText(places.assets[asset as AssetName]),
    symbol: places.assets[asset as AssetName].symbol,
    form: asset === "native" && framework.hasFungibleAssets ? FORMS.store : FORMS.coin,
    note: "comes and goes",
  }));
  return {
    name,
    address: formatAddressLong(actor.address),
    note: actor.note,
    assets: actor.holdings.length === 0 ? visiting : assets,
  };
}

/** The guide of a chain. */
export function createGuide(places: Places): ChainGuide {
  const symbols = PRICED_SYMBOLS.map((symbol, index) => ({
    name: JSON.stringify(symbol),
    key: toPrefixedHex(encodeWith(text, symbol)),
    note: index === PRICED_SYMBOLS.length - 1 ? "u64 price; comes and goes" : "u64 price; changes",
  }));
  const slots = places.orders.map((_, slot) => ({
    name: `${slot}`,
    key: toPrefixedHex(encodeWith(u64, BigInt(slot))),
    note: "order: owner, asset, amount, filled; comes and goes",
  }));
  const demo = `${formatAddress(places.demo)}::demo`;
  return {
    accounts: (Object.keys(places.cast) as (keyof Places["cast"])[]).map((name) =>
      guideAccount(places, name),
    ),
    tables: [
      {
        name: "prices",
        handle: formatAddressLong(places.handles.prices),
        note: "String to u64",
        keys: symbols,
      },
      {
        name: "orders",
        handle: formatAddressLong(places.handles.orders),
        note: "u64 slot to order",
        keys: slots,
      },
    ],
    functions: [
      ...FRAMEWORK_FUNCTIONS.filter(([module, name]) => places.framework.hasFunction(module, name)).map(
        ([module, name]) => `0x1::${module}::${name}`,
      ),
      `${demo}::take_u64`,
      `${demo}::take_route`,
      `${demo}::take_shape`,
    ],
  };
}
