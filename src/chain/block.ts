// Makes one block: a pure function of the seed, the ledger it is put on and the time.
import { sha3Parts } from "../base/sha3.ts";
import { encodeWith } from "../bcs/codec.ts";
import { u64 } from "../bcs/scalars.ts";
import type { Position } from "../ledger/position.ts";
import { type TreeNodeReader, updateStateTree } from "../ledger/state-tree/update.ts";
import { stateValueHash } from "../ledger/state-value.ts";
import type { Transaction } from "../ledger/transaction.ts";
import type { LedgerView } from "../ledger/view.ts";
import type { Action, ActionContext } from "./actions/action.ts";
import { installActions } from "./actions/install.ts";
import type { ChainItems } from "./chain-items.ts";
import type { BlockState, Effects } from "./effects.ts";
import { execute, feeOf, type Gas } from "./execute.ts";
import type { Item } from "./item.ts";
import { pickAction, pickCount } from "./plan.ts";
import {
  type ChainState,
  commitSlot,
  endEpoch,
  endsEpoch,
  nextBlock,
  readChainState,
  runPrologue,
} from "./prologue.ts";
import { Random } from "./random.ts";
import { RecordWriter } from "./record-writer.ts";
import { findSupplyItems } from "./supply.ts";
import { signAction } from "./user-transaction.ts";
import type { Movement } from "./wallet.ts";
import { WorkingState } from "./working-state.ts";

/** The ledger that a block is put on. */
export interface BlockBase {
  /** Position of the ledger: that of the view. */
  readonly position: Position;
  /** Must stay open until the block is made. */
  readonly view: LedgerView;
  /** Current nodes of the state tree. */
  readonly getTreeNodes: TreeNodeReader;
  /** Time of the block; moved up when the ledger is already there. */
  readonly timestampUsec: bigint;
}

/** A block that was made. */
export interface MadeBlock {
  readonly height: bigint;
  readonly records: readonly Uint8Array[];
  /** Amounts that changed hands in it. */
  readonly movements: readonly Movement[];
}

const GAS_PRICE = 100n;
const MAX_GAS_USED = 500;
const MIN_GAS_USED = 3;
/** One block in so many is proposed by nobody. */
const NIL_BLOCKS = 97;
/** One transaction in so many carries a nonce in place of a sequence number. */
const NONCES = 8;

function blockRandom(seed: Uint8Array, height: bigint): Random {
  return new Random(sha3Parts(seed, encodeWith(u64, height)));
}

async function loadBlockState(chainItems: ChainItems, view: LedgerView) {
  const workingState = new WorkingState();
  await workingState.load(view, chainItems.all);
  const coinSupplies = findSupplyItems(workingState, chainItems);
  const slot = commitSlot(workingState);
  const more: Item<unknown>[] = [...coinSupplies.values()] as Item<unknown>[];
  if (slot !== undefined) more.push(slot as Item<unknown>);
  const hasDemo = workingState.has(chainItems.market);
  if (!hasDemo) more.push(chainItems.demoModule as Item<unknown>);
  await workingState.load(view, more);
  return { blockState: { workingState, chainItems, coinSupplies }, slot, hasDemo };
}

/** The transactions of one block while it is made. */
class BlockBuilder {
  readonly movements: Movement[] = [];
  readonly #blockState: BlockState;
  readonly #base: BlockBase;
  readonly #state: ChainState;
  readonly #random: Random;
  readonly #writer: RecordWriter;
  #gasUsed = 0n;

  constructor(blockState: BlockState, base: BlockBase, state: ChainState, random: Random) {
    this.#blockState = blockState;
    this.#base = base;
    this.#state = state;
    this.#random = random;
    this.#writer = new RecordWriter(base.position);
  }

  get records(): readonly Uint8Array[] {
    return this.#writer.records;
  }

