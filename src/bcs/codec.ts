// The face of a codec: one definition of a wire format that reads, writes and skips it. Codecs without parts
// are in scalars.ts, structs and enums in records.ts, sequences, options and maps in sequences.ts.
import { BcsReader } from "./reader.ts";
import { BcsWriter } from "./writer.ts";

/** One wire format. `skip` accepts and rejects exactly the bytes that `read` does, and builds nothing. */
export interface Codec<T> {
  /** Fewest bytes a value takes; counts of sequences are checked against it. */
  readonly minBytes: number;
  /** Set when every value takes `minBytes` and any bytes are valid, so that neighbours skip in one step. */
  readonly plain?: boolean;
  read(reader: BcsReader): T;
  write(writer: BcsWriter, value: T): void;
  skip(reader: BcsReader): void;
}

/** The values of a codec, so that a shape is written once: as the codec. */
export type ValueOf<C> = C extends Codec<infer T> ? T : never;

/** Decodes a whole buffer with a codec: one value, nothing after it. */
export function decodeWith<T>(codec: Codec<T>, bytes: Uint8Array): T {
  const reader = new BcsReader(bytes);
  const value = codec.read(reader);
  reader.finish();
  return value;
}

/** Encodes one value with a codec into its own buffer. */
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

/** The same bytes under another type, told apart by the compiler only or by a cheap conversion. */
export function converted<Wire, T extends Wire>(codec: Codec<Wire>, convert: (wire: Wire) => T): Codec<T> {
  return {
    minBytes: codec.minBytes,
    ...(codec.plain === undefined ? {} : { plain: codec.plain }),
    read: (reader) => convert(codec.read(reader)),
    write: codec.write,
    skip: codec.skip,
  };
}
