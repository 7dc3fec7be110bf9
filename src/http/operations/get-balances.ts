// Many balances at one version.

import type { CodedError } from "../../base/errors.ts";
import { balancesRoute } from "../../interface/routes.ts";
import { type BalancePair, readBalances } from "../../ledger/balances/balance.ts";
import type { ReadOptions } from "../calls/options.ts";
import { parseField } from "../field.ts";
import { addressField } from "../schemas/address.ts";
import { assetTypeField } from "../schemas/asset-type.ts";
import { AMOUNT_SCHEMA } from "../schemas/integer.ts";
import { named } from "../schemas/named.ts";
import { askMany, type BatchAnswer, batchOperation } from "./shared/batch-operation.ts";

/** A pair with its asset as it was written, which is what its total is called by. */
export interface BalanceQuery extends BalancePair {
  readonly text: string;
}

const QUERY_SCHEMA = named("BalanceQuery", {
  type: "object",
  required: ["address", "asset_type"],
  additionalProperties: false,
  properties: {
    address: { type: "string", description: addressField.description },
    asset_type: {
      type: "string",
      description: "The metadata address of a fungible asset, or a coin type as `address::module::Name<…>`.",
    },
  },
});

/** The body of a request for balances. */
export const BALANCES_BODY = {
  description:
    "Up to 1,000 pairs of an account and an asset, and the version or the time to read all of them at. At most 1 MiB.",
  query: QUERY_SCHEMA,
  members: ["address", "asset_type"],
  example: {
    queries: [
      {
        address: "0xf3940f5d6b16424e5ccfe60644ca95665a922573ba344e953491371c427630ce",
        asset_type: "0x1::aptos_coin::AptosCoin",
      },
      {
        address: "0x2a0f0892cbcb1c872b8b6b62610373eb9814535d4b968f194eecdf6fec44c918",
        asset_type: "0x1::aptos_coin::AptosCoin",
      },
    ],
  },
  parse: (address: string, assetType: string): BalanceQuery => ({
    owner: parseField("address", addressField, address),
    asset: parseField("asset_type", assetTypeField, assetType),
    text: assetType,
  }),
} as const;

/** Sums by asset; one that is written in several ways is called as it was first. */
function addUp(
  queries: readonly BalanceQuery[],
  balances: readonly (bigint | CodedError)[],
): ReadonlyMap<string, bigint> {
  const names = new Map<string, string>();
  const totals = new Map<string, bigint>();
  for (const [i, { asset, text }] of queries.entries()) {
    const name = names.get(asset.id) ?? text;
    names.set(asset.id, name);
    const balance = balances[i];
    totals.set(name, (totals.get(name) ?? 0n) + (typeof balance === "bigint" ? balance : 0n));
  }
  return totals;
}

export interface BalancesCall {
  /** Many balances at one version. */
  balances(
    pairs: readonly { readonly address: string; readonly asset: string }[],
    options?: ReadOptions,
  ): Promise<BatchAnswer<bigint>>;
}

/** `POST /v1/balances` */
export const getBalances = batchOperation({
  id: "get_balances",
  route: balancesRoute,
  summary: "Many balances at one version",
  description:
    "The balances of up to 1,000 pairs of an account and an asset, all read at one version: the latest, a given version, or the version at a given time. Results are in the order of the queries; a query that fails has its error in its place. Each balance counts as in `get_account_balance`, so a coin type and the metadata address that it is paired with count the same store.",
  body: { ...BALANCES_BODY, name: "BalancesRequest", example: { ...BALANCES_BODY.example, totals: true } },
  answer: {
    name: "Balances",
    member: "balances",
    description: "Version, block time and the balances; amounts are strings of decimal digits.",
    example: {
      ledger_version: "1200",
      timestamp_usec: "1767225600000000",
      balances: [{ balance: "200000000" }, { balance: "0" }],
      totals: { "0x1::aptos_coin::AptosCoin": "200000000" },
    },
    bcsDescription:
      "A struct: u64 version, u64 block time in microseconds, a vector of results, and an option of the totals. A result is an enum: 0 with a u64 balance, or 1 with two strings, message and error code. Totals are a vector of structs: string asset type, u128 sum.",
  },
  result: {
    name: "BalanceResult",
    member: "balance",
    schema: AMOUNT_SCHEMA,
    write: (writer, balance: bigint) => writer.u64(balance),
  },
  addUp,
  read: async (view, queries, version, slices) => readBalances(view, queries, version, slices),
  calls: (node): BalancesCall => ({
    balances: async (pairs, options = {}) =>
      askMany(
        node,
        "pairs",
        pairs,
        options,
        ({ address, asset }) => ({ owner: node.args.address(address), asset: node.args.asset(asset) }),
        async (view, queries, version) => readBalances(view, queries, version),
      ),
  }),
});
