// Many balances at one version.
import type { CodedError } from "../../base/errors.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { balancesRoute } from "../../interface/routes.ts";
import { type BalancePair, readBalances } from "../../ledger/balance.ts";
import { timeOf } from "../../ledger/read-point.ts";
import { operation, parseField } from "../operation.ts";
import { addressField } from "../schemas/address.ts";
import { assetTypeField } from "../schemas/asset-type.ts";
import {
  askable,
  batchAnswerSchema,
  batchBody,
  inOrder,
  itemErrorJson,
  readAtOf,
  resultSchema,
  writeItemError,
} from "../schemas/batch.ts";
import { AMOUNT_SCHEMA } from "../schemas/integer.ts";
import { named } from "../schemas/named.ts";
import { readAtFields, readPointOf } from "../schemas/read-at.ts";

/** A pair with its asset as it was written, which is what its total is called by. */
interface BalanceQuery extends BalancePair {
  readonly text: string;
}

interface Balances {
  readonly version: bigint;
  readonly timestampUsec: bigint;
  readonly balances: readonly (bigint | CodedError)[];
  readonly totals: ReadonlyMap<string, bigint> | undefined;
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

const balancesBody = batchBody<BalanceQuery, "address" | "asset_type">({
  name: "BalancesRequest",
  description:
    "Up to 1,000 pairs of an account and an asset, and the version or the time to read all of them at. At most 1 MiB.",
  query: QUERY_SCHEMA,
  members: ["address", "asset_type"],
  hasTotals: true,
  example: {
    queries: [
      {
        address: "0x4c8c4c574ddfa2ff2015d1817d88bfb048ec7928297952bb4400935ea67a3d5f",
        asset_type: "0x1::aptos_coin::AptosCoin",
      },
      {
        address: "0x2a0f0892cbcb1c872b8b6b62610373eb9814535d4b968f194eecdf6fec44c918",
        asset_type: "0x1::aptos_coin::AptosCoin",
      },
    ],
    totals: true,
  },
  parse: ({ address, asset_type }) => ({
    owner: parseField("address", addressField, address),
    asset: parseField("asset_type", assetTypeField, asset_type),
    text: asset_type,
  }),
});

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

function toJson({ version, timestampUsec, balances, totals }: Balances): string {
  const items = balances.map((one) =>
    typeof one === "bigint" ? `{"balance":"${one}"}` : itemErrorJson(one),
  );
  const sums = [...(totals ?? [])].map(([name, sum]) => `${JSON.stringify(name)}:"${sum}"`);
  const tail = totals === undefined ? "" : `,"totals":{${sums.join(",")}}`;
  return `{"ledger_version":"${version}","timestamp_usec":"${timestampUsec}","balances":[${items.join(",")}]${tail}}`;
}

function toBcs({ version, timestampUsec, balances, totals }: Balances): Uint8Array {
  const writer = new BcsWriter().u64(version).u64(timestampUsec).uleb(balances.length);
  for (const one of balances) {
    if (typeof one === "bigint") writer.uleb(0).u64(one);
    else writeItemError(writer, one);
  }
  writer.bool(totals !== undefined);
  if (totals === undefined) return writer.take();
  writer.uleb(totals.size);
  for (const [name, sum] of totals) writer.text(name).u128(sum);
  return writer.take();
}

/** `POST /v1/balances` */
export const getBalances = operation({
  id: "get_balances",
  ...balancesRoute,
  summary: "Many balances at one version",
  description:
    "The balances of up to 1,000 pairs of an account and an asset, all read at one version: the latest, a given version, or the version at a given time. Results are in the order of the queries; a query that fails has its error in its place. Each balance counts as in `get_account_balance`, so a coin type and the metadata address that it is paired with count the same store.",
  ledger: "required",
  switchable: true,
  params: {},
  query: readAtFields,
  body: balancesBody,
  answer: {
    json: {
      schema: batchAnswerSchema(
        "Balances",
        "balances",
        resultSchema("BalanceResult", "balance", AMOUNT_SCHEMA),
        {
          totals: {
            type: "object",
            additionalProperties: { type: "string", pattern: "^[0-9]{1,39}$" },
            description:
              "With `totals`: the sum of the balances above by asset type, as its first query writes it; a u128. Queries with an error count 0, and a pair that is asked for twice counts twice.",
          },
        },
      ),
      description: "Version, block time and the balances; amounts are strings of decimal digits.",
      example: {
        ledger_version: "1200",
        timestamp_usec: "1767225600000000",
        balances: [{ balance: "200000000" }, { balance: "0" }],
        totals: { "0x1::aptos_coin::AptosCoin": "200000000" },
      },
      encode: toJson,
    },
    bcs: {
      schema: { type: "string", format: "binary" },
      description:
        "A struct: u64 version, u64 block time in microseconds, a vector of results, and an option of the totals. A result is an enum: 0 with a u64 balance, or 1 with two strings, message and error code. Totals are a vector of structs: string asset type, u128 sum.",
      encode: toBcs,
    },
  },
  errors: [
    "malformed_request",
    "disabled",
    "version_not_found",
    "version_pruned",
    "body_too_large",
    "unsupported_media_type",
    "internal",
    "unavailable",
    "overloaded",
  ],
  async handle({ body, ...query }, { view }) {
    const point = await readPointOf(view, readAtOf(query, body));
    const asked = askable(body.queries);
    const answers = await readBalances(view, asked, point.version);
    const timestampUsec = await timeOf(view, point);
    const data: Balances = {
      version: point.version,
      timestampUsec,
      balances: inOrder(body.queries, answers),
      totals: body.totals ? addUp(asked, answers) : undefined,
    };
    return { data, version: point.version, timestampUsec };
  },
});
