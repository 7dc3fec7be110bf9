// What a newcomer can ask the local chain for: accounts with their assets, tables with keys, functions.
import { toPrefixedHex } from "../base/hex.ts";
import { encodeWith } from "../bcs/codec.ts";
import { text, u64 } from "../bcs/scalars.ts";
import { formatAddress, formatAddressLong } from "../move/address.ts";
import { type AssetName, assetText } from "./assets.ts";
import { type ChainItems, PRICED_SYMBOLS } from "./chain-items.ts";
import type { Holding } from "./demo-accounts.ts";

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

const FORMS = { coin: "coin store", store: "primary store" } as const;

function formOf({ part, concurrent }: Holding): string {
  return concurrent === true ? "primary store, concurrent balance" : FORMS[part];
}

function guideAccount(chainItems: ChainItems, name: keyof ChainItems["demoAccounts"]): GuideAccount {
  const actor = chainItems.demoAccounts[name];
  const assets = Object.keys(chainItems.assets).flatMap((asset) => {
    const held = actor.holdings.filter((holding) => holding.asset === asset);
    if (held.length === 0) return [];
    const definition = chainItems.assets[asset as AssetName];
    return {
      asset: assetText(definition),
      symbol: definition.symbol,
      form: held.map(formOf).join(" and "),
      note: held.some((holding) => holding.frozen === true) ? "frozen" : "",
    };
  });
  const visiting: GuideAsset[] = ["native", "gold"].map((asset) => ({
    asset: assetText(chainItems.assets[asset as AssetName]),
    symbol: chainItems.assets[asset as AssetName].symbol,
    form: asset === "native" ? FORMS.store : FORMS.coin,
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
export function createGuide(chainItems: ChainItems): ChainGuide {
  const symbols = PRICED_SYMBOLS.map((symbol, index) => ({
    name: JSON.stringify(symbol),
    key: toPrefixedHex(encodeWith(text, symbol)),
    note: index === PRICED_SYMBOLS.length - 1 ? "u64 price; comes and goes" : "u64 price; changes",
  }));
  const slots = chainItems.orders.map((_, slot) => ({
    name: `${slot}`,
    key: toPrefixedHex(encodeWith(u64, BigInt(slot))),
    note: "order: owner, asset, amount, filled; comes and goes",
  }));
  const demo = `${formatAddress(chainItems.demo)}::demo`;
  return {
    accounts: (Object.keys(chainItems.demoAccounts) as (keyof ChainItems["demoAccounts"])[]).map((name) =>
      guideAccount(chainItems, name),
    ),
    tables: [
      {
        name: "prices",
        handle: formatAddressLong(chainItems.handles.prices),
        note: "String to u64",
        keys: symbols,
      },
      {
        name: "orders",
        handle: formatAddressLong(chainItems.handles.orders),
        note: "u64 slot to order",
        keys: slots,
      },
    ],
    functions: [
      "0x1::aptos_account::transfer",
      "0x1::coin::transfer",
      "0x1::primary_fungible_store::transfer",
      "0x1::object::transfer",
      `${demo}::take_u64`,
      `${demo}::take_route`,
      `${demo}::take_shape`,
    ],
  };
}
