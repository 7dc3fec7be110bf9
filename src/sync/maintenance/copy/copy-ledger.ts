// Copies a whole ledger from one store into another: first the base if the source is pruned, then every record through
// the usual verification. The target's head is the progress, so an interrupted copy resumes where it stopped.

import { equalBytes } from "../../../base/bytes.ts";
import type { Logger } from "../../../base/log.ts";
import { takeTurn } from "../../../base/wait.ts";
import { transactionAccumulator } from "../../../ledger/accumulator.ts";
import { LedgerError } from "../../../ledger/errors.ts";
import { decodeRecord } from "../../../ledger/formats/record.ts";
import { itemOfRow } from "../../../ledger/indexes/owned-keys.ts";
import { isTransactionRow } from "../../../ledger/indexes/transaction-rows.ts";
import { isAccumulatorKnown, type Position } from "../../../ledger/position.ts";
import { ALL_TRUSTED, refutedText } from "../../../ledger/trust.ts";
import type { CommitBatch, IndexRow, SideRow, Store } from "../../../store/contract.ts";
import { StoreError } from "../../../store/errors.ts";
import type { StoreWalk } from "../../../store/lmdb/walk.ts";
import { Committer } from "../../committer.ts";
import { loadPosition } from "../../reading.ts";
import { COPY_MARK, kindOfRow } from "../../side-rows.ts";
import { StoreWriter } from "../../store-writer.ts";
import { assertStateRoot, PendingTree } from "../../verify/pending-tree.ts";
import { type VerifiedBlock, Verifier } from "../../verify/verifier.ts";
import { copyBase } from "./base-copy.ts";

/** Records and bytes per commit. */
const DEFAULT_PAGE_RECORDS = 1000;
const PAGE_BYTES = 4 * 1024 * 1024;

/** Options of a copy. */
export interface LedgerCopyOptions {
  readonly source: StoreWalk;
  /** A store that this process may write: empty, or with an earlier part of the same ledger. */
  readonly target: Store;
  readonly logger: Logger;
  /** Called at once, and then with the number of base values passed and of versions that the target has. */
  readonly onProgress: (part: "items" | "versions", done: number) => void;
  /** Stops the copy. */
  readonly signal: AbortSignal;
  readonly sizes?: CopySizes | undefined;
  /** Where this copy adds what it copied; a caller that resumes it passes the same again. */
  readonly counts?: LedgerCopyCounts;
}

/** Sizes of one write. */
export interface CopySizes {
  /** Keys of the base. */
  readonly keys?: number;
  /** Approximate number of versions: blocks are written whole. */
  readonly records?: number;
}

export interface LedgerCopyCounts {
  /** Keys of the base that were read; 0 if the source is not pruned. */
  baseKeys: number;
  versions: number;
}

/** Result of a copy. */
export type LedgerCopyReport = Readonly<LedgerCopyCounts>;

/** Copies. Throws StoreError or LedgerError; the target then keeps its commits, which are correct. */
export async function copyLedger(options: LedgerCopyOptions): Promise<LedgerCopyReport> {
  return new LedgerCopy(options).run();
}

class LedgerCopy {
  readonly #options: LedgerCopyOptions;
  readonly #counts: LedgerCopyCounts;
  /** Versions of the source that the target has. */
  #present = 0;

  constructor(options: LedgerCopyOptions) {
    this.#options = options;
    this.#counts = options.counts ?? { baseKeys: 0, versions: 0 };
  }

