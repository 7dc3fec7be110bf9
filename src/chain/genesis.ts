// The genesis of the local chain: one write-set transaction with the framework's resources and interface modules, and
// the demo accounts with their holdings.
import { encodeWith } from "../bcs/codec.ts";
import { struct } from "../bcs/records.ts";
import {
  NEW_BLOCK_EVENT_TYPE,
  NEW_EPOCH_EVENT_TYPE,
  type NewBlockEvent,
  newBlockEventCodec,
  newEpochEventCodec,
} from "../ledger/block-event.ts";
import { accountCodec, type EventHandle } from "../ledger/resources.ts";
import { transactionCodec } from "../ledger/transaction.ts";
import { type Address, FRAMEWORK, parseAddress } from "../move/address.ts";
import { addressCodec } from "../move/wire.ts";
import { type ChainItems, FRAMEWORK_ITEMS } from "./chain-items.ts";
import { type Effects, emitV1 } from "./effects.ts";
import { type Item, moduleItem, resourceItem } from "./item.ts";
import { demoModuleCode, frameworkModules } from "./modules.ts";
import { commitSlot, idlePerformance } from "./prologue.ts";
import { createDemoState, initialMovements } from "./setup.ts";
import { findSupplyItems, U128_MAX } from "./supply.ts";
import { move } from "./wallet.ts";
import { WorkingState } from "./working-state.ts";

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

function frameworkHandle(creationNumber: bigint): EventHandle {
  return { counter: 0n, creationNumber, account: FRAMEWORK };
}

/** Sets an item that is not in `items.all`. */
function setNew<T>(state: WorkingState, item: Item<T>, value: T): void {
  state.addAbsent([item]);
  state.set(item, value);
}

function setFramework(state: WorkingState, items: ChainItems, chainId: number): void {
  state.set(FRAMEWORK_ITEMS.chainId, chainId);
  state.set(FRAMEWORK_ITEMS.time, 0n);
  const validators = items.validators.setOf(1n);
  state.set(FRAMEWORK_ITEMS.validatorSet, validators);
  state.set(FRAMEWORK_ITEMS.performance, idlePerformance(validators));
  state.set(FRAMEWORK_ITEMS.commitHistory, {
    maxCapacity: COMMIT_CAPACITY,
    nextIndex: 0,
    handle: COMMIT_HANDLE,
    length: 0n,
  });
  const { native } = items.assets;
  const info = items.coinInfos.native;
  if (info === undefined) throw new Error("the native coin is not a coin");
  state.set(info, {
    name: native.title,
    symbol: native.symbol,
    decimals: native.decimals,
    supply: {
      aggregator: { handle: SUPPLY_HANDLE, key: SUPPLY_KEY, limit: U128_MAX },
      integer: undefined,
    },
  });
  const originating = resourceItem(FRAMEWORK, "0x1::account::OriginatingAddress", originatingAddressCodec);
  setNew(state, originating, { handle: ORIGINATING_HANDLE });
  for (const address of FRAMEWORK_ACCOUNTS) {
    const handle = (creationNumber: bigint) => ({ counter: 0n, creationNumber, account: address });
    setNew(state, resourceItem(address, "0x1::account::Account", accountCodec), {
      authenticationKey: address,
      sequenceNumber: 0n,
      guidCreationNumber: 5n,
      coinRegisterEvents: handle(0n),
      keyRotationEvents: handle(1n),
      rotationCapabilityOffer: undefined,
      signerCapabilityOffer: undefined,
    });
  }
}

function publishModules(state: WorkingState, items: ChainItems): void {
  for (const { address, name, bytes } of frameworkModules()) setNew(state, moduleItem(address, name), bytes);
  setNew(state, items.demoModule, demoModuleCode(items.demoAddress));
}

/** Starts the first block and the first epoch. Their events come last, in this order. */
function startFirstBlock(effects: Effects): void {
  const { state } = effects;
  const slot = commitSlot(state);
  const history = state.get(FRAMEWORK_ITEMS.commitHistory);
  if (slot === undefined || history === undefined) throw new Error("genesis has no commit history");
  setNew(state, slot, GENESIS_BLOCK);
  state.set(FRAMEWORK_ITEMS.commitHistory, { ...history, nextIndex: 1, length: 1n });
  const blocks = frameworkHandle(3n);
  state.set(FRAMEWORK_ITEMS.block, {
    height: 0n,
    epochIntervalUsec: EPOCH_INTERVAL_USEC,
    newBlockEvents: emitV1(effects, blocks, NEW_BLOCK_EVENT_TYPE, newBlockEventCodec, GENESIS_BLOCK),
    updateEpochIntervalEvents: frameworkHandle(4n),
  });
  const epochs = frameworkHandle(2n);
  state.set(FRAMEWORK_ITEMS.configuration, {
    epoch: 1n,
    lastReconfigurationUsec: 0n,
    events: emitV1(effects, epochs, NEW_EPOCH_EVENT_TYPE, newEpochEventCodec, { epoch: 1n }),
  });
}

/** The genesis file of the local chain. */
export function encodeGenesis(items: ChainItems, chainId: number): Uint8Array {
  const state = new WorkingState();
  state.addAbsent(items.all);
  setFramework(state, items, chainId);
  publishModules(state, items);
  const coinSupplies = findSupplyItems(state, items);
  for (const item of coinSupplies.values()) setNew(state, item, 0n);
  const effects: Effects = { state, items, coinSupplies, createdUsec: undefined, events: [] };
  createDemoState(effects);
  for (const movement of initialMovements(items)) move(effects, movement);
  startFirstBlock(effects);
  const writeSet = { kind: "v0", writes: state.finish() } as const;
  return encodeWith(transactionCodec, {
    kind: "genesis",
    payload: { kind: "direct", writeSet, events: effects.events },
  });
}
