// Reads of a store: views that are released in any case, its position, its records page by page.
import { takeTurn } from "../base/wait.ts";
import { decodeRecord, type RecordSpans } from "../ledger/formats/record.ts";
import type { Position } from "../ledger/position.ts";
import { type LedgerView, withView } from "../ledger/view.ts";
import type { Store } from "../store/contract.ts";
import { StoreError } from "../store/errors.ts";

/** Records and bytes per read. */
const PAGE_RECORDS = 500;
const PAGE_BYTES = 4 * 1024 * 1024;

/** The position of a store; undefined while it is empty. */
export async function loadPosition(
  store: Pick<Store, "identity" | "openView">,
): Promise<Position | undefined> {
  if (store.identity === undefined) return undefined;
  return withView(store.openView(), ({ position }) => position);
}

/** A copy of the record of a version; undefined if it is missing. */
export async function copyRecord(view: LedgerView, version: bigint): Promise<Uint8Array | undefined> {
  const [stored] = await view.getRecords(version, 1, 1);
  return stored && new Uint8Array(stored.bytes);
}

/**
 * The records of a range, refuted or not. Opens a view per page, and lets other work run in between. Throws StoreError
 * `corrupt` for a missing record, and the signal's reason on abort.
 */
export async function* readRecords(
  store: Pick<Store, "openRawView">,
  first: bigint,
  last: bigint,
  signal: AbortSignal,
): AsyncGenerator<RecordSpans> {
  for (let next = first; next <= last; ) {
    await takeTurn(signal);
    const page = await withView(store.openRawView(), async (view) => {
      const records = await view.getRecords(next, PAGE_RECORDS, PAGE_BYTES);
      return records.map(({ bytes }) => decodeRecord(new Uint8Array(bytes)));
    });
    if (page.length === 0) throw new StoreError("corrupt", `the record of version ${next} is missing`);
    for (const record of page) {
      if (record.version > last) return;
      yield record;
      next = record.version + 1n;
    }
  }
}
