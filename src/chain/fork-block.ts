// Makes one block of a fork: submitted transactions alone, on state that is read from the network as it is needed.
// Nobody proposes such a block, and no epoch ends: rewards, stakes and governance are not modelled.
import type { ValidatorSet } from "../ledger/validator-set.ts";
import { type BlockBase, BlockBuilder, blockRandom, type MadeBlock } from "./block.ts";
import { type ChainItems, FRAMEWORK_ITEMS } from "./chain-items.ts";
import { type ChainHead, nextBlock, requireItem, runPrologue } from "./prologue.ts";
import { WorkingState } from "./working-state.ts";

const NO_VALIDATORS: ValidatorSet = {
  consensusScheme: 0,
  active: [],
  pendingInactive: [],
  pendingActive: [],
  totalVotingPower: 0n,
  totalJoiningPower: 0n,
};

/** Reads what every block needs. Throws ChainError if the network lacks it. */
export async function readForkHead(state: WorkingState, base: Pick<BlockBase, "view">): Promise<ChainHead> {
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

/** Makes the block after the given ledger. Throws ChainError if the network lacks what every block needs. */
export async function makeForkBlock(
  items: ChainItems,
  seed: Uint8Array,
  base: BlockBase,
): Promise<MadeBlock> {
  const state = new WorkingState();
  const head = await readForkHead(state, base);
  const height = head.block.height + 1n;
  const random = blockRandom(seed, height);
  const proposedUsec = base.timestampUsec > head.timeUsec ? base.timestampUsec : head.timeUsec + 1n;
  const block = nextBlock(head, random, { timestampUsec: proposedUsec, isNil: false });
  const { timestampUsec } = block;
  const builder = new BlockBuilder({ state, items, coinSupplies: new Map() }, base, head, random);
  const prologue = builder.begin(timestampUsec);
  runPrologue(prologue, head, block, undefined);
  builder.addSystem({ kind: "blockMetadata", block }, prologue);
  const hasMore = base.submitted !== undefined && (await builder.addSubmitted(base.submitted, timestampUsec));
  await builder.addLast(builder.lastTransaction(block.id), builder.begin(timestampUsec));
  // A signature would confirm roots that nobody has.
  return { height, records: builder.records, signed: undefined, movements: builder.movements, hasMore };
}
