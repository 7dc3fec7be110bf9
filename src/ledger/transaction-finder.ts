// Finds transactions by hash and by sender, with the index of transactions.

import { equalBytes } from "../base/bytes.ts";
import { firstPassing } from "../base/search.ts";
import type { Address } from "../move/address.ts";
import { LedgerError } from "./errors.ts";
import { recordTransactionHash } from "./formats/record.ts";
import { placeBefore, senderOf, transactionOwner, versionOfRow } from "./indexes/transaction-rows.ts";
import type { LedgerView, OwnedKey, StoredRecord } from "./view.ts";

/** Rows of one hash that are looked at: more than one are left only by rewinds. */
const HASH_ROWS = 16;
/** Rows of a sender that are read at once. */
const RUN = 100;
/** Records of a sender that are read at once. */
const READS_AT_ONCE = 8;
/** Bytes of a page of records; one record may exceed it. */
const MAX_PAGE_BYTES = 2 << 20;

/** Throws LedgerError `not_indexed`, or `unavailable` while the index is being built, unless it has every kept transaction. */
async function assertTransactionsIndexed(view: LedgerView): Promise<void> {
  const { version: head } = view.position;
  const indexedTo = await view.getIndexedTo("transactions");
  if (indexedTo !== undefined && indexedTo >= head) return;
  if (indexedTo === undefined) {
    throw new LedgerError("not_indexed", "this node has no index of transactions");
  }
  throw new LedgerError(
    "unavailable",
    `the index of transactions reaches version ${indexedTo} of ${head}: it is being built, or the node that writes has switched it off`,
  );
}

function isKept({ position }: LedgerView, version: bigint): boolean {
  // A fork asks its network for versions up to its own.
  const isOld = position.fork !== undefined && version <= position.fork.version;
  return (version >= position.oldestVersion || isOld) && version <= position.version;
}

async function readRecord(view: LedgerView, version: bigint): Promise<StoredRecord> {
  const [record] = await view.getRecords(version, 1, 1);
  if (record === undefined) throw new LedgerError("corrupt", `no record at version ${version}`);
  return record;
}

/** The kept record of a transaction; undefined if there is none. Throws LedgerError. */
export async function findByHash(view: LedgerView, hash: Uint8Array): Promise<StoredRecord | undefined> {
  const owner = transactionOwner("hash", hash);
  const rows = await view.getOwnedKeys(owner, {
    version: view.position.version,
    after: undefined,
    limit: HASH_ROWS,
  });
  for (const row of rows) {
    const version = versionOfRow("hash", row);
    if (!isKept(view, version)) continue;
    const record = await readRecord(view, version);
    if (equalBytes(recordTransactionHash(record.bytes), hash)) return record;
  }
  // What is found is right, however far the index reaches.
  await assertTransactionsIndexed(view);
  return undefined;
}

/** Which transactions of an account. */
export interface SentQuery {
  readonly sender: Address;
  /** The least sequence number. */
  readonly start: bigint;
  readonly limit: number;
}

/** The kept transactions that an account sent with sequence numbers, in their order. Throws LedgerError. */
export async function readSent(
  view: LedgerView,
  { sender, start, limit }: SentQuery,
): Promise<readonly StoredRecord[]> {
  await assertTransactionsIndexed(view);
  const owner = transactionOwner("sequence", sender);
  const records: StoredRecord[] = [];
  let bytes = 0;
  let after = placeBefore(start);
  for (;;) {
    const rows: readonly OwnedKey[] = await view.getOwnedKeys(owner, {
      version: view.position.version,
      after,
      limit: RUN,
    });
    const versions = rows.map((row) => versionOfRow("sequence", row)).filter((one) => isKept(view, one));
    for (let next = 0; next < versions.length; ) {
      if (records.length >= limit) return records;
      const some = versions.slice(next, next + Math.min(READS_AT_ONCE, limit - records.length));
      next += some.length;
      for (const record of await Promise.all(some.map((version) => readRecord(view, version)))) {
        const sent = senderOf(record.bytes);
        if (sent === undefined || sent.nonce !== undefined || !equalBytes(sent.sender, sender)) continue;
        bytes += record.bytes.length;
        if (records.length > 0 && bytes > MAX_PAGE_BYTES) return records;
        records.push(record);
      }
    }
    if (rows.length < RUN) return records;
    after = rows.at(-1)?.place;
  }
}

/** A sent transaction without what is in it. */
export interface SentSummary {
  readonly sender: Address;
  readonly version: bigint;
  readonly hash: Uint8Array;
  readonly sequenceNumber: bigint;
  /** Undefined for one with a sequence number. */
  readonly nonce: bigint | undefined;
}

/** Which transactions of an account, by their versions. */
export interface SentRange {
  readonly sender: Address;
  /** The account's, at the latest version. */
  readonly nextSequenceNumber: bigint;
  /** Left out, the last ones up to `to`. */
  readonly from: bigint | undefined;
  readonly to: bigint;
  readonly limit: number;
}

/** Versions in a range that the rows of one kind name, ascending: rows of both kinds are in the order of versions. */
async function sentVersions(
  view: LedgerView,
  kind: "sequence" | "nonce",
  { sender, nextSequenceNumber, from, to, limit }: SentRange,
): Promise<readonly bigint[]> {
  const owner = transactionOwner(kind, sender);
  const { version } = view.position;
  const read = async (number: bigint, count: number): Promise<readonly bigint[]> =>
    (await view.getOwnedKeys(owner, { version, after: placeBefore(number), limit: count })).map((row) =>
      versionOfRow(kind, row),
    );
  const above = kind === "sequence" ? nextSequenceNumber : version + 1n;
  const isPast = (one: bigint | undefined): boolean => one === undefined || one > to;
  const start =
    from === undefined
      ? await firstPassing(0n, above, async (number) => isPast((await read(number, limit))[limit - 1]))
      : await firstPassing(0n, above, async (number) => ((await read(number, 1))[0] ?? version) >= from);
  // The page that ends the range begins one before the first that reaches beyond it.
  const first = from === undefined && start > 0n ? start - 1n : start;
  const versions = await read(first, limit + 1);
  return versions.filter((one) => one >= (from ?? 0n) && one <= to && isKept(view, one));
}

/** Which kept transactions an account sent, in the order of their versions. Throws LedgerError. */
export async function readSentBetween(view: LedgerView, range: SentRange): Promise<readonly SentSummary[]> {
  await assertTransactionsIndexed(view);
  const { sender, limit, from } = range;
  const lists = [await sentVersions(view, "sequence", range), await sentVersions(view, "nonce", range)];
  const versions = lists.flat().sort((a, b) => (a < b ? -1 : 1));
  const page = from === undefined ? versions.slice(-limit) : versions.slice(0, limit);
  const summaries: SentSummary[] = [];
  for (const version of page) {
    const { bytes } = await readRecord(view, version);
    const sent = senderOf(bytes);
    if (sent === undefined || !equalBytes(sent.sender, sender)) continue;
    summaries.push({ ...sent, sender, version, hash: recordTransactionHash(bytes) });
  }
  return summaries;
}
