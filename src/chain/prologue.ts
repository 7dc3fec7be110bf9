// The block prologue: height, time, the ring buffer of latest blocks, the proposer's performance, and the change of
// epoch after its interval.
import { CodedError } from "../base/errors.ts";
import { USEC_PER_MS } from "../base/numbers.ts";
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
import { type Item, tableItem } from "./item.ts";
import type { Random } from "./random.ts";
import type { ItemView, WorkingState } from "./working-state.ts";

/** Proposer of a nil block. */
const NOBODY: Address = parseAddress("0x0");
const NO_VOTES = new Uint8Array(0);

/** The framework's resources before a block. */
export interface ChainHead {
  readonly chainId: number;
  readonly block: BlockResource;
  readonly configuration: Configuration;
  readonly validators: ValidatorSet;
  readonly timeUsec: bigint;
}

/** The local chain cannot extend the ledger. `ledger`: it lacks what a block needs. */
class ChainError extends CodedError<"ledger"> {}

/** The value of an item that every block needs. Throws ChainError. */
export function requireItem<T>(state: WorkingState, item: Item<T>, name: string): T {
  const value = state.get(item);
  if (value === undefined)
    throw new ChainError("ledger", `the ledger has no ${name}, so the local chain cannot make blocks on it`);
  return value;
}

/** Reads the resources that the next block builds on. */
export function readChainHead(state: WorkingState): ChainHead {
  return {
    chainId: requireItem(state, FRAMEWORK_ITEMS.chainId, "0x1::chain_id::ChainId"),
    block: requireItem(state, FRAMEWORK_ITEMS.block, "0x1::block::BlockResource"),
    configuration: requireItem(state, FRAMEWORK_ITEMS.configuration, "0x1::reconfiguration::Configuration"),
    validators: requireItem(state, FRAMEWORK_ITEMS.validatorSet, "0x1::stake::ValidatorSet"),
    timeUsec: requireItem(state, FRAMEWORK_ITEMS.time, "0x1::timestamp::CurrentTimeMicroseconds"),
  };
}

/** The head with another time between changes of epoch, which the next block stores. */
export function withEpochTime(head: ChainHead, epochTimeMs: number | undefined): ChainHead {
  if (epochTimeMs === undefined) return head;
  return { ...head, block: { ...head.block, epochIntervalUsec: BigInt(epochTimeMs) * USEC_PER_MS } };
}

/** The next block's slot in the ring buffer of latest blocks; undefined on older chains, which have none. */
export function commitSlot(state: WorkingState): Item<NewBlockEvent> | undefined {
  const history = state.get(FRAMEWORK_ITEMS.commitHistory);
  if (history === undefined) return undefined;
  return tableItem(history.handle, encodeWith(u32, history.nextIndex), newBlockEventCodec);
}

/**
 * True when a block at this time ends the epoch. The block after such a block never does, however late it comes: a block
 * that ends an epoch holds no transactions, and those that wait need one.
 */
export function endsEpoch(head: ChainHead, timestampUsec: bigint): boolean {
  const { lastReconfigurationUsec } = head.configuration;
  if (head.block.height > 0n && head.timeUsec === lastReconfigurationUsec) return false;
  return timestampUsec - lastReconfigurationUsec >= head.block.epochIntervalUsec;
}

/** The metadata of the next block. A nil block has no proposer and keeps the time of the previous block. */
export function nextBlock(
  head: ChainHead,
  random: Random,
  options: { readonly timestampUsec: bigint; readonly isNil: boolean },
): BlockMetadata {
  const { active } = head.validators;
  return {
    id: random.bytes32(),
    epoch: head.configuration.epoch,
    round: head.block.height + 1n,
    proposer: options.isNil || active.length === 0 ? NOBODY : random.pick(active).address,
    previousVotes: votesOf(active.length),
    failedProposers: options.isNil && active.length > 0 ? [random.below(active.length)] : [],
    timestampUsec: options.isNil ? head.timeUsec : options.timestampUsec,
  };
}

