// Reads what the index lists. The index is a list of candidates: it may name items that do not exist at a version, so each
// is looked up there. A page ends when it has enough rows or bytes, or has looked up enough candidates, and may be short
// for that.
import { nextTurn } from "../../base/wait.ts";
import type { Address } from "../../move/address.ts";
import { LedgerError } from "../errors.ts";
import { stateValueData } from "../formats/state-value.ts";
import { ownerOf, tableKeyOf } from "../indexes/owned-keys.ts";
import type { LedgerView } from "../view.ts";

/** Candidates that are looked up at once: their values are in memory together before their bytes are counted. */
const RUN = 32;
/** Most candidates that a page looks up. */
const MAX_CANDIDATES = 2000;
/** Bytes of keys and values in a page; one row may exceed it. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** Throws LedgerError `not_indexed`, or `unavailable` while the index is being built, unless it has all that the view reads. */
export async function assertIndexed(view: LedgerView): Promise<void> {
  const { version: head, oldestVersion } = view.position;
  const indexedTo = await view.getIndexedTo();
  if (indexedTo !== undefined && indexedTo >= head) return;
  const start = indexedTo === undefined ? 0n : indexedTo + 1n;
  if (start < oldestVersion || view.keyTrace !== undefined) {
    throw new LedgerError(
      "not_indexed",
      "this node has no index: it does not have the records from version 0 on that an index is made from",
    );
  }
  throw new LedgerError(
    "unavailable",
    `the index has ${start} of ${head + 1n} versions: it is being built, or the node that writes has switched it off`,
  );
}

/** A row of a table. */
export interface TableRow {
  /** BCS of the key. */
  readonly key: Uint8Array;
  /** The stored bytes; undefined for a row that was deleted since the version asked about. */
  readonly value: Uint8Array | undefined;
}

/** Which rows of a table. */
export interface TableRowsQuery {
  readonly handle: Address;
  readonly version: bigint;
  /** Only rows that changed after this version: new, changed and deleted ones. */
  readonly since: bigint | undefined;
  /** Only rows after this place. */
  readonly after: Uint8Array | undefined;
  readonly limit: number;
}

/** A page of rows in the order of their key hashes. */
export interface TableRowsPage {
  readonly rows: readonly TableRow[];
  /** Place to continue after; undefined at the end of the table. */
  readonly next: Uint8Array | undefined;
}

interface Candidate {
  readonly place: Uint8Array;
  readonly key: Uint8Array;
  readonly row: TableRow | undefined;
}

/** Looks up the next candidates. A row is there for those that are part of the answer. */
async function nextCandidates(
  view: LedgerView,
  { handle, version, since }: TableRowsQuery,
  after: Uint8Array | undefined,
  limit: number,
): Promise<Candidate[]> {
  const owner = ownerOf("table", handle);
  const owned = await view.getOwnedKeys(owner, { version, after, limit });
  const hashes = owned.map(({ place }) => place);
  const items = owned.length === 0 ? [] : await view.getItems(hashes, version);
  const isChanged = (i: number): boolean => since === undefined || (items[i]?.version ?? 0n) > since;
  // A row that was created and deleted since then did not change.
  const deleted =
    since === undefined ? [] : hashes.filter((_, i) => items[i] && !items[i]?.value && isChanged(i));
  const before = since === undefined || deleted.length === 0 ? [] : await view.getItems(deleted, since);
  let nextDeleted = 0;
  return owned.map((one, i) => {
    const item = items[i];
    const wasThere = deleted[nextDeleted] === one.place && before[nextDeleted++]?.value !== undefined;
    const isRow = item !== undefined && isChanged(i) && (item.value !== undefined || wasThere);
    const key = tableKeyOf(owner, one);
    const value = item?.value === undefined ? undefined : stateValueData(item.value);
    return { place: one.place, key, row: isRow ? { key, value } : undefined };
  });
}

async function assertTableReadable(
  view: LedgerView,
  { version, since }: Pick<TableRowsQuery, "version" | "since">,
): Promise<void> {
  await assertIndexed(view);
  // A read of nothing checks the version. Deletions before the oldest version are forgotten.
  await view.getItems([], version);
  if (since !== undefined) await view.getItems([], since);
}

/** Reads one page of a table. Throws LedgerError. */
export async function readTableRows(view: LedgerView, query: TableRowsQuery): Promise<TableRowsPage> {
  await assertTableReadable(view, query);
  const rows: TableRow[] = [];
  let bytes = 0;
  let { after } = query;
  for (let seen = 0; seen < MAX_CANDIDATES; ) {
    if (seen > 0) await nextTurn();
    const run = Math.min(RUN, query.limit - rows.length, MAX_CANDIDATES - seen);
    const candidates = await nextCandidates(view, query, after, run);
    for (const { place, row } of candidates) {
      if (row !== undefined) {
        const size = row.key.length + (row.value?.length ?? 0);
        if (rows.length > 0 && bytes + size > MAX_PAGE_BYTES) return { rows, next: after };
        bytes += size;
        rows.push(row);
      }
      after = place;
    }
    seen += candidates.length;
    if (candidates.length < run) return { rows, next: undefined };
    if (rows.length >= query.limit) break;
  }
  return { rows, next: after };
}

/** Candidates that one count looks up. */
const MAX_COUNTED = 20_000;

/** Counts the rows of a part of a table. Throws LedgerError. */
export async function countTableRows(
  view: LedgerView,
  query: Omit<TableRowsQuery, "limit">,
): Promise<{ readonly count: number; readonly next: Uint8Array | undefined }> {
  await assertTableReadable(view, query);
  let count = 0;
  let { after } = query;
  for (let seen = 0; seen < MAX_COUNTED; seen += RUN) {
    if (seen > 0) await nextTurn();
    const candidates = await nextCandidates(view, { ...query, limit: RUN }, after, RUN);
    for (const { row } of candidates) if (row !== undefined) count++;
    if (candidates.length < RUN) return { count, next: undefined };
    after = candidates.at(-1)?.place;
  }
  return { count, next: after };
}
