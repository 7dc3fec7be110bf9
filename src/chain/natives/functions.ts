// Functions of the framework that the local chain models: transfers, accounts, and what reads balances, supplies and names.
import type { Pieces } from "../../base/pieces.ts";
import { u8, u64 } from "../../bcs/scalars.ts";
import { primaryStoreAddress } from "../../ledger/balances/asset.ts";
import { blockResourceCodec, typeInfoCodec } from "../../ledger/items/resources.ts";
import type { AbiStructType, AbiType } from "../../move/abi.ts";
import { type Address, addressFromBytes, FRAMEWORK, formatAddress } from "../../move/address.ts";
import { aborted, invariant, STATUS, VmError } from "../../vm/errors.ts";
import type { Native } from "../../vm/natives.ts";
import { asBig, asVec, byteVec, type ItemKind, Ref, Struct, type Value, Vec } from "../../vm/values.ts";
import {
  ACCOUNT,
  assertCoin,
  assetSupply,
  coinBalance,
  coinInfo,
  coinSupply,
  depositToStore,
  ensureAccount,
  ensurePrimaryStore,
  METADATA,
  metadataOf,
  mintCoin,
  NATIVE_COIN,
  OBJECT_CORE,
  STORE,
  storeBalance,
  transferAsset,
  transferBetweenStores,
  transferCoin,
  transferObject,
  withdrawFromStore,
} from "./money.ts";
import { abortIn, CallState, FRAMEWORK_HEX, stored } from "./state.ts";

const MINT_CAPABILITY = stored("0x1::aptos_coin::MintCapStore", u8);
const PAIRED_COIN = stored("0x1::coin::PairedCoinType", typeInfoCodec);
export const CHAIN_ID = stored("0x1::chain_id::ChainId", u8);
export const TIME = stored("0x1::timestamp::CurrentTimeMicroseconds", u64);
export const BLOCK = stored("0x1::block::BlockResource", blockResourceCodec);

const ACCOUNT_EXISTS = 0x80001;
const RESERVED_ADDRESS = 0x10005;
const OTHER_LENGTHS = 0x10005;
const NO_CAPABILITY = 0x60001;
const NO_OBJECT = 0x60002;
const NO_RESOURCE = 0x60007;
const RESERVED: ReadonlySet<string> = new Set(["0x0", "0x1", "0x3"]);
const USEC_PER_SEC = 1_000_000n;

/** An address, the address of a signer, or that of an object. */
export function addressOf(value: Value | undefined): Address {
  const given = value instanceof Ref ? value.get() : value;
  const inner = given instanceof Struct ? given.fields[0] : given;
  if (typeof inner !== "string") throw invariant("an argument is no address");
  return addressFromBytes(Buffer.from(inner, "hex"));
}

export function hexOf(address: Address): string {
  return Buffer.from(address).toString("hex");
}

function textOf(text: string): Struct {
  return new Struct([byteVec(Buffer.from(text))]);
}

export function option(kind: ItemKind, value: Value | undefined): Struct {
  return new Struct([new Vec(kind, value === undefined ? [] : [value])]);
}

function coinOf(type: AbiType | undefined): AbiStructType {
  if (type?.kind !== "struct") throw new VmError(STATUS.typeResolutionFailure, "expected a coin type");
  return type;
}

/** A function without a result; it gets the first type argument. */
export type Effect = (call: CallState, args: readonly Value[], type: AbiType | undefined) => void;
/** A function with one result, or one that runs in pieces. */
type Run = (
  call: CallState,
  args: readonly Value[],
  type: AbiType | undefined,
) => Value | Pieces<readonly Value[]>;

function effect(run: Effect): Native {
  return (context, args, [type]) => {
    run(new CallState(context), args, type);
    return [];
  };
}

function native(run: Run): Native {
  return (context, args, [type]) => {
    const result = run(new CallState(context), args, type);
    return typeof result === "object" && "next" in result ? result : [result];
  };
}

/** Natives by their full names. */
function nativesOf<R>(
  runs: Readonly<Record<string, R>>,
  make: (run: R) => Native,
): (readonly [string, Native])[] {
  return Object.entries(runs).map(([name, run]) => [`${FRAMEWORK_HEX}::${name}`, make(run)] as const);
}

/** Transfers of accounts: they create the recipient's. */
const sendCoins = (
  call: CallState,
  coin: AbiStructType,
  from: Address,
  to: Address,
  amount: bigint,
): void => {
  ensureAccount(call, to);
  transferCoin(call, coin, { from, to, amount });
};

