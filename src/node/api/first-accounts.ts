// Accounts that a new local chain begins with, as an author of tests names them.
import { ConfigError } from "../../base/errors.ts";
import { type AuthoredChange, allOf, putAccount, setBalance } from "../../chain/authoring.ts";
import { keypairOf, parsePrivateKey } from "../../chain/keys.ts";
import { toText } from "../../http/calls/operands.ts";
import { type Address, parseAddress } from "../../move/address.ts";
import { MoveError } from "../../move/errors.ts";
import { ACCOUNT_TABLE, type AccountOptions } from "../options/node-options.ts";
import { assertOptions } from "../options/option-table.ts";

const MAX_ACCOUNTS = 10_000;

/** Checks an amount that a caller gave. */
export function toAmount(name: string, amount: unknown): bigint {
  if (typeof amount === "bigint" && amount >= 0n && amount >> 64n === 0n) return amount;
  const got = typeof amount === "bigint" ? amount : typeof amount;
  throw new ConfigError(`${name}: expected a bigint from 0 to 2^64 - 1, got ${got}`);
}

function toPrivateKey(name: string, key: string | Uint8Array): Uint8Array {
  const bytes = typeof key === "string" ? parsePrivateKey(key) : key;
  // The key itself must not reach a log.
  if (!(bytes instanceof Uint8Array) || bytes.length !== 32) {
    throw new ConfigError(`${name}: expected an Ed25519 private key: 32 bytes, or their 64 hex digits`);
  }
  return new Uint8Array(bytes);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Runs a parser; what it throws about a text names the field. */
function named<T>(name: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof MoveError)) throw error;
    throw new ConfigError(`${name}: ${error.message}`, error);
  }
}

/** The changes that create accounts. Throws ConfigError. */
export function accountChanges(accounts: readonly AccountOptions[]): AuthoredChange[] {
  if (!Array.isArray(accounts)) throw new ConfigError(`accounts: expected a list, got ${typeof accounts}`);
  if (accounts.length > MAX_ACCOUNTS) {
    throw new ConfigError(`accounts: expected at most ${MAX_ACCOUNTS}, got ${accounts.length}`);
  }
  return accounts.map((account: AccountOptions, index) => {
    const name = `accounts[${index}]`;
    if (!isObject(account)) throw new ConfigError(`${name}: expected an object with an address or a key`);
    assertOptions(ACCOUNT_TABLE, name, account);
    const { address: given, key, balances = {} } = account;
    if (!isObject(balances))
      throw new ConfigError(`${name}.balances: expected an object of amounts by asset`);
    const pair = key === undefined ? undefined : keypairOf(toPrivateKey(`${name}.key`, key));
    if (given === undefined && pair === undefined) {
      throw new ConfigError(`${name}: expected an address or a key, got neither`);
    }
    const addressName = `${name}.address`;
    const address =
      given === undefined ? undefined : named(addressName, () => parseAddress(toText(addressName, given)));
    const owner = address ?? (pair?.address as Address);
    return allOf([
      putAccount({ address: owner, authenticationKey: pair?.address ?? owner }),
      ...Object.entries(balances).map(([asset, amount]) => {
        const balanceName = `${name}.balances["${asset}"]`;
        return named(balanceName, () => setBalance(owner, asset, toAmount(balanceName, amount)));
      }),
    ]);
  });
}
