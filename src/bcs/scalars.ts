// Codecs of integers, booleans, byte strings and text.
import type { Codec } from "./codec.ts";
import type { BcsReader } from "./reader.ts";
import type { BcsWriter } from "./writer.ts";

function plain<T>(
  minBytes: number,
  read: (reader: BcsReader) => T,
  write: (writer: BcsWriter, value: T) => void,
): Codec<T> {
  return { minBytes, plain: true, read, write, skip: (reader) => reader.skip(minBytes) };
}

export const u8: Codec<number> = plain(
  1,
  (reader) => reader.u8(),
  (writer, value) => void writer.u8(value),
);

export const u16: Codec<number> = plain(
  2,
  (reader) => reader.u16(),
  (writer, value) => void writer.u16(value),
);

export const u32: Codec<number> = plain(
  4,
  (reader) => reader.u32(),
  (writer, value) => void writer.u32(value),
);

export const u64: Codec<bigint> = plain(
  8,
  (reader) => reader.u64(),
  (writer, value) => void writer.u64(value),
);

export const u128: Codec<bigint> = plain(
  16,
  (reader) => reader.u128(),
  (writer, value) => void writer.u128(value),
);

export const u256: Codec<bigint> = plain(
  32,
  (reader) => reader.u256(),
  (writer, value) => void writer.u256(value),
);

export const i8: Codec<number> = plain(
  1,
  (reader) => reader.i8(),
  (writer, value) => void writer.i8(value),
);

export const i16: Codec<number> = plain(
  2,
  (reader) => reader.i16(),
  (writer, value) => void writer.i16(value),
);

export const i32: Codec<number> = plain(
  4,
  (reader) => reader.i32(),
  (writer, value) => void writer.i32(value),
);

export const i64: Codec<bigint> = plain(
  8,
  (reader) => reader.i64(),
  (writer, value) => void writer.i64(value),
);

export const i128: Codec<bigint> = plain(
  16,
  (reader) => reader.i128(),
  (writer, value) => void writer.i128(value),
);

export const i256: Codec<bigint> = plain(
  32,
  (reader) => reader.i256(),
  (writer, value) => void writer.i256(value),
);

export const bool: Codec<boolean> = {
  minBytes: 1,
  read: (reader) => reader.bool(),
  write: (writer, value) => void writer.bool(value),
  skip: (reader) => void reader.bool(),
};

/** Length-prefixed bytes; a view on the input when read. */
export const byteString: Codec<Uint8Array> = {
  minBytes: 1,
  read: (reader) => reader.byteString(),
  write: (writer, value) => void writer.byteString(value),
  skip: (reader) => reader.skipByteString(),
};

/** Length-prefixed UTF-8 text. */
export const text: Codec<string> = {
  minBytes: 1,
  read: (reader) => reader.text(),
  write: (writer, value) => void writer.text(value),
  skip: (reader) => reader.skipText(),
};

/** Exactly `length` raw bytes; a view on the input when read. */
export function fixed(length: number): Codec<Uint8Array> {
  return plain(
    length,
    (reader) => reader.fixed(length),
    (writer, value) => {
      if (value.length !== length) writer.fail(`expected ${length} bytes, not ${value.length}`);
      writer.fixed(value);
    },
  );
}

/** A hash: 32 raw bytes. */
export const hash: Codec<Uint8Array> = fixed(32);
