// Makes one block: a pure function of the seed, the ledger under it and the time.
import { USEC_PER_SEC } from "../base/numbers.ts";
import { sha3Parts } from "../base/sha3.ts";
import { encodeWith } from "../bcs/codec.ts";
import { u64 } from "../bcs/scalars.ts";
import type { Position } from "../ledger/position.ts";
import type { TreeNodeReader } from "../ledger/state-tree/update.ts";
import type { Transaction } from "../ledger/transaction.ts";
import { votersOf } from "../ledger/validator-set.ts";
import type { LedgerView } from "../ledger/view.ts";
import { parseAddress } from "../move/address.ts";
import type { LedgerRoot } from "../proof/accumulator-proof.ts";
import type { EpochState, LedgerInfo, SignedLedgerInfo } from "../proof/ledger-info.ts";
import type { BlockMetadata } from "../transaction/block-metadata.ts";
import type { RawTransaction } from "../transaction/raw.ts";
import type { Action, ActionContext } from "./actions/action.ts";
import type { ChainItems } from "./chain-items.ts";
import type { BlockState, Effects } from "./effects.ts";
import { execute, feeOf, type Gas } from "./execute.ts";
import { CallState } from "./functions/call-state.ts";
import type { Item } from "./item.ts";
import { pickAction, pickCount } from "./plan.ts";
import {
  type ChainHead,
  commitSlot,
  endEpoch,
  endsEpoch,
  nextBlock,
  readChainHead,
  runPrologue,
  withEpochTime,
} from "./prologue.ts";
import { Random } from "./random.ts";
import { RecordWriter, stateRootAfter } from "./record-writer.ts";
import { useNonce } from "./submission/nonce-history.ts";
import { runSubmitted } from "./submission/run.ts";
import { findSupplyItems } from "./supply.ts";
import { signAction } from "./user-transaction.ts";
import { type SubmittedQueue, takeWaiting } from "./waiting.ts";
import type { Movement } from "./wallet.ts";
import { WorkingState } from "./working-state.ts";

/** The ledger that a block extends. */
export interface BlockBase {
  /** Position of the view. */
  readonly position: Position;
  /** Must stay open until the block is done. */
  readonly view: LedgerView;
  /** Current nodes of the state tree. */
  readonly getTreeNodes: TreeNodeReader;
  /** Transactions that wait for a block, in order, and the account that may mint. */
  readonly submitted?: SubmittedQueue | undefined;
  /** Time between changes of epoch from this block on; undefined keeps the ledger's. */
  readonly epochTimeMs?: number | undefined;
  /** False makes no random transactions of the demo accounts. */
  readonly traffic?: boolean | undefined;
  /** Time of the block; at or before the ledger's time it becomes the ledger's time plus one. */
  readonly timestampUsec: bigint;
}

/** The result of `makeBlock`. */
export interface MadeBlock {
  readonly height: bigint;
  readonly records: readonly Uint8Array[];
  /** What its validators signed; undefined if their keys are not ours. */
  readonly signed: SignedLedgerInfo | undefined;
  /** Amounts that its transactions moved. */
  readonly movements: readonly Movement[];
  /** True if it had no room for some of the submitted transactions: the next block tries them. */
  readonly hasMore: boolean;
}

const GAS_PRICE = 100n;
const MAX_GAS_USED = 500;
const MIN_GAS_USED = 3;
const NOBODY = parseAddress("0x0");
/** One block in this many has no proposer. */
const NIL_BLOCKS = 97;
/** One transaction in this many carries a nonce instead of a sequence number. */
const NONCE_TRANSACTIONS = 8;

/** The random numbers of the block at a height. */
export function blockRandom(seed: Uint8Array, height: bigint): Random {
  return new Random(sha3Parts(seed, encodeWith(u64, height)));
}

async function loadBlockState(items: ChainItems, view: LedgerView) {
  const state = new WorkingState();
  await state.load(view, items.all);
  const coinSupplies = findSupplyItems(state, items);
  const slot = commitSlot(state);
  const extraItems: Item<unknown>[] = [...coinSupplies.values()] as Item<unknown>[];
  if (slot !== undefined) extraItems.push(slot as Item<unknown>);
  await state.load(view, extraItems);
  return { blockState: { state, items, coinSupplies }, slot };
}

