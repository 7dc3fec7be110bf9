// Codecs of counted sequences, options and ordered maps.
import { compareBytes } from "../base/bytes.ts";
import { type Codec, encodeWith } from "./codec.ts";
import type { BcsReader } from "./reader.ts";

/** A counted sequence. More than `most` items are not read: an item of a few bytes takes a hundred in memory. */
export function vector<T>(item: Codec<T>, most?: number): Codec<readonly T[]> {
  const { minBytes } = item;
  // Otherwise no count could be checked against the bytes left.
  if (minBytes === 0) throw new Error("items of a sequence must take at least one byte");
  const isPlain = item.plain === true;
  return {
    minBytes: 1,
    read: (reader) => {
      const count = reader.count(minBytes, most);
      const out: T[] = [];
      for (let i = 0; i < count; i++) {
        reader.enter(i);
        out.push(item.read(reader));
        reader.leave();
      }
      return out;
    },
    write: (writer, values) => {
      writer.count(values.length);
      for (let i = 0; i < values.length; i++) {
        writer.enter(i);
        item.write(writer, values[i] as T);
        writer.leave();
      }
    },
    skip: (reader) => {
      const count = reader.count(minBytes, most);
      if (isPlain) return reader.skip(count * minBytes);
      for (let i = 0; i < count; i++) {
        reader.enter(i);
        item.skip(reader);
        reader.leave();
      }
    },
  };
}

/** A value or undefined. */
export function option<T>(inner: Codec<T>): Codec<T | undefined> {
  return {
    minBytes: 1,
    read: (reader) => (reader.some() ? inner.read(reader) : undefined),
    write: (writer, value) => {
      writer.bool(value !== undefined);
      if (value !== undefined) inner.write(writer, value);
    },
    skip: (reader) => {
      if (reader.some()) inner.skip(reader);
    },
  };
}

/** The entries of a map one by one, checked as `map` checks them: the caller may let other work run in between. */
export function* readEntries<K, V>(
  reader: BcsReader,
  key: Pick<Codec<K>, "minBytes" | "read">,
  value: Pick<Codec<V>, "minBytes" | "read">,
): Generator<readonly [K, V], void> {
  const count = reader.count(key.minBytes + value.minBytes);
  let start = -1;
  let end = -1;
  for (let i = 0; i < count; i++) {
    reader.enter(i);
    const at = reader.offset;
    const k = key.read(reader);
    if (start >= 0) checkOrder(reader, start, end, at);
    start = at;
    end = reader.offset;
    const v = value.read(reader);
    reader.leave();
    yield [k, v];
  }
}

/** Entries ordered by the bytes of their keys: checked when read, sorted when written. */
export function map<K, V>(key: Codec<K>, value: Codec<V>): Codec<readonly (readonly [K, V])[]> {
  const minBytes = key.minBytes + value.minBytes;
  if (minBytes === 0) throw new Error("entries of a map must take at least one byte");
  return {
    minBytes: 1,
    read: (reader) => [...readEntries(reader, key, value)],
    write: (writer, entries) => {
      const sorted = entries.map(([k, v]) => ({ keyBytes: encodeWith(key, k), v }));
      sorted.sort((a, b) => compareBytes(a.keyBytes, b.keyBytes));
      writer.count(sorted.length);
      let previous: Uint8Array | undefined;
      for (const { keyBytes, v } of sorted) {
        if (previous !== undefined && compareBytes(previous, keyBytes) === 0)
          writer.fail("map key given twice");
        previous = keyBytes;
        writer.fixed(keyBytes);
        value.write(writer, v);
      }
    },
    skip: (reader) => {
      const count = reader.count(minBytes);
      let start = -1;
      let end = -1;
      for (let i = 0; i < count; i++) {
        reader.enter(i);
        const at = reader.offset;
        key.skip(reader);
        if (start >= 0) checkOrder(reader, start, end, at);
        start = at;
        end = reader.offset;
        value.skip(reader);
        reader.leave();
      }
    },
  };
}

/** Checks that the key from `at` to here comes after the one from `start` to `end`. */
function checkOrder(reader: BcsReader, start: number, end: number, at: number): void {
  if (reader.compareSpans(start, end, at, reader.offset) >= 0) {
    reader.fail("map keys are not strictly increasing", at);
  }
}
