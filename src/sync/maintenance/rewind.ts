// Rewinds a ledger to the end of an earlier block, from the head down, in steps of whole blocks. Every step is one write
// and leaves a sound ledger, so a rewind that is killed only has to be run again. A mark written first keeps readers below
// the target and other writers out until the last step.
import { equalBytes, toMapKey } from "../../base/bytes.ts";
import { ConfigError } from "../../base/errors.ts";
import { toHex } from "../../base/hex.ts";
import { takeTurn } from "../../base/wait.ts";
import { EMPTY_ACCUMULATOR, transactionAccumulator } from "../../ledger/accumulator.ts";
import { decodeRecord } from "../../ledger/formats/record.ts";
import { transactionInfoHash } from "../../ledger/formats/transaction-info.ts";
import { transactionRows } from "../../ledger/indexes/transaction-rows.ts";
import { type AccumulatorState, isAccumulatorKnown, type Position } from "../../ledger/position.ts";
import { cutTrust, type Refutation } from "../../ledger/trust.ts";
import { type Block, type StateItem, withView } from "../../ledger/view.ts";
import type { RewindBatch, StateWrite, Store, StoreView } from "../../store/contract.ts";
import { StoreError } from "../../store/errors.ts";
import { IndexRowMaker } from "../index-rows.ts";
import { rewoundLogs } from "../proofs/tree-history.ts";
import { readRecords } from "../reading.ts";
import { KEPT_ACCUMULATOR, REWIND_MARK, REWINDS, rewoundSideRows } from "../side-rows.ts";
import { StoreWriter } from "../store-writer.ts";
import { PendingTree } from "../verify/pending-tree.ts";
import { findStart } from "./kept-accumulator.ts";

/** Options of a rewind. */
export interface RewindOptions {
  readonly store: Store;
  /** The version to return to: the end of a kept block. */
  readonly to: bigint;
  /** Called with the number of versions removed, and of all to remove. */
  readonly onProgress: (done: number, total: number) => void;
  /** Stops between two steps. */
  readonly signal: AbortSignal;
  /** Approximate number of writes undone in one step. Blocks are removed whole. */
  readonly stepWrites?: number;
}

/** Result of a rewind. */
export interface RewindReport {
  readonly chainId: number;
  /** The latest version before. */
  readonly from: bigint;
  /** The latest version now. */
  readonly version: bigint;
  readonly blockHeight: bigint;
  /** The refutation that this cleared. */
  readonly cleared: string | undefined;
}

/** The end of a block between the target and the head. */
interface Stage {
  readonly version: bigint;
  readonly accumulator: AccumulatorState;
}

const DEFAULT_STEP_WRITES = 2000;
/** Most items read at once. */
const ITEMS_AT_ONCE = 500;

/**
 * Rewinds, or resumes an interrupted rewind. Throws ConfigError for a version that cannot be the target, StoreError
 * `format` if the store lacks what a rewind needs; nothing is changed then. Throws StoreError `corrupt` if the ledger does
 * not have the hashes of its own records.
 */
export async function rewindLedger(options: RewindOptions): Promise<RewindReport> {
  return new LedgerRewind(options).run();
}

class LedgerRewind {
  readonly #options: RewindOptions;
  readonly #writer: StoreWriter;
  readonly #tree: PendingTree;

  constructor(options: RewindOptions) {
    this.#options = options;
    this.#writer = new StoreWriter(options.store);
    this.#tree = new PendingTree(options.store);
  }

