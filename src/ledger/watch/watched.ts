// Things whose changes can be watched: a balance, or the blocks.
import type { OpenView } from "../balance-history.ts";
import type { VersionRange } from "../version-range.ts";
import type { LedgerView } from "../view.ts";
import type { WatchKind } from "./topic.ts";

/** What a watcher is told: the state at a version, or a change by it. */
export interface WatchEvent {
  readonly version: bigint;
}

export interface Watched<E extends WatchEvent> {
  readonly kind: WatchKind<E>;
  /** The same for all watchers of the same thing, within its kind. */
  readonly id: string;
  /** Hashes of the state keys that a change must write; undefined if every commit is a change. */
  readonly keys: readonly Uint8Array[] | undefined;
  /** The state at the view's latest version. */
  current(view: LedgerView): Promise<E>;
  /** The changes in a range, oldest first, in pieces. Throws LedgerError `version_pruned` if the range is not kept. */
  changes(openView: OpenView, range: VersionRange): AsyncIterable<readonly E[]>;
}
