// Records as backups keep them: a length of four bytes, big-endian, then the record; the end of the file ends the list.
import { SourceLie } from "./source.ts";

const LENGTH_BYTES = 4;

/** Bounds of a list of records. */
export interface RecordBounds {
  readonly maxRecords: number;
  readonly maxRecordBytes: number;
}

/**
 * The records of a stream. Holds one record and one piece of the stream in memory. A record is valid until the next
 * one. Throws SourceLie for a cut record, and for a longer one, or more of them, than the bounds allow.
 */
export async function* lengthRecords(
  stream: AsyncIterable<Uint8Array>,
  { maxRecords, maxRecordBytes }: RecordBounds,
): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array = new Uint8Array();
  let count = 0;
  for await (const piece of stream) {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    for (;;) {
      const length = lengthOf(rest);
      if (length === undefined) break;
      if (length > maxRecordBytes) {
        throw new SourceLie("endless", `a record of ${length} bytes is longer than ${maxRecordBytes}`);
      }
      if (count === maxRecords) throw new SourceLie("endless", `more than ${maxRecords} records`);
      if (rest.length < LENGTH_BYTES + length) break;
      yield rest.subarray(LENGTH_BYTES, LENGTH_BYTES + length);
      count++;
      rest = rest.subarray(LENGTH_BYTES + length);
    }
  }
  if (rest.length > 0) throw new SourceLie("malformed", `the list ends inside record ${count}`);
}

function lengthOf(bytes: Uint8Array): number | undefined {
  if (bytes.length < LENGTH_BYTES) return undefined;
  return new DataView(bytes.buffer, bytes.byteOffset, LENGTH_BYTES).getUint32(0);
}

/** Writes a record with its length in front. */
export function lengthRecord(record: Uint8Array): Uint8Array {
  const out = new Uint8Array(LENGTH_BYTES + record.length);
  new DataView(out.buffer).setUint32(0, record.length);
  out.set(record, LENGTH_BYTES);
  return out;
}