/** Collects the transactions of one block. */
export class BlockBuilder {
  readonly movements: Movement[] = [];
  readonly #blockState: BlockState;
  readonly #base: BlockBase;
  readonly #head: ChainHead;
  readonly #random: Random;
  readonly #writer: RecordWriter;
  #gasUsed = 0n;
  /** Fees of submitted transactions, whose gas prices differ, beyond the usual price. */
  #extraFees = 0n;

  constructor(blockState: BlockState, base: BlockBase, head: ChainHead, random: Random) {
    this.#blockState = blockState;
    this.#base = base;
    this.#head = head;
    this.#random = random;
    this.#writer = new RecordWriter(base.position);
  }

  get records(): readonly Uint8Array[] {
    return this.#writer.records;
  }

  /** The ledger after the records so far. */
  get ledger(): LedgerRoot {
    return this.#writer.ledger;
  }

  /** Starts a transaction. */
  begin(createdUsec: bigint): Effects {
    return { ...this.#blockState, createdUsec, events: [] };
  }

  /** Adds a system transaction. */
  addSystem(transaction: Transaction, effects: Effects, stateRoot?: Uint8Array): void {
    const outcome = { transaction, events: effects.events, writes: this.#blockState.state.finish() };
    this.#writer.add(stateRoot === undefined ? outcome : { ...outcome, stateRoot });
  }

  /** Adds the last transaction of the block, with the state root after it. */
  async addLast(transaction: Transaction, effects: Effects): Promise<void> {
    const writes = this.#blockState.state.finish();
    const stateRoot = await this.#stateRoot();
    this.#writer.add({ transaction, events: effects.events, writes, stateRoot });
  }

  /** Signs, executes and adds a user transaction. */
  async addUser(action: Action, gas: Gas, timestampUsec: bigint, nonce?: bigint): Promise<void> {
    const { items, state } = this.#blockState;
    const account = state.get(items.accounts[action.sender].account);
    const transaction = signAction(action, items.demoAccounts, {
      chainId: this.#head.chainId,
      timestampUsec,
      gasUnitPrice: gas.unitPrice,
      replayProtection: nonce === undefined ? { sequenceNumber: account?.sequenceNumber ?? 0n } : { nonce },
    });
    const effects = this.begin(timestampUsec);
    this.movements.push(...execute(effects, action, gas, nonce !== undefined));
    if (nonce !== undefined) await this.#useNonce(transaction.raw, nonce, timestampUsec);
    this.#gasUsed += gas.used;
    this.#writer.add({
      transaction: { kind: "user", transaction },
      events: effects.events,
      writes: state.finish(),
      gasUsed: gas.used,
      ...(action.failure === undefined ? {} : { status: action.failure }),
    });
  }

