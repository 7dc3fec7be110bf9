// Watching as a sequence: the state now, then every change. The consumer sets the pace; while it is busy, nothing is kept
// for it, and what it missed is read from the history.
import { pause } from "../../base/wait.ts";
import { type Ledger, withView } from "../view.ts";
import { otherHistory, type ResumePoint } from "./event-id.ts";
import type { HeadWatch } from "./head-watch.ts";
import type { Subscriber, WatchEvent, Watched } from "./watched.ts";

/** Before the ledger is read again for a commit that the feed knows and the ledger does not show yet. */
const RETRY_MS = 20;

export interface WatchStart {
  /** Tells the changes after this point instead of the state now. */
  readonly after: ResumePoint | undefined;
  readonly signal: AbortSignal;
}

/** The first change after a version; undefined if the history must be read, or the signal ended the wait. */
function nextChange<E extends WatchEvent>(
  watch: HeadWatch,
  watched: Watched<E>,
  { after, head }: { readonly after: bigint; readonly head: bigint },
  signal: AbortSignal,
): Promise<E | undefined> {
  return new Promise((resolve) => {
    const settle = (event: E | undefined): void => {
      watch.feed.leave(watched, subscriber);
      signal.removeEventListener("abort", end);
      resolve(event);
    };
    const end = (): void => settle(undefined);
    const subscriber: Subscriber<E> = { after, take: settle, end };
    if (signal.aborted || !watch.feed.join(watched, subscriber, head)) {
      resolve(undefined);
      return;
    }
    signal.addEventListener("abort", end);
    watch.look();
  });
}

/**
 * The state now and then every change, each with its version; the state again if the ledger went back, or does not have the
 * history that `after` names. Ends when the signal does. Throws LedgerError `version_pruned` if changes were pruned while
 * the consumer was busy.
 */
export async function* watchChanges<E extends WatchEvent>(
  ledger: Ledger,
  watch: HeadWatch,
  watched: Watched<E>,
  { after, signal }: WatchStart,
): AsyncGenerator<E> {
  let { timesBack } = watch;
  let known = after?.version;
  if (after !== undefined) {
    const other = await withView(ledger.openView(), (view) =>
      otherHistory(view, watch.headOf(view.position), after),
    );
    if (other !== undefined) known = undefined;
  }
  let hasMissed = false;
  while (!signal.aborted) {
    // After the ledger went back, what the consumer knows is undone: it is told the state now.
    if (known === undefined || timesBack !== watch.timesBack) {
      ({ timesBack } = watch);
      const [version, state] = await withView(ledger.openView(), async (view) => {
        const head = watch.headOf(view.position);
        return [head, await watched.current(view, head)] as const;
      });
      known = version;
      hasMissed = false;
      yield state;
      continue;
    }
    const head: bigint = await withView(ledger.openView(), ({ position }) => watch.headOf(position));
    if (timesBack !== watch.timesBack) continue;
    if (head > known) {
      const missed = watched.changes(() => ledger.openView(), { from: known + 1n, to: head });
      try {
        for await (const events of missed) yield* events;
      } catch (error) {
        if (timesBack !== watch.timesBack) continue;
        throw error;
      }
      known = head;
      if (timesBack !== watch.timesBack) continue;
    } else if (hasMissed) await pause(RETRY_MS, signal);
    if (timesBack !== watch.timesBack) continue;
    // The history up to an idle watcher's last event may be pruned: it goes on from the change that woke it.
    const event: E | undefined = await nextChange(watch, watched, { after: known, head }, signal);
    hasMissed = event === undefined;
    if (event === undefined) continue;
    known = event.version;
    yield event;
  }
}
