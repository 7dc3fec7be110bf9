// Changes that the author of a test makes to a local chain: accounts, balances, table items and modules.
import { ConfigError } from "../base/errors.ts";
import { pairedMetadata, primaryStoreAddress } from "../ledger/asset.ts";
import { type Address, formatAddress, parseAddress } from "../move/address.ts";
import { readModule } from "../move/bytecode/reader.ts";
import { MoveError } from "../move/errors.ts";
import { formatStructTag, type StructTag } from "../move/type-tag.ts";
import { parseStructTag } from "../move/type-text.ts";
import { SubmissionError } from "../transaction/submission-error.ts";
import type { AuthoredChange } from "./authored-block.ts";
import type { CallState } from "./functions/call-state.ts";
import { changeCoinSupply, coinKeys, coinStoreItem } from "./functions/coins.ts";
import {
  addToStore,
  changeAssetSupply,
  ensurePrimaryStore,
  hasPrimaryStore,
  storeBalance,
} from "./functions/fungible-stores.ts";
import { moduleItem, objectItem, rawCodec, tableItem } from "./item.ts";
import { newAccount } from "./new-account.ts";

/** Largest module, as on the network. */
const MAX_MODULE_BYTES = 64 * 1024;
/** Largest key and value of a table item, as on the network for one write. */
export const MAX_ITEM_BYTES: number = 1 << 20;

/** An account to create: with the authentication key of a key, or of its own address. */
export interface NewAccount {
  readonly address: Address;
  readonly authenticationKey: Uint8Array;
}

/** Creates an account, or replaces the authentication key of one that exists. */
export function putAccount({ address, authenticationKey }: NewAccount): AuthoredChange {
  return async (call) => {
    const item = call.account(address);
    const account = (await call.read(item)) ?? newAccount(address);
    call.write(item, { ...account, authenticationKey });
  };
}

/** A coin type, or the metadata address of a fungible asset. */
interface ParsedAsset {
  readonly coin: StructTag | undefined;
  readonly metadata: Address;
}

function parseAssetText(text: string): ParsedAsset {
  if (!text.includes(":")) return { coin: undefined, metadata: parseAddress(text) };
  const coin = parseStructTag(text);
  return { coin, metadata: pairedMetadata(coin) };
}

/**
 * Sets what an account holds of an asset, and changes the supply by the difference. The amount is in the account's coin
 * store if that is all it has, else in its primary store. Creates a missing account.
 */
export function setBalance(owner: Address, asset: string, amount: bigint): AuthoredChange {
  const { coin, metadata } = parseAssetText(asset);
  return async (call) => {
    if ((await call.read(call.account(owner))) === undefined) await putAccount(ownKey(owner))(call);
    const inCoins = coin === undefined ? false : await holdsCoins(call, owner, { coin, metadata });
    if (coin !== undefined) await setCoins(call, owner, coin, inCoins ? amount : 0n);
    if (!inCoins) await setStore(call, { owner, metadata, asset }, amount);
  };
}

function ownKey(address: Address): NewAccount {
  return { address, authenticationKey: address };
}

async function holdsCoins(
  call: CallState,
  owner: Address,
  { coin, metadata }: { readonly coin: StructTag; readonly metadata: Address },
): Promise<boolean> {
  if ((await call.read(coinKeys(coin).info)) === undefined) {
    throw new ConfigError(`asset: this ledger has no coin ${formatStructTag(coin)}`);
  }
  if ((await call.read(coinStoreItem(call, owner, coin))) === undefined) return false;
  return !(await hasPrimaryStore(call, owner, metadata));
}

async function setCoins(call: CallState, owner: Address, coin: StructTag, amount: bigint): Promise<void> {
  const item = coinStoreItem(call, owner, coin);
  const store = await call.read(item);
  if (store === undefined || store.value === amount) return;
  call.write(item, { ...store, value: amount });
  await changeCoinSupply(call, coin, amount - store.value);
}

async function setStore(
  call: CallState,
  { owner, metadata, asset }: { readonly owner: Address; readonly metadata: Address; readonly asset: string },
  amount: bigint,
): Promise<void> {
  const item = objectItem(primaryStoreAddress(owner, metadata));
  try {
    await ensurePrimaryStore(call, owner, metadata);
  } catch (error) {
    if (!(error instanceof SubmissionError)) throw error;
    throw new ConfigError(`asset: the local chain cannot set balances of ${asset}: ${error.message}`, error);
  }
  const delta = amount - (await storeBalance(call, item));
  await addToStore(call, item, delta);
  await changeAssetSupply(call, metadata, delta);
}

/** Writes an item of a table, or removes it. */
export function putTableItem(
  handle: Address,
  key: Uint8Array,
  value: Uint8Array | undefined,
): AuthoredChange {
  return async (call) => {
    const item = tableItem(handle, key, rawCodec);
    const before = await call.read(item);
    if (value !== undefined) call.write(item, value);
    else if (before !== undefined) call.state.delete(item);
  };
}

/** Publishes a module at the address that it names, or replaces it. Throws ConfigError for bytes that are no module. */
export function publishModule(bytes: Uint8Array): AuthoredChange {
  if (bytes.length > MAX_MODULE_BYTES) {
    throw new ConfigError(`module: expected at most ${MAX_MODULE_BYTES} bytes, got ${bytes.length}`);
  }
  const { address, name } = moduleIdOf(bytes);
  return async (call) => {
    if ((await call.read(call.account(address))) === undefined) await putAccount(ownKey(address))(call);
    const item = moduleItem(address, name);
    await call.read(item);
    call.write(item, bytes);
  };
}

/** The name of a module, `0x1::coin`. */
export function moduleNameOf(bytes: Uint8Array): string {
  const { address, name } = moduleIdOf(bytes);
  return `${formatAddress(address)}::${name}`;
}

function moduleIdOf(bytes: Uint8Array): { readonly address: Address; readonly name: string } {
  try {
    return readModule(bytes);
  } catch (error) {
    if (!(error instanceof MoveError)) throw error;
    throw new ConfigError(`module: expected the bytecode of a module: ${error.message}`, error);
  }
}
