// What a block builds on: the head of its chain, its metadata, and when its epoch ends.
import { CodedError } from "../base/errors.ts";
import type { ValidatorSet } from "../ledger/formats/validator-set.ts";
import type { BlockResource, Configuration } from "../ledger/items/resources.ts";
import type { LedgerView } from "../ledger/view.ts";
import { type Address, parseAddress } from "../move/address.ts";
import type { BlockMetadata } from "../transaction/system-transactions.ts";
import { FRAMEWORK_ITEMS } from "./chain-items.ts";
import type { Item } from "./item.ts";
import type { Random } from "./random.ts";
import type { WorkingState } from "./working-state.ts";

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
function requireItem<T>(state: WorkingState, item: Item<T>, name: string): T {
  const value = state.get(item);
  if (value === undefined)
    throw new ChainError("ledger", `the ledger has no ${name}, so the local chain cannot make blocks on it`);
  return value;
}

/** Loads the resources that the next block builds on. Throws ChainError. */
export async function readChainHead(state: WorkingState, view: LedgerView): Promise<ChainHead> {
  const { block, time, configuration, validatorSet } = FRAMEWORK_ITEMS;
  await state.load(view, [block, time, configuration, validatorSet] as Item<unknown>[]);
  return {
    chainId: view.position.chainId,
    block: requireItem(state, block, "0x1::block::BlockResource"),
    configuration: requireItem(state, configuration, "0x1::reconfiguration::Configuration"),
    validators: requireItem(state, validatorSet, "0x1::stake::ValidatorSet"),
    timeUsec: requireItem(state, time, "0x1::timestamp::CurrentTimeMicroseconds"),
  };
}

/**
 * True when a block at this time ends the epoch. The block after such a block never does, however late it comes: a block
 * that ends an epoch holds no transactions, and those that wait need one.
 */
export function endsEpoch(
  { block, timeUsec, configuration }: Pick<ChainHead, "block" | "timeUsec" | "configuration">,
  timestampUsec: bigint,
): boolean {
  const { lastReconfigurationUsec } = configuration;
  if (block.height > 0n && timeUsec === lastReconfigurationUsec) return false;
  return timestampUsec - lastReconfigurationUsec >= block.epochIntervalUsec;
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

/** No proposals of any validator yet. */
export function idlePerformance({ active }: ValidatorSet): { successful: bigint; failed: bigint }[] {
  return active.map(() => ({ successful: 0n, failed: 0n }));
}
