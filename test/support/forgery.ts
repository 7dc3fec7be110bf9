// Forged ledgers: forks that every hash confirms, records whose hashes follow from a changed balance, and records of a
// block that never ends.
import { decodeWith, encodeWith } from "../../src/bcs/codec.ts";
import { chainSeed, createBlockSource } from "../../src/chain/local-chain.ts";
import { createMachineSource } from "../../src/chain/machine-source.ts";
import { type Accumulator, eventRoot, transactionAccumulator } from "../../src/ledger/accumulator.ts";
import { eventHash } from "../../src/ledger/formats/block-event.ts";
import {
  decodeRecord,
  encodeRecord,
  type LedgerRecord,
  recordCodec,
} from "../../src/ledger/formats/record.ts";
import { accessPathCodec, type StateKey } from "../../src/ledger/formats/state-key.ts";
import { stateValueCodec } from "../../src/ledger/formats/state-value.ts";
import { transactionCodec, transactionHash } from "../../src/ledger/formats/transaction.ts";
import { transactionInfoCodec, transactionInfoHash } from "../../src/ledger/formats/transaction-info.ts";
import { type WriteOp, writeSetCodec, writeSetHash } from "../../src/ledger/formats/write-set.ts";
import { fungibleStoreCodec, resourceGroupCodec } from "../../src/ledger/items/resources.ts";
import { parseAddress } from "../../src/move/address.ts";
import type { Store } from "../../src/store/contract.ts";
import { ChainRun } from "./chain-run.ts";

/**
 * A second chain on its own store: the first `shared` blocks after genesis are those of `run`, then it makes `more`
 * blocks of its own on the same accounts. Every hash of it is right.
 */
export async function forkChain(
  run: ChainRun,
  records: readonly Uint8Array[],
  store: Store,
  { shared, more, name }: { readonly shared: bigint; readonly more: number; readonly name: string },
): Promise<ChainRun> {
  const { chain } = run;
  const other = { seed: chainSeed(name), items: chain.items };
  const forked = { ...chain, ...createBlockSource(other, createMachineSource(), undefined) };
  const view = await run.store.openView();
  const block = await view.getBlockByHeight(shared);
  view.release();
  if (block === undefined) throw new Error(`the chain has no block ${shared}`);
  const fork = await new ChainRun(forked, store).start(chain.genesisBlob());
  await fork.append(records.slice(1, Number(block.lastVersion) + 1));
  await fork.steps(more);
  return fork;
}

/** Encodes a record with the hashes of its transaction, events and changes; its accumulator root stays as it is. */
function sealed(record: LedgerRecord): Uint8Array {
  const original = decodeRecord(encodeWith(recordCodec, record));
  const transaction = encodeWith(transactionCodec, record.transaction);
  const writeSet = encodeWith(writeSetCodec, record.changes);
  const info = encodeWith(transactionInfoCodec, {
    ...record.info,
    transactionHash: transactionHash(transaction),
    eventRootHash: eventRoot(original.events.map(eventHash)),
    stateChangeHash: writeSetHash(writeSet),
  });
  return encodeRecord({ ...original, transaction, info, changes: writeSet });
}

function pathOf(key: StateKey) {
  return key.kind === "accessPath" ? decodeWith(accessPathCodec, new Uint8Array(key.path)) : undefined;
}

/** The same balance item with another amount; undefined for data that holds none. */
function withOtherAmount(key: StateKey, data: Uint8Array, add: bigint): Uint8Array | undefined {
  const path = pathOf(key);
  if (path?.kind === "resource" && path.struct.name === "CoinStore") {
    const copy = Buffer.from(data);
    copy.writeBigUInt64LE(BigInt.asUintN(64, copy.readBigUInt64LE(0) + add), 0);
    return new Uint8Array(copy);
  }
  if (path?.kind === "resourceGroup") {
    const group = decodeWith(resourceGroupCodec, new Uint8Array(data));
    if (!group.some(([tag]) => tag.name === "FungibleStore")) return undefined;
    return encodeWith(
      resourceGroupCodec,
      group.map(([tag, bytes]) => {
        if (tag.name !== "FungibleStore") return [tag, bytes] as const;
        const store = decodeWith(fungibleStoreCodec, new Uint8Array(bytes));
        const balance = BigInt.asUintN(64, store.balance + add);
        return [tag, encodeWith(fungibleStoreCodec, { ...store, balance })] as const;
      }),
    );
  }
  if (key.kind === "tableItem" && data.length > 0) {
    const copy = new Uint8Array(data);
    copy[0] = (copy[0] ?? 0) ^ Number(BigInt.asUintN(8, add) | 1n);
    return copy;
  }
  return undefined;
}

