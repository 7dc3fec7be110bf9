// Watching as a sequence: the state now, then every change. The consumer sets the pace; while it is busy, nothing is kept
// for it, and what it missed is read from the history.
import { pause } from "../../base/wait.ts";
import { LedgerError } from "../errors.ts";
import { type Ledger, type LedgerView, withView } from "../view.ts";
import type { Joining } from "./change-feed.ts";
import { assertPoint, hasPoint, openHistory, pointAt, pointOf, type ResumePoint } from "./event-id.ts";
import type { HeadWatch } from "./head-watch.ts";
import type { Subscriber, WatchEvent, Watched } from "./watched.ts";

/** Before the ledger is read again for a commit that the feed knows and the ledger does not show yet. */
const RETRY_MS = 20;

export interface WatchStart {
  /** Tells the changes after this point instead of the state now. */
  readonly after: ResumePoint | undefined;
  readonly signal: AbortSignal;
}

/** What a watcher missed. */
interface Missed<E extends WatchEvent> {
  /** The point that the changes lead to. */
  readonly to: ResumePoint;
  /** They throw LedgerError `unavailable` if the ledger goes back meanwhile. */
  readonly changes: AsyncIterable<readonly E[]>;
}

/**
 * What a watcher is told of the changes after a point up to another one, both of a view's history, in pieces. They throw LedgerError `unavailable` if
 * the ledger goes back meanwhile.
 */
export async function* changesBetween<E extends WatchEvent>(
  ledger: Ledger,
  { position }: LedgerView,
  watched: Watched<E>,
  after: ResumePoint,
  to: ResumePoint,
): AsyncGenerator<readonly E[]> {
  const { choice } = watched;
  const openView = (): Promise<LedgerView> => openHistory(ledger, to, position);
  const range = { from: after.version + 1n, to: to.version };
  for await (const events of watched.changes(openView, range, choice?.accepts)) {
    yield choice === undefined ? events : events.map((event) => choice.pick(event));
  }
}

/** The changes after a point up to the head or `end`. Throws as `assertPoint` does if the ledger does not have the point. */
export function missedAfter<E extends WatchEvent>(
  ledger: Ledger,
  watch: Pick<HeadWatch, "headOf">,
  watched: Watched<E>,
  after: ResumePoint,
  end?: bigint,
): Promise<Missed<E>> {
  return withView(ledger.openView(), async (view) => {
    await assertPoint(view, after);
    const latest = watch.headOf(view.position);
    const head = end !== undefined && end < latest ? end : latest;
    const to = head > after.version ? await pointAt(view, head) : after;
    return { to, changes: changesBetween(ledger, view, watched, after, to) };
  });
}

/**
 * The changes after a point up to `end`, which it waits for, or on and on until the signal, in pieces. Throws LedgerError `version_pruned` or
 * `version_not_found` if the ledger does not have the point any more, and `unavailable` if it goes back meanwhile.
 */
export async function* changesAfter<E extends WatchEvent>(
  ledger: Ledger,
  watch: Pick<HeadWatch, "headOf">,
  watched: Watched<E>,
  after: ResumePoint,
  { end, signal }: { readonly end: bigint | undefined; readonly signal?: AbortSignal },
): AsyncGenerator<readonly E[]> {
  for (let point = after; signal?.aborted !== true && (end === undefined || point.version < end); ) {
    const missed: Missed<E> = await missedAfter(ledger, watch, watched, point, end);
    if (missed.to.version === point.version) await pause(RETRY_MS, signal);
    yield* missed.changes;
    point = missed.to;
  }
}

/** True for what refuses a point that the ledger does not have any more. */
export function isUndone(error: unknown): boolean {
  return error instanceof LedgerError && error.code === "version_not_found";
}

/** The first change after a point, or why there is none; undefined if the subscription or the signal ended. */
async function nextChange<E extends WatchEvent>(
  watch: HeadWatch,
  watched: Watched<E>,
  after: ResumePoint,
  signal: AbortSignal,
): Promise<E | Exclude<Joining, "joined"> | undefined> {
  let settle!: (event: E | undefined) => void;
  const next = new Promise<E | undefined>((resolve) => {
    settle = resolve;
  });
  const end = (): void => settle(undefined);
  const subscriber: Subscriber<E> = { after: after.version, take: settle, end };
  signal.addEventListener("abort", end);
  try {
    const joining = await watch.feed.join(watched, subscriber, after);
    if (joining !== "joined") return joining;
    if (signal.aborted) return undefined;
    watch.look();
    return await next;
  } finally {
    watch.feed.leave(watched, subscriber);
    signal.removeEventListener("abort", end);
  }
}

/**
 * The state now and then every change, each with its version; the state again if the ledger does not have the history that
 * the consumer knows, because it went back or `after` names another. Ends when the signal does. Throws LedgerError
 * `version_pruned` if changes were pruned while the consumer was busy.
 */
export async function* watchChanges<E extends WatchEvent>(
  ledger: Ledger,
  watch: HeadWatch,
  watched: Watched<E>,
  { after, signal }: WatchStart,
): AsyncGenerator<E> {
  let known = after;
  while (!signal.aborted) {
    if (known === undefined) {
      const [point, state] = await withView(ledger.openView(), async (view) => {
        const head = watch.headOf(view.position);
        return [await pointAt(view, head), await watched.current(view, head)] as const;
      });
      known = point;
      yield state;
      continue;
    }
    const next: E | Exclude<Joining, "joined"> | undefined = await nextChange(watch, watched, known, signal);
    if (next !== "behind" && next !== "undone") {
      if (next === undefined) continue;
      known = pointOf(next.id, next.version);
      yield next;
      continue;
    }
    let to: ResumePoint | undefined;
    try {
      const missed: Missed<E> = await missedAfter(ledger, watch, watched, known);
      to = missed.to;
      if (to.version === known.version) await pause(RETRY_MS, signal);
      for await (const events of missed.changes) {
        for (const event of events) {
          known = pointOf(event.id, event.version);
          yield event;
        }
      }
      known = to;
    } catch (error) {
      const led = to;
      if (isUndone(error)) known = undefined;
      else if (led === undefined) throw error;
      else if (await withView(ledger.openView(), (view) => hasPoint(view, led))) throw error;
    }
  }
}
