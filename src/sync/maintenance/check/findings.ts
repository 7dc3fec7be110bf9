// What every part of a check shares: its findings, of which the first keep their text, its pace, which yields to the event
// loop so that the process can handle signals, and the comparison of two tables that must tell the same.
import { crc32 } from "node:zlib";
import { writeNumber } from "../../../base/bytes.ts";
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import { takeTurn } from "../../../base/wait.ts";

/** Texts kept: one damaged place causes many findings. */
const MAX_TEXTS = 50;

export class Findings {
  readonly texts: string[] = [];
  #count = 0;

  /** All findings, including those without text. */
  get count(): number {
    return this.#count;
  }

  add(text: string): void {
    this.#count++;
    if (this.texts.length < MAX_TEXTS) this.texts.push(text);
  }

  /** Adds the text unless the condition holds. */
  expect(holds: boolean, text: () => string): void {
    if (!holds) this.add(text());
  }
}

/** Called with the number of checked rows and the total. */
export type CheckProgress = (done: number, total: number) => void;

/** Rows between two yields. */
const TURN_ROWS = 1000;

/** The pace of one check. */
export class CheckPace {
  readonly #total: number;
  readonly #onProgress: CheckProgress;
  readonly #signal: AbortSignal | undefined;
  #done = 0;
  #turnAt = TURN_ROWS;

  constructor(total: number, onProgress: CheckProgress, signal: AbortSignal | undefined) {
    this.#total = total;
    this.#onProgress = onProgress;
    this.#signal = signal;
  }

  /** Counts a checked row. */
  row(): void {
    this.#done++;
    if (this.#done % TURN_ROWS === 0) this.#onProgress(Math.min(this.#done, this.#total), this.#total);
  }

  /**
   * Checks rows one after the other; rejects with the signal's reason once aborted. Waits only where it must: a promise for
   * each row costs more than its check.
   */
  async each<T>(rows: Iterable<T> | AsyncIterable<T>, check: (row: T) => MaybePromise<void>): Promise<void> {
    if (Symbol.asyncIterator in rows) {
      for await (const row of rows) await this.#one(row, check);
      return;
    }
    for (const row of rows) {
      const waiting = this.#one(row, check);
      if (waiting !== undefined) await waiting;
    }
  }

  #one<T>(row: T, check: (row: T) => MaybePromise<void>): Promise<void> | undefined {
    this.row();
    if (this.#done >= this.#turnAt) {
      this.#turnAt = this.#done + TURN_ROWS;
      return takeTurn(this.#signal).then(() => check(row));
    }
    const checked = check(row);
    return checked instanceof Promise ? checked : undefined;
  }
}

/**
 * Compares two lists that must have the same entries, each once, in any order and however long: counts both, and adds up a
 * checksum of each entry.
 */
export class Tally {
  readonly #number = new Uint8Array(8);
  #expected = 0;
  #found = 0;
  #difference = 0;

  /** An entry that should be there. */
  expect(...entry: readonly (Uint8Array | bigint)[]): void {
    this.#expected++;
    this.#difference = (this.#difference + this.#sumOf(entry)) | 0;
  }

  /** An entry that is there. */
  find(...entry: readonly (Uint8Array | bigint)[]): void {
    this.#found++;
    this.#difference = (this.#difference - this.#sumOf(entry)) | 0;
  }

  /** Adds a finding unless the lists are the same. */
  compare(findings: Findings, what: string): void {
    findings.expect(this.#expected === this.#found && this.#difference === 0, () => {
      const others = this.#expected === this.#found ? "others" : `${this.#found}`;
      return `${what}: expected ${this.#expected}, found ${others}`;
    });
  }

  #sumOf(entry: readonly (Uint8Array | bigint)[]): number {
    let sum = 0;
    for (const part of entry) {
      if (typeof part === "bigint") writeNumber(this.#number, 0, part);
      sum = crc32(typeof part === "bigint" ? this.#number : part, sum);
    }
    // A CRC is linear: without the product, entries that exchange their parts would add up alike.
    return Math.imul(sum ^ (sum >>> 16), 0x45d9f3b);
  }
}
