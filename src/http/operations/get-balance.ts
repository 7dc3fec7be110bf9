// The balance of an account for a coin or a fungible asset, and what it is made of.
import { toPrefixedHex } from "../../base/hex.ts";
import { andThen } from "../../base/maybe-promise.ts";
import { formatAmount } from "../../base/texts/text.ts";
import { balanceRoute, detailRoute } from "../../interface/routes.ts";
import { readBalance } from "../../ledger/balances/balance.ts";
import {
  type BalanceDetail,
  type PartDetail,
  readBalanceDetail,
} from "../../ledger/balances/balance-detail.ts";
import { timeOf } from "../../ledger/read-point.ts";
import { formatAddressLong } from "../../move/address.ts";
import type { Asker } from "../calls/asker.ts";
import { readAtArgs } from "../calls/operands.ts";
import type { ReadOptions } from "../calls/options.ts";
import type { JsonSchema } from "../field.ts";
import { bcsForm, operation } from "../operation.ts";
import { addressField, LONG_ADDRESS_SCHEMA } from "../schemas/address.ts";
import { assetTypeField } from "../schemas/asset-type.ts";
import { quotedField } from "../schemas/flag.ts";
import { AMOUNT_SCHEMA, U64_NUMBER_SCHEMA, U64_SCHEMA } from "../schemas/integer.ts";
import { named, nullableAnswer, object } from "../schemas/named.ts";
import { readAtFields, readPointOf } from "../schemas/read-at.ts";

interface Balance {
  readonly balance: bigint;
  readonly quoted: boolean;
}

