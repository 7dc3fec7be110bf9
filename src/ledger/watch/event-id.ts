// The id of an event: its version, and a mark of the history up to it. A watcher that comes back with an id is believed
// only if the ledger still has that history: a chain that began again or went back has another.
import { toHex } from "../../base/hex.ts";
import { LedgerError } from "../errors.ts";
import { recordAccumulatorRoot } from "../formats/record.ts";
import type { Ledger, LedgerPosition, LedgerView, StoredRecord } from "../view.ts";

/** A version in a history: where a watcher goes on. */
export interface ResumePoint {
  readonly version: bigint;
  /** Undefined where only a version is given: then it is one of this ledger. */
  readonly mark: string | undefined;
  /** Place in the version, where a watcher may go on in the middle of it. */
  readonly index?: number;
}

const MARK_BYTES = 8;
const ID = /^(\d{1,20})(?:\.(\d{1,9}))?-([0-9a-f]{16})$/;

/** A hash over the history up to a record. */
export function historyHashOf({ bytes, historyHash }: StoredRecord): Uint8Array {
  return historyHash ?? recordAccumulatorRoot(bytes);
}

/** The id of an event whose version has this record. */
export function eventId(record: StoredRecord): string {
  return markedId(record.version, historyHashOf(record));
}

/** The id of a version whose history has this hash. */
export function markedId(version: bigint, historyHash: Uint8Array): string {
  return `${version}-${toHex(historyHash.subarray(0, MARK_BYTES))}`;
}

/** The id of the event at a place in a version, from the version's id. */
export function indexedId(id: string, index: number): string {
  return id.replace("-", `.${index}-`);
}

/** A hash over the history up to a version; undefined where its record is not kept, as at the beginning of a fork. */
export async function historyHashAt(view: LedgerView, version: bigint): Promise<Uint8Array | undefined> {
  try {
    const [record] = await view.getRecords(version, 1, 0);
    return record && historyHashOf(record);
  } catch (error) {
    if (error instanceof LedgerError && error.code === "version_pruned") return undefined;
    throw error;
  }
}

/** The id of an event at a version: the version alone where its record is not kept. */
export async function eventIdAt(view: LedgerView, version: bigint): Promise<string> {
  const historyHash = await historyHashAt(view, version);
  return historyHash === undefined ? `${version}` : markedId(version, historyHash);
}

/** A version of a view's history, with its mark. */
export async function pointAt(view: LedgerView, version: bigint): Promise<ResumePoint> {
  return pointOf(await eventIdAt(view, version), version);
}

/** Where a watcher goes on behind an event. */
export function pointOf(id: string, version: bigint): ResumePoint {
  return parseEventId(id) ?? { version, mark: undefined };
}

/** The point before a version. Before the oldest one it has no mark: a fork could tell it, and nobody could compare it. */
export async function pointBefore(view: LedgerView, version: bigint): Promise<ResumePoint> {
  const before = version - 1n;
  return before < view.position.oldestVersion ? { version: before, mark: undefined } : pointAt(view, before);
}

/** The point behind which a watcher goes on, from what it got last: the rest of a version is told by the version again. */
export async function resumingAt(view: LedgerView, last: ResumePoint): Promise<ResumePoint> {
  if (last.index !== undefined) return pointBefore(view, last.version);
  return last.mark === undefined ? pointAt(view, last.version) : last;
}

export function formatPoint({ version, mark }: ResumePoint): string {
  return mark === undefined ? `${version}` : `${version}-${mark}`;
}

/** Parses an id with a mark; undefined for any other text. */
export function parseEventId(text: string): ResumePoint | undefined {
  const [, version, index, mark] = ID.exec(text) ?? [];
  if (version === undefined) return undefined;
  return { version: BigInt(version), mark, ...(index !== undefined && { index: Number(index) }) };
}

/** Why a watcher's point is not in the history up to `head`; undefined if it is, or its version is pruned. */
export async function otherHistory(
  view: LedgerView,
  head: bigint,
  { version, mark }: ResumePoint,
): Promise<string | undefined> {
  if (version > head) return `version ${version} is above the latest of this ledger, ${head}`;
  if (mark === undefined) return undefined;
  const now = parseEventId(await eventIdAt(view, version))?.mark;
  if (now === undefined || now === mark) return undefined;
  return `the ledger went back or began again, and version ${version} is another one now`;
}

/** Throws LedgerError `version_pruned` or `version_not_found` for a point that is in no history of a view. */
export async function assertPoint(view: LedgerView, point: ResumePoint): Promise<void> {
  if (point.mark !== undefined) assertKept(view, point);
  const other = await otherHistory(view, view.position.version, point);
  if (other !== undefined) throw new LedgerError("version_not_found", other);
}

/** Throws LedgerError `version_pruned` for a version that a view does not have any more. */
export function assertKept(
  { position: { oldestVersion } }: LedgerView,
  { version }: Pick<ResumePoint, "version">,
): void {
  if (version >= oldestVersion) return;
  throw new LedgerError("version_pruned", `version ${version} is below the oldest kept, ${oldestVersion}`);
}

/** True if a view is known to have the history up to a point: not if the point's version is pruned. */
export async function hasPoint(view: LedgerView, point: ResumePoint): Promise<boolean> {
  const { version, oldestVersion } = view.position;
  if (point.mark !== undefined && point.version < oldestVersion) return false;
  return (await otherHistory(view, version, point)) === undefined;
}

/**
 * Opens a view that has the history up to a point, as a ledger at `position` has it. Throws LedgerError `unavailable` if
 * the ledger does not have it any more.
 */
export async function openHistory(
  ledger: Ledger,
  point: ResumePoint,
  position: LedgerPosition,
): Promise<LedgerView> {
  const view = await ledger.openView();
  try {
    // A store hands out the same object until something is written.
    if (view.position !== position) await assertHistory(view, point);
    return view;
  } catch (error) {
    view.release();
    throw error;
  }
}

/** Throws LedgerError `unavailable` if a view does not have the history up to a point, `version_pruned` if nobody can say. */
export async function assertHistory(view: LedgerView, point: ResumePoint): Promise<void> {
  if (await hasPoint(view, point)) return;
  assertKept(view, point);
  throw new LedgerError("unavailable", `the ledger went back behind version ${point.version}`);
}

/** The points of heads: a position object is of one history. */
const headPoints = new WeakMap<LedgerPosition, Promise<ResumePoint>>();

/** The point of a view's head, whose record is read once for all views of one position. */
function headPoint(view: LedgerView): Promise<ResumePoint> {
  const { position } = view;
  const known = headPoints.get(position);
  if (known !== undefined) return known;
  const point = pointAt(view, position.version);
  headPoints.set(position, point);
  point.catch(() => headPoints.delete(position));
  return point;
}

/**
 * What opens views for an answer that is read in pieces: each has the history of the first view up to a version, or opening
 * throws as `openHistory` does.
 */
export async function historyOpener(
  ledger: Ledger,
  view: LedgerView,
  version: bigint,
): Promise<() => Promise<LedgerView>> {
  const { position } = view;
  // Before anything else is read: not every store's view still has its records after a rewind.
  const point = await (version === position.version ? headPoint(view) : pointAt(view, version));
  return () => openHistory(ledger, point, position);
}