/** The same state value with another amount; undefined for one that holds none. */
export function forgeStateValue(key: StateKey, value: Uint8Array, add: bigint): Uint8Array | undefined {
  const state = decodeWith(stateValueCodec, new Uint8Array(value));
  const data = withOtherAmount(key, state.data, add);
  return data === undefined ? undefined : encodeWith(stateValueCodec, { ...state, data });
}

function forgeWrite(key: StateKey, op: WriteOp, add: bigint): WriteOp | undefined {
  if (!("data" in op)) return undefined;
  const data = withOtherAmount(key, op.data, add);
  return data === undefined ? undefined : { ...op, data };
}

/**
 * The same record with another amount in every balance and table item that it writes. With `fix` all hashes in its info
 * follow from it; without, the info is the true one. Undefined for a record that writes none.
 */
export function forgeBalances(bytes: Uint8Array, add: bigint, fix = true): Uint8Array | undefined {
  const record = decodeWith(recordCodec, new Uint8Array(bytes));
  let forged = 0;
  const writes = record.changes.writes.map(([key, op]) => {
    const other = forgeWrite(key, op, add);
    if (other === undefined) return [key, op] as const;
    forged++;
    return [key, other] as const;
  });
  if (forged === 0) return undefined;
  const lie = { ...record, changes: { ...record.changes, writes } };
  return fix ? sealed(lie) : encodeWith(recordCodec, lie);
}

/** The same record without its events, except for one that starts a block; hashes follow. */
export function forgeEvents(bytes: Uint8Array): Uint8Array | undefined {
  const record = decodeWith(recordCodec, new Uint8Array(bytes));
  if (record.events.length === 0 || record.transaction.kind !== "user") return undefined;
  return sealed({ ...record, events: [] });
}

/**
 * A block that starts right after the given records and never ends. Every hash of its records is right, also the
 * accumulator root; none has a checkpoint. It keeps a few hundred bytes for each record, however large the records are.
 */
export class EndlessBlock {
  readonly #records: readonly Uint8Array[];
  readonly #accumulator: Accumulator;
  readonly #filler: {
    readonly transaction: Uint8Array;
    readonly info: Uint8Array;
    readonly changes: Uint8Array;
  };
  readonly #roots: Uint8Array[] = [];
  readonly #first: Uint8Array;

  /** `records` end a block; `opening` is the first record of the next one. Fillers write an item of `bytes` bytes. */
  constructor(records: readonly Uint8Array[], opening: Uint8Array, bytes: number) {
    this.#records = records;
    this.#accumulator = transactionAccumulator();
    for (const record of records) {
      this.#accumulator.append(transactionInfoHash(decodeRecord(record).infoBytes));
    }
    this.#first = opening;
    this.#accumulator.append(transactionInfoHash(decodeRecord(opening).infoBytes));
    const key: StateKey = { kind: "tableItem", handle: parseAddress("0xfe"), key: Uint8Array.of(1) };
    const op: WriteOp = { kind: "modification", data: new Uint8Array(bytes) };
    const transaction = encodeWith(transactionCodec, {
      kind: "stateCheckpoint",
      blockId: new Uint8Array(32),
    });
    const changes = encodeWith(writeSetCodec, { kind: "v0", writes: [[key, op]] });
    const info = encodeWith(transactionInfoCodec, {
      kind: "v0",
      gasUsed: 0n,
      status: { kind: "success" },
      transactionHash: transactionHash(transaction),
      eventRootHash: eventRoot([]),
      stateChangeHash: writeSetHash(changes),
      stateCheckpointHash: undefined,
      auxiliaryInfoHash: undefined,
    });
    this.#filler = { transaction, info, changes };
  }

  /** The record of any version. */
  record(version: bigint): Uint8Array {
    const known = this.#records[Number(version)];
    if (known !== undefined) return known;
    const place = Number(version) - this.#records.length;
    if (place === 0) return this.#first;
    while (this.#roots.length < place) {
      this.#accumulator.append(transactionInfoHash(this.#filler.info));
      this.#roots.push(this.#accumulator.root());
    }
    const accumulatorRoot = this.#roots[place - 1];
    if (accumulatorRoot === undefined) throw new Error("a record before the block");
    return encodeRecord({ version, events: [], accumulatorRoot, ...this.#filler });
  }
}
