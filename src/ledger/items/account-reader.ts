// Reads accounts for the explanation of a transaction.
import { andThen } from "../../base/maybe-promise.ts";
import { MoveError } from "../../move/errors.ts";
import type { AccountReader } from "../../transaction/explain/account-warnings.ts";
import { type Asset, parseAsset } from "../balances/asset.ts";
import { readBalance } from "../balances/balance.ts";
import type { LedgerView } from "../view.ts";
import { readStoredAccount } from "./account.ts";

/** Reads accounts at the view's latest version. Reads throw LedgerError. */
export function createAccountReader(view: LedgerView): AccountReader {
  const { version } = view.position;
  return {
    sequenceNumber: (address) =>
      andThen(readStoredAccount(view, address, version), (account) => account?.sequenceNumber),
    balance: (owner, text) => {
      const asset = tryParseAsset(text);
      return asset === undefined ? undefined : readBalance(view, owner, asset, version);
    },
  };
}

function tryParseAsset(text: string): Asset | undefined {
  try {
    return parseAsset(text);
  } catch (error) {
    if (error instanceof MoveError) return undefined;
    throw error;
  }
}
