// The balance of an account for a coin or a fungible asset.

import { andThen } from "../../base/maybe-promise.ts";
import { balanceRoute } from "../../interface/routes.ts";
import { readBalance } from "../../ledger/balances/balance.ts";
import type { Asker } from "../calls/asker.ts";
import { readAtArgs } from "../calls/operands.ts";
import type { ReadOptions } from "../calls/options.ts";
import { operation } from "../operation.ts";
import { addressField } from "../schemas/address.ts";
import { assetTypeField } from "../schemas/asset-type.ts";
import { quotedField } from "../schemas/flag.ts";
import { U64_NUMBER_SCHEMA } from "../schemas/integer.ts";
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
  ledger: "required",
  switchable: true,
  params: { address: addressField, asset_type: assetTypeField },
  query: { ...readAtFields, quoted: quotedField },
  answer: {
    json: {
      schema: U64_NUMBER_SCHEMA,
      description: "A bare integer with every digit.",
      example: 200000000,
      encode: ({ balance, quoted }: Balance) => (quoted ? `"${balance}"` : balance.toString()),
    },
    bcs: {
      schema: { type: "string", format: "binary" },
      description: "Eight bytes: a little-endian u64.",
      encode: ({ balance }: Balance) => encodeU64(balance),
    },
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
