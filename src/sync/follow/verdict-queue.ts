// Gives pages to a remote verifier ahead of their commit, in order, and returns them with the verdicts. Bounded in number
// and size.
import { append } from "../../base/append.ts";
import { errorText } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { nextTurn } from "../../base/wait.ts";
import type { RemoteVerifier } from "../verify/remote-page-verifier.ts";
import { type RootedBlock, VerdictReader } from "../verify/verified-page.ts";
import type { FollowStep } from "./checked-commits.ts";
import type { QueuedPage } from "./page-queue.ts";

/** Pages in the queue at most: those to commit next, one that is being verified, and others so that nobody waits. */
const MAX_PAGES = 8;
/** Their bytes; the last page may exceed them. */
const MAX_BYTES = 16 * 1024 * 1024;
/**
 * Pages of one commit at most. They are joined only if commits take longer than pages or verdicts: fewer writes wait for the
 * disk, and pages of the store that every commit changes are written once.
 */
export const MAX_JOINED = 4;

interface GivenPage {
  readonly page: QueuedPage;
  readonly settled: Promise<void>;
  /** Undefined until then, and for a page that the remote verifier could not verify. */
  verdict: Uint8Array | undefined;
}

/** Parts of a queue. */
export interface VerdictQueueParts {
  readonly pages: AsyncIterator<QueuedPage, undefined>;
  readonly verifier: RemoteVerifier;
  readonly chainId: number;
  readonly logger: Logger;
}

export class VerdictQueue {
  readonly #pages: VerdictQueueParts["pages"];
  readonly #verifier: RemoteVerifier;
  readonly #reader: VerdictReader;
  readonly #logger: Logger;
  readonly #given: GivenPage[] = [];
  #fetching: Promise<void> | undefined;
  #fault: { readonly error: unknown } | undefined;
  #isEnded = false;

  constructor({ pages, verifier, chainId, logger }: VerdictQueueParts) {
    this.#pages = pages;
    this.#verifier = verifier;
    this.#reader = new VerdictReader(chainId);
    this.#logger = logger;
  }

  /**
   * The next pages that are verified, or the next page if it is not: no later one will be. Undefined after the last page. A
   * fault of the stage before is thrown after the pages before it.
   */
  async next(): Promise<FollowStep | undefined> {
    this.#feed();
    while (this.#given.length === 0 && this.#fetching !== undefined) await this.#fetching;
    if (this.#given.length === 0 && this.#fault !== undefined) throw this.#fault.error;
    const [first] = this.#given;
    if (first === undefined) return undefined;
    await first.settled;
    const pages: QueuedPage[] = [];
    const verified: RootedBlock[] = [];
    for (const given of this.#given.slice(0, MAX_JOINED)) {
      const blocks = await this.#read(given);
      if (blocks === undefined) break;
      append(verified, blocks);
      pages.push(given.page);
      await nextTurn("writer");
    }
    if (pages.length === 0) {
      return { kind: "unjudged", pages: [first.page], openRecords: this.#reader.takeOpenRecords() };
    }
    this.#given.splice(0, pages.length);
    this.#feed();
    return { kind: "judged", pages, verified };
  }

  async #read(given: GivenPage): Promise<readonly RootedBlock[] | undefined> {
    if (given.verdict === undefined) return undefined;
    try {
      return await this.#reader.read(given.page.bytes, given.verdict);
    } catch (error) {
      this.#logger.warn({ err: errorText(error) }, "a verdict is refused: this process verifies");
      given.verdict = undefined;
      return undefined;
    }
  }

  #feed(): void {
    if (this.#fetching !== undefined || this.#fault !== undefined || this.#isEnded || !this.#hasRoom())
      return;
    this.#fetching = this.#pages
      .next()
      .then(
        ({ value: page }) => {
          if (page === undefined) this.#isEnded = true;
          else this.#give(page);
        },
        (error: unknown) => {
          this.#fault = { error };
        },
      )
      .finally(() => {
        this.#fetching = undefined;
        this.#feed();
      });
  }

  #give(page: QueuedPage): void {
    const settled = this.#verifier.verify(page.bytes).then((verdict) => {
      given.verdict = verdict;
    });
    const given: GivenPage = { page, settled, verdict: undefined };
    this.#given.push(given);
  }

  #hasRoom(): boolean {
    const bytes = this.#given.reduce((sum, { page }) => sum + page.bytes.length, 0);
    return this.#given.length < MAX_PAGES && bytes < MAX_BYTES;
  }
}
