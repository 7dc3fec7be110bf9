// The genesis of the local chain: one write-set transaction with the framework's resources and interface modules, and
// the demo accounts with their holdings.
import { U64_MAX } from "../base/numbers.ts";
import { type Codec, encodeWith } from "../bcs/codec.ts";
import { struct } from "../bcs/records.ts";
import { u8, u32, u128 } from "../bcs/scalars.ts";
import {
  type ContractEvent,
  NEW_BLOCK_EVENT_TYPE,
  NEW_EPOCH_EVENT_TYPE,
  type NewBlockEvent,
  newBlockEventCodec,
  newEpochEventCodec,
} from "../ledger/formats/block-event.ts";
import { transactionCodec } from "../ledger/formats/transaction.ts";
import {
  accountCodec,
  assetMetadataCodec,
  concurrentBalanceCodec,
  concurrentSupplyCodec,
  type EventHandle,
  fungibleStoreCodec,
  objectCoreCodec,
  type ResourceGroup,
  typeInfoCodec,
} from "../ledger/items/resources.ts";
import { type Address, FRAMEWORK, parseAddress } from "../move/address.ts";
import { formatTypeTag, type StructTag, type TypeTag } from "../move/type-tag.ts";
import { addressCodec } from "../move/wire.ts";
import { type ChainItems, FRAMEWORK_ITEMS } from "./chain-items.ts";
import type { DemoAsset } from "./demo/assets.ts";
import type { BalancePart, DemoAccountName, Holding } from "./demo/demo-accounts.ts";
import { moduleItem, resourceItem, tableItem, tagOf } from "./item.ts";
import { DEMO_MODULE, FRAMEWORK_MODULES } from "./module-bytes.ts";
import { newAccount, newObject } from "./new-account.ts";
import { idlePerformance } from "./prologue.ts";
import { WorkingState } from "./working-state.ts";

