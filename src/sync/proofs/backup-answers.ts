// The answers of a backup service, from a store: what the reference's backup tool and followers with `--proofs` ask for.
// Long answers are made piece by piece, and take the memory of one piece.

import { equalBytes } from "../../base/bytes.ts";
import { fromHex, toHex } from "../../base/hex.ts";
import { U64_MAX } from "../../base/numbers.ts";
import { takeTurn } from "../../base/wait.ts";
import { decodeWith, encodeWith } from "../../bcs/codec.ts";
import { u64 } from "../../bcs/scalars.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { decodeRecord, type RecordSpans } from "../../ledger/formats/record.ts";
import {
  auxiliaryInfoCodec,
  auxiliaryInfoHash,
  transactionInfoCodec,
} from "../../ledger/formats/transaction-info.ts";
import { bitAt } from "../../ledger/state-tree/key-way.ts";
import { type Block, type LedgerView, withView } from "../../ledger/view.ts";
import {
  assertHistory,
  eventId,
  historyOpener,
  pointOf,
  type ResumePoint,
} from "../../ledger/watch/event-id.ts";
import type { SignedLedgerInfo } from "../../proof/ledger-info.ts";
import type { Store, StoreView } from "../../store/contract.ts";
import { StoreError } from "../../store/errors.ts";
import { KEPT_ACCUMULATOR, loadBlockEnd } from "../side-rows.ts";
import {
  dbStateCodec,
  rightSiblingsCodec,
  signedRangeProofCodec,
  stateRootProofCodec,
} from "../signatures/backup-service.ts";
import { lengthRecord } from "../signatures/length-records.ts";
import { loadEpochEnd, loadEpochEnds, loadNewestSigned } from "../signatures/signed-rows.ts";
import { AccumulatorNodes } from "./accumulator-nodes.ts";
import { BackupRefusal } from "./backup-refusal.ts";
import { proveItem, type TreeOfBlock } from "./item-prover.ts";
import type { KeyFiles } from "./key-files.ts";
import { type StateList, StateLists } from "./state-snapshot.ts";
import { TreeAt } from "./tree-history.ts";

/** Epochs, records and bytes per piece. */
const EPOCHS_AT_ONCE = 100n;
const RECORDS_AT_ONCE = 200;
const BYTES_AT_ONCE = 4 * 1024 * 1024;
const ITEMS_AT_ONCE = 200;
const LIST_ATTEMPTS = 3;
/** Most epochs, records or items in one answer: several hours of sending. */
const MAX_COUNT = 10_000_000n;

type Answer = AsyncGenerator<Uint8Array>;

export interface BackupAnswersOptions {
  /** Takes the place of the newest ledger info of the store, for answers that belong together. */
  readonly newest?: SignedLedgerInfo | undefined;
  /** Has the keys of items whose records are pruned. */
  readonly keys?: Pick<KeyFiles, "find"> | undefined;
}

/** Answers from one store. */
export class BackupAnswers {
  readonly #store: Store;
  readonly #lists = new StateLists();

  readonly #options: BackupAnswersOptions;

  constructor(store: Store, options: BackupAnswersOptions = {}) {
    this.#store = store;
    this.#options = options;
  }

  /** The body of an answer, piece by piece. Throws BackupRefusal or LedgerError before the first piece. */
  answer(path: string, signal: AbortSignal): Answer {
    const [, question, ...operands] = path.split("/");
    const numbers = (): [bigint, bigint] => [numberOf(operands[0]), numberOf(operands[1])];
    const isOf = (name: string, count: number): boolean => question === name && operands.length === count;
    if (isOf("db_state", 0)) return this.#dbState();
    if (isOf("epoch_ending_ledger_infos", 2)) return this.#epochEnds(...numbers(), signal);
    if (isOf("state_root_proof", 1)) return this.#stateRootProof(numberOf(operands[0]));
    if (isOf("state_item_count", 1)) return this.#itemCount(numberOf(operands[0]));
    if (isOf("state_snapshot_chunk", 3)) {
      return this.#stateChunk(...numbers(), numberOf(operands[2]), signal);
    }
    if (isOf("state_range_proof", 2)) {
      return this.#stateRangeProof(numberOf(operands[0]), hashOf(operands[1]));
    }
    if (isOf("transactions", 2)) return this.#transactions(...numbers(), signal);
    if (isOf("transaction_range_proof", 2)) return this.#rangeProof(...numbers());
    throw new BackupRefusal("unknown_path", "no such question");
  }