  async run(): Promise<RewindReport> {
    const { store, to, onProgress } = this.#options;
    const head = await withView(store.openView(), (view) => view.position);
    const target = await withView(store.openRawView(), (view) => findTarget(view, head, to));
    if (to < head.version) {
      const stages = await this.#plan(head);
      await this.#mark(head);
      const total = Number(head.version - to);
      let { version } = head;
      for (const stage of stages.reverse()) {
        await takeTurn(this.#options.signal);
        await this.#step(version, stage);
        version = stage.version;
        onProgress(Number(head.version - version), total);
      }
    } else {
      await this.#writer.write({
        trust: { trust: head.trust, refuted: undefined },
        sideRows: [REWIND_MARK.removal()],
      });
    }
    return {
      chainId: head.chainId,
      from: head.version,
      version: to,
      blockHeight: target.height,
      cleared: head.refuted?.reason,
    };
  }

  /** Where each step ends, lowest first, with the accumulators there, which are compared with those of the records. */
  async #plan(head: Position): Promise<Stage[]> {
    const { store, to, signal, stepWrites = DEFAULT_STEP_WRITES } = this.#options;
    const stages: Stage[] = [];
    const isKnown = isAccumulatorKnown(head);
    const start = isKnown ? await findStart(store, head, to + 1n) : undefined;
    if (isKnown && start === undefined) {
      const kept = await KEPT_ACCUMULATOR.load(store);
      if (kept !== undefined && kept.leafCount > to + 1n) {
        throw new ConfigError(
          `--to: expected version ${kept.leafCount - 1n} or later, because pruning up to version ${kept.leafCount} has begun; got ${to}`,
        );
      }
      throw new StoreError(
        "format",
        `cannot rewind to version ${to}: the records that its accumulator follows from were pruned before this program kept it. Start in a fresh directory`,
      );
    }
    const accumulator = transactionAccumulator(start);
    const addStage = (version: bigint): void => {
      stages.push({ version, accumulator: isKnown ? accumulator.state() : EMPTY_ACCUMULATOR });
    };
    const first = start?.leafCount ?? to + 1n;
    if (first > to) addStage(to);
    let writes = 0;
    for await (const record of readRecords(store, first, head.version, signal)) {
      const { version, info } = record;
      if (isKnown) accumulator.append(transactionInfoHash(record.infoBytes));
      if (version > to) writes += record.writes.length + 1;
      const isStage = version === to || (writes >= stepWrites && version < head.version);
      if (!isStage || info.stateCheckpointHash === undefined) continue;
      addStage(version);
      writes = 0;
    }
    if (isKnown) {
      const [computed, stored] = [accumulator.root(), transactionAccumulator(head.accumulator).root()];
      assertSameHash(head.version, "accumulator root", computed, stored);
    }
    return stages;
  }

  /** Bars readers from the versions above the target, and other writers from the store. */
  async #mark({ trust, stateRoot }: Position): Promise<void> {
    const { store, to } = this.#options;
    // Fetched items that rest on the versions to remove go too.
    const base = stateRoot === undefined ? [REWINDS.row([...((await REWINDS.load(store)) ?? []), to])] : [];
    await this.#writer.write({
      trust: { trust, refuted: this.#refutation() },
      sideRows: [REWIND_MARK.row(to), ...base],
    });
  }

  #refutation(): Refutation {
    const { to } = this.#options;
    const reason = `it is being rewound to version ${to}, which sextant rewind --to ${to} finishes`;
    return { firstVersion: to + 1n, reason };
  }

  /** Removes the versions above a stage in one write. */
  async #step(previous: bigint, stage: Stage): Promise<void> {
    const { store } = this.#options;
    const { head, batch, logs } = await withView(store.openRawView(), async (view) => {
      const made = await this.#batch(view, previous, stage);
      // The first removed block may have deleted the finished logs of nodes that the last kept one removed.
      const last = await view.getBlockByVersion(stage.version);
      const { writes } = await contentsOf(this.#options, last?.firstVersion ?? stage.version, stage.version);
      const keyHashes = [...made.keyHashes, ...distinct(writes)];
      const rewound = await rewoundLogs(store, view, keyHashes, stage.version);
      return { head: view.position, batch: made, logs: rewound };
    });
    const { position, keyHashes } = batch;
    await this.#writer.rewind({
      ...batch,
      keyHashes: [...keyHashes, ...logs.keyHashes],
      sideRows: [...(await rewoundSideRows({ store, head, position, keyHashes })), ...logs.rows],
    });
    this.#tree.settle();
  }

  async #batch(
    view: StoreView,
    previous: bigint,
    { version, accumulator }: Stage,
  ): Promise<Omit<RewindBatch, "sideRows">> {
    const { position: head } = view;
    const isLast = version === this.#options.to;
    const block = await view.getBlockByVersion(version);
    const [raw] = await view.getRecords(version, 1, 1);
    if (block?.lastVersion !== version || raw === undefined) {
      throw new StoreError("corrupt", `version ${version}: its block or its record is missing`);
    }
    const { info, accumulatorRoot } = decodeRecord(raw.bytes);
    if (isAccumulatorKnown(head)) {
      const computed = transactionAccumulator(accumulator).root();
      assertSameHash(version, "accumulator root", computed, accumulatorRoot);
    }
    const { writes, transactions } = await contentsOf(this.#options, version + 1n, previous);
    const keyHashes = distinct(writes);
    const items = await itemsAt(view, keyHashes, version);
    const isWhole = head.stateRoot !== undefined;
    if (isWhole) {
      const restored = await this.#tree.apply(
        keyHashes.map((keyHash, i) => ({ keyHash, version, value: items[i]?.value })),
      );
      assertSameHash(version, "state root", restored, info.stateCheckpointHash);
    }
    const absent = new Set(keyHashes.filter((_, i) => items[i] === undefined).map(toMapKey));
    const position: Position = {
      ...head,
      version,
      timestampUsec: block.timestampUsec,
      epoch: block.epoch,
      blockHeight: block.height,
      accumulator,
      stateRoot: isWhole ? info.stateCheckpointHash : undefined,
      trust: cutTrust(head.trust, version),
      refuted: isLast ? undefined : this.#refutation(),
    };
    return {
      previous,
      position,
      keyHashes,
      index: [...(await addedRows(view, writes, absent, version)), ...transactions],
      treeNodes: isWhole ? this.#tree.takeChanges() : [],
    };
  }
}

