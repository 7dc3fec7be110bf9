// Builds valid ledgers: for each transaction the record that a network would serve, with all hashes and roots. It
// computes state roots from all items at once, so that tests compare incremental updates with the definition.
import { toHex } from "../../src/base/hex.ts";
import { encodeWith } from "../../src/bcs/codec.ts";
import { eventRoot, transactionAccumulator } from "../../src/ledger/accumulator.ts";
import {
  type ContractEvent,
  contractEventCodec,
  eventHash,
  NEW_BLOCK_CREATION_NUMBER,
  NEW_BLOCK_EVENT_TYPE,
  NEW_EPOCH_CREATION_NUMBER,
  NEW_EPOCH_EVENT_TYPE,
  newBlockEventCodec,
  newEpochEventCodec,
} from "../../src/ledger/formats/block-event.ts";
import { encodeRecord } from "../../src/ledger/formats/record.ts";
import { accessPathCodec, type StateKey, stateKeyHash } from "../../src/ledger/formats/state-key.ts";
import { stateValueCodec, stateValueHash } from "../../src/ledger/formats/state-value.ts";
import { type Transaction, transactionCodec, transactionHash } from "../../src/ledger/formats/transaction.ts";
import { transactionInfoCodec, transactionInfoHash } from "../../src/ledger/formats/transaction-info.ts";
import {
  type WriteSet,
  type Writes,
  writeSetCodec,
  writeSetHash,
  writtenValue,
} from "../../src/ledger/formats/write-set.ts";
import { leafHashOf } from "../../src/ledger/state-tree/tree-node.ts";
import { parseAddress } from "../../src/move/address.ts";
import { stateRootOf } from "./state-root.ts";

const ONE = parseAddress("0x1");

/** Chain id of built ledgers. */
export const BUILT_CHAIN_ID = 9;

/** The event that starts a block. */
export function newBlock(height: bigint, epoch: bigint, timestampUsec: bigint): ContractEvent {
  const data = encodeWith(newBlockEventCodec, {
    hash: new Uint8Array(32),
    epoch,
    round: 0n,
    height,
    previousVotes: new Uint8Array(0),
    proposer: ONE,
    failedProposers: [],
    timestampUsec,
  });
  return {
    kind: "v1",
    creationNumber: NEW_BLOCK_CREATION_NUMBER,
    account: ONE,
    sequenceNumber: height,
    type: NEW_BLOCK_EVENT_TYPE,
    data,
  };
}

/** The event that ends an epoch. */
export function newEpoch(epoch: bigint): ContractEvent {
  return {
    kind: "v1",
    creationNumber: NEW_EPOCH_CREATION_NUMBER,
    account: ONE,
    sequenceNumber: epoch - 1n,
    type: NEW_EPOCH_EVENT_TYPE,
    data: encodeWith(newEpochEventCodec, { epoch }),
  };
}

/** The write that sets the chain id. */
function chainIdWrite(chainId: number): Writes[number] {
  const struct = { address: ONE, module: "chain_id", name: "ChainId", typeArgs: [] };
  const path = encodeWith(accessPathCodec, { kind: "resource", struct });
  const key: StateKey = { kind: "accessPath", address: ONE, path };
  return [key, { kind: "modification", data: Uint8Array.of(chainId) }];
}

/** One version to build. */
export interface BuiltVersion {
  readonly transaction?: Transaction;
  readonly events?: readonly ContractEvent[];
  readonly changes?: WriteSet;
  /** True for the last version of a block. */
  readonly checkpoint: boolean;
  /** Uses the v1 transaction info. */
  readonly newInfo?: boolean;
}

/** A ledger that grows version by version. */
export class LedgerBuilder {
  readonly records: Uint8Array[] = [];
  /** The state after the last version: encoded values by key hash. */
  readonly state = new Map<string, { keyHash: Uint8Array; value: Uint8Array }>();
  readonly #accumulator = transactionAccumulator();

  /** Adds version 0, with the given writes besides the chain id. */
  genesis(writes: Writes = []): Uint8Array {
    const changes: WriteSet = { kind: "v0", writes: [chainIdWrite(BUILT_CHAIN_ID), ...writes] };
    const events = [newBlock(0n, 0n, 0n), newEpoch(1n)];
    const transaction: Transaction = {
      kind: "genesis",
      payload: { kind: "direct", writeSet: changes, events },
    };
    return this.add({ transaction, events, changes, checkpoint: true });
  }

  /** Adds one version and returns its record. */
  add(version: BuiltVersion): Uint8Array {
    const changes = version.changes ?? { kind: "v0", writes: [] };
    this.#apply(changes.writes);
    const transaction = encodeWith(
      transactionCodec,
      version.transaction ?? { kind: "stateCheckpoint", blockId: new Uint8Array(32) },
    );
    const events = (version.events ?? []).map((event) => encodeWith(contractEventCodec, event));
    const changesBytes = encodeWith(writeSetCodec, changes);
    const common = {
      gasUsed: 0n,
      status: { kind: "success" },
      transactionHash: transactionHash(transaction),
      eventRootHash: eventRoot(events.map(eventHash)),
      stateChangeHash: writeSetHash(changesBytes),
      stateCheckpointHash: version.checkpoint ? this.stateRoot() : undefined,
      auxiliaryInfoHash: undefined,
    } as const;
    const info = encodeWith(
      transactionInfoCodec,
      version.newInfo === true
        ? {
            kind: "v1",
            ...common,
            hotStateCheckpointHash: version.checkpoint ? new Uint8Array(32).fill(1) : undefined,
            positionCheckpointHash: undefined,
            reserved1: undefined,
            reserved2: undefined,
            reserved3: undefined,
            reserved4: undefined,
            reserved5: undefined,
            reserved6: undefined,
            reserved7: undefined,
          }
        : { kind: "v0", ...common },
    );
    this.#accumulator.append(transactionInfoHash(info));
    const record = encodeRecord({
      version: BigInt(this.records.length),
      transaction,
      info,
      events,
      accumulatorRoot: this.#accumulator.root(),
      changes: changesBytes,
    });
    this.records.push(record);
    return record;
  }

  /** Root of the state after the last version. */
  stateRoot(): Uint8Array {
    return stateRootOf(
      [...this.state.values()].map(({ keyHash, value }) => ({
        keyHash,
        leafHash: leafHashOf(keyHash, stateValueHash(value)),
      })),
    );
  }

  #apply(writes: Writes): void {
    for (const [key, op] of writes) {
      const keyHash = stateKeyHash(key);
      const value = writtenValue(op);
      if (value === undefined) this.state.delete(toHex(keyHash));
      else this.state.set(toHex(keyHash), { keyHash, value: encodeWith(stateValueCodec, value) });
    }
  }
}
