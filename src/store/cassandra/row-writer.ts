// The writing side of a store: rows first, in any order, then the head row, which makes them all visible at once.
// Every write is made under a term that this process holds; a write that failed midway ends the term, so that
// what it left behind can never be taken for something written later.
import { equalBytes } from "../../base/bytes.ts";
import { encodeWith } from "../../bcs/codec.ts";
import { type Position, positionCodec } from "../../ledger/position.ts";
import { assertFollows, assertIdentity, toStoredPosition } from "../commit-check.ts";
import type { BaseBatch, CommitBatch, SideRow, StoreIdentity } from "../contract.ts";
import { StoreError } from "../errors.ts";
import type { Head, HeadMove, HeadRow } from "./head.ts";
import type { CassandraSettings } from "./options.ts";
import { planBase, planBatch, planSide } from "./rows.ts";
import type { Request } from "./session.ts";
import { Splits } from "./splits.ts";
import { asBuffer, type Tables } from "./tables.ts";
import type { Terms } from "./terms.ts";
import type { Tenure } from "./view.ts";
import type { HeadWatch } from "./watch.ts";

/** Replaced rows of the tree and beside the state that may wait for their removal. */
const MAX_REPLACED = 2048;

/** A right to write that was just taken. */
interface Claim {
  readonly head: Head;
  readonly terms: Terms;
}

/** The state of a process that writes. */
interface Holding {
  readonly tenure: Tenure;
  head: Head;
  terms: Terms;
  /** True after a write that failed: its rows may be there, or it may have been made after all. */
  isDirty: boolean;
  /** A move of which it is not known whether it was made. */
  unknown: HeadMove | undefined;
}

/** Writes one ledger. */
export class RowWriter {
  readonly owner: string;
  readonly splits: Splits;
  readonly tables: Tables;
  readonly #row: HeadRow;
  readonly #watch: HeadWatch;
  readonly #settings: CassandraSettings;
  #holding: Holding | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #replaced = new Map<string, Request>();

  constructor(
    parts: {
      readonly tables: Tables;
      readonly row: HeadRow;
      readonly watch: HeadWatch;
      readonly owner: string;
    },
    settings: CassandraSettings,
  ) {
    this.tables = parts.tables;
    this.#row = parts.row;
    this.#watch = parts.watch;
    this.owner = parts.owner;
    this.#settings = settings;
    this.splits = new Splits(settings.splitRows);
  }

  /** The unbroken time as the writer. */
  get tenure(): Tenure | undefined {
    return this.#holding?.tenure;
  }

  /** Begins to write from what the head shows: false when it moved meanwhile. */
  async begin(from: Head): Promise<boolean> {
    const claimed = await this.#claim(from);
    if (claimed === undefined) return false;
    await this.splits.load(this.tables, claimed.terms);
    this.#holding = { ...claimed, tenure: { term: claimed.head.term }, isDirty: false, unknown: undefined };
    this.#watch.note(claimed.head, claimed.terms);
    return true;
  }

  /** Writes no more. */
  end(): void {
    this.#holding = undefined;
  }

  /** The head as this writer left it. Throws StoreError `locked` when it may not write. */
  get head(): Head {
    return this.#held().head;
  }

  get terms(): Terms {
    return this.#held().terms;
  }

  /** Commits a batch. Throws StoreError; afterwards the batch is there whole or not at all. */
  async commit(batch: CommitBatch, identity: StoreIdentity | undefined): Promise<void> {
    await this.queue(async () => {
      const unknown = await this.recover();
      const { head } = this.#held();
      // A commit of which it was not known whether it was made, and that is asked for again.
      if (unknown !== undefined && isSameMove(unknown, batch, head)) return;
      assertFollows(batch, head.position);
      const chain = assertIdentity(batch, head.identity, identity);
      const position = toStoredPosition(batch, head.position);
      const pruned = head.position === undefined ? position.oldestVersion : head.pruned;
      const stamp = { term: head.term, seq: head.seq + 1n };
      const rows = planBatch(this.tables, batch, stamp, this.splits);
      await this.#write(rows, { seq: stamp.seq, position, identity: chain, pruned });
      await this.#removeReplaced(batch.treeNodes, batch.sideRows ?? []);
    });
  }

  /** Writes rows beside the state, all or none. */
  async putSideRows(rows: readonly SideRow[]): Promise<void> {
    await this.queue(async () => {
      await this.recover();
      const { term, seq, position, identity, pruned } = this.#held().head;
      const stamp = { term, seq: seq + 1n };
      await this.#write(planSide(this.tables, rows, stamp), { seq: stamp.seq, position, identity, pruned });
      await this.#removeReplaced([], rows);
    });
  }

