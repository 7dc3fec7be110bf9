// Splits keys that are written very often, whose partition would grow without end. The writer counts the rows of
// each key's current bucket and starts a new bucket when it is full. Later versions go to that bucket's own
// partition, and the key's first partition gets a pointer row at the version where it starts. A read needs one
// partition for nearly all keys and two for a split key.
import { asBigint, asNumber, type Tables } from "./tables.ts";
import type { Terms } from "./terms.ts";

/** A bucket of a key after the first. */
export interface Split {
  readonly bucket: number;
  /** Its first version. */
  readonly start: bigint;
}

/** The bucket of a write. */
export interface Placement {
  readonly bucket: number;
  /** True if the write starts the bucket. */
  readonly isNew: boolean;
}

interface Count {
  rows: number;
  bytes: number;
}

/** Approximate limit on the bytes of values in one bucket. */
const BUCKET_BYTES = 64 * 2 ** 20;
/** Largest number of counted keys in one of two generations. */
const COUNTED_KEYS = 100_000;

/** The buckets of all split keys of a ledger, and the row counts that lead to new ones. */
export class Splits {
  readonly #maxRows: number;
  readonly #splits = new Map<string, Split[]>();
  #counts = new Map<string, Count>();
  #countsBefore = new Map<string, Count>();

  constructor(maxRows: number) {
    this.#maxRows = maxRows;
  }

  /** Loads the committed splits and drops uncommitted ones. */
  async load(tables: Tables, terms: Terms): Promise<void> {
    this.#splits.clear();
    let next: string | undefined;
    do {
      const page = await tables.session.readPage(tables.statements.listSplits, [tables.ledger], 1000, next);
      for (const row of page.rows) {
        const start = asBigint(row, "start");
        const key = row.key;
        if (!Buffer.isBuffer(key) || !terms.ownsVersion(asNumber(row, "term"), start)) continue;
        const name = nameOf(key);
        const known = this.#splits.get(name) ?? [];
        known.push({ bucket: asNumber(row, "bucket"), start });
        this.#splits.set(name, known);
      }
      next = page.next;
    } while (next !== undefined);
    for (const known of this.#splits.values()) known.sort((a, b) => a.bucket - b.bucket);
  }

  /** Chooses the bucket of a write and counts it. Writes of one key must come in version order. */
  place(key: Buffer, version: bigint, bytes: number): Placement {
    const name = nameOf(key);
    const count = this.#count(name);
    const known = this.#splits.get(name);
    const bucket = known?.at(-1)?.bucket ?? 0;
    if (count.rows < this.#maxRows && count.bytes < BUCKET_BYTES) {
      count.rows++;
      count.bytes += bytes;
      return { bucket, isNew: false };
    }
    count.rows = 1;
    count.bytes = bytes;
    const split = { bucket: bucket + 1, start: version };
    if (known === undefined) this.#splits.set(name, [split]);
    else known.push(split);
    return { bucket: split.bucket, isNew: true };
  }

  /** The buckets of a key after the first, in order. */
  bucketsOf(key: Buffer): readonly Split[] {
    return this.#splits.get(nameOf(key)) ?? [];
  }

  /** Drops the buckets before the given one. */
  dropBefore(key: Buffer, bucket: number): void {
    const name = nameOf(key);
    const known = this.#splits.get(name);
    if (known !== undefined)
      this.#splits.set(
        name,
        known.filter((split) => split.bucket >= bucket),
      );
  }

  #count(name: string): Count {
    const known = this.#counts.get(name);
    if (known !== undefined) return known;
    const count = this.#countsBefore.get(name) ?? { rows: 0, bytes: 0 };
    if (this.#counts.size >= COUNTED_KEYS) {
      this.#countsBefore = this.#counts;
      this.#counts = new Map();
    }
    this.#counts.set(name, count);
    return count;
  }
}

function nameOf(key: Buffer): string {
  return key.toString("latin1");
}
