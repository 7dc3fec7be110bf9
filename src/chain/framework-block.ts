// Blocks on a ledger whose framework has code: its own functions open the block, run the transactions, and end the epoch.
// Such a block holds submitted transactions alone.
import { CodedError } from "../base/errors.ts";
import { toHex } from "../base/hex.ts";
import { USEC_PER_MS } from "../base/numbers.ts";
import { decodeWith, encodeWith } from "../bcs/codec.ts";
import { u64 } from "../bcs/scalars.ts";
import { findNewEpoch } from "../ledger/block-event.ts";
import { LedgerError } from "../ledger/errors.ts";
import { stateKeyCodec } from "../ledger/state-key.ts";
import { type Transaction, transactionCodec, transactionHash } from "../ledger/transaction.ts";
import { writeSetCodec } from "../ledger/write-set.ts";
import type { Address } from "../move/address.ts";
import { refuseCode } from "../transaction/submission-error.ts";
import type { ExecuteOptions, LedgerTransactions } from "../vm/ledger-transactions.ts";
import type { TransactionOutput } from "../vm/transaction/status.ts";
import type { AuthoredBlock, AuthoredChange } from "./authored-block.ts";
import type { BlockBase, MadeBlock } from "./block.ts";
import { FRAMEWORK_ITEMS } from "./chain-items.ts";
import { emitV2 } from "./effects.ts";
import { CallState } from "./functions/call-state.ts";
import { type Item, rawCodec, resourceItem } from "./item.ts";
import { nextBlock, requireItem } from "./prologue.ts";
import type { Random } from "./random.ts";
import { RecordWriter, stateRootAfter } from "./record-writer.ts";
import { mintGrant } from "./submission/on-machine.ts";
import type { Submitted } from "./submission/submitted.ts";
import { type TakenSubmission, takeWaiting } from "./waiting.ts";
import { type ItemView, WorkingState } from "./working-state.ts";

/** What blocks of one chain share. */
export interface FrameworkChain {
  /** The account that mints. */
  readonly faucet: Address;
  /** The random numbers of the block at a height. */
  readonly randomAt: (height: bigint) => Random;
}

/** Keys of what the end of an epoch reads of a validator: one question for all of them, where a fork must ask. */
function stakeKeys({ address }: { readonly address: Address }): Uint8Array[] {
  return ["0x1::stake::StakePool", "0x1::stake::ValidatorConfig"].map((type) =>
    encodeWith(stateKeyCodec, resourceItem(address, type, rawCodec).key),
  );
}

class FrameworkBlock {
  readonly writer: RecordWriter;
  /** True once the epoch ended, which ends the block. */
  isOver = false;
  readonly #base: BlockBase;
  readonly #transactions: LedgerTransactions;

  constructor(base: BlockBase, transactions: LedgerTransactions) {
    this.#base = base;
    this.#transactions = transactions;
    this.writer = new RecordWriter(base.position);
  }

  execute(transaction: Transaction, options: ExecuteOptions): Promise<TransactionOutput> {
    return this.#transactions.execute(transaction, { ...options, transactionIndex: this.writer.nextIndex });
  }