/** A compiled module and its address. */
export interface PublishedModule {
  readonly address: Address;
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The framework's interface modules. */
export function frameworkModules(): PublishedModule[] {
  return FRAMEWORK_MODULES.map(([id, base64]) => {
    const [address = "", name = ""] = id.split("::");
    return { address: parseAddress(address), name, bytes: Buffer.from(base64, "base64") };
  });
}

/** The demo module's code for publication at `address`. */
export function demoModuleCode(address: Address): Uint8Array {
  const { base64, addressOffset } = DEMO_MODULE;
  const bytes = Buffer.from(base64, "base64");
  bytes.set(address, addressOffset);
  return bytes;
}

/** Addresses of the framework's modules and of its assets' owner. */
const FRAMEWORK_ACCOUNTS: readonly Address[] = ["0x1", "0x3", "0x4", "0xa"].map(parseAddress);
/** Table item of a chain's first aggregator, which holds the supply of the native coin. */
const SUPPLY_HANDLE = parseAddress("0x1b854694ae746cdbd8d44186ca4929b2b337df21d1c74633be19b2710552fdca");
const SUPPLY_KEY = parseAddress("0x619dc29a0aac8fa146714058e8dd6d2d0f3bdf5f6331907bf91f3acd81e6935");
/** Handle of the table of latest blocks. */
const COMMIT_HANDLE = parseAddress("0x38ff67f17cf7998cd41ed5267b52cff7af37d06a22e8b390ce44b69680fc0e97");
const COMMIT_CAPACITY = 2000;
/** Handle of the table of accounts by their rotated key: empty, since the chain models no rotation. */
const ORIGINATING_HANDLE = parseAddress("0x3ac2d3cf1bf0f7c1e6a5b1a4d6bcb3b2a8b0f9c4b6c1fc8d9a1d1be6b3e2a5f7");
const originatingAddressCodec = struct({ handle: addressCodec });
const EPOCH_INTERVAL_USEC = 600_000_000n;
const FIRST_PRICE = 1_000n;
const U128_MAX = (1n << 128n) - 1n;

const GENESIS_BLOCK: NewBlockEvent = {
  hash: new Uint8Array(32),
  epoch: 0n,
  round: 0n,
  height: 0n,
  previousVotes: new Uint8Array(0),
  proposer: parseAddress("0x0"),
  failedProposers: [],
  timestampUsec: 0n,
};

function firstEvent<T>(
  { creationNumber, account }: EventHandle,
  type: TypeTag,
  codec: Codec<T>,
  data: T,
): ContractEvent {
  return { kind: "v1", creationNumber, account, sequenceNumber: 0n, type, data: encodeWith(codec, data) };
}

function setFramework(state: WorkingState, items: ChainItems, chainId: number): void {
  state.set(FRAMEWORK_ITEMS.chainId, chainId);
  state.set(FRAMEWORK_ITEMS.time, 0n);
  const validators = items.validators.setOf(1n);
  state.set(FRAMEWORK_ITEMS.validatorSet, validators);
  state.set(FRAMEWORK_ITEMS.performance, idlePerformance(validators));
  state.set(FRAMEWORK_ITEMS.commitHistory, {
    maxCapacity: COMMIT_CAPACITY,
    nextIndex: 1,
    handle: COMMIT_HANDLE,
    length: 1n,
  });
  state.set(tableItem(COMMIT_HANDLE, encodeWith(u32, 0), newBlockEventCodec), GENESIS_BLOCK);
  const originating = resourceItem(FRAMEWORK, "0x1::account::OriginatingAddress", originatingAddressCodec);
  state.set(originating, { handle: ORIGINATING_HANDLE });
  for (const address of FRAMEWORK_ACCOUNTS) {
    const account = { ...newAccount(address), guidCreationNumber: 5n };
    state.set(resourceItem(address, "0x1::account::Account", accountCodec), account);
  }
  for (const { address, name, bytes } of frameworkModules()) state.set(moduleItem(address, name), bytes);
  state.set(items.demoModule, demoModuleCode(items.demoAddress));
}

/** Creates the account that mints. */
function setFaucet(state: WorkingState, faucet: Address): void {
  state.set(resourceItem(faucet, "0x1::account::Account", accountCodec), newAccount(faucet));
  // A struct without fields has one byte.
  state.set(resourceItem(faucet, "0x1::aptos_coin::MintCapStore", u8), 0);
}

function member<T>(name: string, codec: Codec<T>, value: T): ResourceGroup[number] {
  return [tagOf(`0x1::${name}`), encodeWith(codec, value)];
}

/** Struct name with type arguments, as in a TypeInfo. */
function structName({ name, typeArgs }: StructTag): string {
  return typeArgs.length === 0 ? name : `${name}<${typeArgs.map(formatTypeTag).join(", ")}>`;
}

/** Creates an asset with a supply for each part of what the accounts hold. */
function setAsset(state: WorkingState, items: ChainItems, asset: DemoAsset): void {
  const supplyOf = (part: BalancePart): bigint =>
    Object.values(items.demoAccounts)
      .flatMap(({ holdings }) => holdings)
      .filter((held) => held.asset === asset.name && held.part === part)
      .reduce((sum, { amount }) => sum + amount, 0n);
  const { name, title, symbol, decimals, coinType, metadata: address } = asset;
  const owner = name === "native" ? FRAMEWORK : items.demoAddress;
  const group: ResourceGroup[number][] = [
    member("object::ObjectCore", objectCoreCodec, newObject(address, owner, { allowUngatedTransfer: true })),
    member("fungible_asset::Metadata", assetMetadataCodec, {
      name: title,
      symbol,
      decimals,
      iconUri: "",
      projectUri: "",
    }),
    member("fungible_asset::ConcurrentSupply", concurrentSupplyCodec, {
      value: supplyOf("store"),
      max: U128_MAX,
    }),
  ];
  const info = items.coinInfos[name];
  if (coinType !== undefined && info !== undefined) {
    const typeInfo = {
      account: coinType.address,
      module: Buffer.from(coinType.module),
      name: Buffer.from(structName(coinType)),
    };
    group.push(member("coin::PairedCoinType", typeInfoCodec, typeInfo));
    const value = supplyOf("coin");
    const aggregator = { handle: SUPPLY_HANDLE, key: SUPPLY_KEY, limit: U128_MAX };
    const supply =
      name === "native"
        ? { aggregator, integer: undefined }
        : { aggregator: undefined, integer: { value, limit: U128_MAX } };
    state.set(info, { name: title, symbol, decimals, supply });
    if (name === "native") state.set(tableItem(SUPPLY_HANDLE, SUPPLY_KEY, u128), value);
  }
  state.set(items.metadata[name], group);
}

/** Creates an account with its stores. The event handles of coin stores take the account's next creation numbers. */
function setAccount(state: WorkingState, items: ChainItems, name: DemoAccountName): void {
  const { address, holdings } = items.demoAccounts[name];
  const { account, coinStores, stores } = items.accounts[name];
  let creationNumber = 2n;
  const handle = (): EventHandle => ({ counter: 0n, creationNumber: creationNumber++, account: address });
  for (const holding of holdings) {
    const { asset, part, amount: value, frozen = false } = holding;
    const coinStore = coinStores[asset];
    if (part === "store") state.set(stores[asset], storeGroup(items, name, holding));
    else if (coinStore !== undefined)
      state.set(coinStore, { value, frozen, depositEvents: handle(), withdrawEvents: handle() });
  }
  state.set(account, { ...newAccount(address), guidCreationNumber: creationNumber });
}

function storeGroup(
  { accounts, demoAccounts, assets }: ChainItems,
  name: DemoAccountName,
  { asset, amount, frozen = false, concurrent = false }: Holding,
): ResourceGroup {
  const core = newObject(accounts[name].storeAddresses[asset], demoAccounts[name].address, {
    allowUngatedTransfer: false,
  });
  const balance = concurrent ? 0n : amount;
  const group = [
    member("object::ObjectCore", objectCoreCodec, core),
    member("fungible_asset::FungibleStore", fungibleStoreCodec, {
      metadata: assets[asset].metadata,
      balance,
      frozen,
    }),
  ];
  const shared = { value: amount, max: U64_MAX };
  return concurrent
    ? [...group, member("fungible_asset::ConcurrentFungibleBalance", concurrentBalanceCodec, shared)]
    : group;
}

/** Starts the first block and the first epoch. Their events come in this order. */
function startFirstBlock(state: WorkingState): ContractEvent[] {
  const handle = (creationNumber: bigint, counter: bigint): EventHandle => ({
    counter,
    creationNumber,
    account: FRAMEWORK,
  });
  const [blocks, epochs] = [handle(3n, 1n), handle(2n, 1n)];
  state.set(FRAMEWORK_ITEMS.block, {
    height: 0n,
    epochIntervalUsec: EPOCH_INTERVAL_USEC,
    newBlockEvents: blocks,
    updateEpochIntervalEvents: handle(4n, 0n),
  });
  state.set(FRAMEWORK_ITEMS.configuration, { epoch: 1n, lastReconfigurationUsec: 0n, events: epochs });
  return [
    firstEvent(blocks, NEW_BLOCK_EVENT_TYPE, newBlockEventCodec, GENESIS_BLOCK),
    firstEvent(epochs, NEW_EPOCH_EVENT_TYPE, newEpochEventCodec, { epoch: 1n }),
  ];
}

/** The genesis file of the local chain. */
export function encodeGenesis(items: ChainItems, faucet: Address, chainId: number): Uint8Array {
  const state = new WorkingState();
  setFramework(state, items, chainId);
  setFaucet(state, faucet);
  for (const asset of Object.values(items.assets)) setAsset(state, items, asset);
  for (const [name, { holdings }] of Object.entries(items.demoAccounts))
    if (holdings.length > 0) setAccount(state, items, name as DemoAccountName);
  state.set(items.market, items.tableHandles);
  for (const item of items.prices) state.set(item, FIRST_PRICE);
  const events = startFirstBlock(state);
  const writeSet = { kind: "v0", writes: state.writes() } as const;
  return encodeWith(transactionCodec, { kind: "genesis", payload: { kind: "direct", writeSet, events } });
}
