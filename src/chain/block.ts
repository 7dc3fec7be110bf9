// Makes one block on a ledger: the framework's functions open it, run its transactions and end the epoch. On a network's
// framework they are the framework's code, on the local chain's own the natives of this room.
import { CodedError } from "../base/errors.ts";
import { USEC_PER_MS } from "../base/numbers.ts";
import { sha3Parts } from "../base/sha3.ts";
import { decodeWith, encodeWith } from "../bcs/codec.ts";
import { u64 } from "../bcs/scalars.ts";
import { LedgerError } from "../ledger/errors.ts";
import { findNewEpoch } from "../ledger/formats/block-event.ts";
import type { RecordSpans } from "../ledger/formats/record.ts";
import { stateKeyCodec } from "../ledger/formats/state-key.ts";
import { type Transaction, transactionCodec, transactionHash } from "../ledger/formats/transaction.ts";
import { type ValidatorSet, votersOf } from "../ledger/formats/validator-set.ts";
import { type Writes, writeSetCodec } from "../ledger/formats/write-set.ts";
import type { Position } from "../ledger/position.ts";
import type { TreeNodeReader } from "../ledger/state-tree/update.ts";
import type { LedgerView } from "../ledger/view.ts";
import { historyHashAt } from "../ledger/watch/event-id.ts";
import type { Address } from "../move/address.ts";
import type { LedgerRoot } from "../proof/accumulator-proof.ts";
import type { EpochState, LedgerInfo, SignedLedgerInfo } from "../proof/ledger-info.ts";
import { refuseCode } from "../transaction/submission-error.ts";
import type { BlockMetadata } from "../transaction/system-transactions.ts";
import type { UserTransaction } from "../transaction/user-transaction.ts";
import type { ExecuteOptions, LedgerTransactions } from "../vm/ledger/ledger-transactions.ts";
import type { TransactionOutput } from "../vm/transaction/status.ts";
import type { AuthoredChange } from "./authoring.ts";
import { type ChainItems, FRAMEWORK_ITEMS } from "./chain-items.ts";
import { Traffic } from "./demo/traffic.ts";
import { rawCodec, resourceItem } from "./item.ts";
import { type ChainHead, endsEpoch, nextBlock, readChainHead, readStateUsage } from "./prologue.ts";
import { blockRandom, type Random } from "./random.ts";
import { RecordWriter, stateRootAfter } from "./record-writer.ts";
import { mintGrant } from "./submission/on-machine.ts";
import type { Submitted } from "./submission/submitted.ts";
import { type SubmittedQueue, type TakenSubmission, takeWaiting } from "./take-submitted.ts";
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

/** A block that is not committed yet. */
export interface MadeBlock {
  readonly height: bigint;
  readonly records: readonly Uint8Array[];
  /** What its validators signed; undefined if their keys are not ours. */
  readonly signed: SignedLedgerInfo | undefined;
  /** True if it had no room for some of the submitted transactions: the next block tries them. */
  readonly hasMore: boolean;
}

/** A block of changes that the owner of a chain makes without a transaction of any account. */
export interface AuthoredBlock extends Pick<MadeBlock, "records" | "signed"> {
  /** Version and hash of each change's transaction. */
  readonly transactions: readonly { readonly version: bigint; readonly hash: Uint8Array }[];
}

/** What blocks of one chain share. */
export interface BlockChain {
  /** 32 bytes, which the random numbers of blocks derive from. */
  readonly seed: Uint8Array;
  /** Of a chain that began with its own genesis: its demo accounts make transactions, its validators sign. */
  readonly items?: ChainItems | undefined;
}

/** One block in this many has no proposer. */
const NIL_BLOCKS = 97;

/** Keys of what the end of an epoch reads of a validator: one question for all of them, where a fork must ask. */
function stakeKeys({ address }: { readonly address: Address }): Uint8Array[] {
  return ["0x1::stake::StakePool", "0x1::stake::ValidatorConfig"].map((type) =>
    encodeWith(stateKeyCodec, resourceItem(address, type, rawCodec).key),
  );
}

function encodeWrites(writes: Writes): Uint8Array {
  return encodeWith(writeSetCodec, { kind: "v0", writes });
}

/**
 * A fork of a local chain does not see the ring buffer of latest blocks, which stays as it was: every block would ask the
 * network for another slot of it.
 */
