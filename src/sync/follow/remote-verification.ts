// The stage between pages and commits in another process: when a remote verifier is worth its start, and until when.
import { errorText } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { nextTurn } from "../../base/wait.ts";
import { isWhole, type Position } from "../../ledger/position.ts";
import type { Store } from "../../store/contract.ts";
import type { Committer } from "../committer.ts";
import { loadPosition } from "../reading.ts";
import type { PoolEntry } from "../upstream/pool.ts";
import type { RemoteVerifier, StartVerifier } from "../verify/remote-page-verifier.ts";
import type { FollowStep } from "./checked-commits.ts";
import type { FollowerPace } from "./follower-options.ts";
import type { PageFetcher } from "./page-fetcher.ts";
import { VerdictQueue } from "./verdict-queue.ts";

export interface RemoteVerificationOptions {
  readonly startVerifier: StartVerifier;
  readonly committer: Committer;
  readonly ledger: Store;
  readonly fetcher: PageFetcher;
  /** The position after the last commit; undefined before the first one. */
  readonly last: () => Position | undefined;
  readonly pace: FollowerPace;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** Rests after which they grow no more. */
const MAX_RESTS = 20;

export class RemoteVerification {
  readonly #options: RemoteVerificationOptions;
  /**
   * The follower verifies by itself up to here: after a remote verifier that did not start, failed, or was not worth its
   * start.
   */
  #restUntil = 0n;
  /** Rests since a remote verifier served: each is twice as long as the one before. */
  #rests = 0;

  constructor(options: RemoteVerificationOptions) {
    this.#options = options;
  }

  /** True if a remote verifier should verify an upstream's pages from a version on. */
  isWorthwhile(entry: PoolEntry, next: bigint): boolean {
    const { fetcher, last, pace } = this.#options;
    // Records that are held back end no rest: the next remote verifier would begin before them and fail there again.
    const committed = (last()?.version ?? -1n) + 1n;
    return committed >= this.#restUntil && fetcher.distance(entry, next) >= pace.verifierFromVersions;
  }

  /** Verified pages, which are to be committed one by one, until the head is near, the upstream fails, or the verifier does. */
  async *steps(entry: PoolEntry, start: bigint): AsyncGenerator<FollowStep> {
    const { committer, ledger, last, pace } = this.#options;
    const position = await loadPosition(ledger);
    if (position === undefined) {
      // The page that begins the ledger.
      this.#restUntil = start + 1n;
      return;
    }
    const verifier = isWhole(position) ? await this.#start(position) : undefined;
    if (verifier === undefined) {
      this.#rest(position.version);
      return;
    }
    const stop = new AbortController();
    const progress = { hasFailed: false };
    try {
      await committer.dropHeldBack();
      yield* this.#verify(entry, position, verifier, stop.signal, progress);
    } finally {
      // Without a rest, upstreams that fail often or whose heads leap would have one started for every few pages.
      const version = last()?.version ?? position.version;
      const isShort = version - position.version < pace.verifierFromVersions;
      if (progress.hasFailed || isShort) this.#rest(version);
      stop.abort();
      await verifier.close();
    }
  }

  #rest(version: bigint): void {
    this.#restUntil = version + (this.#options.pace.verifierFromVersions << BigInt(this.#rests));
    this.#rests = Math.min(this.#rests + 1, MAX_RESTS);
  }

  async #start(position: Position): Promise<RemoteVerifier | undefined> {
    const { startVerifier, signal, logger } = this.#options;
    try {
      const verifier = await startVerifier(position, signal);
      logger.info({ version: position.version }, "far behind: pages are verified in another process");
      return verifier;
    } catch (error) {
      if (signal.aborted) return undefined;
      logger.warn({ err: errorText(error) }, "pages are verified in this process: another one did not start");
      return undefined;
    }
  }

  /** Hands out pages while the remote verifier verifies the next ones. */
  async *#verify(
    entry: PoolEntry,
    { version, chainId }: Position,
    verifier: RemoteVerifier,
    stop: AbortSignal,
    progress: { hasFailed: boolean },
  ): AsyncGenerator<FollowStep> {
    const { fetcher, last, pace, logger, signal } = this.#options;
    const isWanted = (next: bigint): boolean => fetcher.distance(entry, next) > pace.verifierUntilVersions;
    const pages = fetcher.pages(entry, version + 1n, isWanted, AbortSignal.any([signal, stop]));
    const verdicts = new VerdictQueue({ pages, verifier, chainId, logger });
    for (let step = await verdicts.next(); step !== undefined; step = await verdicts.next()) {
      if (signal.aborted) return;
      if (step.kind === "judged") this.#rests = 0;
      yield step;
      if (step.kind === "unjudged") {
        // The page was right, or the caller would not ask for the next.
        progress.hasFailed = true;
        return;
      }
      verifier.committed(last()?.version ?? version);
      // Verdicts that came already would keep this process busy, and the next pages here.
      await nextTurn("writer");
      await verifier.sent();
    }
  }
}