/** One set bit for each validator. */
function votesOf(count: number): Uint8Array {
  if (count === 0) return NO_VOTES;
  const out = new Uint8Array(Math.ceil(count / 8));
  for (let i = 0; i < count; i++) out[i >> 3] = (out[i >> 3] ?? 0) | (0x80 >> (i & 7));
  return out;
}

/** Data of the event that starts a block. */
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

/** Runs the prologue of a block. */
export function runPrologue(
  effects: Effects,
  head: ChainHead,
  block: BlockMetadata,
  slot: Item<NewBlockEvent> | undefined,
): void {
  const { state } = effects;
  const height = head.block.height + 1n;
  const event = newBlockEvent(block, height);
  const handle = emitV1(effects, head.block.newBlockEvents, NEW_BLOCK_EVENT_TYPE, newBlockEventCodec, event);
  state.set(FRAMEWORK_ITEMS.block, { ...head.block, height, newBlockEvents: handle });
  if (block.timestampUsec !== head.timeUsec) state.set(FRAMEWORK_ITEMS.time, block.timestampUsec);
  recordProposal(state, head, block);
  const history = state.get(FRAMEWORK_ITEMS.commitHistory);
  if (history === undefined || slot === undefined) return;
  const length = history.length + (state.has(slot) ? 0n : 1n);
  const nextIndex = (history.nextIndex + 1) % history.maxCapacity;
  state.set(slot, event);
  state.set(FRAMEWORK_ITEMS.commitHistory, { ...history, nextIndex, length });
}

function recordProposal(state: WorkingState, head: ChainHead, block: BlockMetadata): void {
  const performance = state.get(FRAMEWORK_ITEMS.performance);
  if (performance === undefined) return;
  const proposer = head.validators.active.findIndex(
    ({ address }) => Buffer.compare(address, block.proposer) === 0,
  );
  state.set(
    FRAMEWORK_ITEMS.performance,
    performance.map(({ successful, failed }, index) => ({
      successful: successful + (index === proposer ? 1n : 0n),
      failed: failed + (block.failedProposers.includes(index) ? 1n : 0n),
    })),
  );
}

/** No proposals of any validator yet. */
export function idlePerformance({ active }: ValidatorSet): { successful: bigint; failed: bigint }[] {
  return active.map(() => ({ successful: 0n, failed: 0n }));
}

/** Ends the epoch; the next one starts with the next block and these validators. */
export function endEpoch(
  effects: Effects,
  head: ChainHead,
  timestampUsec: bigint,
  validators: ValidatorSet,
): void {
  const { state } = effects;
  const epoch = head.configuration.epoch + 1n;
  const events = emitV1(effects, head.configuration.events, NEW_EPOCH_EVENT_TYPE, newEpochEventCodec, {
    epoch,
  });
  state.set(FRAMEWORK_ITEMS.validatorSet, validators);
  if (state.has(FRAMEWORK_ITEMS.performance)) {
    state.set(FRAMEWORK_ITEMS.performance, idlePerformance(validators));
  }
  state.set(FRAMEWORK_ITEMS.configuration, { epoch, lastReconfigurationUsec: timestampUsec, events });
}

const NO_VALIDATORS: ValidatorSet = {
  consensusScheme: 0,
  active: [],
  pendingInactive: [],
  pendingActive: [],
  totalVotingPower: 0n,
  totalJoiningPower: 0n,
};

/** Reads what every block needs. Throws ChainError if the network lacks it. */
export async function readForkHead(
  state: WorkingState,
  base: { readonly view: ItemView },
): Promise<ChainHead> {
  const { block, time, configuration, performance, commitHistory } = FRAMEWORK_ITEMS;
  await state.load(base.view, [block, time, configuration]);
  // Validators and the list of latest blocks stay as they were: without a proposer the prologue does not change them.
  state.addAbsent([performance, commitHistory]);
  return {
    chainId: base.view.position.chainId,
    block: requireItem(state, block, "0x1::block::BlockResource"),
    configuration: requireItem(state, configuration, "0x1::reconfiguration::Configuration"),
    validators: NO_VALIDATORS,
    timeUsec: requireItem(state, time, "0x1::timestamp::CurrentTimeMicroseconds"),
  };
}
