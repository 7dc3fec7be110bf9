// An account: its sequence number and authentication key.

import { toPrefixedHex } from "../../base/hex.ts";
import { andThen } from "../../base/maybe-promise.ts";
import { accountRoute } from "../../interface/routes.ts";
import { type Account, readAccount } from "../../ledger/items/account.ts";
import { type Address, formatAddress, formatAddressLong } from "../../move/address.ts";
import type { Asker } from "../calls/asker.ts";
import { readAtArgs } from "../calls/operands.ts";
import type { ReadOptions } from "../calls/options.ts";
import { HttpError } from "../errors.ts";
import { bcsForm, operation } from "../operation.ts";
import { addressField } from "../schemas/address.ts";
import { HEX_BYTES_SCHEMA } from "../schemas/hex-bytes.ts";
import { U64_SCHEMA } from "../schemas/integer.ts";
import { described, named, object } from "../schemas/named.ts";
import { readAtFields, readPointOf } from "../schemas/read-at.ts";

/** Says that an address has no account. */
export function accountNotFound(address: Address, version: bigint): HttpError {
  return new HttpError(
    "account_not_found",
    `no account at address ${formatAddress(address)} at ledger version ${version}`,
  );
}

/** An account. */
export interface AccountAnswer {
  /** In hex, with all 64 digits. */
  readonly address: string;
  readonly sequenceNumber: bigint;
  /** Hex. */
  readonly authenticationKey: string;
}

export interface AccountCall {
  /** The address, sequence number and authentication key of an account. */
  account(address: string, options?: ReadOptions): Promise<AccountAnswer>;
}

/** `GET /v1/accounts/{address}` */
export const getAccount = operation({
  id: "get_account",
  ...accountRoute,
  summary: "Account",
  description:
    "The sequence number and the authentication key of an account, at the latest or a chosen version. Where the chain gives every address an account, one that was never used has sequence number 0 and its address as the key.",
  params: { address: addressField },
  query: { ...readAtFields },
  answer: {
    json: {
      schema: named(
        "Account",
        object({
          sequence_number: { ...U64_SCHEMA, description: "The sequence number of the next transaction." },
          authentication_key: described(HEX_BYTES_SCHEMA, "What the account's public key must hash to."),
        }),
      ),
      description: "The account.",
      encode: ({ sequenceNumber, authenticationKey }: Account) =>
        `{"sequence_number":"${sequenceNumber}","authentication_key":"${toPrefixedHex(authenticationKey)}"}`,
    },
    bcs: bcsForm(
      "BCS of the `0x1::account::Account` resource.",
      // Copy: the view's bytes are invalid after release, and the socket may write later.
      ({ bytes }: Account) => Buffer.from(bytes),
    ),
  },
  errors: ["account_not_found"],
  handle(args, { view }) {
    const { address } = args;
    return andThen(readPointOf(view, args), ({ version, timestampUsec }) =>
      andThen(readAccount(view, address, version), (account) => {
        if (account !== undefined) return { data: account, version, timestampUsec };
        throw accountNotFound(address, version);
      }),
    );
  },
  calls: (node: Asker): AccountCall => ({
    account: async (given, options = {}) => {
      const args = { address: node.args.address(given), ...readAtArgs(options) };
      return node.run(getAccount, args, options, ({ sequenceNumber, authenticationKey }) => ({
        address: formatAddressLong(args.address),
        sequenceNumber,
        authenticationKey: toPrefixedHex(authenticationKey),
      }));
    },
  }),
});