  async *#dbState(): Answer {
    const signed = await withView(this.#store.openView(), (view) => this.#latest(view));
    const state = signed && { epoch: signed.ledgerInfo.epoch, version: signed.ledgerInfo.version };
    yield encodeWith(dbStateCodec, state);
  }

  async #newest(): Promise<SignedLedgerInfo | undefined> {
    return this.#options.newest ?? (await loadNewestSigned(this.#store))?.signed;
  }

  /** The latest signed ledger info of the stored versions: sources of a follower may be ahead of its ledger. */
  async #latest({ position }: StoreView): Promise<SignedLedgerInfo | undefined> {
    const newest = await this.#newest();
    let signed = newest;
    for (let epoch = newest?.ledgerInfo.epoch ?? 0n; signed !== undefined && epoch > 0n; ) {
      if (signed.ledgerInfo.version <= position.version) return signed;
      epoch -= 1n;
      signed = await loadEpochEnd(this.#store, epoch);
    }
    return signed !== undefined && signed.ledgerInfo.version <= position.version ? signed : undefined;
  }

  async *#epochEnds(first: bigint, end: bigint, signal: AbortSignal): Answer {
    assertCount(first, end - first);
    for (let next = first; next < end; ) {
      const last = next + EPOCHS_AT_ONCE < end ? next + EPOCHS_AT_ONCE - 1n : end - 1n;
      const found = await loadEpochEnds(this.#store, next, last);
      if (BigInt(found.length) !== last - next + 1n) {
        throw new BackupRefusal(
          "not_found",
          `the end of epoch ${next + BigInt(found.length)} is not known here`,
        );
      }
      yield Buffer.concat(found.map(lengthRecord));
      next = last + 1n;
      await takeTurn(signal);
    }
  }

  async *#stateRootProof(version: bigint): Answer {
    yield await withView(this.#store.openView(), async (view) => {
      const signed = await this.#covering(view, version);
      const [stored] = await view.getRecords(version, 1, 1);
      if (stored === undefined) throw new LedgerError("corrupt", `version ${version} has no record`);
      const info = decodeWith(transactionInfoCodec, decodeRecord(stored.bytes).infoBytes);
      const siblings = await (await this.#nodes(view, signed)).siblings(version);
      return encodeWith(stateRootProofCodec, { siblings, info, signed });
    });
  }

  async *#itemCount(version: bigint): Answer {
    const list = await this.#listAt(version);
    yield encodeWith(u64, BigInt(list.count));
  }

  async *#stateChunk(version: bigint, start: bigint, count: bigint, signal: AbortSignal): Answer {
    assertCount(start, count);
    const openView = await withView(this.#store.openView(), (view) =>
      historyOpener(this.#store, view, version),
    );
    const list = await this.#listAt(version);
    const end = Math.min(Number(start + count), list.count);
    for (let next = Number(start), attempt = 1; next < end; ) {
      try {
        for await (const keyHashes of this.#keyHashes(list, version, next, end)) {
          const records = await withView(openView(), (view) =>
            readStateRecords(view, keyHashes, version, this.#options.keys),
          );
          yield Buffer.concat(records.map(lengthRecord));
          next += keyHashes.length;
          attempt = 1;
          await takeTurn(signal);
        }
      } catch (error) {
        // A commit may replace a node just as it is read.
        if (!(error instanceof StoreError) || attempt++ === LIST_ATTEMPTS) throw error;
      }
    }
  }

  /** Key hashes of a state, some at a time. */
  async *#keyHashes(
    list: StateList,
    version: bigint,
    start: number,
    end: number,
  ): AsyncGenerator<readonly Uint8Array[]> {
    let some: Uint8Array[] = [];
    let left = end - start;
    for await (const keyHash of list.from(start, new TreeAt(this.#store, version).getNodes)) {
      some.push(keyHash);
      if (--left > 0 && some.length < ITEMS_AT_ONCE) continue;
      yield some;
      some = [];
      if (left === 0) return;
    }
  }

  async *#stateRangeProof(version: bigint, keyHash: Uint8Array): Answer {
    const { siblings } = await withView(this.#store.openView(), async (view) => {
      const tree = await this.#stateAt(view, version);
      const [item] = await view.getItems([keyHash], version);
      if (item?.value === undefined)
        throw new BackupRefusal("not_found", "the state has no item with that key hash");
      return proveItem({ store: this.#store, view, tree }, keyHash, item.value);
    });
    const right = siblings.filter((_, depth) => bitAt(keyHash, depth) === 0).reverse();
    yield encodeWith(rightSiblingsCodec, right);
  }

  async #listAt(version: bigint): Promise<StateList> {
    const { stateRoot } = await withView(this.#store.openView(), (view) => this.#stateAt(view, version));
    // A commit may replace a node just as it is read.
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#lists.get(stateRoot, () => new TreeAt(this.#store, version).getNodes);
      } catch (error) {
        if (!(error instanceof StoreError) || attempt === LIST_ATTEMPTS) throw error;
      }
    }
  }

  /** The tree at the kept end of the block that ends at a version. */
  async #stateAt(view: StoreView, version: bigint): Promise<TreeOfBlock> {
    if (version > view.position.version) {
      throw new BackupRefusal("not_found", `version ${version} is above the latest ${view.position.version}`);
    }
    const block = await view.getBlockByVersion(version);
    const end = block && (await loadBlockEnd(this.#store, block.height));
    if (block?.lastVersion !== version) {
      throw new BackupRefusal(
        "not_found",
        `version ${version} does not end a block, so it has no state root`,
      );
    }
    const [stored] = await view.getRecords(version, 1, 1);
    const stateRoot = stored && decodeRecord(new Uint8Array(stored.bytes)).info.stateCheckpointHash;
    if (end === undefined || stateRoot === undefined) {
      throw new BackupRefusal("not_kept", `the state tree of version ${version} is not kept here`);
    }
    return { height: block.height, end, stateRoot, tree: new TreeAt(this.#store, version) };
  }

  async *#rangeProof(first: bigint, last: bigint): Answer {
    if (first > last) throw new BackupRefusal("bad_request", `expected a range, got ${first} to ${last}`);
    yield await withView(this.#store.openView(), async (view) => {
      const signed = await this.#covering(view, last);
      const range = await (await this.#nodes(view, signed)).rangeProof(first, last);
      return encodeWith(signedRangeProofCodec, { range, signed });
    });
  }

  async #nodes(view: StoreView, { ledgerInfo }: SignedLedgerInfo): Promise<AccumulatorNodes> {
    const { version: lastVersion } = ledgerInfo;
    const before = await KEPT_ACCUMULATOR.load(this.#store);
    return new AccumulatorNodes({
      store: this.#store,
      view,
      lastVersion,
      before,
      missingSubtree: "recompute",
    });
  }

  async *#transactions(first: bigint, count: bigint, signal: AbortSignal): Answer {
    assertCount(first, count);
    let behind: ResumePoint | undefined;
    for (let next = first; next < first + count; ) {
      const left = Number(first + count - next);
      const pieces = await withView(this.#store.openView(), async (view) => {
        if (behind !== undefined) await assertHistory(view, behind);
        if (next > view.position.version) {
          throw new BackupRefusal(
            "not_found",
            `version ${next} is above the latest ${view.position.version}`,
          );
        }
        const records = await view.getRecords(next, Math.min(left, RECORDS_AT_ONCE), BYTES_AT_ONCE);
        const encoded: Uint8Array[] = [];
        let block: Block | undefined;
        for (const { version, bytes } of records) {
          if (block === undefined || block.lastVersion < version)
            block = await view.getBlockByVersion(version);
          encoded.push(lengthRecord(backupRecord(decodeRecord(bytes), block)));
        }
        const last = records.at(-1);
        if (last !== undefined) behind = pointOf(eventId(last), last.version);
        return encoded;
      });
      next += BigInt(pieces.length);
      yield Buffer.concat(pieces);
      await takeTurn(signal);
    }
  }

  /** A signed ledger info of the version's epoch, at or after it. */
  async #covering(view: StoreView, version: bigint): Promise<SignedLedgerInfo> {
    const { position } = view;
    if (version > position.version) {
      throw new BackupRefusal("not_found", `version ${version} is above the latest ${position.version}`);
    }
    const block = await view.getBlockByVersion(version);
    const newest = await this.#newest();
    const candidates = [newest, block && (await loadEpochEnd(this.#store, block.epoch))];
    for (const signed of candidates) {
      const { epoch, version: at } = signed?.ledgerInfo ?? {};
      if (
        signed !== undefined &&
        epoch === block?.epoch &&
        at !== undefined &&
        at >= version &&
        at <= position.version
      )
        return signed;
    }
    throw new BackupRefusal("not_found", `no signature that is known here covers version ${version}`);
  }
}

function numberOf(text: string | undefined): bigint {
  if (text === undefined || !/^\d{1,20}$/.test(text) || BigInt(text) > U64_MAX) {
    throw new BackupRefusal("bad_request", "expected whole numbers of 64 bits");
  }
  return BigInt(text);
}

function hashOf(text: string | undefined): Uint8Array {
  const bytes = text === undefined ? undefined : fromHex(text);
  if (bytes?.length !== 32) throw new BackupRefusal("bad_request", "expected a key hash of 64 hex digits");
  return bytes;
}

/** Items as backups keep them: key and value. The store has no keys: they are in the records that wrote the items. */
async function readStateRecords(
  view: LedgerView,
  keyHashes: readonly Uint8Array[],
  version: bigint,
  known: BackupAnswersOptions["keys"],
): Promise<Uint8Array[]> {
  const items = await view.getItems(keyHashes, version);
  const keysByVersion = new Map<bigint, ReadonlyMap<string, Uint8Array>>();
  const found: Uint8Array[] = [];
  for (const [i, keyHash] of keyHashes.entries()) {
    const item = items[i];
    if (item?.value === undefined)
      throw new LedgerError("corrupt", "the state tree has an item that the store lacks");
    const knownKey = await known?.find(keyHash);
    if (knownKey !== undefined) {
      found.push(Buffer.concat([knownKey, item.value]));
      continue;
    }
    let keys = keysByVersion.get(item.version);
    if (keys === undefined) {
      keys = await writtenKeys(view, item.version);
      keysByVersion.set(item.version, keys);
    }
    const key = keys.get(toHex(keyHash));
    if (key === undefined) {
      throw new LedgerError(
        "corrupt",
        `version ${item.version} does not write an item that it is said to write`,
      );
    }
    found.push(Buffer.concat([key, item.value]));
  }
  return found;
}

/** The keys that a version wrote, by their hashes. */
async function writtenKeys(view: LedgerView, version: bigint): Promise<ReadonlyMap<string, Uint8Array>> {
  if (version < view.position.oldestVersion) {
    throw new BackupRefusal(
      "not_kept",
      `an item was last written at version ${version}, whose record is pruned: a node with --prune-window off has it`,
    );
  }
  const [stored] = await view.getRecords(version, 1, 1);
  const writes = stored === undefined ? [] : decodeRecord(stored.bytes).writes;
  return new Map(writes.map(({ keyHash, key }) => [toHex(keyHash), new Uint8Array(key)]));
}

function assertCount(first: bigint, count: bigint): void {
  if (count >= 0n && count <= MAX_COUNT && first + count <= U64_MAX) return;
  throw new BackupRefusal("bad_request", `expected at most ${MAX_COUNT} at once, got ${count}`);
}

/** A record as backups keep it: transaction, auxiliary info, info, events, write set. */
function backupRecord(record: RecordSpans, block: Block | undefined): Uint8Array {
  const { transaction, infoBytes, events, changes } = record;
  const writer = new BcsWriter(record.bytes.length);
  writer.fixed(transaction);
  writer.fixed(encodeWith(auxiliaryInfoCodec, auxiliaryInfoOf(record, block)));
  writer.fixed(infoBytes);
  writer.count(events.length);
  for (const event of events) writer.fixed(event);
  writer.fixed(changes);
  return writer.take();
}

/** Records carry only the hash of their auxiliary info, which is their index in the block. */
function auxiliaryInfoOf({ info, version }: RecordSpans, block: Block | undefined) {
  if (info.auxiliaryInfoHash === undefined) return { kind: "none" } as const;
  const found = { kind: "v1", transactionIndex: Number(version - (block?.firstVersion ?? version)) } as const;
  const hash = auxiliaryInfoHash(found);
  if (hash === undefined || !equalBytes(hash, info.auxiliaryInfoHash)) {
    throw new BackupRefusal("not_kept", `the auxiliary info of version ${version} is not kept here`);
  }
  return found;
}