const sendAssets = (call: CallState, metadata: Address, from: Address, to: Address, amount: bigint): void => {
  withdrawFromStore(call, ensurePrimaryStore(call, from, metadata), amount);
  ensureAccount(call, to);
  depositToStore(call, ensurePrimaryStore(call, to, metadata), amount);
};

/** Runs one transfer for each pair of two lists, in pieces. */
function* forEachPair(
  recipients: Value | undefined,
  amounts: Value | undefined,
  send: (to: Address, amount: bigint) => void,
): Pieces<readonly Value[]> {
  const [to, of] = [asVec(recipients).items, asVec(amounts).items];
  if (to.length !== of.length) throw abortIn("aptos_account", OTHER_LENGTHS);
  for (const [index, recipient] of to.entries()) {
    send(addressOf(recipient), asBig(of[index]));
    yield;
  }
  return [];
}

const ENTRY: Readonly<Record<string, Effect>> = {
  "account::create_account_if_does_not_exist": (call, [address]) => ensureAccount(call, addressOf(address)),
  "aptos_account::create_account": (call, [given]) => {
    const address = addressOf(given);
    if (call.has(address, ACCOUNT)) throw abortIn("account", ACCOUNT_EXISTS);
    if (RESERVED.has(formatAddress(address))) throw abortIn("account", RESERVED_ADDRESS);
    ensureAccount(call, address);
  },
  "aptos_account::transfer": (call, [from, to, amount]) =>
    sendCoins(call, NATIVE_COIN, addressOf(from), addressOf(to), asBig(amount)),
  "aptos_account::transfer_coins": (call, [from, to, amount], type) =>
    sendCoins(call, coinOf(type), addressOf(from), addressOf(to), asBig(amount)),
  "aptos_account::transfer_fungible_assets": (call, [from, metadata, to, amount]) =>
    sendAssets(call, addressOf(metadata), addressOf(from), addressOf(to), asBig(amount)),
  "aptos_coin::mint": (call, [sender, to, amount]) => {
    if (!call.has(addressOf(sender), MINT_CAPABILITY)) throw abortIn("aptos_coin", NO_CAPABILITY);
    mintCoin(call, NATIVE_COIN, addressOf(to), asBig(amount));
  },
  "coin::transfer": (call, [from, to, amount], type) =>
    transferCoin(call, coinOf(type), { from: addressOf(from), to: addressOf(to), amount: asBig(amount) }),
  "primary_fungible_store::transfer": (call, [from, metadata, to, amount]) =>
    transferAsset(call, addressOf(metadata), {
      from: addressOf(from),
      to: addressOf(to),
      amount: asBig(amount),
    }),
  "fungible_asset::transfer": (call, [sender, from, to, amount]) =>
    transferBetweenStores(call, addressOf(sender), {
      from: addressOf(from),
      to: addressOf(to),
      amount: asBig(amount),
    }),
  "dispatchable_fungible_asset::transfer": (call, [sender, from, to, amount]) =>
    transferBetweenStores(call, addressOf(sender), {
      from: addressOf(from),
      to: addressOf(to),
      amount: asBig(amount),
    }),
  "object::transfer": (call, [sender, object, to]) =>
    transferObject(call, addressOf(sender), addressOf(object), addressOf(to)),
};

const BATCHES: Readonly<Record<string, Run>> = {
  "aptos_account::batch_transfer": (call, [from, recipients, amounts]) =>
    forEachPair(recipients, amounts, (to, amount) =>
      sendCoins(call, NATIVE_COIN, addressOf(from), to, amount),
    ),
  "aptos_account::batch_transfer_coins": (call, [from, recipients, amounts], type) => {
    assertCoin(call, coinOf(type));
    return forEachPair(recipients, amounts, (to, amount) =>
      sendCoins(call, coinOf(type), addressOf(from), to, amount),
    );
  },
  "aptos_account::batch_transfer_fungible_assets": (call, [from, metadata, recipients, amounts]) =>
    forEachPair(recipients, amounts, (to, amount) =>
      sendAssets(call, addressOf(metadata), addressOf(from), to, amount),
    ),
};

const MAKERS: Readonly<Record<string, Run>> = {
  "option::from_vec": (_, [vec]) => {
    if (asVec(vec).items.length > 1) throw aborted(0x40000);
    return new Struct([asVec(vec)]);
  },
  "object::address_to_object": (call, [given], type) => {
    const address = addressOf(given);
    if (!call.has(address, OBJECT_CORE)) throw abortIn("object", NO_OBJECT);
    if (type?.kind !== "struct" || !call.has(address, { type })) throw abortIn("object", NO_RESOURCE);
    return new Struct([hexOf(address)]);
  },
};

