// The guide for newcomers: accounts with their assets, tables with keys, and functions to try.
import { toPrefixedHex } from "../../base/hex.ts";
import { encodeWith } from "../../bcs/codec.ts";
import { text, u64 } from "../../bcs/scalars.ts";
import { formatAddress, formatAddressLong } from "../../move/address.ts";
import { type ChainItems, PRICED_SYMBOLS } from "../chain-items.ts";
import { formatPrivateKey } from "../keys.ts";
import { type AssetName, assetText } from "./assets.ts";
import type { Holding } from "./demo-accounts.ts";

/** An asset that an account holds. */
export interface GuideAsset {
  /** Asset type for the balance operation: a coin type or a metadata address. */
  readonly asset: string;
  readonly symbol: string;
  /** Where the balance is stored. */
  readonly form: string;
  readonly note: string;
}

/** A demo account. */
export interface GuideAccount {
  readonly name: string;
  readonly address: string;
  /** As AIP-80 writes it: `ed25519-priv-0x…`. */
  readonly privateKey: string;
  readonly note: string;
  readonly assets: readonly GuideAsset[];
}

/** A key of a table. */
export interface GuideTableKey {
  /** The key as text. */
  readonly name: string;
  /** BCS of the key in hex, for the raw item operation. */
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

/** What a newcomer can request from the local chain. */
export interface ChainGuide {
  readonly accounts: readonly GuideAccount[];
  readonly tables: readonly GuideTable[];
  /** Entry functions for the encode operation. */
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

function guideAccount(items: ChainItems, name: keyof ChainItems["demoAccounts"]): GuideAccount {
  const account = items.demoAccounts[name];
  const assets = Object.keys(items.assets).flatMap((asset) => {
    const held = account.holdings.filter((holding) => holding.asset === asset);
    if (held.length === 0) return [];
    const definition = items.assets[asset as AssetName];
    return {
      asset: assetText(definition),
      symbol: definition.symbol,
      form: held.map(formOf).join(" and "),
      note: held.some((holding) => holding.frozen === true) ? "frozen" : "",
    };
  });
  const visitorAssets: GuideAsset[] = (["native", "gold"] as const).map((asset) => ({
    asset: assetText(items.assets[asset]),
    symbol: items.assets[asset].symbol,
    form: FORMS.store,
    note: "comes and goes",
  }));
  return {
    name,
    address: formatAddressLong(account.address),
    privateKey: formatPrivateKey(account.privateKey),
    note: account.note,
    assets: account.holdings.length === 0 ? visitorAssets : assets,
  };
}

/** The guide of a chain. */
export function createGuide(items: ChainItems): ChainGuide {
  const symbols = PRICED_SYMBOLS.map((symbol, index) => ({
    name: JSON.stringify(symbol),
    key: toPrefixedHex(encodeWith(text, symbol)),
    note: index === PRICED_SYMBOLS.length - 1 ? "u64 price; comes and goes" : "u64 price; changes",
  }));
  const slots = items.orders.map((_, slot) => ({
    name: `${slot}`,
    key: toPrefixedHex(encodeWith(u64, BigInt(slot))),
    note: "order: owner, asset, amount, filled; comes and goes",
  }));
  const demo = `${formatAddress(items.demoAddress)}::demo`;
  return {
    accounts: (Object.keys(items.demoAccounts) as (keyof ChainItems["demoAccounts"])[]).map((name) =>
      guideAccount(items, name),
    ),
    tables: [
      {
        name: "prices",
        handle: formatAddressLong(items.tableHandles.prices),
        note: "String to u64",
        keys: symbols,
      },
      {
        name: "orders",
        handle: formatAddressLong(items.tableHandles.orders),
        note: "u64 slot to order",
        keys: slots,
      },
    ],
    functions: [
      ...FRAMEWORK_FUNCTIONS.map(([module, name]) => `0x1::${module}::${name}`),
      `${demo}::take_u64`,
      `${demo}::take_route`,
      `${demo}::take_shape`,
    ],
  };
}
