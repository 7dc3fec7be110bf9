// Codecs: one definition of a wire format that reads, writes and skips it.
import type { BcsReader } from "./reader.ts";
import type { BcsWriter } from "./writer.ts";

/** One wire format. `skip` accepts and rejects exactly the bytes that `read` does, and builds nothing. */
export interface Codec<T> {
  /** Fewest bytes a value takes; counts of sequences are checked against it. */
  readonly minBytes: number;
  read(reader: BcsReader): T;
  write(writer: BcsWriter, value: T): void;
  skip(reader: BcsReader): void;
}