const HIDDEN_ON_FORKS = encodeWrites([[FRAMEWORK_ITEMS.commitHistory.key, { kind: "deletion" }]]);

/** Collects the transactions of one block. */
class BlockBuilder {
  /** True once the epoch ended, which ends the block. */
  isOver = false;
  readonly #writer: RecordWriter;
  readonly #chain: BlockChain;
  readonly #base: BlockBase;
  readonly #transactions: LedgerTransactions;
  readonly #random: Random;
  readonly #head: ChainHead;
  readonly metadata: BlockMetadata;
  /** True for a block without a proposer, which holds no transactions of accounts. */
  readonly isNil: boolean;
  #gasUsed = 0n;
  #fees = 0n;

  private constructor(
    chain: BlockChain,
    base: BlockBase,
    transactions: LedgerTransactions,
    head: ChainHead,
    {
      hasProposer,
      historyHash,
    }: { readonly hasProposer: boolean; readonly historyHash: Uint8Array | undefined },
  ) {
    this.#chain = chain;
    this.#base = base;
    this.#transactions = transactions;
    this.#head = head;
    this.#writer = new RecordWriter(base.position, historyHash);
    this.#random = blockRandom(chain.seed, head.block.height + 1n);
    const timestampUsec = base.timestampUsec > head.timeUsec ? base.timestampUsec : head.timeUsec + 1n;
    const mayBeNil = chain.items !== undefined && !hasProposer && !endsEpoch(head, timestampUsec);
    this.isNil = this.#random.oneIn(NIL_BLOCKS) && mayBeNil;
    this.metadata = nextBlock(head, this.#random, { timestampUsec, isNil: this.isNil });
  }

  /** Opens a block. */
  static async begin(
    chain: BlockChain,
    base: BlockBase,
    transactions: LedgerTransactions,
    options: { readonly hasProposer: boolean },
  ): Promise<BlockBuilder> {
    const { view, epochTimeMs } = base;
    const state = new WorkingState();
    const found = await readChainHead(state, view);
    const epochIntervalUsec =
      epochTimeMs === undefined ? found.block.epochIntervalUsec : BigInt(epochTimeMs) * USEC_PER_MS;
    const head = { ...found, block: { ...found.block, epochIntervalUsec } };
    const { position } = base;
    const isFork = position.stateRoot === undefined;
    const historyHash = isFork ? await historyHashAt(view, position.version) : undefined;
    const builder = new BlockBuilder(chain, base, transactions, head, { ...options, historyHash });
    const isEpochEnd = endsEpoch(head, builder.metadata.timestampUsec);
    // What the block writes anyway takes these values from here.
    if (epochTimeMs !== undefined) state.set(FRAMEWORK_ITEMS.block, head.block);
    if (isEpochEnd && chain.items !== undefined)
      state.set(FRAMEWORK_ITEMS.validatorSet, joining(head.validators, builder.#nextValidators(chain.items)));
    await transactions.apply(encodeWrites(state.writes()));
    if (isFork && transactions.isInterface) await transactions.apply(HIDDEN_ON_FORKS);
    if (isEpochEnd) await transactions.fetch(head.validators.active.flatMap(stakeKeys));
    await builder.#open();
    return builder;
  }

  async #open(): Promise<void> {
    const transaction: Transaction = { kind: "blockMetadata", block: this.metadata };
    try {
      const { view, position } = this.#base;
      const usage = this.#transactions.isInterface ? undefined : await readStateUsage(view, position);
      await this.#add(transaction, await this.#execute(transaction, { areSignaturesValid: true, usage }));
    } catch (error) {
      if (!(error instanceof CodedError) || (error.code !== "vm" && error.code !== "module")) throw error;
      // The code is a network's, or an author's: it must not end the node.
      throw new LedgerError("unavailable", `the framework cannot open a block: ${error.message}`);
    }
  }

  #nextValidators({ validators }: ChainItems): ValidatorSet {
    return validators.setOf(this.#head.configuration.epoch + 1n);
  }

  #execute(transaction: Transaction, options: ExecuteOptions): Promise<TransactionOutput> {
    return this.#transactions.execute(transaction, { ...options, transactionIndex: this.#writer.nextIndex });
  }

  async #add(transaction: Transaction, output: TransactionOutput, isLast = false): Promise<void> {
    const { status, gasUsed, events, writeSet } = output;
    if (status === undefined) throw new Error("a discarded transaction is in no block");
    await this.#transactions.apply(writeSet);
    this.isOver = events.some((event) => findNewEpoch(event) !== undefined);
    const stateRoot =
      isLast || this.isOver ? await stateRootAfter(this.#base, this.#transactions.changes()) : undefined;
    this.#writer.add({
      transaction,
      status,
      events,
      writes: writeSet,
      gasUsed: BigInt(gasUsed),
      ...(stateRoot && { stateRoot }),
    });
  }

  /** Runs a signed transaction and adds it. Returns why it is discarded, with nothing added, if the chain does not take it. */
  async #run(
    signed: UserTransaction,
    options: ExecuteOptions,
  ): Promise<Pick<TransactionOutput, "discardCode" | "gasUsed">> {
    const transaction: Transaction = { kind: "user", transaction: signed };
    const output = await this.#execute(transaction, options);
    if (output.discardCode !== undefined) return output;
    await this.#add(transaction, output);
    this.#gasUsed += BigInt(output.gasUsed);
    this.#fees += BigInt(output.gasUsed) * signed.raw.gasUnitPrice;
    return output;
  }

  /** Adds a write set that no account signed. */
  async addDirect(writeSet: Uint8Array): Promise<{ readonly version: bigint; readonly hash: Uint8Array }> {
    const version = this.#writer.ledger.version + 1n;
    // The same change made twice must be two transactions, with two hashes.
    const events = [{ kind: "v2", type: { kind: "u64" }, data: encodeWith(u64, version) }] as const;
    const payload = { kind: "direct", writeSet: decodeWith(writeSetCodec, writeSet), events } as const;
    const transaction: Transaction = { kind: "genesis", payload };
    await this.#transactions.apply(writeSet);
    this.#writer.add({ transaction, events, writes: writeSet });
    return { version, hash: transactionHash(encodeWith(transactionCodec, transaction)) };
  }

  /** Adds a submitted transaction. Throws SubmissionError for one that the chain does not take: nothing is added then but what lets the faucet mint. */
  async take({ transaction, isOwners }: Submitted, faucet: Address): Promise<TakenSubmission> {
    const { sender } = transaction.raw;
    const grant = isOwners ? await mintGrant(this.#transactions, faucet, sender) : undefined;
    if (grant !== undefined) await this.addDirect(grant);
    const output = await this.#run(transaction, { areSignaturesValid: true, isOwners });
    if (output.discardCode !== undefined) throw refuseCode(output.discardCode);
    const recordBytes = this.#writer.records.at(-1)?.length ?? 0;
    return { gasUsed: BigInt(output.gasUsed), recordBytes, isLast: this.isOver };
  }

  /** Adds random transactions of the demo accounts. What the chain does not take, as from one without coins, is left out. */
  async addTraffic(items: ChainItems): Promise<void> {
    const traffic = await Traffic.open(items, this.#base.view, this.#random);
    const { chainId } = this.#head;
    const { timestampUsec } = this.metadata;
    for (let left = traffic.pickCount(); left > 0; left--) {
      traffic.update(this.#transactions.changes());
      const transaction = traffic.next({ chainId, timestampUsec });
      if (transaction !== undefined) await this.#run(transaction, { areSignaturesValid: true });
    }
  }

  /** Closes a block that no change of epoch closed. */
  async end(): Promise<void> {
    if (this.isOver) return;
    const transaction = this.#lastTransaction();
    await this.#add(transaction, await this.#execute(transaction, { areSignaturesValid: true }), true);
  }

  /** On a chain of its own, in one of the forms that chains have used. */
  #lastTransaction(): Transaction {
    const { id: blockId } = this.metadata;
    const form = this.#chain.items === undefined ? 0 : this.#random.below(3);
    if (form === 0) return { kind: "stateCheckpoint", blockId };
    const endInfo = {
      kind: "v0",
      gasLimitReached: false,
      outputLimitReached: false,
      gasUnits: this.#gasUsed,
      approximateOutputBytes: BigInt(this.#writer.records.reduce((sum, record) => sum + record.length, 0)),
    } as const;
    if (form === 1) return { kind: "blockEpilogue", epilogue: { kind: "v0", blockId, endInfo } };
    const fees = { kind: "v0", amounts: [[0n, this.#fees]] } as const;
    return { kind: "blockEpilogue", epilogue: { kind: "v1", blockId, endInfo, fees } };
  }

  /** The block, signed by validators whose keys are ours. On a fork a signature would confirm roots that nobody has. */
  get made(): Omit<MadeBlock, "hasMore"> {
    const { items } = this.#chain;
    const { ledger, records } = this.#writer;
    const { height } = this.#head.block;
    const signed =
      this.#base.position.stateRoot === undefined || items === undefined
        ? undefined
        : sign(items, this.#head, this.metadata, ledger, this.isOver);
    return { height: height + 1n, records, signed };
  }
}

function sign(
  { validators }: ChainItems,
  head: ChainHead,
  metadata: BlockMetadata,
  ledger: LedgerRoot,
  isEpochOver: boolean,
): SignedLedgerInfo | undefined {
  const epoch = head.configuration.epoch + 1n;
  const nextEpoch = isEpochOver ? { epoch, voters: votersOf(validators.setOf(epoch)) } : undefined;
  return validators.sign(ledgerInfoOf(metadata, ledger, nextEpoch), head.validators);
}

/** What the validators of a chain signed when a block was made on the view: the same bytes again. */
export async function signAgain(
  { items }: BlockChain,
  view: LedgerView,
  records: readonly RecordSpans[],
): Promise<SignedLedgerInfo | undefined> {
  const [first, last] = [records[0], records.at(-1)];
  if (items === undefined || first === undefined || last === undefined) return undefined;
  const transaction = decodeWith(transactionCodec, first.transaction);
  if (transaction.kind !== "blockMetadata") return undefined;
  const head = await readChainHead(new WorkingState(), view);
  const events = records.flatMap((record) => record.events);
  const isOver = events.some((event) => findNewEpoch(event) !== undefined);
  return sign(items, head, transaction.block, last, isOver);
}

/** A set with the validators that are to join. */
function joining(set: ValidatorSet, { active, totalVotingPower }: ValidatorSet): ValidatorSet {
  return { ...set, pendingActive: active, totalJoiningPower: totalVotingPower };
}

/** What validators sign about a block. */
function ledgerInfoOf(
  { id, epoch, round, timestampUsec }: BlockMetadata,
  ledger: LedgerRoot,
  nextEpoch: EpochState | undefined,
): LedgerInfo {
  // On a network this is the hash of a vote on the block.
  return { ...ledger, epoch, round, blockId: id, timestampUsec, nextEpoch, consensusDataHash: sha3Parts(id) };
}

/** Makes the block after the given ledger. */
export async function makeBlock(
  chain: BlockChain,
  base: BlockBase,
  transactions: LedgerTransactions,
): Promise<MadeBlock> {
  const { submitted: queue } = base;
  const hasWaiting = queue !== undefined && queue.waiting.length > 0;
  const block = await BlockBuilder.begin(chain, base, transactions, { hasProposer: hasWaiting });
  let hasMore = block.isOver && hasWaiting;
  if (!block.isOver && queue !== undefined) {
    const { timestampUsec } = block.metadata;
    const isFork = base.position.stateRoot === undefined;
    // Before the demo accounts, whose own transactions would use up the sequence numbers that clients with their keys sign.
    hasMore = await takeWaiting(queue, { timestampUsec, isFork }, (one) => block.take(one, queue.faucet));
  }
  const hasTraffic = base.traffic !== false && !block.isOver && !block.isNil;
  if (chain.items !== undefined && hasTraffic) await block.addTraffic(chain.items);
  await block.end();
  return { ...block.made, hasMore };
}

/** Makes a block of changes. Undefined if the block at this time ends the epoch. */
export async function makeAuthoredBlock(
  chain: BlockChain,
  base: BlockBase,
  transactions: LedgerTransactions,
  changes: readonly AuthoredChange[],
): Promise<AuthoredBlock | undefined> {
  const block = await BlockBuilder.begin(chain, base, transactions, { hasProposer: true });
  if (block.isOver) return undefined;
  const made: Awaited<ReturnType<BlockBuilder["addDirect"]>>[] = [];
  for (const change of changes)
    made.push(await block.addDirect((await transactions.change(await change())).writeSet));
  await block.end();
  return { ...block.made, transactions: made };
}
