// Records: one transaction with its info, events and changes, as nodes exchange it. No field carries its length, so the
// reader skips through each field to find the spans that get hashed.
import { Slices } from "../../base/wait.ts";
import type { ValueOf } from "../../bcs/codec.ts";
import { BcsError } from "../../bcs/errors.ts";
import { BcsReader } from "../../bcs/reader.ts";
import { struct } from "../../bcs/records.ts";
import { hash, u64 } from "../../bcs/scalars.ts";
import { vector } from "../../bcs/sequences.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { authenticatorCodec } from "../../transaction/authenticator.ts";
import { rawTransactionCodec } from "../../transaction/raw.ts";
import { LedgerError } from "../errors.ts";
import { type EncodedWrite, type KeyHasher, readStateWrites, readWrittenData } from "../state-writes.ts";
import { contractEventCodec } from "./block-event.ts";
import { transactionCodec, USER_VARIANT } from "./transaction.ts";
import { auxiliaryInfoCodec, type TransactionInfo, transactionInfoCodec } from "./transaction-info.ts";
import { writeSetCodec } from "./write-set.ts";

const recordEvents = vector(contractEventCodec);

/** A fully decoded record. */
export const recordCodec = struct({
  version: u64,
  transaction: transactionCodec,
  info: transactionInfoCodec,
  events: recordEvents,
  accumulatorRoot: hash,
  changes: writeSetCodec,
});
export type LedgerRecord = ValueOf<typeof recordCodec>;

/** A record as spans of its bytes, and the few values that checks and the store need. */
export interface RecordSpans {
  readonly version: bigint;
  /** The whole record. */
  readonly bytes: Uint8Array;
  readonly transaction: Uint8Array;
  /** Chain id that a user transaction names; undefined for all other kinds. */
  readonly userChainId: number | undefined;
  readonly info: TransactionInfo;
  readonly infoBytes: Uint8Array;
  readonly events: readonly Uint8Array[];
  readonly accumulatorRoot: Uint8Array;
  readonly changes: Uint8Array;
  readonly writes: readonly EncodedWrite[];
}

/** The encoded fields of a record. */
export interface RecordParts {
  readonly version: bigint;
  readonly transaction: Uint8Array;
  readonly info: Uint8Array;
  readonly events: readonly Uint8Array[];
  readonly accumulatorRoot: Uint8Array;
  readonly changes: Uint8Array;
}

function skipTransaction(reader: BcsReader): number | undefined {
  if (reader.bytes[reader.offset] !== USER_VARIANT) {
    transactionCodec.skip(reader);
    return undefined;
  }
  // Nest as the codec of the enum does, so that the depth limit is the same.
  reader.nest();
  reader.skip(1);
  reader.nest();
  rawTransactionCodec.skip(reader);
  const chainId = reader.bytes[reader.offset - 1];
  authenticatorCodec.skip(reader);
  reader.unnest();
  reader.unnest();
  return chainId;
}

/** Skips events and returns the bytes of each. */
export function readEventSpans(reader: BcsReader): Uint8Array[] {
  return reader.vector((eventReader) => {
    const start = eventReader.offset;
    contractEventCodec.skip(eventReader);
    return eventReader.span(start);
  }, contractEventCodec.minBytes);
}

/** A record up to its events. What stands behind them is not looked at, and no key is hashed. */
export function readRecordHead(
  record: Uint8Array,
): Pick<RecordSpans, "transaction" | "infoBytes" | "events"> {
  const reader = new BcsReader(toPlain(record));
  reader.u64();
  const transactionStart = reader.offset;
  skipTransaction(reader);
  const transaction = reader.span(transactionStart);
  const infoStart = reader.offset;
  transactionInfoCodec.skip(reader);
  const infoBytes = reader.span(infoStart);
  return { transaction, infoBytes, events: readEventSpans(reader) };
}

/** Reads one record as spans. */
export function readRecord(
  reader: BcsReader,
  hashKey?: KeyHasher,
  readValue?: typeof readWrittenData,
): RecordSpans {
  const start = reader.offset;
  const version = reader.u64();
  const transactionStart = reader.offset;
  const userChainId = reader.field("transaction", skipTransaction);
  const transaction = reader.span(transactionStart);
  const infoStart = reader.offset;
  const info = reader.field("info", transactionInfoCodec.read);
  const infoBytes = reader.span(infoStart);
  const events = reader.field("events", readEventSpans);
  const accumulatorRoot = reader.fixed(hash.minBytes);
  const changesStart = reader.offset;
  const writes = reader.field("changes", (changes) => readStateWrites(changes, hashKey, readValue));
  return {
    version,
    bytes: reader.span(start),
    transaction,
    userChainId,
    info,
    infoBytes,
    events,
    accumulatorRoot,
    changes: reader.span(changesStart),
    writes,
  };
}

