// Strict BCS reader over one view. Canonical or error: it never reads past its view, never allocates from an
// unchecked count, and names the path and offset of the first fault. Byte results are subarrays of the
// input, not copies: they live as long as the input does.
import { isUtf8 } from "node:buffer";
import { BcsError, type PathStep } from "./errors.ts";
import { MAX_CONTAINER_DEPTH, MAX_SEQUENCE_LENGTH } from "./limits.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** Integers are read here: a short array has no buffer until a view asks for it, and making one costs ten times a copy. */
const word = new Uint8Array(8);
const wordView = new DataView(word.buffer);

/** Reads BCS values one after the other from a byte view. */
export class BcsReader {
  readonly bytes: Uint8Array;
  offset = 0;
  readonly #path: PathStep[] = [];
  #depth = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** Bytes not read yet. */
  get remaining(): number {
    return this.bytes.length - this.offset;
  }

  /** Throws the reader's error at the current path and offset. */
  fail(reason: string, offset: number = this.offset): never {
    throw new BcsError(reason, this.#path, offset);
  }

  /** Names the field or index being read, for error messages. Close it with `leave`. */
  enter(step: PathStep): void {
    this.#path.push(step);
  }

  leave(): void {
    this.#path.pop();
  }

  /** Reads one named field. */
  field<T>(step: PathStep, read: (reader: BcsReader) => T): T {
    this.#path.push(step);
    const value = read(this);
    this.#path.pop();
    return value;
  }

  /** Opens one container (struct, enum) for the nesting limit. Close it with `unnest`. */
  nest(): void {
    if (++this.#depth > MAX_CONTAINER_DEPTH)
      this.fail(`nested deeper than ${MAX_CONTAINER_DEPTH} containers`);
  }

  unnest(): void {
    this.#depth--;
  }

  #take(count: number): number {
    const start = this.offset;
    if (count > this.bytes.length - start) {
      this.fail(`needs ${count} bytes, ${this.bytes.length - start} left`);
    }
    this.offset = start + count;
    return start;
  }

  u8(): number {
    return this.bytes[this.#take(1)] as number;
  }

  u16(): number {
    return this.#word(2).getUint16(0, true);
  }

  u32(): number {
    return this.#word(4).getUint32(0, true);
  }

  u64(): bigint {
    return this.#word(8).getBigUint64(0, true);
  }

  u128(): bigint {
    return this.#words(16);
  }

  u256(): bigint {
    return this.#words(32);
  }

  i8(): number {
    return this.#word(1).getInt8(0);
  }

  i16(): number {
    return this.#word(2).getInt16(0, true);
  }

  i32(): number {
    return this.#word(4).getInt32(0, true);
  }

  i64(): bigint {
    return this.#word(8).getBigInt64(0, true);
  }

  i128(): bigint {
    return BigInt.asIntN(128, this.u128());
  }

  i256(): bigint {
    return BigInt.asIntN(256, this.u256());
  }

  /** Takes up to eight bytes. */
  #word(count: number): DataView {
    const at = this.#take(count);
    for (let i = 0; i < count; i++) word[i] = this.bytes[at + i] as number;
    return wordView;
  }

  #words(count: number): bigint {
    const end = this.#take(count) + count;
    let value = 0n;
    for (let back = 8; back <= count; back += 8) {
      this.offset = end - back;
      value = (value << 64n) | this.u64();
    }
    this.offset = end;
    return value;
  }

  bool(): boolean {
    const at = this.offset;
    const byte = this.u8();
    if (byte > 1) this.fail(`a boolean is 0 or 1, not ${byte}`, at);
    return byte === 1;
  }

  /** Minimal ULEB128 within u32. */
  uleb(): number {
    const at = this.offset;
    const first = this.bytes[at];
    if (first !== undefined && first < 0x80) {
      this.offset = at + 1;
      return first;
    }
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.u8();
      const digit = byte & 0x7f;
      // The fifth byte carries bits 28..31 only.
      if (shift === 28 && digit > 0x0f) this.fail("ULEB128 value above u32", at);
      value += digit * 2 ** shift;
      if (byte < 0x80) {
        if (byte === 0 && shift > 0) this.fail("ULEB128 value not in its shortest form", at);
        return value;
      }
    }
    return this.fail("ULEB128 value longer than five bytes", at);
  }

  /** Element count of a sequence, checked against its bound and the bytes left before anything is allocated. */
  count(minElementBytes = 1, most = MAX_SEQUENCE_LENGTH): number {
    const at = this.offset;
    const count = this.uleb();
    if (count > most) this.fail(`sequence of ${count} elements is too long`, at);
    if (count * minElementBytes > this.remaining) {
      this.fail(
        `${count} elements need at least ${count * minElementBytes} bytes, ${this.remaining} left`,
        at,
      );
    }
    return count;
  }

  /** Exactly `length` raw bytes, as a subarray of the input. */
  fixed(length: number): Uint8Array {
    const at = this.#take(length);
    return this.bytes.subarray(at, at + length);
  }

  /** Length-prefixed bytes, as a subarray of the input. */
  byteString(): Uint8Array {
    return this.fixed(this.count());
  }

  /** Length-prefixed UTF-8 text. */
  text(): string {
    const at = this.offset;
    const bytes = this.byteString();
    try {
      return utf8.decode(bytes);
    } catch {
      return this.fail("text is not valid UTF-8", at);
    }
  }

  /** Passes over exactly `length` raw bytes. */
  skip(length: number): void {
    this.#take(length);
  }

  /** Passes over length-prefixed bytes. */
  skipByteString(): void {
    this.#take(this.count());
  }

  /** Passes over length-prefixed text, checking its UTF-8. */
  skipText(): void {
    const at = this.offset;
    const length = this.count();
    const start = this.#take(length);
    for (let i = start; i < this.offset; i++) {
      // Names are nearly always ASCII, so call the full check only at the first other byte.
      if ((this.bytes[i] as number) >= 0x80) {
        if (!isUtf8(this.bytes.subarray(start, this.offset))) this.fail("text is not valid UTF-8", at);
        return;
      }
    }
  }

  /** Option tag: true when a value follows. */
  some(): boolean {
    const at = this.offset;
    const byte = this.u8();
    if (byte > 1) this.fail(`an option tag is 0 or 1, not ${byte}`, at);
    return byte === 1;
  }

  vector<T>(read: (reader: BcsReader) => T, minElementBytes = 1): T[] {
    const count = this.count(minElementBytes);
    const out: T[] = [];
    for (let i = 0; i < count; i++) {
      this.#path.push(i);
      out.push(read(this));
      this.#path.pop();
    }
    return out;
  }

  /** Enum variant number below `variants`. */
  variant(variants: number, name: string): number {
    const at = this.offset;
    const variant = this.uleb();
    if (variant >= variants) this.fail(`unknown ${name} variant ${variant}`, at);
    return variant;
  }

  /** Everything read since `start`, as a subarray of the input. */
  span(start: number): Uint8Array {
    return this.bytes.subarray(start, this.offset);
  }

  /** Compares two ranges of the input byte by byte: negative, zero or positive. */
  compareSpans(startA: number, endA: number, startB: number, endB: number): number {
    const length = Math.min(endA - startA, endB - startB);
    for (let i = 0; i < length; i++) {
      const difference = (this.bytes[startA + i] as number) - (this.bytes[startB + i] as number);
      if (difference !== 0) return difference;
    }
    return endA - startA - (endB - startB);
  }

  /** Rejects leftover bytes. Every whole-buffer decoder ends with it. */
  finish(): void {
    if (this.remaining !== 0) this.fail(`${this.remaining} bytes left over`);
  }
}
