// The hashes of the content of a record. They depend on nothing but its bytes, so a thread can compute them ahead.
import { eventRoot } from "./accumulator.ts";
import { eventHash } from "./event.ts";
import { HASH_LENGTH } from "./hash.ts";
import { decodePage, type RecordSpans } from "./record.ts";
import { transactionHash } from "./transaction.ts";
import { transactionInfoHash } from "./transaction-info.ts";
import { writeSetHash } from "./write-set.ts";

/** Of a record: its transaction, the root of its events, its changes and its info. */
export interface RecordHashes {
  readonly transaction: Uint8Array;
  readonly events: Uint8Array;
  readonly changes: Uint8Array;
  readonly info: Uint8Array;
}

const HASHES = 4;

export function recordHashesOf(record: RecordSpans): RecordHashes {
  return {
    transaction: transactionHash(record.transaction),
    events: eventRoot(record.events.map(eventHash)),
    changes: writeSetHash(record.changes),
    info: transactionInfoHash(record.infoBytes),
  };
}

/** The hashes of all records of a page, in a row. Throws BcsError. */
export function hashPage(page: Uint8Array): Uint8Array {
  const records = decodePage(page);
  const out = new Uint8Array(HASHES * HASH_LENGTH * records.length);
  let at = 0;
  for (const record of records) {
    const { transaction, events, changes, info } = recordHashesOf(record);
    for (const hash of [transaction, events, changes, info]) {
      out.set(hash, at);
      at += HASH_LENGTH;
    }
  }
  return out;
}

/** The hashes of record number `index` of the page. */
export function pageHashesAt(hashes: Uint8Array, index: number): RecordHashes {
  const first = HASHES * index;
  const hash = (number: number): Uint8Array =>
    hashes.subarray(HASH_LENGTH * (first + number), HASH_LENGTH * (first + number + 1));
  return { transaction: hash(0), events: hash(1), changes: hash(2), info: hash(3) };
}
