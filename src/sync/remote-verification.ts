// Following while a remote verifier verifies the pages ahead: when one is worth its start, and until when.
import { errorText } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import { nextTurn } from "../base/wait.ts";
import { isWhole, type Position } from "../ledger/position.ts";
import type { Store } from "../store/contract.ts";
import type { CheckedCommits } from "./checked-commits.ts";
import { type Committer, loadPosition } from "./committer.ts";
import type { FollowerPace } from "./follower-pace.ts";
import type { PageFetcher } from "./page-fetcher.ts";
import type { QueuedPage } from "./page-queue.ts";
import type { RemoteVerifier } from "./page-verifier.ts";
import type { PoolEntry } from "./upstream/pool.ts";
import { VerdictQueue } from "./verdict-queue.ts";

/** Starts a remote verifier that verifies pages after a position. Rejects if it cannot. */
export type StartVerifier = (position: Position, signal: AbortSignal) => Promise<RemoteVerifier>;

export interface RemoteVerificationOptions {
  readonly startVerifier: StartVerifier;
  readonly committer: Committer;
  readonly ledger: Store;
  readonly fetcher: PageFetcher;
  readonly commits: CheckedCommits;
  readonly pace: FollowerPace;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** True when the follower has stopped for good. */
  readonly isStopped: () => boolean;
}

export class RemoteVerification {
  readonly #options: RemoteVerificationOptions;
  readonly #rest: VerifierRest;

  constructor(options: RemoteVerificationOptions) {
    this.#options = options;
    this.#rest = new VerifierRest(options.pace.verifierFromVersions);
  }

  /** True if a remote verifier should verify an upstream's pages from a version on. */
  isWorthwhile(entry: PoolEntry, next: bigint): boolean {
    const { fetcher, commits, pace } = this.#options;
    // Records that are held back end no rest: the next remote verifier would begin before them and fail there again.
    const committed = commits.last === undefined ? 0n : commits.last.version + 1n;
    return this.#rest.isOver(committed) && fetcher.distance(entry, next) >= pace.verifierFromVersions;
  }

  /** Starts a remote verifier and follows with it, until the head is near, the upstream fails, or the verifier does. */
  async follow(entry: PoolEntry, start: bigint): Promise<void> {
    const { committer, ledger, fetcher, commits, pace, logger } = this.#options;
    const position = await loadPosition(ledger);
    if (position === undefined) {
      this.#rest.beginFirst(start);
      return;
    }
    const verifier = isWhole(position) ? await this.#start(position) : undefined;
    if (verifier === undefined) {
      this.#rest.begin(position.version);
      return;
    }
    const queue = fetcher.open(entry, position.version + 1n);
    const isMore = (): boolean => fetcher.distance(entry, queue.nextStart) > pace.verifierUntilVersions;
    const source = (): Promise<QueuedPage> | undefined => (isMore() ? fetcher.next(entry, queue) : undefined);
    const verdicts = new VerdictQueue({ source, verifier, chainId: position.chainId, logger });
    let hasFailed = false;
    try {
      await committer.dropHeldBack();
      hasFailed = await this.#takeVerified(entry, verdicts, verifier);
    } finally {
      // Without a rest, upstreams that fail often or whose heads leap would have one started for every few pages.
      const version = commits.last?.version ?? position.version;
      if (hasFailed || version - position.version < pace.verifierFromVersions) this.#rest.begin(version);
      verdicts.close();
      queue.close();
      await verifier.close();
    }
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

  /** Commits pages while the remote verifier verifies the next ones. True if it gave no verdict on a page that is right. */
  async #takeVerified(entry: PoolEntry, verdicts: VerdictQueue, verifier: RemoteVerifier): Promise<boolean> {
    const { commits, signal, isStopped } = this.#options;
    while (!isStopped() && !signal.aborted) {
      const next = await verdicts.next();
      if (next === undefined || isStopped()) return false;
      if (next.kind === "unjudged") {
        if (signal.aborted) return false;
        await commits.append(entry, next.page, next.openRecords);
        return true;
      }
      this.#rest.served();
      const position = await commits.commitVerified(entry, next);
      if (position !== undefined) verifier.committed(position.version);
      // Verdicts that came already would keep this process busy, and the next pages here.
      await nextTurn("writer");
      await verifier.sent();
    }
    return false;
  }
}

/** Rests after which they grow no more. */
const MAX_RESTS = 20;

/**
 * How long a follower verifies by itself after a remote verifier that did not start, failed, or was not worth its start;
 * twice as long each time, until one has served again.
 */
export class VerifierRest {
  /** Versions of the first rest. */
  readonly #versions: bigint;
  /** The first version after the rest. */
  #until = 0n;
  /** Rests since a remote verifier served. */
  #rests = 0;

  constructor(versions: bigint) {
    this.#versions = versions;
  }

  isOver(next: bigint): boolean {
    return next >= this.#until;
  }

  /** Rests for the page that begins the ledger, at the version `start`. */
  beginFirst(start: bigint): void {
    this.#until = start + 1n;
  }

  begin(version: bigint): void {
    this.#until = version + (this.#versions << BigInt(this.#rests));
    if (this.#rests < MAX_RESTS) this.#rests++;
  }

  /** A remote verifier served. */
  served(): void {
    this.#rests = 0;
  }
}
