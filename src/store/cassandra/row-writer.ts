// Writes a ledger: first the rows, in any order, then the head row, which makes them visible at once. Every row carries
// the term of this process. After a failed write the process begins a new term, so that leftover rows can never be
// mistaken for later ones.
import { equalBytes } from "../../base/bytes.ts";
import { encodeWith } from "../../bcs/codec.ts";
import { type Position, positionCodec } from "../../ledger/position.ts";
import {
  assertFollows,
  assertIdentity,
  assertRewinds,
  toRewoundPosition,
  toStoredPosition,
} from "../commit-check.ts";
import type {
  BaseBatch,
  BlockStart,
  CommitBatch,
  RewindBatch,
  SideChange,
  SideRow,
  StoreIdentity,
} from "../contract.ts";
import { StoreError } from "../errors.ts";
import { requireLedger } from "../read-check.ts";
import { type Head, type HeadMove, type HeadRow, takenOver } from "./head.ts";
import type { HeadCache } from "./head-cache.ts";
import type { CassandraSettings } from "./options.ts";
import { planOwned } from "./owned-rows.ts";
import { planBase, planBatch, planRows } from "./rows.ts";
import { Splits } from "./splits.ts";
import { asBuffer, type Tables } from "./tables.ts";
import type { Terms } from "./terms.ts";
import type { Tenure } from "./view.ts";
import type { Request } from "./writes.ts";

/** Replaced tree and side rows that wait for removal, and how many more leave together: many at once would hold up a commit. */
const [MAX_REPLACED, REMOVED_AT_ONCE] = [2048, 64];

/** The result of taking the lease. */
interface Claim {
  readonly head: Head;
  readonly terms: Terms;
}

/** State of this process while it holds the lease. */
interface HeldLease {
  readonly tenure: Tenure;
  head: Head;
  terms: Terms;
  /** True after a failed write: some of its rows may exist, and it may even have been committed. */
  isDirty: boolean;
  /** A move of the head whose outcome is unknown. */
  unconfirmedMove: HeadMove | undefined;
}

/** Writes one ledger. */
export class RowWriter {
  readonly owner: string;
  readonly splits: Splits;
  readonly tables: Tables;
  readonly #row: HeadRow;
  readonly #headCache: HeadCache;
  readonly #settings: CassandraSettings;
  #held: HeldLease | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  readonly #replaced = new Map<string, Request>();
  #sends = 0;

  constructor(
    parts: {
      readonly tables: Tables;
      readonly row: HeadRow;
      readonly headCache: HeadCache;
      readonly owner: string;
    },
    settings: CassandraSettings,
  ) {
    this.tables = parts.tables;
    this.#row = parts.row;
    this.#headCache = parts.headCache;
    this.owner = parts.owner;
    this.#settings = settings;
    this.splits = new Splits(settings.splitRows);
  }

  /** The hosts and the keyspace, for messages. */
  get where(): string {
    return this.tables.session.where;
  }

  /** The current tenure; undefined while this process does not hold the lease. */
  get tenure(): Tenure | undefined {
    return this.#held?.tenure;
  }

