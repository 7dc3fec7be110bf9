// The stage between pages and commits in another process: when a remote verifier is worth its start, and until when.
import { errorText } from "../../base/errors.ts";
import { nextTurn } from "../../base/wait.ts";
import { isWhole, type Position } from "../../ledger/position.ts";
import { loadPosition } from "../reading.ts";
import type { PoolEntry } from "../upstream/pool.ts";
import type { RemoteVerifier, StartVerifier } from "../verify/remote-page-verifier.ts";
import type { CheckedCommits, FollowStep } from "./checked-commits.ts";
import type { FollowerParts } from "./follower-parts.ts";
import type { PageFetcher } from "./page-fetcher.ts";
import { VerdictQueue } from "./verdict-queue.ts";

/** Rests after which they grow no more. */
const MAX_RESTS = 20;

export class RemoteVerification {
  readonly #startVerifier: StartVerifier;
  readonly #parts: FollowerParts;
  readonly #fetcher: PageFetcher;
  readonly #commits: Pick<CheckedCommits, "last">;
  /**
   * The follower verifies by itself up to here: after a remote verifier that did not start, failed, or was not worth its
   * start.
   */
  #restUntil = 0n;
  /** Rests since a remote verifier served: each is twice as long as the one before. */
  #rests = 0;

  constructor(
    startVerifier: StartVerifier,
    parts: FollowerParts,
    stages: { readonly fetcher: PageFetcher; readonly commits: Pick<CheckedCommits, "last"> },
  ) {
    this.#startVerifier = startVerifier;
    this.#parts = parts;
    this.#fetcher = stages.fetcher;
    this.#commits = stages.commits;
  }

  /** True if a remote verifier should verify an upstream's pages from a version on. */
  isWorthwhile(entry: PoolEntry, next: bigint): boolean {
    const { pace } = this.#parts;
    // Records that are held back end no rest: the next remote verifier would begin before them and fail there again.
    const committed = (this.#commits.last?.version ?? -1n) + 1n;
    return committed >= this.#restUntil && this.#fetcher.distance(entry, next) >= pace.verifierFromVersions;
  }

  /** Verified pages, which are to be committed one by one, until the head is near, the upstream fails, or the verifier does. */
  async *steps(entry: PoolEntry, start: bigint): AsyncGenerator<FollowStep> {
    const { committer, ledger, pace } = this.#parts;
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
      const version = this.#commits.last?.version ?? position.version;
      const isShort = version - position.version < pace.verifierFromVersions;
      if (progress.hasFailed || isShort) this.#rest(version);
      stop.abort();
      await verifier.close();
    }
  }

  #rest(version: bigint): void {
    this.#restUntil = version + (this.#parts.pace.verifierFromVersions << BigInt(this.#rests));
    this.#rests = Math.min(this.#rests + 1, MAX_RESTS);
  }

  async #start(position: Position): Promise<RemoteVerifier | undefined> {
    const { signal, logger } = this.#parts;
    try {
      const verifier = await this.#startVerifier(position, signal);
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
    const { pace, logger, signal } = this.#parts;
    const isWanted = (next: bigint): boolean =>
      this.#fetcher.distance(entry, next) > pace.verifierUntilVersions;
    const pages = this.#fetcher.pages(entry, version + 1n, isWanted, AbortSignal.any([signal, stop]));
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
      verifier.committed(this.#commits.last?.version ?? version);
      // Verdicts that came already would keep this process busy, and the next pages here.
      await nextTurn("writer");
      await verifier.sent();
    }
  }
}