  /** Writes a part of what the first commit builds on. */
  async preload(base: BaseBatch): Promise<void> {
    await this.queue(async () => {
      if (this.#held().head.position !== undefined) {
        throw new StoreError("order", "the store holds a ledger already");
      }
      await this.tables.session.writeAll(planBase(this.tables, base), this.#settings.writeConcurrency);
    });
  }

  /** Moves the oldest version. */
  async moveOldest(position: Position, pruned: bigint): Promise<void> {
    const { head } = this.#held();
    const { identity } = head;
    await this.#move({ seq: head.seq + 1n, position, identity, pruned });
  }

  /** Remembers how far rows are removed; the next move of the head keeps it. */
  notePruned(pruned: bigint): void {
    const holding = this.#held();
    holding.head = { ...holding.head, pruned };
  }

  /** Removes rows, so many at once. */
  async remove(requests: readonly Request[]): Promise<void> {
    this.#held();
    await this.tables.session.writeAll(requests, this.#settings.writeConcurrency);
  }

  /** Learns what became of a write that failed, if one did: before that nothing may be built on what is known. */
  async settle(): Promise<void> {
    if (this.#holding?.isDirty === true) await this.queue(() => this.recover());
  }

  /** One write after the other. */
  async queue<T>(action: () => Promise<T>): Promise<T> {
    const before = this.#queue;
    const mine = (async () => {
      await before.catch(() => {});
      return action();
    })();
    this.#queue = mine;
    return mine;
  }

  /** Waits for the writes in hand. */
  async drain(): Promise<void> {
    await this.#queue.catch(() => {});
  }

  #held(): Holding {
    if (this.#holding === undefined) {
      throw new StoreError(
        "locked",
        `this process does not hold the right to write ${this.tables.session.where}`,
      );
    }
    // A view may have shown already that another one writes.
    const known = this.#watch.known?.head;
    const isOver = known !== undefined && known.term > this.#holding.head.term && known.owner !== this.owner;
    if (isOver) throw this.#lose();
    return this.#holding;
  }

  /**
   * After a write that failed: learns what became of it, and begins a new term, in which nothing that it left
   * behind counts. Gives the move whose outcome was not known.
   */
  async recover(): Promise<HeadMove | undefined> {
    const holding = this.#held();
    if (!holding.isDirty) return undefined;
    const { unknown } = holding;
    let claimed: Claim | undefined;
    while (claimed === undefined) {
      const current = await this.#row.loadSerial();
      if (current?.term !== holding.head.term) throw this.#lose();
      // Fails when a sign of life of this very process came between.
      claimed = await this.#claim(current);
    }
    await this.splits.load(this.tables, claimed.terms);
    holding.head = claimed.head;
    holding.terms = claimed.terms;
    holding.tenure.term = claimed.head.term;
    holding.isDirty = false;
    holding.unknown = undefined;
    this.#watch.note(holding.head, holding.terms);
    return unknown;
  }

  async #claim(from: Head): Promise<Claim | undefined> {
    const known = await this.#row.loadTerms();
    const terms = known.begin(from.term + 1, from.position?.version ?? -1n, from.seq);
    const head = await this.#row.claim(from, terms, this.owner);
    return head === undefined ? undefined : { head, terms };
  }

  async #write(rows: readonly Request[], move: HeadMove): Promise<void> {
    const holding = this.#held();
    try {
      await this.tables.session.writeAll(rows, this.#settings.writeConcurrency);
    } catch (error) {
      holding.isDirty = true;
      throw error;
    }
    await this.#move(move);
  }

  async #move(move: HeadMove): Promise<void> {
    const holding = this.#held();
    let head: Head | undefined;
    try {
      head = await this.#row.move(holding.head, move);
    } catch (error) {
      holding.isDirty = true;
      holding.unknown = move;
      throw error;
    }
    if (head === undefined) throw this.#lose();
    holding.head = head;
    this.#watch.note(head, holding.terms);
  }

  #lose(): StoreError {
    this.#holding = undefined;
    return new StoreError("locked", `another process took over writing ${this.tables.session.where}`);
  }

  /** Older rows of what was just replaced are of no use to anyone; they go together, now and then. */
  async #removeReplaced(nodes: CommitBatch["treeNodes"], rows: readonly SideRow[]): Promise<void> {
    const { statements, ledger, session } = this.tables;
    const { seq } = this.head;
    for (const { key } of nodes) {
      const values = [ledger, asBuffer(new Uint8Array(key)), seq];
      this.#replaced.set(`n${asBuffer(key).toString("latin1")}`, { query: statements.pruneNode, values });
    }
    for (const { key } of rows) {
      const values = [ledger, asBuffer(new Uint8Array(key)), seq];
      this.#replaced.set(`s${asBuffer(key).toString("latin1")}`, { query: statements.pruneSide, values });
    }
    if (this.#replaced.size < MAX_REPLACED) return;
    const requests = [...this.#replaced.values()];
    this.#replaced = new Map();
    try {
      await session.writeAll(requests, this.#settings.writeConcurrency);
    } catch (error) {
      // The commit stands; what is left over goes when its key is written again.
      if (!(error instanceof StoreError)) throw error;
      this.#settings.logger.warn({ err: error.message }, "older rows were not removed");
    }
  }
}

/** True when a move was made after all, and the batch is the one that it belonged to. */
function isSameMove(move: HeadMove, batch: CommitBatch, head: Head): boolean {
  if (move.position === undefined || head.seq !== move.seq) return false;
  const { oldestVersion, oldestBlockHeight } = move.position;
  const position = { ...batch.position, oldestVersion, oldestBlockHeight };
  return equalBytes(encodeWith(positionCodec, position), encodeWith(positionCodec, move.position));
}