function encodeU64(value: bigint): Uint8Array {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

export interface BalanceCall {
  /** The balance of an account for a coin type or the metadata address of a fungible asset. */
  balance(address: string, asset: string, options?: ReadOptions): Promise<bigint>;
}

/** `GET /v1/accounts/{address}/balance/{asset_type}` */
export const getAccountBalance = operation({
  id: "get_account_balance",
  ...balanceRoute,
  summary: "Balance of an account",
  description:
    "The balance of an account for a coin type or a fungible asset, at the latest or a chosen version. A coin type counts its CoinStore and the primary store of the paired fungible asset; a metadata address counts that primary store only. Accounts, assets and stores that do not exist have a balance of 0. With `?quoted=true` the answer is the same digits as a JSON string, for clients whose JSON parser rounds integers above 2^53; generated clients get them from `get_balance_detail`.",
  params: { address: addressField, asset_type: assetTypeField },
  query: { ...readAtFields, quoted: quotedField },
  answer: {
    json: {
      schema: U64_NUMBER_SCHEMA,
      description: "A bare integer with every digit.",
      example: 200000000,
      encode: ({ balance, quoted }: Balance) => (quoted ? `"${balance}"` : balance.toString()),
    },
    bcs: bcsForm("Eight bytes: a little-endian u64.", ({ balance }: Balance) => encodeU64(balance)),
  },
  handle(args, { view }) {
    return andThen(readPointOf(view, args), ({ version, timestampUsec }) =>
      andThen(readBalance(view, args.address, args.asset_type, version), (balance) => ({
        data: { balance, quoted: args.quoted === true },
        version,
        timestampUsec,
      })),
    );
  },
  calls: (node: Asker): BalanceCall => ({
    balance: async (address, asset, options = {}) => {
      const at = readAtArgs(options);
      const args = { address: node.args.address(address), asset_type: node.args.asset(asset), ...at };
      return node.run(getAccountBalance, args, options, ({ balance }) => balance);
    },
  }),
});

interface Detail extends BalanceDetail {
  readonly version: bigint;
  readonly timestampUsec: bigint;
}

/** What both parts have. */
const PART_PROPERTIES = {
  address: { ...LONG_ADDRESS_SCHEMA, description: "The address whose state was read." },
  type: { type: "string", description: "Type of the resource, or group of resources, that was read there." },
  state_key_hash: { ...LONG_ADDRESS_SCHEMA, description: "Hash of the state key that was read." },
  exists: {
    type: "boolean",
    description: "Whether the store exists. The amount is 0 both without a store and for an empty one.",
  },
  amount: { ...AMOUNT_SCHEMA, description: "What counts towards the balance." },
  frozen: { type: "boolean", nullable: true, description: "`null` where there is no store." },
} as const;

const COIN_SCHEMA: JsonSchema = named("CoinPart", {
  type: "object",
  nullable: true,
  ...object(PART_PROPERTIES),
  description:
    "The CoinStore of the account. `null` if the request has a metadata address, which does not count the CoinStore.",
});

const FUNGIBLE_PROPERTIES = {
  ...PART_PROPERTIES,
  metadata: { ...LONG_ADDRESS_SCHEMA, description: "Address of the asset's metadata." },
  object_exists: {
    type: "boolean",
    description: "Whether there is an object at the address, with a store in it or not.",
  },
  store_amount: nullableAnswer(AMOUNT_SCHEMA, "Amount in the store itself."),
  concurrent_amount: nullableAnswer(
    AMOUNT_SCHEMA,
    "Amount in the concurrent balance, which counts while the store itself has 0.",
  ),
} as const;

const FUNGIBLE_SCHEMA: JsonSchema = named("FungiblePart", {
  ...object(FUNGIBLE_PROPERTIES),
  description: "The primary store of the account for the asset, or for the one that the coin is paired with.",
});

const DETAIL_SCHEMA: JsonSchema = named(
  "BalanceDetail",
  object(
    {
      ledger_version: { ...U64_SCHEMA, description: "The version that all of it was read at." },
      timestamp_usec: { ...U64_SCHEMA, description: "Time of its block, in microseconds." },
      balance: { ...AMOUNT_SCHEMA, description: "What `get_account_balance` returns: the sum of the parts." },
      coin: COIN_SCHEMA,
      fungible: FUNGIBLE_SCHEMA,
    },
    {
      name: { type: "string", description: "Name of the asset, where the ledger has it." },
      symbol: { type: "string", description: "Symbol of the asset, where the ledger has it." },
      decimals: {
        type: "integer",
        minimum: 0,
        maximum: 255,
        description: "Number of digits after the decimal point.",
      },
      display: {
        type: "string",
        description: "The balance with its decimal point, all decimals included, where they are known.",
      },
    },
  ),
);

/** A part of a balance in an answer. */
interface PartAnswer {
  readonly address: string;
  readonly type: string;
  readonly state_key_hash: string;
  readonly exists: boolean;
  readonly amount: string;
  readonly frozen: boolean | null;
}

/** The answer: what a balance is made of. */
export interface BalanceDetailAnswer {
  readonly ledger_version: string;
  readonly timestamp_usec: string;
  readonly balance: string;
  readonly coin: PartAnswer | null;
  readonly fungible: PartAnswer & {
    readonly metadata: string;
    readonly object_exists: boolean;
    readonly store_amount: string | null;
    readonly concurrent_amount: string | null;
  };
  readonly name?: string;
  readonly symbol?: string;
  readonly decimals?: number;
  readonly display?: string;
}

function toPart({ address, type, keyHash, exists, amount, frozen }: PartDetail): PartAnswer {
  return {
    address: formatAddressLong(address),
    type,
    state_key_hash: toPrefixedHex(keyHash),
    exists,
    amount: `${amount}`,
    frozen: frozen ?? null,
  };
}

function textOrNull(amount: bigint | undefined): string | null {
  return amount === undefined ? null : `${amount}`;
}

/** The answer in the form of its JSON. */
function toDetailAnswer(detail: Detail): BalanceDetailAnswer {
  const { version, timestampUsec, balance, coin, fungible, info } = detail;
  return {
    ledger_version: `${version}`,
    timestamp_usec: `${timestampUsec}`,
    balance: `${balance}`,
    coin: coin === undefined ? null : toPart(coin),
    fungible: {
      ...toPart(fungible),
      metadata: formatAddressLong(fungible.metadata),
      object_exists: fungible.objectExists,
      store_amount: textOrNull(fungible.storeAmount),
      concurrent_amount: textOrNull(fungible.concurrentAmount),
    },
    ...(info === undefined ? {} : { ...info, display: formatAmount(balance, info.decimals) }),
  };
}

export interface BalanceDetailCall {
  /** What a balance is made of, as `GET …/detail` answers. */
  balanceDetail(address: string, asset: string, options?: ReadOptions): Promise<BalanceDetailAnswer>;
}

/** `GET /v1/accounts/{address}/balance/{asset_type}/detail` */
export const getBalanceDetail = operation({
  id: "get_balance_detail",
  ...detailRoute,
  summary: "Parts of a balance",
  description:
    "What the balance of an account is made of: the coin store and the primary store with their amounts, whether each exists and is frozen, the addresses and state keys that were read, and, where the ledger has them, the asset's name, symbol and decimals.",
  params: { address: addressField, asset_type: assetTypeField },
  query: readAtFields,
  answer: {
    json: {
      schema: DETAIL_SCHEMA,
      description: "The parts; amounts, version and time are strings of decimal digits.",
      encode: (detail: Detail) => JSON.stringify(toDetailAnswer(detail)),
    },
  },
  async handle({ address, asset_type, ...at }, { view }) {
    const point = await readPointOf(view, at);
    const { version } = point;
    const detail = await readBalanceDetail(view, address, asset_type, version);
    const timestampUsec = await timeOf(view, point);
    return { data: { ...detail, version, timestampUsec }, version, timestampUsec };
  },
  calls: (node: Asker): BalanceDetailCall => ({
    balanceDetail: async (address, asset, options = {}) => {
      const at = readAtArgs(options);
      const args = { address: node.args.address(address), asset_type: node.args.asset(asset), ...at };
      return node.run(getBalanceDetail, args, options, toDetailAnswer);
    },
  }),
});
