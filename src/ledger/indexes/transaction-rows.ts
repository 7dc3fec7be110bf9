// The index of transactions: by hash, and by the account that sent them. Its rows stand beside those of owned-keys.ts, in
// the same table, under kinds of their own:
//
// kind  owner                place
// 4     transaction hash     version
// 5     sender               sequence number, version
// 6     sender               version, nonce
//
// Numbers are big-endian in eight bytes, so rows are in their order; zeros fill the place, and the data is empty. A row
// follows from its record alone: engines remove it with the record, and readers compare it with the record, because an
// engine may keep rows of versions that were rewound.
import { equalBytes, readNumber, writeNumber } from "../../base/bytes.ts";
import { BcsError } from "../../bcs/errors.ts";
import { BcsReader } from "../../bcs/reader.ts";
import { ADDRESS_LENGTH } from "../../move/address.ts";
import { payloadCodec, replayNonce } from "../../transaction/raw.ts";
import { recordTransactionHash } from "../formats/record.ts";
import { USER_VARIANT } from "../formats/transaction.ts";
import type { OwnedKey } from "../view.ts";
import type { OwnedRow } from "./owned-keys.ts";

/** Kinds of rows; never reused for other content. */
const KINDS = { hash: 4, sequence: 5, nonce: 6 } as const;
type Kind = keyof typeof KINDS;

const NUMBER_BYTES = 8;
const PLACE_BYTES = 32;
const OWNER_BYTES = 1 + 32;
const NOTHING = new Uint8Array(0);

/** In a record: its version, the variant of its transaction, then of a user's its sender, sequence number and payload. */
const SENDER_AT = NUMBER_BYTES + 1;
const SEQUENCE_AT = SENDER_AT + ADDRESS_LENGTH;
const PAYLOAD_AT = SEQUENCE_AT + NUMBER_BYTES;
/** The first variant of a payload that may have a nonce. */
const FIRST_WITH_NONCE = 4;

/** The owner of a transaction's rows: its hash, or its sender. */
export function transactionOwner(kind: Kind, of: Uint8Array): Uint8Array {
  const owner = new Uint8Array(OWNER_BYTES);
  owner[0] = KINDS[kind];
  owner.set(of, 1);
  return owner;
}

/** What an owner of transaction rows stands for; undefined for an owner of other rows. */
export function transactionOfOwner(
  owner: Uint8Array,
): { readonly kind: Kind; readonly of: Uint8Array } | undefined {
  const kind = (Object.keys(KINDS) as Kind[]).find((name) => KINDS[name] === owner[0]);
  return kind === undefined ? undefined : { kind, of: owner.subarray(1) };
}

function placeOf(first: bigint, second = 0n): Uint8Array {
  const place = new Uint8Array(PLACE_BYTES);
  writeNumber(place, 0, first);
  writeNumber(place, NUMBER_BYTES, second);
  return place;
}

/** The place before the rows whose first number, that of a sequence or a version, is this one; undefined before the first. */
export function placeBefore(number: bigint): Uint8Array | undefined {
  if (number === 0n) return undefined;
  const place = new Uint8Array(PLACE_BYTES).fill(0xff);
  writeNumber(place, 0, number - 1n);
  return place;
}

/** True for the rows of this file. */
export function isTransactionRow({ owner }: Pick<OwnedRow, "owner">): boolean {
  const kind = owner[0] ?? 0;
  return kind >= KINDS.hash && kind <= KINDS.nonce;
}

/** The version that a row names. */
export function versionOfRow(kind: Kind, { place }: Pick<OwnedKey, "place">): bigint {
  return readNumber(place, kind === "sequence" ? NUMBER_BYTES : 0);
}

/** The same for a row of any kind. */
export function versionOfTransactionRow({ owner, place }: Pick<OwnedRow, "owner" | "place">): bigint {
  return versionOfRow(owner[0] === KINDS.sequence ? "sequence" : "hash", { place });
}

/** Who sent a record's transaction, and how it is told from the sender's others; undefined unless a user sent it. */
export function senderOf(
  record: Uint8Array,
):
  | { readonly sender: Uint8Array; readonly sequenceNumber: bigint; readonly nonce: bigint | undefined }
  | undefined {
  if (record[NUMBER_BYTES] !== USER_VARIANT) return undefined;
  const reader = new BcsReader(record);
  reader.offset = SENDER_AT;
  const sender = reader.fixed(ADDRESS_LENGTH);
  const sequenceNumber = reader.u64();
  const mayHaveNonce = (record[PAYLOAD_AT] ?? 0) >= FIRST_WITH_NONCE;
  return { sender, sequenceNumber, nonce: mayHaveNonce ? replayNonce(payloadCodec.read(reader)) : undefined };
}

/** The rows of a record. */
export function transactionRows(
  version: bigint,
  record: Uint8Array,
  hash: Uint8Array = recordTransactionHash(record),
): OwnedRow[] {
  const rows = [{ owner: transactionOwner("hash", hash), place: placeOf(version), data: NOTHING }];
  const sent = senderOf(record);
  if (sent === undefined) return rows;
  const { sender, sequenceNumber, nonce } = sent;
  rows.push(
    nonce === undefined
      ? {
          owner: transactionOwner("sequence", sender),
          place: placeOf(sequenceNumber, version),
          data: NOTHING,
        }
      : { owner: transactionOwner("nonce", sender), place: placeOf(version, nonce), data: NOTHING },
  );
  return rows;
}

/** The rows of a stored record; none of one that does not decode, which must not keep the pruner from it. */
export function storedTransactionRows(version: bigint, record: Uint8Array, hash?: Uint8Array): OwnedRow[] {
  try {
    return transactionRows(version, record, hash);
  } catch (error) {
    if (error instanceof BcsError) return [];
    throw error;
  }
}

/** Whether a record has a row. */
export function hasTransactionRow(
  version: bigint,
  record: Uint8Array,
  { owner, place, data }: OwnedRow,
): boolean {
  if (data.length > 0) return false;
  return storedTransactionRows(version, record).some(
    (row) => equalBytes(row.owner, owner) && equalBytes(row.place, place),
  );
}
