// Keys that are written so often that one partition would grow without end. The writer counts what it adds to
// each key's current bucket and begins a new bucket when it is full: the versions from there on live in a
// partition of their own, and the key's first partition holds a pointer row at the version where it begins. So a
// read needs one partition for nearly all keys and two for a split one, whatever was written when.
import { asBigint, asNumber, type Tables } from "./tables.ts";
import type { Terms } from "./terms.ts";

/** One further bucket of a key. */
export interface Split {
  readonly bucket: number;
  /** First version in it. */
  readonly start: bigint;
}

/** Where a write goes. */
export interface Placement {
  readonly bucket: number;
  /** True when the bucket begins with this write. */
  readonly isNew: boolean;
}

interface Count {
  rows: number;
  bytes: number;
}

/** Bytes of values in one bucket, about. */
const BUCKET_BYTES = 64 * 2 ** 20;
/** Keys whose counts are kept in one generation; two are kept. */
const COUNTED_KEYS = 100_000;

/** Knows the buckets of all split keys of a ledger, and counts towards new ones. */
export class Splits {
  readonly #maxRows: number;
  readonly #splits = new Map<string, Split[]>();
  #counts = new Map<string, Count>();
  #countsBefore = new Map<string, Count>();

  constructor(maxRows: number) {
    this.#maxRows = maxRows;
  }

  /** Learns the committed splits. What was planned and not committed is forgotten. */
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

  /** Decides the bucket of a write, and counts it. Writes of one key come in order of version. */
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

  /** The buckets of a key beyond the first, in order. */
  of(key: Buffer): readonly Split[] {
    return this.#splits.get(nameOf(key)) ?? [];
  }

  /** Forgets the buckets before one. */
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