  /** A transaction whose nonce is not used up could be submitted again. */
  async #useNonce(raw: RawTransaction, nonce: bigint, timestampUsec: bigint): Promise<void> {
    const { view } = this.#base;
    const call = new CallState({
      state: this.#blockState.state,
      view,
      createdUsec: timestampUsec,
      faucet: NOBODY,
      line: "writer",
    });
    const used = { sender: raw.sender, nonce, expirationSecs: raw.expirationTimestampSecs };
    await useNonce(call, used, timestampUsec / USEC_PER_SEC);
  }

  /** Adds submitted transactions, as many as a block takes. Returns true if there was no room to try all of them. */
  addSubmitted(queue: SubmittedQueue, timestampUsec: bigint): Promise<boolean> {
    const { state } = this.#blockState;
    const { view } = this.#base;
    const { faucet } = queue;
    const context = { chainId: this.#head.chainId, timestampUsec };
    return takeWaiting(queue, { timestampUsec, isFork: this.#isFork }, async (submitted) => {
      const call = new CallState({ state, view, createdUsec: timestampUsec, faucet, line: "writer" });
      const result = await runSubmitted(call, submitted, context);
      const { transaction } = submitted;
      this.#gasUsed += result.gasUsed;
      this.#extraFees += result.gasUsed * (transaction.raw.gasUnitPrice - GAS_PRICE);
      this.#writer.add({
        transaction: { kind: "user", transaction },
        events: call.events,
        writes: state.finish(),
        ...result,
      });
      return result;
    });
  }

  /** Adds random user transactions. */
  async addRandomUsers(timestampUsec: bigint): Promise<void> {
    const random = this.#random;
    for (let left = pickCount(random); left > 0; left--) {
      const used = BigInt(MIN_GAS_USED + random.below(MAX_GAS_USED));
      const gas: Gas = { used, unitPrice: GAS_PRICE };
      const context: ActionContext = { ...this.#blockState, random, fee: feeOf(gas) };
      const action = pickAction(context);
      if (action === undefined) continue;
      const mayHaveNonce = action.cosigner === undefined && action.call.kind === "entryFunction";
      const nonce = random.oneIn(NONCE_TRANSACTIONS) && mayHaveNonce ? random.u64() : undefined;
      await this.addUser(action, gas, timestampUsec, nonce);
    }
  }

  /** The last transaction of an ordinary block, in one of the forms that chains have used. */
  lastTransaction(blockId: Uint8Array): Transaction {
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
        const fees = { kind: "v0", amounts: [[0n, this.#gasUsed * GAS_PRICE + this.#extraFees]] } as const;
        return { kind: "blockEpilogue", epilogue: { kind: "v1", blockId, endInfo, fees } };
      }
    }
  }

  get #isFork(): boolean {
    return this.#base.position.stateRoot === undefined;
  }

  #stateRoot(): Promise<Uint8Array> {
    return stateRootAfter(this.#base, this.#blockState.state.changes);
  }
}

/** What validators sign about a block. */
export function ledgerInfoOf(
  { id, epoch, round, timestampUsec }: BlockMetadata,
  ledger: LedgerRoot,
  nextEpoch: EpochState | undefined,
): LedgerInfo {
  // On a network this is the hash of a vote on the block.
  return { ...ledger, epoch, round, blockId: id, timestampUsec, nextEpoch, consensusDataHash: sha3Parts(id) };
}

/** Makes the block after the given ledger. */
export async function makeBlock(items: ChainItems, seed: Uint8Array, base: BlockBase): Promise<MadeBlock> {
  const { blockState, slot } = await loadBlockState(items, base.view);
  const head = withEpochTime(readChainHead(blockState.state), base.epochTimeMs);
  const height = head.block.height + 1n;
  const random = blockRandom(seed, height);
  const isLater = base.timestampUsec > head.timeUsec;
  const proposedUsec = isLater ? base.timestampUsec : head.timeUsec + 1n;
  const isEpochEnd = endsEpoch(head, proposedUsec);
  const hasWaiting = base.submitted !== undefined && base.submitted.waiting.length > 0;
  const isNil = random.oneIn(NIL_BLOCKS) && !isEpochEnd && !hasWaiting;
  const block = nextBlock(head, random, { timestampUsec: proposedUsec, isNil });
  const { timestampUsec } = block;
  const builder = new BlockBuilder(blockState, base, head, random);
  const prologue = builder.begin(timestampUsec);
  runPrologue(prologue, head, block, slot);
  const { validators } = items;
  const result = (hasMore: boolean, nextEpoch?: EpochState): MadeBlock => ({
    height,
    records: builder.records,
    signed: validators.sign(ledgerInfoOf(block, builder.ledger, nextEpoch), head.validators),
    movements: builder.movements,
    hasMore,
  });
  if (isEpochEnd) {
    const epoch = head.configuration.epoch + 1n;
    const next = validators.setOf(epoch);
    endEpoch(prologue, head, timestampUsec, next);
    await builder.addLast({ kind: "blockMetadata", block }, prologue);
    return result(hasWaiting, { epoch, voters: votersOf(next) });
  }
  builder.addSystem({ kind: "blockMetadata", block }, prologue);
  let hasMore = false;
  if (!isNil) {
    // Before the demo accounts, whose own transactions would use up the sequence numbers that clients with their keys sign.
    if (base.submitted !== undefined) hasMore = await builder.addSubmitted(base.submitted, timestampUsec);
    if (base.traffic !== false) await builder.addRandomUsers(timestampUsec);
  }
  await builder.addLast(builder.lastTransaction(block.id), builder.begin(timestampUsec));
  return result(hasMore);
}
