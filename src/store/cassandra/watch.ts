// What a process knows of the head row: read at most once at a time, never older than asked for, never going
// backwards. A writer tells it of its own commits, so that the process that committed sees what it wrote.
import type { Position } from "../../ledger/position.ts";
import type { Head, HeadRow } from "./head.ts";
import { Terms } from "./terms.ts";

/** The ledger as of one reading of the head row. */
export interface HeadSnapshot {
  readonly head: Head;
  readonly position: Position | undefined;
  readonly terms: Terms;
}

/** Knows the head row. */
export class HeadWatch {
  readonly #row: HeadRow;
  readonly #maxAgeMs: number;
  #known: HeadSnapshot | undefined;
  /** When the reading began that gave what is known. */
  #knownAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<HeadSnapshot | undefined> | undefined;
  #readingSince = Number.NEGATIVE_INFINITY;

  constructor(row: HeadRow, maxAgeMs: number) {
    this.#row = row;
    this.#maxAgeMs = maxAgeMs;
  }

  /** The last known snapshot, however old. */
  get known(): HeadSnapshot | undefined {
    return this.#known;
  }

  /** A snapshot of at most the age allowed; undefined while there is no head row. */
  async current(): Promise<HeadSnapshot | undefined> {
    const oldest = performance.now() - this.#maxAgeMs;
    if (this.#knownAt >= oldest) return this.#known;
    return this.#reading !== undefined && this.#readingSince >= oldest ? this.#reading : this.fresh();
  }

  /** A snapshot whose reading begins after this call. */
  async fresh(): Promise<HeadSnapshot | undefined> {
    const called = performance.now();
    // One that is under way may have been answered already. All who wait for it share the next one.
    while (this.#reading !== undefined && this.#readingSince < called) await this.#reading.catch(() => {});
    return this.#read();
  }

  /** Takes what the writer of this process has just made or read. */
  note(head: Head, terms: Terms): void {
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
    const head = await this.#row.load();
    if (head === undefined) return this.#known;
    const known = this.#known;
    // Later terms begin after what is committed now, so a list that is newer than the head is right for it too.
    const terms =
      head.term === known?.head.term
        ? known.terms
        : head.term === 0
          ? new Terms([])
          : await this.#row.loadTerms();
    this.#keep({ head, position: head.position, terms }, began);
    return this.#known;
  }

  #keep(snapshot: HeadSnapshot, began: number): void {
    if (this.#known !== undefined && isBefore(snapshot.head, this.#known.head)) return;
    this.#known = snapshot;
    this.#knownAt = began;
  }
}

function isBefore(a: Head, b: Head): boolean {
  return a.seq < b.seq || (a.seq === b.seq && a.term < b.term);
}
