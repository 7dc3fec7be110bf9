// Accounts. Since feature 91 an address needs no Account resource: without one it has the default account.
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import { encodeWith } from "../../bcs/codec.ts";
import { BcsError } from "../../bcs/errors.ts";
import { BcsReader } from "../../bcs/reader.ts";
import { type Address, FRAMEWORK } from "../../move/address.ts";
import { MoveError } from "../../move/errors.ts";
import type { AccountReader } from "../../transaction/explain/account-warnings.ts";
import { type Asset, parseAsset } from "../balances/asset.ts";
import { readBalance } from "../balances/balance.ts";
import { OBJECT_GROUP_TAG } from "../balances/balance-keys.ts";
import { LedgerError } from "../errors.ts";
import { stateValueData } from "../formats/state-value.ts";
import { resourceGroupKeyHash, resourceKeyHash } from "../key-hash.ts";
import type { LedgerView } from "../view.ts";
import { accountCodec, frameworkTag } from "./resources.ts";

const ACCOUNT_TAG = frameworkTag("account", "Account");
const FEATURES_TAG = frameworkTag("features", "Features");
/** The feature that gives every address a default account. */
const DEFAULT_ACCOUNTS = 91;
/** The default account's two event handles take the first two numbers. */
const FIRST_FREE_GUID = 2n;

/** An account. */
export interface Account {
  readonly sequenceNumber: bigint;
  readonly authenticationKey: Uint8Array;
  /** BCS of the Account resource. Valid until the view is released. */
  readonly bytes: Uint8Array;
}

/** The account at an address as it is stored; undefined where there is no Account resource. Throws LedgerError. */
export function readStoredAccount(
  view: LedgerView,
  address: Address,
  version: bigint,
): MaybePromise<Account | undefined> {
  return andThen(view.getItems([resourceKeyHash(address, ACCOUNT_TAG, view.keyTrace)], version), ([item]) =>
    item?.value === undefined ? undefined : decodeAccount(stateValueData(item.value)),
  );
}

/** The account at an address, stored or by default; undefined where there is neither. Throws LedgerError. */
export function readAccount(
  view: LedgerView,
  address: Address,
  version: bigint,
): MaybePromise<Account | undefined> {
  return andThen(
    readStoredAccount(view, address, version),
    (account) =>
      account ??
      andThen(hasDefaultAccounts(view, version), (isDefault) =>
        isDefault ? defaultAccount(address) : undefined,
      ),
  );
}

/** Whether an address counts as there: by its Account resource, as an object, or because all do. Throws LedgerError. */
export function isAddressKnown(view: LedgerView, address: Address, version: bigint): MaybePromise<boolean> {
  const keys = [
    resourceKeyHash(address, ACCOUNT_TAG, view.keyTrace),
    resourceGroupKeyHash(address, OBJECT_GROUP_TAG, view.keyTrace),
  ];
  return andThen(
    view.getItems(keys, version),
    (items) => items.some((item) => item?.value !== undefined) || hasDefaultAccounts(view, version),
  );
}

function decodeAccount(bytes: Uint8Array): Account {
  const reader = new BcsReader(bytes);
  try {
    // Later fields are not read.
    const authenticationKey = reader.byteString();
    return { authenticationKey, sequenceNumber: reader.u64(), bytes };
  } catch (error) {
    if (!(error instanceof BcsError)) throw error;
    throw new LedgerError("corrupt", `stored Account does not decode: ${error.message}`, { cause: error });
  }
}

function hasDefaultAccounts(view: LedgerView, version: bigint): MaybePromise<boolean> {
  const key = resourceKeyHash(FRAMEWORK, FEATURES_TAG, view.keyTrace);
  return andThen(view.getItems([key], version), ([item]) => {
    if (item?.value === undefined) return false;
    const reader = new BcsReader(stateValueData(item.value));
    try {
      const flags = reader.byteString();
      return ((flags[DEFAULT_ACCOUNTS >> 3] ?? 0) & (1 << (DEFAULT_ACCOUNTS & 7))) !== 0;
    } catch (error) {
      if (!(error instanceof BcsError)) throw error;
      throw new LedgerError("corrupt", `stored Features do not decode: ${error.message}`, { cause: error });
    }
  });
}

function defaultAccount(address: Address): Account {
  const handle = (creationNumber: bigint) => ({ counter: 0n, creationNumber, account: address });
  const bytes = encodeWith(accountCodec, {
    authenticationKey: address,
    sequenceNumber: 0n,
    guidCreationNumber: FIRST_FREE_GUID,
    coinRegisterEvents: handle(0n),
    keyRotationEvents: handle(1n),
    rotationCapabilityOffer: undefined,
    signerCapabilityOffer: undefined,
  });
  return { sequenceNumber: 0n, authenticationKey: address, bytes };
}

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
