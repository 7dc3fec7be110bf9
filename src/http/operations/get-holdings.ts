// Every asset of an account.

import { holdingsRoute } from "../../interface/routes.ts";
import { type Holding, type HoldingsPage, readHoldings } from "../../ledger/balances/holdings.ts";
import type { Asker } from "../calls/asker.ts";
import { readAtArgs } from "../calls/operands.ts";
import type { ReadOptions } from "../calls/options.ts";
import type { JsonSchema } from "../field.ts";
import { operation } from "../operation.ts";
import { addressField } from "../schemas/address.ts";
import { AMOUNT_SCHEMA, countField } from "../schemas/integer.ts";
import { named, object } from "../schemas/named.ts";
import { cursorText, pageCursorField, pageStart } from "../schemas/page-cursor.ts";
import { readAtFields } from "../schemas/read-at.ts";

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
const MAX_IN_FLIGHT = 64;

const HOLDING_SCHEMA: JsonSchema = named(
  "Holding",
  object(
    {
      asset_type: {
        type: "string",
        description: "The type of a coin, or the metadata address of a fungible asset.",
      },
      balance: { ...AMOUNT_SCHEMA, description: "What `get_account_balance` answers for this `asset_type`." },
    },
    {
      symbol: { type: "string", description: "Symbol of the asset, where the ledger has it." },
      decimals: {
        type: "integer",
        minimum: 0,
        maximum: 255,
        description: "Digits behind the decimal point.",
      },
    },
  ),
);

/** A holding in an answer. */
export interface HoldingAnswer {
  readonly asset_type: string;
  readonly balance: string;
  readonly symbol?: string;
  readonly decimals?: number;
}

/** The answer in the form of its JSON. */
export function toHoldingAnswer({ assetType, balance, info }: Holding): HoldingAnswer {
  return {
    asset_type: assetType,
    balance: `${balance}`,
    ...(info === undefined ? {} : { symbol: info.symbol, decimals: info.decimals }),
  };
}

export interface HoldingsCall {
  /** Every asset of an account at one version, in the order of metadata addresses, read page by page as they are taken. */
  holdings(address: string, options?: ReadOptions): AsyncIterable<HoldingAnswer>;
}

/** `GET /v1/accounts/{address}/balances` */
export const getHoldings = operation({
  id: "get_holdings",
  ...holdingsRoute,
  summary: "All balances of an account",
  description:
    "Every asset for which the account has a store at one version, empty stores included. A coin counts with the fungible asset that it is paired with, as in `get_account_balance`; a fungible asset is named by its metadata address where the account has no store of a coin paired with it. Only primary stores count. Comes in pages, which all belong to the version of the first: while there is more, `X-NODE-CURSOR` gives the `start` of the next one, and a page may hold fewer assets than asked for. 403 on a node that has no index, 503 while it builds one.",
  switch: "index",
  isPaged: true,
  maxInFlight: MAX_IN_FLIGHT,
  params: { address: addressField },
  query: {
    ...readAtFields,
    limit: countField(
      1,
      MAX_LIMIT,
      DEFAULT_LIMIT,
      `How many assets at most. ${DEFAULT_LIMIT} when left out.`,
    ),
    start: pageCursorField,
  },
  answer: {
    json: {
      schema: { type: "array", maxItems: MAX_LIMIT, items: HOLDING_SCHEMA },
      description: "The assets, in the order of their metadata addresses; amounts are decimal digits.",
      encode: ({ holdings }: HoldingsPage) => JSON.stringify(holdings.map(toHoldingAnswer)),
    },
  },
  async handle(args, { view }) {
    const { address: account, limit = DEFAULT_LIMIT } = args;
    const { version, timestampUsec, after } = await pageStart(view, args);
    const page = await readHoldings(view, { account, version, after, limit });
    return { data: page, version, timestampUsec, cursor: await cursorText(view, version, page.next) };
  },
  calls: (node: Asker): HoldingsCall => ({
    async *holdings(address, options = {}) {
      const args = { address: node.args.address(address), limit: MAX_LIMIT, ...readAtArgs(options) };
      const pages = node.pages(getHoldings, args, options, ({ holdings }) => holdings.map(toHoldingAnswer));
      for await (const holdings of pages) yield* holdings;
    },
  }),
});