  /** Effects of a new transaction. */
  begin(createdUsec: bigint): Effects {
    return { ...this.#blockState, createdUsec, events: [] };
  }

  /** Adds a transaction of the chain itself. */
  addSystem(transaction: Transaction, effects: Effects, stateRoot?: Uint8Array): void {
    const outcome = { transaction, events: effects.events, writes: this.#blockState.workingState.finish() };
    this.#writer.add(stateRoot === undefined ? outcome : { ...outcome, stateRoot });
  }

  /** Adds the transaction that ends the block, with the root of the state after it. */
  async addLast(transaction: Transaction, effects: Effects): Promise<void> {
    const writes = this.#blockState.workingState.finish();
    const stateRoot = await this.#stateRoot();
    this.#writer.add({ transaction, events: effects.events, writes, stateRoot });
  }

  /** Signs, runs and adds a user transaction. */
  addUser(action: Action, gas: Gas, timestampUsec: bigint, nonce?: bigint): void {
    const { chainItems, workingState } = this.#blockState;
    const account = workingState.get(chainItems.accounts[action.sender].account);
    const transaction = signAction(action, chainItems.demoAccounts, {
      chainId: this.#state.chainId,
      timestampUsec,
      gasUnitPrice: gas.unitPrice,
      replayProtection: nonce === undefined ? { sequenceNumber: account?.sequenceNumber ?? 0n } : { nonce },
    });
    const effects = this.begin(timestampUsec);
    this.movements.push(...execute(effects, action, gas, nonce !== undefined));
    this.#gasUsed += gas.used;
    this.#writer.add({
      transaction: { kind: "user", transaction },
      events: effects.events,
      writes: workingState.finish(),
      gasUsed: gas.used,
      ...(action.failure === undefined ? {} : { status: action.failure }),
    });
  }

  /** Draws the user transactions of an ordinary block. */
  addUsers(timestampUsec: bigint): void {
    const random = this.#random;
    for (let left = pickCount(random); left > 0; left--) {
      const used = BigInt(MIN_GAS_USED + random.below(MAX_GAS_USED));
      const gas: Gas = { used, unitPrice: GAS_PRICE };
      const context: ActionContext = { blockState: this.#blockState, random, fee: feeOf(gas) };
      const action = pickAction(context);
      if (action === undefined) continue;
      const mayHaveNonce = action.cosigner === undefined && action.call.kind === "entryFunction";
      const nonce = random.once(NONCES) && mayHaveNonce ? random.u64() : undefined;
      this.addUser(action, gas, timestampUsec, nonce);
    }
  }

  /** The transaction that closes an ordinary block, in one of the forms that chains have used. */
  closing(blockId: Uint8Array): Transaction {
    const endInfo = {
      kind: "v0",
      gasLimitReached: false,
      outputLimitReached: false,
      gasUnits: this.#gasUsed,
      approximateOutputBytes: BigInt(this.records.reduce((sum, record) => sum + record.length, 0)),
    } as const;
    switch (this.#random.below(3)) {
      case 0:
        return { kind: "stateCheckpoint", blockId };
      case 1:
        return { kind: "blockEpilogue", epilogue: { kind: "v0", blockId, endInfo } };
      default: {
        const fees = { kind: "v0", amounts: [[0n, this.#gasUsed * GAS_PRICE]] } as const;
        return { kind: "blockEpilogue", epilogue: { kind: "v1", blockId, endInfo, fees } };
      }
    }
  }

  async #stateRoot(): Promise<Uint8Array> {
    const updates = [...this.#blockState.workingState.changes].map(([{ keyHash }, value]) => ({
      keyHash,
      valueHash: value === undefined ? undefined : stateValueHash(value),
    }));
    return (await updateStateTree(this.#base.getTreeNodes, updates)).root;
  }
}

/** Makes the block after the given ledger. */
export async function makeBlock(
  chainItems: ChainItems,
  seed: Uint8Array,
  base: BlockBase,
): Promise<MadeBlock> {
  const { blockState, slot, hasDemo } = await loadBlockState(chainItems, base.view);
  const state = readChainState(blockState.workingState);
  const height = state.block.height + 1n;
  const random = blockRandom(seed, height);
  const isLater = base.timestampUsec > state.timeUsec;
  const proposedUsec = isLater ? base.timestampUsec : state.timeUsec + 1n;
  const ends = endsEpoch(state, proposedUsec);
  const nil = random.once(NIL_BLOCKS) && !ends && hasDemo;
  const block = nextBlock(state, random, { timestampUsec: proposedUsec, nil });
  const { timestampUsec } = block;
  const maker = new BlockBuilder(blockState, base, state, random);
  const opening = maker.begin(timestampUsec);
  runPrologue(opening, state, block, slot);
  const made = () => ({ height, records: maker.records, movements: maker.movements });
  if (ends) {
    endEpoch(opening, state, timestampUsec);
    await maker.addLast({ kind: "blockMetadata", block }, opening);
    return made();
  }
  maker.addSystem({ kind: "blockMetadata", block }, opening);
  if (!hasDemo) {
    const free: Gas = { used: BigInt(MIN_GAS_USED), unitPrice: 0n };
    for (const action of installActions(chainItems)) maker.addUser(action, free, timestampUsec);
  } else if (!nil) {
    maker.addUsers(timestampUsec);
  }
  await maker.addLast(maker.closing(block.id), maker.begin(timestampUsec));
  return made();
}
