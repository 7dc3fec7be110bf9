// What the chain itself does at the start of a block: height, time, the ring of latest blocks, the proposer's
// record, and the change of epoch when the interval has passed.
import { encodeWith } from "../bcs/codec.ts";
import { u32 } from "../bcs/scalars.ts";
import {
  NEW_BLOCK_EVENT_TYPE,
  NEW_EPOCH_EVENT_TYPE,
  type NewBlockEvent,
  newBlockEventCodec,
  newEpochEventCodec,
} from "../ledger/block-event.ts";
import type { BlockResource, Configuration } from "../ledger/resources.ts";
import type { ValidatorSet } from "../ledger/validator-set.ts";
import { type Address, parseAddress } from "../move/address.ts";
import type { BlockMetadata } from "../transaction/block-metadata.ts";
import { FRAMEWORK_ITEMS } from "./chain-items.ts";
import { type Effects, emitV1 } from "./effects.ts";
import { ChainError } from "./errors.ts";
import { type Item, tableItem } from "./item.ts";
import type { Random } from "./random.ts";
import type { WorkingState } from "./working-state.ts";

/** Proposer of a block that nobody proposed. */
const NOBODY: Address = parseAddress("0x0");
const NO_VOTES = new Uint8Array(0);

/** What the framework's resources say before a block. */
export interface ChainState {
  readonly chainId: number;
  readonly block: BlockResource;
  readonly configuration: Configuration;
  readonly validators: ValidatorSet;
  readonly timeUsec: bigint;
}

function need<T>(workingState: WorkingState, item: Item<T>, name: string): T {
  const value = workingState.get(item);
  if (value === undefined) throw new ChainError("ledger", `the ledger has no ${name}: no block can follow`);
  return value;
}

/** Reads what a block continues from. */
export function readChainState(workingState: WorkingState): ChainState {
  return {
    chainId: need(workingState, FRAMEWORK_ITEMS.chainId, "0x1::chain_id::ChainId"),
    block: need(workingState, FRAMEWORK_ITEMS.block, "0x1::block::BlockResource"),
    configuration: need(workingState, FRAMEWORK_ITEMS.configuration, "0x1::reconfiguration::Configuration"),
    validators: need(workingState, FRAMEWORK_ITEMS.validatorSet, "0x1::stake::ValidatorSet"),
    timeUsec: need(workingState, FRAMEWORK_ITEMS.time, "0x1::timestamp::CurrentTimeMicroseconds"),
  };
}

/** The place in the ring of latest blocks that the next block takes; older chains have no ring. */
export function commitSlot(workingState: WorkingState): Item<NewBlockEvent> | undefined {
  const history = workingState.get(FRAMEWORK_ITEMS.commitHistory);
  if (history === undefined) return undefined;
  return tableItem(history.handle, encodeWith(u32, history.nextIndex), newBlockEventCodec);
}

/** True when a block at this time ends the epoch. */
export function endsEpoch(state: ChainState, timestampUsec: bigint): boolean {
  return timestampUsec - state.configuration.lastReconfigurationUsec >= state.block.epochIntervalUsec;
}

/** The metadata of the next block; a block that nobody proposed keeps the time of the one before. */
export function nextBlock(
  state: ChainState,
  random: Random,
  options: { readonly timestampUsec: bigint; readonly nil: boolean },
): BlockMetadata {
  const { active } = state.validators;
  return {
    id: random.bytes32(),
    epoch: state.configuration.epoch,
    round: state.block.height + 1n,
    proposer: options.nil || active.length === 0 ? NOBODY : random.pick(active).address,
    previousVotes: votesOf(active.length),
    failedProposers: options.nil && active.length > 0 ? [random.below(active.length)] : [],
    timestampUsec: options.nil ? state.timeUsec : options.timestampUsec,
  };
}

/** A bit for each validator, all set. */
function votesOf(count: number): Uint8Array {
  if (count === 0) return NO_VOTES;
  const out = new Uint8Array(Math.ceil(count / 8));
  for (let i = 0; i < count; i++) out[i >> 3] = (out[i >> 3] ?? 0) | (0x80 >> (i & 7));
  return out;
}

/** Data of the event that announces a block. */
function newBlockEvent(block: BlockMetadata, height: bigint): NewBlockEvent {
  return {
    hash: block.id,
    epoch: block.epoch,
    round: block.round,
    height,
    previousVotes: block.previousVotes,
    proposer: block.proposer,
    failedProposers: block.failedProposers.map(BigInt),
    timestampUsec: block.timestampUsec,
  };
}

/** Opens a block. */
export function runPrologue(
  effects: Effects,
  state: ChainState,
  block: BlockMetadata,
  slot: Item<NewBlockEvent> | undefined,
): void {
  const { workingState } = effects;
  const height = state.block.height + 1n;
  const event = newBlockEvent(block, height);
  const handle = emitV1(effects, state.block.newBlockEvents, NEW_BLOCK_EVENT_TYPE, newBlockEventCodec, event);
  workingState.set(FRAMEWORK_ITEMS.block, { ...state.block, height, newBlockEvents: handle });
  if (block.timestampUsec !== state.timeUsec) workingState.set(FRAMEWORK_ITEMS.time, block.timestampUsec);
  recordProposal(workingState, state, block);
  const history = workingState.get(FRAMEWORK_ITEMS.commitHistory);
  if (history === undefined || slot === undefined) return;
  const length = history.length + (workingState.has(slot) ? 0n : 1n);
  const nextIndex = (history.nextIndex + 1) % history.maxCapacity;
  workingState.set(slot, event);
  workingState.set(FRAMEWORK_ITEMS.commitHistory, { ...history, nextIndex, length });
}

function recordProposal(workingState: WorkingState, state: ChainState, block: BlockMetadata): void {
  const performance = workingState.get(FRAMEWORK_ITEMS.performance);
  if (performance === undefined) return;
  const proposer = state.validators.active.findIndex(
    (one) => Buffer.compare(one.address, block.proposer) === 0,
  );
  workingState.set(
    FRAMEWORK_ITEMS.performance,
    performance.map((one, index) => ({
      successful: one.successful + (index === proposer ? 1n : 0n),
      failed: one.failed + (block.failedProposers.includes(index) ? 1n : 0n),
    })),
  );
}

/** Ends the epoch: the next one starts with the block after. The validators stay the same. */
export function endEpoch(effects: Effects, state: ChainState, timestampUsec: bigint): void {
  const epoch = state.configuration.epoch + 1n;
  const events = emitV1(effects, state.configuration.events, NEW_EPOCH_EVENT_TYPE, newEpochEventCodec, {
    epoch,
  });
  effects.workingState.set(FRAMEWORK_ITEMS.validatorSet, state.validators);
  effects.workingState.set(FRAMEWORK_ITEMS.configuration, {
    epoch,
    lastReconfigurationUsec: timestampUsec,
    events,
  });
}
