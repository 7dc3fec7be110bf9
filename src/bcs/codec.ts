// The codec interface: one definition of a wire format that reads, writes and skips it. Integers, byte strings and
// text are in scalars.ts, structs and enums in records.ts, sequences, options and maps in sequences.ts.
import { BcsReader } from "./reader.ts";
import { BcsWriter } from "./writer.ts";

/** One wire format. `skip` accepts and rejects exactly the bytes that `read` does, and builds nothing. */
export interface Codec<T> {
  /** Smallest encoding of a value, in bytes. Readers check the counts of sequences against it. */
  readonly minBytes: number;
  /** True when every value takes `minBytes` and any bytes are valid, so that neighbours can be skipped in one step. */
  readonly plain?: boolean;
  read(reader: BcsReader): T;
  write(writer: BcsWriter, value: T): void;
  skip(reader: BcsReader): void;
}

/** The value type of a codec, so that a shape is written once: as the codec. */
export type ValueOf<C> = C extends Codec<infer T> ? T : never;

/** Decodes a whole buffer: one value, nothing after it. */
export function readWhole<T>(bytes: Uint8Array, read: (reader: BcsReader) => T): T {
  const reader = new BcsReader(bytes);
  const value = read(reader);
  reader.finish();
  return value;
}

/** Decodes a whole buffer with a codec. */
export function decodeWith<T>(codec: Codec<T>, bytes: Uint8Array): T {
  return readWhole(bytes, codec.read);
}

/** Encodes one value into a new buffer. */
export function encodeWith<T>(codec: Codec<T>, value: T): Uint8Array {
  const writer = new BcsWriter();
  codec.write(writer, value);
  return writer.take();
}

/** A codec that is defined later, for formats that contain themselves. */
export function lazy<T>(minBytes: number, get: () => Codec<T>): Codec<T> {
  return {
    minBytes,
    read: (reader) => get().read(reader),
    write: (writer, value) => get().write(writer, value),
    skip: (reader) => get().skip(reader),
  };
}

/** The same bytes as another type: a brand that only the compiler sees, or a cheap conversion. */
export function converted<Wire, T extends Wire>(codec: Codec<Wire>, convert: (wire: Wire) => T): Codec<T> {
  return {
    minBytes: codec.minBytes,
    ...(codec.plain === undefined ? {} : { plain: codec.plain }),
    read: (reader) => convert(codec.read(reader)),
    write: codec.write,
    skip: codec.skip,
  };
}
