// Terms decide which rows count. A term is the time between two claims of the writer's lease, and every row carries
// the term of its write. Rows that a term wrote beyond the start of the next term were never committed. Such rows
// may appear late, under the same version as committed ones, and readers always skip them.

import { randomInt } from "node:crypto";
import { passingUpTo } from "../../base/search.ts";
import { StoreError } from "../errors.ts";

/** A term and its start: versions and writes up to there belong to earlier terms. */
export interface Term {
  readonly term: number;
  readonly version: bigint;
  readonly seq: bigint;
  /** Random: tells it from a term with the same number that another copy of the ledger began. */
  readonly mark: number;
}

/** The term of rows written before the first commit; they always count. */
export const BASE_TERM = 0;
/** The mark of the time before the first term. */
export const NO_MARK = 0;
const TERM_BYTES = 24;
const MARKS = 2 ** 31;

/** The terms that committed something, in order, then the current term. */
export class Terms {
  readonly list: readonly Term[];

  constructor(list: readonly Term[]) {
    this.list = list;
  }

  /** The list with a new term that starts after the given version and write. */
  begin(term: number, version: bigint, seq: bigint): Terms {
    // Drops terms that committed nothing.
    const kept = this.list.filter((start) => start.seq < seq);
    return new Terms([...kept, { term, version, seq, mark: randomInt(MARKS) }]);
  }

  /**
   * The list with a new term that starts after the given version and write, although earlier terms committed later
   * versions: those no longer count.
   */
  rewind(term: number, version: bigint, seq: bigint): Terms {
    const kept = this.list.map((start) => (start.version > version ? { ...start, version } : start));
    return new Terms(kept).begin(term, version, seq);
  }

  /** True if the term committed the version. */
  ownsVersion(term: number, version: bigint): boolean {
    if (term === BASE_TERM) return true;
    return this.#ownerOf((start) => start.version < version)?.term === term;
  }

  /** True if the term committed the write. */
  ownsSeq(term: number, seq: bigint): boolean {
    if (term === BASE_TERM) return true;
    return this.ownerOfSeq(seq)?.term === term;
  }

  /** The term that made a write; it stays the same for ever. */
  ownerOfSeq(seq: bigint): Term | undefined {
    return this.#ownerOf((start) => start.seq < seq);
  }

  /** The mark of the current term. */
  get mark(): number {
    return this.list.at(-1)?.mark ?? NO_MARK;
  }

  #ownerOf(isBefore: (start: Term) => boolean): Term | undefined {
    const last = this.list.at(-1);
    if (last === undefined || isBefore(last)) return last;
    return this.list[passingUpTo(this.list, isBefore) - 1];
  }
}

/** Bytes of a list of terms. */
export function encodeTerms({ list }: Terms): Buffer {
  const bytes = Buffer.alloc(list.length * TERM_BYTES);
  for (const [index, { term, version, seq, mark }] of list.entries()) {
    bytes.writeUInt32BE(term, index * TERM_BYTES);
    bytes.writeBigInt64BE(version, index * TERM_BYTES + 4);
    bytes.writeBigInt64BE(seq, index * TERM_BYTES + 12);
    bytes.writeUInt32BE(mark, index * TERM_BYTES + 20);
  }
  return bytes;
}

/** A list of terms from its bytes. Throws StoreError `corrupt`. */
export function decodeTerms(bytes: Buffer): Terms {
  if (bytes.length % TERM_BYTES !== 0) {
    throw new StoreError(
      "corrupt",
      `list of terms has ${bytes.length} bytes, expected a multiple of ${TERM_BYTES}`,
    );
  }
  const list: Term[] = [];
  for (let at = 0; at < bytes.length; at += TERM_BYTES) {
    list.push({
      term: bytes.readUInt32BE(at),
      version: bytes.readBigInt64BE(at + 4),
      seq: bytes.readBigInt64BE(at + 12),
      mark: bytes.readUInt32BE(at + 20),
    });
  }
  return new Terms(list);
}
