// Things whose changes can be watched: a balance, or the blocks.
import type { OpenView } from "../balance-history.ts";
import { LedgerError } from "../errors.ts";
import { compareTrust, formatTrust, type TrustLevel } from "../trust.ts";
import type { VersionRange } from "../version-range.ts";
import type { LedgerView } from "../view.ts";
import type { WatchKind } from "./topic.ts";

/** What a watcher is told: the state at a version, or a change by it. */
export interface WatchEvent {
  readonly version: bigint;
  /** Names the version and the history up to it: where to go on. */
  readonly id: string;
  /** What the event rests on as it is told. */
  readonly trust: TrustLevel;
}

export interface Watched<E extends WatchEvent> {
  readonly kind: WatchKind<E>;
  /** The same for all watchers of the same thing, within its kind. */
  readonly id: string;
  /** Hashes of the state keys that a change must write; undefined if every commit is a change. */
  readonly keys: readonly Uint8Array[] | undefined;
  /** The state at a version. */
  current(view: LedgerView, version: bigint): Promise<E>;
  /** The changes in a range, oldest first, in pieces. Throws LedgerError `version_pruned` if the range is not kept. */
  changes(openView: OpenView, range: VersionRange): AsyncIterable<readonly E[]>;
}

/** The same, but changes throws LedgerError `unavailable` at an event that has less than a level. */
export function heldTo<E extends WatchEvent>(watched: Watched<E>, least: TrustLevel): Watched<E> {
  return {
    ...watched,
    changes: async function* (openView, range) {
      for await (const events of watched.changes(openView, range)) {
        const weak = events.find(({ trust }) => compareTrust(trust, least) < 0);
        if (weak === undefined) {
          yield events;
          continue;
        }
        yield events.slice(0, events.indexOf(weak));
        const [got, wanted] = [formatTrust(weak.trust), formatTrust(least)];
        throw new LedgerError(
          "unavailable",
          `version ${weak.version} rests on ${got}, and ${wanted} is asked for`,
        );
      }
    },
  };
}