  /** Takes the lease if the head is still `from`; false if it changed. */
  async begin(from: Head): Promise<boolean> {
    const claimed = await this.#claim(from);
    if (claimed === undefined) return false;
    await this.splits.load(this.tables, claimed.terms);
    this.#held = {
      ...claimed,
      tenure: { term: claimed.head.term },
      isDirty: false,
      unconfirmedMove: undefined,
    };
    this.#headCache.update(claimed.head, claimed.terms);
    return true;
  }

  /** Stops writing. */
  end(): void {
    this.#held = undefined;
  }

  /** The head after the last write. Throws StoreError `locked` without the lease. */
  get head(): Head {
    return this.#requireLease().head;
  }

  get terms(): Terms {
    return this.#requireLease().terms;
  }

  /** Commits a batch, all or nothing. Throws StoreError. */
  async commit(batch: CommitBatch, identity: StoreIdentity | undefined): Promise<void> {
    await this.queue(async () => {
      const unconfirmed = await this.recover();
      const { head } = this.#requireLease();
      // The caller retries a commit whose outcome was unknown and that did succeed.
      if (unconfirmed !== undefined && isSameMove(unconfirmed, batch, head)) return;
      assertFollows(batch, head.position);
      const chain = assertIdentity(batch, head.identity, identity);
      const position = toStoredPosition(batch, head.position);
      const pruned = head.position === undefined ? position.oldestVersion : head.pruned;
      const stamp = { term: head.term, seq: head.seq + 1n };
      const rows = [
        ...planBatch(this.tables, batch, { ...stamp, blockHeight: head.position?.blockHeight }, this.splits),
        ...planOwned(this.tables, batch.index ?? []),
      ];
      await this.#write(rows, { seq: stamp.seq, position, identity: chain, pruned });
      await this.#removeReplaced(batch.treeNodes, batch.sideRows ?? []);
    });
  }

  /** Adds index rows, then writes side rows and trust, all or none. */
  async writeSide({ sideRows, index = [], trust: facts }: SideChange): Promise<void> {
    await this.queue(async () => {
      await this.recover();
      const { term, seq, position: known, identity, pruned } = this.#requireLease().head;
      const stamp = { term, seq: seq + 1n };
      const position =
        facts === undefined ? known : { ...requireLedger(known), trust: facts.trust, refuted: facts.refuted };
      const rows = [...planOwned(this.tables, index), ...planRows(this.tables, "putSide", sideRows, stamp)];
      await this.#write(rows, { seq: stamp.seq, position, identity, pruned });
      await this.#removeReplaced([], sideRows);
    });
  }

  /**
   * Moves the head back. The rows above it stay, as rows of terms that end there: no reader takes them for rows of the
   * versions that come instead, and the pruner removes them with their partitions. Index rows stay too: they have no
   * term, and a removal would hide a row that a lower version writes again, because versions are their timestamps.
   */
  async rewind(
    batch: RewindBatch,
    readBlock: (height: bigint, terms: Terms) => Promise<BlockStart | undefined>,
  ): Promise<void> {
    await this.queue(async () => {
      await this.recover();
      const held = this.#requireLease();
      const { term, seq, identity, pruned } = held.head;
      const known = requireLedger(held.head.position);
      assertRewinds(batch, known, await readBlock(batch.position.blockHeight + 1n, held.terms));
      const stamp = { term, seq: seq + 1n };
      const position = toRewoundPosition(batch, known);
      const terms = held.terms.rewind(term + 1, position.version, stamp.seq);
      const rows = [
        ...planRows(this.tables, "putNode", batch.treeNodes, stamp),
        ...planRows(this.tables, "putSide", batch.sideRows, stamp),
      ];
      await this.#write(rows, { seq: stamp.seq, position, identity, pruned }, terms);
      await this.splits.load(this.tables, terms);
      await this.#removeReplaced(batch.treeNodes, batch.sideRows);
    });
  }

  /** Writes a part of the state that the first commit builds on. */
  async preload(base: BaseBatch): Promise<void> {
    await this.queue(async () => {
      if (this.#requireLease().head.position !== undefined) {
        throw new StoreError("order", "the store already holds a ledger");
      }
      const rows = [...planBase(this.tables, base), ...planOwned(this.tables, base.index ?? [])];
      await this.#send(rows);
    });
  }

  /** Moves the oldest version. */
  async moveOldest(position: Position, pruned: bigint): Promise<void> {
    const { head } = this.#requireLease();
    const { identity } = head;
    await this.#move({ seq: head.seq + 1n, position, identity, pruned });
  }

  /** Sets how far rows are removed; the next move of the head stores it. */
  setPruned(pruned: bigint): void {
    const held = this.#requireLease();
    held.head = { ...held.head, pruned };
  }

  /** Sends removals. */
  async remove(requests: readonly Request[]): Promise<void> {
    await this.#send(requests);
  }

  /** Recovers after a failed write; until then the known head may be wrong. */
  async recoverIfNeeded(): Promise<void> {
    if (this.#held?.isDirty === true) await this.queue(() => this.recover());
  }

  /** Runs an action after all earlier ones. */
  async queue<T>(action: () => Promise<T>): Promise<T> {
    const before = this.#queue;
    const result = (async () => {
      await before.catch(() => {});
      return action();
    })();
    this.#queue = result;
    return result;
  }

  /** Waits for the queued writes. */
  async drain(): Promise<void> {
    await this.#queue.catch(() => {});
  }

  #requireLease(): HeldLease {
    if (this.#held === undefined) {
      throw new StoreError("locked", `this process does not hold the writer's lease of ${this.where}`);
    }
    // A read may already have shown that another process took over.
    const known = this.#headCache.known?.head;
    const isOver = known !== undefined && known.term > this.#held.head.term && known.owner !== this.owner;
    if (isOver) throw this.#lose(known);
    return this.#held;
  }

  /**
   * After a failed write: reads its outcome and begins a new term, so that its leftover rows do not count. Returns the
   * move whose outcome was unknown.
   */
  async recover(): Promise<HeadMove | undefined> {
    const held = this.#requireLease();
    if (!held.isDirty) return undefined;
    const { unconfirmedMove } = held;
    let claimed: Claim | undefined;
    while (claimed === undefined) {
      const current = await this.#row.loadSerial();
      // The term may be newer than the known one: an earlier claim of this process whose outcome it never learned.
      if (current?.owner !== this.owner) throw this.#lose(current);
      // Fails if a heartbeat of this process came in between.
      claimed = await this.#claim(current);
    }
    await this.splits.load(this.tables, claimed.terms);
    held.head = claimed.head;
    held.terms = claimed.terms;
    held.tenure.term = claimed.head.term;
    held.isDirty = false;
    held.unconfirmedMove = undefined;
    this.#headCache.update(held.head, held.terms);
    return unconfirmedMove;
  }

  async #claim(from: Head): Promise<Claim | undefined> {
    const { terms: known } = await this.#row.loadTerms();
    const terms = known.begin(from.term + 1, from.position?.version ?? -1n, from.seq);
    const head = await this.#row.claim(from, terms, this.owner);
    return head === undefined ? undefined : { head, terms };
  }

  async #send(requests: readonly Request[]): Promise<void> {
    const { term } = this.#requireLease().head;
    await this.tables.session.writeAll(requests, { term, number: this.#sends++ });
  }

  /** Writes rows, then moves the head: back, where it begins a new term. */
  async #write(rows: readonly Request[], move: HeadMove, terms?: Terms): Promise<void> {
    const held = this.#requireLease();
    try {
      await this.#send(rows);
    } catch (error) {
      held.isDirty = true;
      throw error;
    }
    await this.#move(move, terms);
  }

  async #move(move: HeadMove, terms?: Terms): Promise<void> {
    const held = this.#requireLease();
    let head: Head | undefined;
    try {
      head = await (terms === undefined
        ? this.#row.move(held.head, move)
        : this.#row.rewind(held.head, move, terms));
    } catch (error) {
      held.isDirty = true;
      held.unconfirmedMove = move;
      throw error;
    }
    if (head === undefined) throw await this.#refuse(held, move);
    held.head = head;
    held.terms = terms ?? held.terms;
    held.tenure.term = head.term;
    this.#headCache.update(head, held.terms);
  }

  /** The error of a refused move. Only the row can tell whether another process took over. */
  async #refuse(held: HeldLease, move: HeadMove): Promise<StoreError> {
    held.isDirty = true;
    held.unconfirmedMove = move;
    const current = await this.#row.loadSerial();
    if (current?.owner !== this.owner) return this.#lose(current);
    return new StoreError("unreachable", `the head of ${this.where} is not where it was left`);
  }

  #lose(current: Head | undefined): StoreError {
    this.#held = undefined;
    return takenOver(this.where, current);
  }

  /** Collects removals of replaced rows, which nobody reads, and sends the oldest. */
  async #removeReplaced(nodes: CommitBatch["treeNodes"], rows: readonly SideRow[]): Promise<void> {
    const { statements, ledger } = this.tables;
    const { seq } = this.head;
    const note = (kind: "pruneNode" | "pruneSide", { key }: SideRow): void => {
      const values = [ledger, asBuffer(new Uint8Array(key)), seq];
      this.#replaced.set(`${kind} ${asBuffer(key).toString("latin1")}`, { query: statements[kind], values });
    };
    for (const node of nodes) note("pruneNode", node);
    for (const row of rows) note("pruneSide", row);
    const excess = this.#replaced.size - MAX_REPLACED;
    if (excess < REMOVED_AT_ONCE) return;
    const oldest = [...this.#replaced].slice(0, excess);
    for (const [name] of oldest) this.#replaced.delete(name);
    try {
      await this.#send(oldest.map(([, request]) => request));
    } catch (error) {
      // The commit is done; later writes of the same keys remove the leftovers.
      if (!(error instanceof StoreError)) throw error;
      this.#settings.logger.warn({ err: error.message }, "replaced rows were not removed");
    }
  }
}

/** True if the move was applied and belongs to this batch. */
function isSameMove(move: HeadMove, batch: CommitBatch, head: Head): boolean {
  if (move.position === undefined || head.seq !== move.seq) return false;
  const { oldestVersion, oldestBlockHeight } = move.position;
  const position = { ...batch.position, oldestVersion, oldestBlockHeight };
  return equalBytes(encodeWith(positionCodec, position), encodeWith(positionCodec, move.position));
}
