// Byte cursor of the bytecode reader over one table or the whole file. The format version decides how elements are
// encoded. Every fault is a MoveError with the format's status name and the byte offset.
import { MoveError } from "../errors.ts";

/** Largest value of any table index, code length or branch target. */
export const MAX_INDEX = 0xffff;

/** The error of bytecode that the format rejects. */
export function bytecodeError(status: string, offset: number, text: string): MoveError {
  return new MoveError("bytecode", `${status}: ${text} (at byte ${offset})`, { details: { status, offset } });
}

/** Bytes of elements that are read in about a millisecond. */
const PIECE_BYTES = 8192;

/** Reads the primitive encodings of the binary format. */
export class Cursor {
  readonly bytes: Buffer;
  readonly version: number;
  readonly end: number;
  offset: number;
  readonly #piece: { bytes: number };

  /** All cursors of a file count their bytes in one `piece`. */
  constructor(bytes: Buffer, version: number, start: number, end: number, piece = { bytes: 0 }) {
    this.bytes = bytes;
    this.version = version;
    this.offset = start;
    this.end = end;
    this.#piece = piece;
  }

  /** Counts bytes that were read; true once for each piece. */
  isPieceOver(bytes: number): boolean {
    this.#piece.bytes += bytes;
    if (this.#piece.bytes < PIECE_BYTES) return false;
    this.#piece.bytes = 0;
    return true;
  }

  /** True while bytes are left. */
  get more(): boolean {
    return this.offset < this.end;
  }

  /** Throws at the current offset unless another is given. */
  fail(status: string, text: string, offset: number = this.offset): never {
    throw bytecodeError(status, offset, text);
  }

  u8(what: string): number {
    const byte = this.offset < this.end ? this.bytes[this.offset] : undefined;
    if (byte === undefined) return this.fail("MALFORMED", `${what} is cut short`);
    this.offset++;
    return byte;
  }

  /** Shortest-form ULEB128 of at most `max`. */
  uleb(max: number, what: string): number {
    const at = this.offset;
    const first = this.u8(what);
    const value = first < 0x80 ? first : this.#ulebRest(first & 0x7f, at, what);
    if (value > max) this.fail("MALFORMED", `${what} is ${value}, above ${max}`, at);
    return value;
  }

  // Above 2^53 the sum rounds, but no caller allows values that large; the u64 bound itself is exact.
  #ulebRest(low: number, at: number, what: string): number {
    let value = low;
    for (let shift = 7; shift < 70; shift += 7) {
      const byte = this.u8(what);
      if (shift === 63 && byte > 1) break;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) {
        if (byte === 0) this.fail("MALFORMED", `${what} is not in its shortest ULEB128 form`, at);
        return value;
      }
    }
    return this.fail("MALFORMED", `${what} does not fit 64 bits`, at);
  }

  /**
   * Reads a count of at most `max`, then the elements. Allocates the list at its final size, which keeps short lists
   * small; that is safe because an element takes at least one byte.
   */
  list<T>(max: number, what: string, read: (cursor: Cursor) => T): T[] {
    return this.elements(this.uleb(max, `${what} count`), what, read);
  }

  /** Reads the elements of a list whose count is known. */
  elements<T>(count: number, what: string, read: (cursor: Cursor) => T): T[] {
    const left = this.end - this.offset;
    if (count > left) this.fail("MALFORMED", `${count} elements (${what}) do not fit into ${left} bytes`);
    const list = new Array<T>(count);
    for (let i = 0; i < count; i++) list[i] = read(this);
    return list;
  }

  /** Reads an index into a table of `count` elements. */
  index(count: number, what: string): number {
    const at = this.offset;
    const index = this.uleb(MAX_INDEX, what);
    if (index >= count) {
      this.fail("INDEX_OUT_OF_BOUNDS", `${what} is ${index}, the table holds ${count}`, at);
    }
    return index;
  }

  /** Reads an index and returns that element of a table. */
  pick<T>(table: readonly T[], what: string): T {
    const at = this.offset;
    const index = this.uleb(MAX_INDEX, what);
    const element = table[index];
    if (element === undefined) {
      return this.fail("INDEX_OUT_OF_BOUNDS", `${what} is ${index}, the table holds ${table.length}`, at);
    }
    return element;
  }

  /** Skips `length` raw bytes and returns where they start. */
  skip(length: number, status: string, what: string): number {
    const at = this.offset;
    if (length > this.end - at) {
      this.fail(status, `${what} needs ${length} bytes, ${this.end - at} left`);
    }
    this.offset = at + length;
    return at;
  }

  /** Length-prefixed bytes as text, one character each. */
  latin1(max: number, what: string): string {
    const length = this.uleb(max, `${what} length`);
    const at = this.skip(length, "MALFORMED", what);
    return this.bytes.toString("latin1", at, at + length);
  }

  /** Length-prefixed bytes, as a subarray of the input. */
  blob(max: number, what: string): Uint8Array {
    const length = this.uleb(max, `${what} length`);
    const at = this.skip(length, "MALFORMED", what);
    return this.bytes.subarray(at, at + length);
  }
}