  async run(): Promise<LedgerCopyReport> {
    const { source, target } = this.#options;
    const { position: head } = source;
    const before = await loadPosition(target);
    this.#assertCopyable(before);
    this.#present = before === undefined ? 0 : Math.max(0, Number(before.version - head.oldestVersion) + 1);
    const isBaseNext = before === undefined && head.oldestVersion > 0n;
    this.#options.onProgress(isBaseNext ? "items" : "versions", this.#present);
    if (isBaseNext) await this.#copyOldest();
    else await this.#markUnfinished();
    await this.#copyRecords();
    await this.#copySideRows();
    return { ...this.#counts };
  }

  #assertCopyable(before: Position | undefined): void {
    const { source, target } = this.#options;
    const { position: head, identity } = source;
    if (head.stateRoot === undefined || !isAccumulatorKnown(head)) {
      throw new StoreError(
        "format",
        "a ledger that started in the middle cannot be copied: its state is only partly known",
      );
    }
    if (head.refuted !== undefined) {
      throw new StoreError(
        "format",
        `a refuted ledger cannot be copied: ${refutedText(head.refuted)}. Rewind the source below version ${head.refuted.firstVersion} first`,
      );
    }
    const known = target.identity;
    if (
      known !== undefined &&
      !(known.chainId === identity.chainId && equalBytes(known.genesisHash, identity.genesisHash))
    ) {
      throw new StoreError(
        "identity",
        `the target holds another ledger (chain ${known.chainId}) than the source (chain ${identity.chainId})`,
      );
    }
    if (before !== undefined && before.version + 1n < head.oldestVersion) {
      throw new StoreError(
        "order",
        `the target ends at version ${before.version}, the source begins at ${head.oldestVersion}: copy into an empty target`,
      );
    }
    if (before !== undefined && before.version > head.version) {
      throw new StoreError(
        "order",
        `the target is at version ${before.version} already, the source at ${head.version}`,
      );
    }
  }

  #yieldTurn = (): Promise<void> => takeTurn(this.#options.signal);

