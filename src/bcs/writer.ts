// BCS writer into one growing buffer. A value that no reader would accept (out of range, broken text, nested too
// deep) throws BcsError with its path.
import { BcsError, type PathStep } from "./errors.ts";
import { MAX_CONTAINER_DEPTH, MAX_SEQUENCE_LENGTH } from "./limits.ts";

const utf8 = new TextEncoder();
/** Longest text whose length takes one byte. */
const SHORT_TEXT = 0x7f;
/** Copying 64 bytes takes less time than making a view of them. */
const MAX_COPIED = 64;
const U64_MASK = 0xffff_ffff_ffff_ffffn;
/** Integers are laid out here: a view of each writer's own costs more than all the rest of a short one. */
const word = new Uint8Array(8);
const wordView = new DataView(word.buffer);

/** Appends BCS values; `take` returns the bytes. */
export class BcsWriter {
  #bytes: Uint8Array;
  #length = 0;
  readonly #path: PathStep[] = [];
  #depth = 0;

  /** Starts with `storage` bytes of capacity, or in the given buffer, which it overwrites. */
  constructor(storage: number | Uint8Array = 256) {
    this.#bytes = typeof storage === "number" ? new Uint8Array(Math.max(storage, 16)) : storage;
  }

  /** Bytes written so far. */
  get length(): number {
    return this.#length;
  }

  /** Throws the writer's error at the current path and length. */
  fail(reason: string): never {
    throw new BcsError(reason, this.#path, this.#length);
  }

  /** Names the field or index being written, for error messages. Close it with `leave`. */
  enter(step: PathStep): void {
    this.#path.push(step);
  }

  leave(): void {
    this.#path.pop();
  }

  /** Opens one container (struct, enum) for the nesting limit. Close it with `unnest`. */
  nest(): void {
    if (++this.#depth > MAX_CONTAINER_DEPTH)
      this.fail(`nested deeper than ${MAX_CONTAINER_DEPTH} containers`);
  }

  unnest(): void {
    this.#depth--;
  }

  #grow(count: number): number {
    const at = this.#length;
    const needed = at + count;
    if (needed > this.#bytes.length) {
      const next = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
      next.set(this.#bytes.subarray(0, at));
      this.#bytes = next;
    }
    this.#length = needed;
    return at;
  }

  #integer(value: number, min: number, max: number, name: string): number {
    if (!Number.isInteger(value) || value < min || value > max) this.fail(`${value} is not a ${name}`);
    return value;
  }

  #bigInteger(value: bigint, bits: number, signed: boolean): bigint {
    const fits = signed ? BigInt.asIntN(bits, value) === value : BigInt.asUintN(bits, value) === value;
    if (!fits) this.fail(`${value} is not a ${signed ? "i" : "u"}${bits}`);
    return value;
  }

  u8(value: number): this {
    this.#integer(value, 0, 0xff, "u8");
    const at = this.#grow(1);
    this.#bytes[at] = value;
    return this;
  }

  u16(value: number): this {
    this.#integer(value, 0, 0xffff, "u16");
    wordView.setUint16(0, value, true);
    return this.#putWord(2);
  }

  u32(value: number): this {
    this.#integer(value, 0, 0xffff_ffff, "u32");
    wordView.setUint32(0, value, true);
    return this.#putWord(4);
  }

  u64(value: bigint): this {
    this.#bigInteger(value, 64, false);
    return this.#words(value, 1);
  }

  u128(value: bigint): this {
    this.#bigInteger(value, 128, false);
    return this.#words(value, 2);
  }

  u256(value: bigint): this {
    this.#bigInteger(value, 256, false);
    return this.#words(value, 4);
  }

  i8(value: number): this {
    this.#integer(value, -0x80, 0x7f, "i8");
    const at = this.#grow(1);
    this.#bytes[at] = value;
    return this;
  }

  i16(value: number): this {
    this.#integer(value, -0x8000, 0x7fff, "i16");
    wordView.setInt16(0, value, true);
    return this.#putWord(2);
  }

  i32(value: number): this {
    this.#integer(value, -0x8000_0000, 0x7fff_ffff, "i32");
    wordView.setInt32(0, value, true);
    return this.#putWord(4);
  }

  i64(value: bigint): this {
    this.#bigInteger(value, 64, true);
    return this.#words(value, 1);
  }

  i128(value: bigint): this {
    this.#bigInteger(value, 128, true);
    return this.#words(value, 2);
  }

  i256(value: bigint): this {
    this.#bigInteger(value, 256, true);
    return this.#words(value, 4);
  }

  #words(value: bigint, count: number): this {
    let rest = value;
    for (let i = 0; i < count; i++) {
      wordView.setBigUint64(0, rest & U64_MASK, true);
      this.#putWord(8);
      if (i + 1 < count) rest >>= 64n;
    }
    return this;
  }

  #putWord(count: number): this {
    const at = this.#grow(count);
    for (let i = 0; i < count; i++) this.#bytes[at + i] = word[i] as number;
    return this;
  }

  bool(value: boolean): this {
    return this.u8(value ? 1 : 0);
  }

  /** ULEB128 of a u32: lengths, counts and variant numbers. */
  uleb(value: number): this {
    this.#integer(value, 0, 0xffff_ffff, "u32");
    let rest = value;
    while (rest >= 0x80) {
      this.u8((rest & 0x7f) | 0x80);
      rest = Math.floor(rest / 128);
    }
    return this.u8(rest);
  }

  /** Length of a sequence or byte string. */
  count(value: number): this {
    if (value > MAX_SEQUENCE_LENGTH) this.fail(`sequence of ${value} elements is too long`);
    return this.uleb(value);
  }

  /** Raw bytes without a length. */
  fixed(bytes: ArrayLike<number>): this {
    const { length } = bytes;
    const at = this.#grow(length);
    if (length > MAX_COPIED) this.#bytes.set(bytes, at);
    else for (let i = 0; i < length; i++) this.#bytes[at + i] = bytes[i] as number;
    return this;
  }

  /** Length-prefixed bytes. */
  byteString(bytes: Uint8Array): this {
    return this.count(bytes.length).fixed(bytes);
  }

  /** Length-prefixed UTF-8 text. */
  text(value: string): this {
    if (value.length <= SHORT_TEXT && this.#shortAscii(value)) return this;
    if (!value.isWellFormed()) this.fail("text has an unpaired surrogate");
    return this.byteString(utf8.encode(value));
  }

  /** Writes a short ASCII text without an intermediate buffer; returns false for any other text. */
  #shortAscii(value: string): boolean {
    const start = this.#length;
    let at = this.#grow(1 + value.length);
    this.#bytes[at++] = value.length;
    for (let i = 0; i < value.length; i++) {
      const code = value.charCodeAt(i);
      if (code >= 0x80) {
        this.#length = start;
        return false;
      }
      this.#bytes[at++] = code;
    }
    return true;
  }

  vector<T>(values: readonly T[], write: (writer: BcsWriter, value: T) => void): this {
    this.count(values.length);
    for (const value of values) write(this, value);
    return this;
  }

  /** Everything written, long bytes as a view without a copy; the writer must not be used afterwards. */
  take(): Uint8Array {
    return this.#length <= MAX_COPIED
      ? this.#bytes.slice(0, this.#length)
      : this.#bytes.subarray(0, this.#length);
  }
}