/** The block that a version ends. Throws ConfigError unless it can be rewound to. */
async function findTarget(view: StoreView, head: Position, to: bigint): Promise<Block> {
  const { oldestVersion, version, refuted } = head;
  if (to < oldestVersion || to > version) {
    throw new ConfigError(`--to: expected a kept version, ${oldestVersion} to ${version}, got ${to}`);
  }
  if (refuted !== undefined && to >= refuted.firstVersion) {
    const { firstVersion, reason } = refuted;
    if (firstVersion <= oldestVersion) {
      throw new StoreError(
        "format",
        `cannot rewind: every kept version is refuted (${reason}). Start in a fresh directory`,
      );
    }
    throw new ConfigError(
      `--to: expected a version below ${firstVersion}, from which on ${reason}; got ${to}`,
    );
  }
  const block = await view.getBlockByVersion(to);
  if (block === undefined) throw new StoreError("corrupt", `no block has version ${to}`);
  if (block.lastVersion === to) return block;
  const before = block.firstVersion > oldestVersion ? `${block.firstVersion - 1n} or ` : "";
  throw new ConfigError(
    `--to: expected the last version of a block, ${before}${block.lastVersion}, got ${to}`,
  );
}

/** What the records of a range write, and their rows in the index of transactions. */
async function contentsOf(
  { store, signal }: RewindOptions,
  first: bigint,
  last: bigint,
): Promise<{ readonly writes: readonly StateWrite[]; readonly transactions: RewindBatch["index"] }> {
  const writes: StateWrite[] = [];
  const transactions: RewindBatch["index"][number][] = [];
  for await (const { version, bytes, writes: own } of readRecords(store, first, last, signal)) {
    for (const write of own) writes.push({ ...write, version });
    // No item has the place of a transaction for its hash.
    for (const row of transactionRows(version, bytes)) transactions.push({ ...row, keyHash: row.place });
  }
  return { writes, transactions };
}

/** The keys of writes, each once. */
function distinct(writes: readonly StateWrite[]): Uint8Array[] {
  return [...new Map(writes.map(({ keyHash }) => [toMapKey(keyHash), keyHash])).values()];
}

async function itemsAt(
  view: StoreView,
  keyHashes: readonly Uint8Array[],
  version: bigint,
): Promise<(StateItem | undefined)[]> {
  const items: (StateItem | undefined)[] = [];
  for (let at = 0; at < keyHashes.length; at += ITEMS_AT_ONCE) {
    items.push(...(await view.getItems(keyHashes.slice(at, at + ITEMS_AT_ONCE), version)));
  }
  return items;
}

/** The index rows of absent items. */
async function addedRows(
  view: StoreView,
  writes: readonly StateWrite[],
  absent: ReadonlySet<string>,
  version: bigint,
): Promise<RewindBatch["index"]> {
  const own = writes.filter(({ keyHash }) => absent.has(toMapKey(keyHash)));
  const rows = await new IndexRowMaker().rowsOf(own, (keyHashes) => itemsAt(view, keyHashes, version));
  // Copied: the bytes of items are valid only as long as the view is open.
  return rows.map(({ owner, place, keyHash }) => ({
    owner: new Uint8Array(owner),
    place: new Uint8Array(place),
    keyHash,
  }));
}

function assertSameHash(
  version: bigint,
  what: string,
  computed: Uint8Array,
  expected: Uint8Array | undefined,
): void {
  if (expected !== undefined && equalBytes(computed, expected)) return;
  throw new StoreError(
    "corrupt",
    `version ${version}: the ${what} must be ${expected === undefined ? "there" : toHex(expected)}, computed ${toHex(computed)}: the store is damaged, start in a fresh directory`,
  );
}
