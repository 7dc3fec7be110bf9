// Reads accounts for the explanation of a transaction.
import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import { encodeWith } from "../bcs/codec.ts";
import { BcsError } from "../bcs/errors.ts";
import { BcsReader } from "../bcs/reader.ts";
import { type Address, parseAddress } from "../move/address.ts";
import { MoveError } from "../move/errors.ts";
import { structTagCodec } from "../move/type-tag.ts";
import type { AccountReader } from "../transaction/explain/account-warnings.ts";
import { type Asset, parseAsset } from "./asset.ts";
import { readBalance } from "./balance.ts";
import { LedgerError } from "./errors.ts";
import { resourceKeyHash } from "./key-hash.ts";
import { stateValueData } from "./state-value.ts";
import type { LedgerView } from "./view.ts";

const ACCOUNT_TAG: Uint8Array = encodeWith(structTagCodec, {
  address: parseAddress("0x1"),
  module: "account",
  name: "Account",
  typeArgs: [],
});

/** Reads accounts at the view's latest version. Reads throw LedgerError. */
export function createAccountReader(view: LedgerView): AccountReader {
  const { version } = view.position;
  return {
    sequenceNumber: (address) => readSequenceNumber(view, address, version),
    balance: (owner, text) => {
      const asset = tryParseAsset(text);
      return asset === undefined ? undefined : readBalance(view, owner, asset, version);
    },
  };
}

function readSequenceNumber(
  view: LedgerView,
  address: Address,
  version: bigint,
): MaybePromise<bigint | undefined> {
  return andThen(view.getItems([resourceKeyHash(address, ACCOUNT_TAG, view.keyTrace)], version), ([item]) => {
    if (item?.value === undefined) return undefined;
    const reader = new BcsReader(stateValueData(item.value));
    try {
      // The authentication key precedes the sequence number; later fields are not read.
      reader.skipByteString();
      return reader.u64();
    } catch (error) {
      if (!(error instanceof BcsError)) throw error;
      throw new LedgerError("corrupt", `stored Account does not decode: ${error.message}`, { cause: error });
    }
  });
}

function tryParseAsset(text: string): Asset | undefined {
  try {
    return parseAsset(text);
  } catch (error) {
    if (error instanceof MoveError) return undefined;
    throw error;
  }
}
