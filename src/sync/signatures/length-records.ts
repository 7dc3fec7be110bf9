// Records as backups keep them: a length of four bytes, big-endian, then the record; the end of the file ends the list.
import { UpstreamError } from "../upstream/errors.ts";
import { ByteReader } from "./byte-reader.ts";

const LENGTH_BYTES = 4;

/** Bounds of a list of records. */
export interface RecordBounds {
  readonly maxRecords: number;
  readonly maxRecordBytes: number;
}

/**
 * The records of a stream. Holds one record and one piece of the stream in memory. A record is valid until the next
 * one. Throws UpstreamError for a cut record, and for a longer one, or more of them, than the bounds allow.
 */
export async function* lengthRecords(
  stream: AsyncIterable<Uint8Array>,
  { maxRecords, maxRecordBytes }: RecordBounds,
): AsyncGenerator<Uint8Array> {
  const reader = new ByteReader(stream);
  try {
    for (let count = 0; ; count++) {
      const head = await reader.take(LENGTH_BYTES);
      if (head.length === 0) return;
      if (head.length < LENGTH_BYTES) throw cut(count);
      const length = new DataView(head.buffer, head.byteOffset).getUint32(0);
      if (length > maxRecordBytes) {
        throw new UpstreamError("endless", `a record of ${length} bytes is longer than ${maxRecordBytes}`);
      }
      if (count === maxRecords) throw new UpstreamError("endless", `more than ${maxRecords} records`);
      const record = await reader.take(length);
      if (record.length < length) throw cut(count);
      yield record;
    }
  } finally {
    await reader.close();
  }
}

function cut(count: number): UpstreamError {
  return new UpstreamError("malformed", `the list ends inside record ${count}`);
}

/** Writes a record with its length in front. */
export function lengthRecord(record: Uint8Array): Uint8Array {
  const out = new Uint8Array(LENGTH_BYTES + record.length);
  new DataView(out.buffer).setUint32(0, record.length);
  out.set(record, LENGTH_BYTES);
  return out;
}
