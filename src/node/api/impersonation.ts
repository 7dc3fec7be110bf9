// A call of any account that the owner of a chain makes without that account's signature. The transaction in the ledger
// names no key, so nobody takes it for one that the account signed.

import { ConfigError, errorText } from "../../base/errors.ts";
import { NO_EXPIRATION_SECS } from "../../chain/submission/submissions.ts";
import { knownOptions, type OptionNames } from "../../http/calls/options.ts";
import { type Address, formatAddressLong } from "../../move/address.ts";

/** What an impersonated account calls. */
export interface ImpersonatedCall {
  /** Such as `0x1::aptos_account::transfer`. */
  readonly function: string;
  readonly typeArguments?: readonly string[] | undefined;
  /** In the JSON forms of the API; a bigint may stand for a number in text. */
  readonly arguments?: readonly unknown[] | undefined;
}

/** What became of the call. */
export interface ImpersonatedResult {
  readonly version: bigint;
  /** In hex, with 0x. */
  readonly hash: string;
  readonly success: boolean;
  /** As the API tells it, such as `Executed successfully`. */
  readonly vmStatus: string;
}

const CALL_NAMES: OptionNames<ImpersonatedCall> = { function: true, typeArguments: true, arguments: true };
const MAX_GAS = "2000000";

/** The JSON of the transaction. */
export function impersonation(sender: Address, call: ImpersonatedCall, sequenceNumber: bigint): Uint8Array {
  if (typeof knownOptions(CALL_NAMES, call, "call").function !== "string") {
    throw new ConfigError("call: expected an object with a function, such as 0x1::aptos_account::transfer");
  }
  const request = {
    sender: formatAddressLong(sender),
    sequence_number: `${sequenceNumber}`,
    max_gas_amount: MAX_GAS,
    gas_unit_price: "0",
    expiration_timestamp_secs: `${NO_EXPIRATION_SECS}`,
    payload: {
      type: "entry_function_payload",
      function: call.function,
      type_arguments: call.typeArguments ?? [],
      arguments: call.arguments ?? [],
    },
    signature: { type: "no_account_signature" },
  };
  return toJson("arguments", request);
}

/** JSON of a value that a caller gave under a name; a bigint becomes a text. */
export function toJson(name: string, value: unknown): Uint8Array {
  try {
    const text = JSON.stringify(value, (_, one: unknown) => (typeof one === "bigint" ? `${one}` : one));
    return new TextEncoder().encode(text);
  } catch (error) {
    throw new ConfigError(`${name}: cannot be written as JSON: ${errorText(error)}`, error);
  }
}
