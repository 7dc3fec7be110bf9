// A process's cached head row. At most one read is in flight, the result is never older than requested, and it
// never goes backwards: a cluster that shows an older head, or a head that does not continue the known one, holds an older
// copy of the ledger, and is refused. The writer updates it with its own commits, so that its process sees them at once.
import type { Position } from "../../ledger/position.ts";
import { type Head, type HeadRow, replaced } from "./head.ts";
import { Terms } from "./terms.ts";

/** The result of one read of the head row. */
export interface HeadSnapshot {
  readonly head: Head;
  readonly position: Position | undefined;
  readonly terms: Terms;
}

/** Caches the head row. */
export class HeadCache {
  readonly #row: HeadRow;
  readonly #maxAgeMs: number;
  #known: HeadSnapshot | undefined;
  /** Start time of the read that gave `#known`. */
  #knownAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<HeadSnapshot | undefined> | undefined;
  #readingSince = Number.NEGATIVE_INFINITY;

  constructor(row: HeadRow, maxAgeMs: number) {
    this.#row = row;
    this.#maxAgeMs = maxAgeMs;
  }

  /** The last known snapshot, of any age. */
  get known(): HeadSnapshot | undefined {
    return this.#known;
  }

  /** A snapshot within the allowed age; undefined while there is no head row. */
  async current(): Promise<HeadSnapshot | undefined> {
    const oldest = performance.now() - this.#maxAgeMs;
    if (this.#knownAt >= oldest) return this.#known;
    return this.#reading !== undefined && this.#readingSince >= oldest ? this.#reading : this.fresh();
  }

  /** A snapshot whose read starts after this call. */
  async fresh(): Promise<HeadSnapshot | undefined> {
    const called = performance.now();
    // A read in flight may predate this call. All callers that wait for it share the next read.
    while (this.#reading !== undefined && this.#readingSince < called) await this.#reading.catch(() => {});
    return this.#read();
  }

  /** Stores a head that this process's writer just wrote or read. */
  update(head: Head, terms: Terms): void {
    this.#keep({ head, position: head.position, terms }, performance.now());
  }

  #read(): Promise<HeadSnapshot | undefined> {
    if (this.#reading !== undefined) return this.#reading;
    this.#readingSince = performance.now();
    this.#reading = this.#load(this.#readingSince).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #load(began: number): Promise<HeadSnapshot | undefined> {
    for (;;) {
      const head = await this.#row.load();
      if (head === undefined) return this.#known;
      const terms = await this.#termsOf(head);
      if (terms === undefined) continue;
      // The writer of this process may have moved the head during the read.
      if (this.#knownAt <= began) assertContinues({ head, terms }, this.#known);
      const known = this.#known;
      const isSame = known !== undefined && head.seq === known.head.seq && head.mark === known.head.mark;
      // Readers remember things by the position's object. A heartbeat does not change it.
      this.#keep({ head, position: isSame ? known.position : head.position, terms }, began);
      return this.#known;
    }
  }

  /** The terms of a head; undefined if another term began meanwhile, whose list may lack versions of this head. */
  async #termsOf(head: Head): Promise<Terms | undefined> {
    const known = this.#known;
    if (head.term === known?.head.term && head.mark === known.head.mark) return known.terms;
    if (head.term === 0) return new Terms([]);
    const { term, terms } = await this.#row.loadTerms();
    return term === head.term && terms.mark === head.mark ? terms : undefined;
  }

  #keep(snapshot: HeadSnapshot, began: number): void {
    if (this.#known !== undefined && isBefore(snapshot.head, this.#known.head)) return;
    this.#known = snapshot;
    this.#knownAt = began;
  }
}

function assertContinues({ head, terms }: Pick<HeadSnapshot, "head" | "terms">, known?: HeadSnapshot): void {
  if (known === undefined) return;
  if (isBefore(head, known.head)) throw replaced("an older copy has its place");
  const { seq } = known.head;
  if (terms.ownerOfSeq(seq)?.mark !== known.terms.ownerOfSeq(seq)?.mark)
    throw replaced("another history has its place");
}

function isBefore(a: Head, b: Head): boolean {
  return a.seq < b.seq || (a.seq === b.seq && a.term < b.term);
}