const metadata = (call: CallState, object: Value | undefined) => call.require(addressOf(object), METADATA);
const info = (call: CallState, type: AbiType | undefined) =>
  call.require(coinOf(type).address, coinInfo(coinOf(type)));
const primaryStore = (owner: Value | undefined, object: Value | undefined): Address =>
  primaryStoreAddress(addressOf(owner), addressOf(object));

const VIEWS: Readonly<Record<string, Run>> = {
  "object::owner": (call, [object]) => hexOf(call.require(addressOf(object), OBJECT_CORE).owner),
  "coin::name": (call, _, type) => textOf(info(call, type).name),
  "coin::symbol": (call, _, type) => textOf(info(call, type).symbol),
  "coin::decimals": (call, _, type) => info(call, type).decimals,
  "coin::is_coin_initialized": (call, _, type) => call.has(coinOf(type).address, coinInfo(coinOf(type))),
  "coin::balance": (call, [owner], type) => coinBalance(call, addressOf(owner), coinOf(type)),
  "coin::supply": (call, _, type) => {
    const amount = coinSupply(call, coinOf(type));
    // As the framework has it: a coin without a supply has none, whatever the asset has.
    const paired = assetSupply(call, metadataOf(coinOf(type))) ?? 0n;
    return option("u128", amount === undefined ? undefined : amount + paired);
  },
  "coin::coin_supply": (call, _, type) => option("u128", coinSupply(call, coinOf(type))),
  "coin::paired_coin": (call, [object]) => {
    const paired = call.read(addressOf(object), PAIRED_COIN);
    return option(
      "other",
      paired && new Struct([hexOf(paired.account), byteVec(paired.module), byteVec(paired.name)]),
    );
  },
  "primary_fungible_store::balance": (call, [owner, object]) =>
    storeBalance(call, primaryStore(owner, object)),
  "primary_fungible_store::primary_store_address": (_, [owner, object]) => hexOf(primaryStore(owner, object)),
  "primary_fungible_store::primary_store_exists": (call, [owner, object]) =>
    call.has(primaryStore(owner, object), STORE),
  "fungible_asset::balance": (call, [object]) => storeBalance(call, addressOf(object)),
  "fungible_asset::supply": (call, [object]) => option("u128", assetSupply(call, addressOf(object))),
  "fungible_asset::metadata": (call, [object]) => {
    const { name, symbol, decimals, iconUri, projectUri } = metadata(call, object);
    return new Struct([textOf(name), textOf(symbol), decimals, textOf(iconUri), textOf(projectUri)]);
  },
  "fungible_asset::store_metadata": (call, [object]) =>
    new Struct([hexOf(call.require(addressOf(object), STORE).metadata)]),
  "fungible_asset::store_exists": (call, [store]) => call.has(addressOf(store), STORE),
  "fungible_asset::name": (call, [object]) => textOf(metadata(call, object).name),
  "fungible_asset::symbol": (call, [object]) => textOf(metadata(call, object).symbol),
  "fungible_asset::decimals": (call, [object]) => metadata(call, object).decimals,
  "fungible_asset::icon_uri": (call, [object]) => textOf(metadata(call, object).iconUri),
  "fungible_asset::project_uri": (call, [object]) => textOf(metadata(call, object).projectUri),
  "account::exists_at": (call, [address]) => call.has(addressOf(address), ACCOUNT),
  "account::get_authentication_key": (call, [address]) =>
    byteVec(call.require(addressOf(address), ACCOUNT).authenticationKey),
  "account::get_sequence_number": (call, [address]) =>
    call.require(addressOf(address), ACCOUNT).sequenceNumber,
  "chain_id::get": (call) => call.require(FRAMEWORK, CHAIN_ID),
  "timestamp::now_microseconds": (call) => call.require(FRAMEWORK, TIME),
  "timestamp::now_seconds": (call) => call.require(FRAMEWORK, TIME) / USEC_PER_SEC,
  "block::get_current_block_height": (call) => call.require(FRAMEWORK, BLOCK).height,
};

export const FUNCTIONS: readonly (readonly [string, Native])[] = [
  ...nativesOf(ENTRY, effect),
  ...nativesOf({ ...BATCHES, ...MAKERS, ...VIEWS }, native),
];

export function effectNatives(runs: Readonly<Record<string, Effect>>): (readonly [string, Native])[] {
  return nativesOf(runs, effect);
}

/** Functions that a submitted transaction may call. */
export const ENTRY_FUNCTIONS: readonly string[] = [...Object.keys(ENTRY), ...Object.keys(BATCHES)].sort();
