// Which rows count. Every row carries the term in which it was written; a term is the time between two claims of
// the writer's right. What a term wrote beyond the point where the next one began was never committed: such rows
// may turn up at any time, late and under the same version as good ones, and are passed over for ever.
import { StoreError } from "../errors.ts";

/** Where a term began: versions and writes up to there belong to those before it. */
export interface Term {
  readonly term: number;
  readonly version: bigint;
  readonly seq: bigint;
}

/** The term of rows that were there before the first commit; they count always. */
export const BASE_TERM = 0;
const TERM_BYTES = 20;

/** The terms that committed something, in order, and the current one. */
export class Terms {
  readonly list: readonly Term[];

  constructor(list: readonly Term[]) {
    this.list = list;
  }

  /** The list with a new term that begins after the given version and write. */
  begin(term: number, version: bigint, seq: bigint): Terms {
    // A term that ends where it began committed nothing, and is not worth remembering.
    const kept = this.list.filter((one) => one.seq < seq);
    return new Terms([...kept, { term, version, seq }]);
  }

  /** True for a row of a version that its term committed. */
  ownsVersion(term: number, version: bigint): boolean {
    if (term === BASE_TERM) return true;
    return this.#ownerOf((one) => one.version < version) === term;
  }

  /** True for a row of a write that its term committed. */
  ownsSeq(term: number, seq: bigint): boolean {
    if (term === BASE_TERM) return true;
    return this.#ownerOf((one) => one.seq < seq) === term;
  }

  #ownerOf(begins: (one: Term) => boolean): number | undefined {
    const last = this.list.at(-1);
    if (last === undefined || begins(last)) return last?.term;
    let low = 0;
    let high = this.list.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const one = this.list[middle];
      if (one !== undefined && begins(one)) low = middle + 1;
      else high = middle;
    }
    return this.list[low - 1]?.term;
  }
}

/** Bytes of a list of terms. */
export function encodeTerms({ list }: Terms): Buffer {
  const bytes = Buffer.alloc(list.length * TERM_BYTES);
  for (const [index, { term, version, seq }] of list.entries()) {
    bytes.writeUInt32BE(term, index * TERM_BYTES);
    bytes.writeBigInt64BE(version, index * TERM_BYTES + 4);
    bytes.writeBigInt64BE(seq, index * TERM_BYTES + 12);
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
    });
  }
  return new Terms(list);
}