/** Without the class Buffer: a part of a plain array costs half as much, and a record has dozens of parts. */
function toPlain(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Reads one whole record as spans: nothing may follow it. */
export function decodeRecord(bytes: Uint8Array): RecordSpans {
  const reader = new BcsReader(toPlain(bytes));
  const record = readRecord(reader);
  reader.finish();
  return record;
}

const NO_HASH = new Uint8Array(0);

/**
 * Reads a stored record to look at it: its writes have the data of their values alone, and no hashes. Throws LedgerError
 * `corrupt`.
 */
export function lookAtRecord(bytes: Uint8Array): RecordSpans {
  const reader = new BcsReader(toPlain(bytes));
  try {
    const record = readRecord(reader, () => NO_HASH, readWrittenData);
    reader.finish();
    return record;
  } catch (error) {
    if (!(error instanceof BcsError)) throw error;
    throw new LedgerError("corrupt", `stored record does not decode: ${error.message}`, { cause: error });
  }
}

/** The bytes of the info of a stored record. What stands behind it is not looked at. */
export function readInfoBytes(record: Uint8Array): Uint8Array {
  const reader = new BcsReader(toPlain(record));
  reader.u64();
  skipTransaction(reader);
  const start = reader.offset;
  transactionInfoCodec.skip(reader);
  return reader.span(start);
}

/** The hash of the transaction of a stored record. What stands behind the info is not looked at. */
export function recordTransactionHash(record: Uint8Array): Uint8Array {
  const reader = new BcsReader(record);
  reader.u64();
  skipTransaction(reader);
  return transactionInfoCodec.read(reader).transactionHash;
}

/** The accumulator's root after a stored record: it commits to the whole history up to it. The changes are not looked at. */
export function recordAccumulatorRoot(record: Uint8Array): Uint8Array {
  const reader = new BcsReader(record);
  reader.u64();
  skipTransaction(reader);
  transactionInfoCodec.skip(reader);
  readEventSpans(reader);
  return reader.fixed(hash.minBytes);
}

/** A copy of a stored record with another accumulator root. */
export function withAccumulatorRoot(record: Uint8Array, root: Uint8Array): Uint8Array {
  const copy = new Uint8Array(record);
  recordAccumulatorRoot(copy).set(root);
  return copy;
}

/** Reads a page, a counted sequence of records, as spans. `hashKey` is for callers that know the hashes of its keys. */
export function decodePage(bytes: Uint8Array, hashKey?: KeyHasher): RecordSpans[] {
  const reader = new BcsReader(toPlain(bytes));
  const records = reader.vector((record) => readRecord(record, hashKey), recordCodec.minBytes);
  reader.finish();
  return records;
}

/** As `decodePage`, but of at most `most` records, and in slices: a source may send any page. */
export async function decodePageInSlices(bytes: Uint8Array, most: number): Promise<RecordSpans[]> {
  const slices = new Slices();
  const reader = new BcsReader(toPlain(bytes));
  const records: RecordSpans[] = [];
  for (let left = reader.count(recordCodec.minBytes, most); left > 0; left--) {
    records.push(readRecord(reader));
    await slices.pause();
  }
  reader.finish();
  return records;
}

/** A record as backups keep it: without its version and the accumulator's root. */
export interface BackupRecordSpans {
  readonly transaction: Uint8Array;
  readonly info: Uint8Array;
  /** With their count. */
  readonly events: Uint8Array;
  readonly changes: Uint8Array;
}

/** Reads a record of a backup; newer ones have an auxiliary info after the transaction. */
export function readBackupRecord(bytes: Uint8Array, hasAuxiliary: boolean): BackupRecordSpans {
  const reader = new BcsReader(toPlain(bytes));
  const skip = (codec: Pick<typeof transactionInfoCodec, "skip">): Uint8Array => {
    const start = reader.offset;
    codec.skip(reader);
    return reader.span(start);
  };
  const transaction = skip(transactionCodec);
  if (hasAuxiliary) auxiliaryInfoCodec.skip(reader);
  const info = skip(transactionInfoCodec);
  const events = skip(recordEvents);
  const changes = skip(writeSetCodec);
  reader.finish();
  return { transaction, info, events, changes };
}

/** A record of a backup in the form that nodes exchange. */
export function encodeBackupRecord(
  { transaction, info, events, changes }: BackupRecordSpans,
  version: bigint,
  accumulatorRoot: Uint8Array,
): Uint8Array {
  const writer = new BcsWriter(transaction.length + info.length + events.length + changes.length + 40);
  writer.u64(version).fixed(transaction).fixed(info).fixed(events);
  return writer.fixed(accumulatorRoot).fixed(changes).take();
}

/** Joins the encoded fields of a record. */
export function encodeRecord(parts: RecordParts): Uint8Array {
  const size = parts.transaction.length + parts.changes.length + 512;
  const writer = new BcsWriter(parts.events.reduce((sum, event) => sum + event.length, size));
  writer.u64(parts.version).fixed(parts.transaction).fixed(parts.info).uleb(parts.events.length);
  for (const event of parts.events) writer.fixed(event);
  return writer.fixed(parts.accumulatorRoot).fixed(parts.changes).take();
}
