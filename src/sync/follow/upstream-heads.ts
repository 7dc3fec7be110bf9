// Asks upstreams for their heads, side by side and with a short deadline, and re-checks those that were set aside.
import { untilEnough, within } from "../../base/wait.ts";
import { askInTime, UpstreamError } from "../upstream/errors.ts";
import type { PoolEntry } from "../upstream/pool.ts";
import type { FollowerParts } from "./follower-parts.ts";
import type { OtherHistories } from "./other-histories.ts";
import { assertSameLedger, compareRecord } from "./same-ledger.ts";

/** How long a brief question waits for answers. */
const OTHERS_WAIT_MS = 1_000;

/** Has at most one question to each upstream in flight, so a slow one delays nothing but its own answer. */
export class UpstreamHeads {
  readonly #parts: FollowerParts;
  readonly #histories: OtherHistories;
  readonly #inFlight = new Map<PoolEntry, Promise<void>>();

  constructor(parts: FollowerParts, histories: OtherHistories) {
    this.#parts = parts;
    this.#histories = histories;
  }

  /** Resolves when `isEnough` holds after an answer, or when all have answered. */
  ask(entries: readonly PoolEntry[], isEnough: () => boolean): Promise<void> {
    const asked = entries.map((entry) => this.#once(entry, () => this.#askHead(entry)));
    return untilEnough(asked, isEnough);
  }

  /** Asks the sound upstreams other than one. */
  askOthers(entry: PoolEntry, isEnough: () => boolean): Promise<void> {
    const { pool } = this.#parts;
    const others = pool.sound.filter((other) => other !== entry && pool.isReady(other));
    return this.ask(others, isEnough);
  }

  /** The same, but resolves after a short time in any case. */
  async askOthersBriefly(entry: PoolEntry, isEnough: () => boolean): Promise<void> {
    await within(OTHERS_WAIT_MS, this.askOthers(entry, isEnough), this.#parts.signal);
  }

  /** Re-checks the set-aside upstreams whose time has come. Resolves when the re-checks in flight have ended. */
  async recheck(): Promise<void> {
    const { pool } = this.#parts;
    const due = pool.entries.filter(
      (entry) => entry.state === "set_aside" && !entry.isOnProbation && pool.isReady(entry),
    );
    await Promise.all(due.map((entry) => this.#once(entry, () => this.#askAgain(entry))));
  }

  #once(entry: PoolEntry, question: () => Promise<void>): Promise<void> {
    const inFlight = this.#inFlight.get(entry);
    if (inFlight !== undefined) return inFlight;
    const { pool, signal, onFault } = this.#parts;
    const asking = question()
      .catch((error: unknown) => {
        if (signal.aborted) return;
        if (!(error instanceof UpstreamError)) {
          onFault(error);
          return;
        }
        pool.fail(entry, error);
        if (error.code === "other_history") this.#histories.audit(entry);
      })
      .finally(() => this.#inFlight.delete(entry));
    this.#inFlight.set(entry, asking);
    return asking;
  }

  async #askHead(entry: PoolEntry): Promise<void> {
    const { pool, ledger } = this.#parts;
    await this.#within(async (signal) => {
      const head = await entry.upstream.getHead(signal);
      pool.noteHead(entry, head);
      await assertSameLedger(ledger, entry.upstream, head, this.#histories.differenceCode, signal);
    });
    // A resting upstream may answer this question and no other: pages clear it.
    if (entry.state === "untried") pool.succeed(entry);
  }

  /** An upstream that gives what it got wrong as the others do is sound again; otherwise its next page will tell. */
  async #askAgain(entry: PoolEntry): Promise<void> {
    const { pool, ledger } = this.#parts;
    const { wrongVersion, recheck } = entry;
    const isRight = await this.#within(async (signal) => {
      const head = await entry.upstream.getHead(signal);
      pool.noteHead(entry, head);
      const code = this.#histories.differenceCode;
      await compareRecord(ledger, entry.upstream, head.version, code, signal);
      await recheck?.(signal);
      if (wrongVersion === undefined || wrongVersion > head.version) return recheck !== undefined;
      return (await compareRecord(ledger, entry.upstream, wrongVersion, code, signal)) === "same";
    });
    if (isRight) pool.succeed(entry);
    else entry.isOnProbation = true;
  }

  #within<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { pace, signal } = this.#parts;
    return askInTime(pace.headDeadlineMs, signal, ask);
  }
}
