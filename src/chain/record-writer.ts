// Builds records: encodes each transaction with its events and changes, computes its info and appends it to the
// accumulator.
import { sha3Parts } from "../base/sha3.ts";
import { encodeWith } from "../bcs/codec.ts";
import { type Accumulator, eventRoot, transactionAccumulator } from "../ledger/accumulator.ts";
import { type ContractEvent, contractEventCodec, eventHash } from "../ledger/formats/block-event.ts";
import { encodeRecord } from "../ledger/formats/record.ts";
import { stateValueHash } from "../ledger/formats/state-value.ts";
import { type Transaction, transactionCodec, transactionHash } from "../ledger/formats/transaction.ts";
import {
  auxiliaryInfoHash,
  type ExecutionStatus,
  transactionInfoCodec,
  transactionInfoHash,
} from "../ledger/formats/transaction-info.ts";
import { type Writes, writeSetCodec, writeSetHash } from "../ledger/formats/write-set.ts";
import { isAccumulatorKnown, type Position } from "../ledger/position.ts";
import { type TreeNodeReader, updateStateTree } from "../ledger/state-tree/update.ts";
import type { LedgerRoot } from "../proof/accumulator-proof.ts";
import type { StateChange } from "../vm/ledger/ledger-transactions.ts";

/** In the place of a state root that nobody can compute, on a fork. No root is all zeros. */
const NO_ROOT: Uint8Array = new Uint8Array(32);

/** A transaction and its results. */
export interface Outcome {
  readonly transaction: Transaction;
  /** Each as it is or in BCS. */
  readonly events: readonly (ContractEvent | Uint8Array)[];
  /** As they are, or as a write set in BCS. */
  readonly writes: Writes | Uint8Array;
  readonly gasUsed?: bigint;
  readonly status?: ExecutionStatus;
  /** State root; only the last transaction of a block has one. */
  readonly stateRoot?: Uint8Array;
}

/** The records of one block. */
export class RecordWriter {
  /** Undefined on a fork, which does not have the leaves of the network's versions. */
  readonly #accumulator: Accumulator | undefined;
  readonly #records: Uint8Array[] = [];
  #version: bigint;
  #historyHash: Uint8Array;

  /** On a fork, `historyHash` is that of the position's version. */
  constructor(position: Pick<Position, "version" | "accumulator">, historyHash = NO_ROOT) {
    const isKnown = isAccumulatorKnown(position);
    this.#accumulator = isKnown ? transactionAccumulator(position.accumulator) : undefined;
    this.#historyHash = this.#accumulator?.root() ?? historyHash;
    this.#version = position.version + 1n;
  }

  add(outcome: Outcome): void {
    const transaction = encodeWith(transactionCodec, outcome.transaction);
    const events = outcome.events.map((event) =>
      event instanceof Uint8Array ? event : encodeWith(contractEventCodec, event),
    );
    const { writes } = outcome;
    const changes = writes instanceof Uint8Array ? writes : encodeWith(writeSetCodec, { kind: "v0", writes });
    const info = encodeWith(transactionInfoCodec, {
      kind: "v0",
      gasUsed: outcome.gasUsed ?? 0n,
      status: outcome.status ?? { kind: "success" },
      transactionHash: transactionHash(transaction),
      eventRootHash: eventRoot(events.map(eventHash)),
      stateChangeHash: writeSetHash(changes),
      stateCheckpointHash: outcome.stateRoot,
      auxiliaryInfoHash: auxiliaryInfoHash({ kind: "v1", transactionIndex: this.#records.length }),
    });
    const accumulatorRoot = this.#append(transactionInfoHash(info));
    const version = this.#version;
    this.#records.push(encodeRecord({ version, transaction, info, events, accumulatorRoot, changes }));
    this.#version += 1n;
  }

  /** The accumulator root after another leaf; on a fork a hash over the history, which views keep to themselves. */
  #append(leaf: Uint8Array): Uint8Array {
    this.#accumulator?.append(leaf);
    this.#historyHash = this.#accumulator?.root() ?? sha3Parts(this.#historyHash, leaf);
    return this.#historyHash;
  }

  /** The place of the next transaction in its block. */
  get nextIndex(): number {
    return this.#records.length;
  }

  get records(): readonly Uint8Array[] {
    return this.#records;
  }

  /** The last version, and the accumulator root after it. */
  get ledger(): LedgerRoot {
    return { version: this.#version - 1n, accumulatorRoot: this.#historyHash };
  }
}

/** State root after some changes; a fork has a part of the state only, so nobody can compute its root. */
export async function stateRootAfter(
  base: { readonly position: Pick<Position, "stateRoot">; readonly getTreeNodes: TreeNodeReader },
  changes: Iterable<StateChange>,
): Promise<Uint8Array> {
  if (base.position.stateRoot === undefined) return NO_ROOT;
  const updates = Array.from(changes, ({ keyHash, value }) => ({
    keyHash,
    valueHash: value === undefined ? undefined : stateValueHash(value),
  }));
  return (await updateStateTree(base.getTreeNodes, updates)).root;
}