  async add(transaction: Transaction, output: TransactionOutput, isLast = false): Promise<void> {
    const { status, gasUsed, events, writeSet } = output;
    if (status === undefined) throw new Error("a discarded transaction is in no block");
    await this.#transactions.apply(writeSet);
    this.isOver = events.some((event) => findNewEpoch(event) !== undefined);
    const stateRoot =
      isLast || this.isOver ? await stateRootAfter(this.#base, this.#transactions.changes()) : undefined;
    this.writer.add({
      transaction,
      status,
      events,
      writes: writeSet,
      gasUsed: BigInt(gasUsed),
      ...(stateRoot && { stateRoot }),
    });
  }

  /** Adds a write set that no account signed; returns the hash of its transaction. */
  async addDirect(writeSet: Uint8Array): Promise<Uint8Array> {
    // The same change made twice must be two transactions, with two hashes.
    const call = { events: [] };
    emitV2(call, { kind: "u64" }, u64, this.writer.ledger.version + 1n);
    const { events } = call;
    const payload = { kind: "direct", writeSet: decodeWith(writeSetCodec, writeSet), events } as const;
    const transaction: Transaction = { kind: "genesis", payload };
    await this.#transactions.apply(writeSet);
    this.writer.add({ transaction, events, writes: writeSet });
    return transactionHash(encodeWith(transactionCodec, transaction));
  }

  /** Opens the block. */
  async begin({
    randomAt,
  }: FrameworkChain): Promise<{ readonly id: Uint8Array; readonly timestampUsec: bigint }> {
    const { view, timestampUsec: wanted, epochTimeMs } = this.#base;
    const state = new WorkingState();
    const { block, time, configuration, validatorSet } = FRAMEWORK_ITEMS;
    await state.load(view, [block, time, configuration, validatorSet] as Item<unknown>[]);
    const head = {
      chainId: view.position.chainId,
      block: requireItem(state, block, "0x1::block::BlockResource"),
      configuration: requireItem(state, configuration, "0x1::reconfiguration::Configuration"),
      validators: requireItem(state, validatorSet, "0x1::stake::ValidatorSet"),
      timeUsec: requireItem(state, time, "0x1::timestamp::CurrentTimeMicroseconds"),
    };
    if (epochTimeMs !== undefined) {
      state.set(block, { ...head.block, epochIntervalUsec: BigInt(epochTimeMs) * USEC_PER_MS });
      const writes = state.finish();
      await this.#transactions.apply(encodeWith(writeSetCodec, { kind: "v0", writes }));
    }
    const timestampUsec = wanted > head.timeUsec ? wanted : head.timeUsec + 1n;
    if (timestampUsec - head.configuration.lastReconfigurationUsec >= head.block.epochIntervalUsec)
      await this.#transactions.fetch(head.validators.active.flatMap(stakeKeys));
    const made = nextBlock(head, randomAt(head.block.height + 1n), { timestampUsec, isNil: false });
    const transaction: Transaction = { kind: "blockMetadata", block: made };
    try {
      await this.add(transaction, await this.execute(transaction, { areSignaturesValid: true }));
    } catch (error) {
      if (!(error instanceof CodedError) || (error.code !== "vm" && error.code !== "module")) throw error;
      // The code is a network's, or an author's: it must not end the node.
      throw new LedgerError("unavailable", `the framework cannot open a block: ${error.message}`);
    }
    return made;
  }

  /** Runs a submitted transaction. Throws SubmissionError, with nothing added, for one that the chain does not take. */
  async take(submitted: Submitted, faucet: Address): Promise<TakenSubmission> {
    const { transaction: signed, isFree } = submitted;
    const grant = isFree ? await mintGrant(this.#transactions, faucet, signed.raw.sender) : undefined;
    if (grant !== undefined) await this.addDirect(grant);
    const transaction: Transaction = { kind: "user", transaction: signed };
    const output = await this.execute(transaction, { areSignaturesValid: true, isOwners: isFree });
    if (output.discardCode !== undefined) throw refuseCode(output.discardCode);
    await this.add(transaction, output);
    return { gasUsed: BigInt(output.gasUsed), isLast: this.isOver };
  }

  /** Closes a block that no change of epoch closed. */
  async end(blockId: Uint8Array): Promise<void> {
    if (this.isOver) return;
    const transaction: Transaction = { kind: "stateCheckpoint", blockId };
    await this.add(transaction, await this.execute(transaction, { areSignaturesValid: true }), true);
  }

  /** The state after the transactions so far. */
  view(): ItemView {
    const { view } = this.#base;
    const changed = new Map(
      Array.from(this.#transactions.changes(), ({ keyHash, value }) => [toHex(keyHash), value]),
    );
    const { keyTrace, position } = view;
    return {
      ...(keyTrace && { keyTrace }),
      position,
      getItems: async (hashes, version) => {
        const found = await view.getItems(hashes, version);
        return hashes.map((hash, i) =>
          changed.has(toHex(hash)) ? { version, value: changed.get(toHex(hash)) } : found[i],
        );
      },
    };
  }
}

/** Makes the block after the given ledger. */
export async function makeFrameworkBlock(
  chain: FrameworkChain,
  base: BlockBase,
  transactions: LedgerTransactions,
): Promise<MadeBlock> {
  const block = new FrameworkBlock(base, transactions);
  const { id, timestampUsec } = await block.begin(chain);
  const { submitted: queue } = base;
  const isFork = base.position.stateRoot === undefined;
  let hasMore = block.isOver && queue !== undefined && queue.waiting.length > 0;
  if (!block.isOver && queue !== undefined)
    hasMore = await takeWaiting(queue, { timestampUsec, isFork }, (one) => block.take(one, queue.faucet));
  await block.end(id);
  const height = base.position.blockHeight + 1n;
  // Nobody has the keys of the network's validators.
  return { height, records: block.writer.records, signed: undefined, movements: [], hasMore };
}

/** Makes a block of changes. Undefined if the block at this time ends the epoch. */
export async function makeAuthoredFrameworkBlock(
  chain: FrameworkChain,
  base: BlockBase,
  transactions: LedgerTransactions,
  changes: readonly AuthoredChange[],
): Promise<AuthoredBlock | undefined> {
  const block = new FrameworkBlock(base, transactions);
  const { id, timestampUsec } = await block.begin(chain);
  if (block.isOver) return undefined;
  const made: { version: bigint; hash: Uint8Array }[] = [];
  for (const change of changes) {
    const call = new CallState({
      state: new WorkingState(),
      view: block.view(),
      createdUsec: timestampUsec,
      faucet: chain.faucet,
      line: "writer",
    });
    await change(call);
    const writes = call.state.finish();
    const hash = await block.addDirect(encodeWith(writeSetCodec, { kind: "v0", writes }));
    made.push({ version: block.writer.ledger.version, hash });
  }
  await block.end(id);
  return { records: block.writer.records, signed: undefined, transactions: made };
}