  /** Copies the base of a pruned source, then its oldest block. */
  async #copyOldest(): Promise<void> {
    const { source, target, onProgress, sizes } = this.#options;
    const { chainId, oldestVersion, version: head } = source.position;
    const oldest = this.#readBlock(
      new Verifier(undefined, { chainId, version: oldestVersion }),
      oldestVersion,
    );
    let passed = 0;
    const onKeys = (keys: number, values: number): void => {
      this.#counts.baseKeys += keys;
      passed += values;
      onProgress("items", passed);
    };
    await copyBase({ source, target, oldest, chunkKeys: sizes?.keys, onKeys, yieldTurn: this.#yieldTurn });
    const isHead = oldest.position.version === head;
    // Only a whole index is worth copying: the keys of the base are in no record.
    const isIndexed = (source.indexedTo() ?? -1n) >= head;
    if (isIndexed) await this.#copyIndex();
    const writer = new StoreWriter(target, { items: isIndexed });
    await writer.commit(
      {
        previous: undefined,
        position: {
          ...oldest.position,
          stateRoot: oldest.claimedStateRoot,
          ...ALL_TRUSTED,
          ...(isHead ? { accumulator: this.#headAccumulator(oldest) } : {}),
        },
        ...contentOf(oldest),
        treeNodes: [],
      },
      source.identity,
    );
    this.#count(oldest.records.length);
  }

  /** Copies the rows of the source's index. Rows that are there already stay as they are. */
  async #copyIndex(): Promise<void> {
    const { source, target } = this.#options;
    const writer = new StoreWriter(target);
    let rows: IndexRow[] = [];
    const flush = async (): Promise<void> => {
      await this.#yieldTurn();
      await writer.writeBase({ writes: [], treeNodes: [], index: rows });
      rows = [];
    };
    const { oldestVersion } = source.position;
    const version = oldestVersion - 1n;
    for (const row of source.indexRows()) {
      // Those of transactions are made from the records.
      if (isTransactionRow(row)) continue;
      // A deletion that only waits to be pruned is not copied.
      const keyHash = itemOfRow(row);
      const item = keyHash && source.peekNewestItem(keyHash);
      if (item === undefined || (item.value === undefined && item.version < oldestVersion)) continue;
      rows.push({ ...row, keyHash: row.place, version, isDeletion: false });
      if (rows.length >= DEFAULT_PAGE_RECORDS) await flush();
    }
    await flush();
  }

  async #copyRecords(): Promise<void> {
    const { source, target, logger, sizes } = this.#options;
    const pageRecords = sizes?.records ?? DEFAULT_PAGE_RECORDS;
    const before = await loadPosition(target);
    const { version: head, blockHeight } = source.position;
    // Leaves below a base are unknown, so accumulator roots can be compared at the head only.
    const isWhole = before === undefined || isAccumulatorKnown(before);
    const lastBlock = source.getBlock(blockHeight);
    if (lastBlock === undefined)
      throw new StoreError("corrupt", `the source's block ${blockHeight} is missing`);
    const end = isWhole ? head + 1n : lastBlock.firstVersion;
    const committer = new Committer({ store: target, logger });
    let page: Uint8Array[] = [];
    let bytes = 0;
    const flush = async (): Promise<void> => {
      if (page.length === 0) return;
      await this.#yieldTurn();
      await committer.append(page);
      this.#count(page.length);
      page = [];
      bytes = 0;
    };
    for (const record of source.records(await committer.nextVersion())) {
      if (record.version >= end) break;
      page.push(new Uint8Array(record.bytes));
      bytes += record.bytes.length;
      if (page.length >= pageRecords || bytes >= PAGE_BYTES) await flush();
    }
    await flush();
    if (!isWhole) await this.#copyLastBlock(lastBlock.firstVersion);
    const after = await loadPosition(target);
    if (after?.version !== head || !isSameHead(after, source.position)) {
      throw new LedgerError(
        "mismatch",
        `the copy ends at version ${after?.version}, the source's head is ${head}`,
      );
    }
  }

  /** Copies the last block above a base, and with it the source's accumulator, which later records are checked against. */
  async #copyLastBlock(first: bigint): Promise<void> {
    const { target } = this.#options;
    const position = await loadPosition(target);
    if (position === undefined || position.version >= first) return;
    const block = this.#readBlock(new Verifier(position), first);
    const tree = new PendingTree(target);
    await assertStateRoot(tree, block);
    await this.#yieldTurn();
    const writer = new StoreWriter(target);
    await writer.commit({
      previous: position.version,
      position: {
        ...block.position,
        stateRoot: block.claimedStateRoot,
        accumulator: this.#headAccumulator(block),
        trust: position.trust,
        refuted: position.refuted,
      },
      ...contentOf(block),
      treeNodes: tree.takeChanges(),
    });
    this.#count(block.records.length);
  }

  /** The source's accumulator, after comparing its root with the last record's. */
  #headAccumulator(last: VerifiedBlock): Position["accumulator"] {
    const { accumulator } = this.#options.source.position;
    const record = last.records.at(-1);
    const root = transactionAccumulator(accumulator).root();
    if (record === undefined || !equalBytes(root, decodeRecord(record.bytes).accumulatorRoot)) {
      throw new LedgerError(
        "mismatch",
        `version ${last.position.version}: the accumulator root differs from the record's`,
      );
    }
    return accumulator;
  }

  #readBlock(verifier: Verifier, first: bigint): VerifiedBlock {
    for (const record of this.#options.source.records(first)) {
      const block = verifier.push(decodeRecord(new Uint8Array(record.bytes)));
      if (block !== undefined) return block;
    }
    throw new StoreError("corrupt", `the source's block at version ${first} has no end`);
  }

  /** Marks the target as an unfinished copy. */
  async #markUnfinished(): Promise<void> {
    const { target } = this.#options;
    const mark = await COPY_MARK.load(target);
    if (mark === undefined) {
      const started = COPY_MARK.row({ oldestVersion: 0n, lastKey: undefined, isWhole: true });
      await new StoreWriter(target).write({ sideRows: [started] });
    } else if (target.identity === undefined && mark.oldestVersion > 0n) {
      throw new StoreError(
        "order",
        "the target has the base of a pruned ledger, but the source is not pruned: copy into an empty target",
      );
    }
  }

  /** Copies trust and side rows last: only the whole copy rests on what the source rests on. The same write removes the mark. */
  async #copySideRows(): Promise<void> {
    const { source, target } = this.#options;
    const rows: SideRow[] = [COPY_MARK.removal()];
    for (const { key, value } of source.sideRows()) {
      if (kindOfRow(key)?.isCopied === true)
        rows.push({ key: new Uint8Array(key), value: new Uint8Array(value) });
    }
    await this.#yieldTurn();
    await new StoreWriter(target).write({ trust: source.position, sideRows: rows });
  }

  #count(versions: number): void {
    this.#counts.versions += versions;
    this.#present += versions;
    this.#options.onProgress("versions", this.#present);
  }
}

/** What a block brings besides its place. */
function contentOf(block: VerifiedBlock): Pick<CommitBatch, "writes" | "blocks" | "records"> {
  return { writes: block.writes, blocks: [block.start], records: block.records };
}

function isSameHead(a: Position, b: Position): boolean {
  const root = (position: Position): Uint8Array => transactionAccumulator(position.accumulator).root();
  return (
    a.stateRoot !== undefined &&
    b.stateRoot !== undefined &&
    equalBytes(a.stateRoot, b.stateRoot) &&
    equalBytes(root(a), root(b)) &&
    a.blockHeight === b.blockHeight &&
    a.epoch === b.epoch &&
    a.timestampUsec === b.timestampUsec
  );
}
