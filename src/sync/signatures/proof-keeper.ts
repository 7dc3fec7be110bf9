// Asks proof sources for signed ledger infos, side by side, and takes what the chain of epochs confirms. A source that
// says something false is set aside with the reason; one that does not answer only brings no news.
import { setMaxListeners } from "node:events";
import { errorText } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { HOUR_MS, type NumberSettings } from "../../base/settings.ts";
import { type BackoffOptions, backoffMs, LinkedAbort, pause, takeTurn } from "../../base/wait.ts";
import type { Waypoint } from "../../ledger/waypoint.ts";
import { ProofError } from "../../proof/errors.ts";
import type { SignedLedgerInfo } from "../../proof/ledger-info.ts";
import { askInTime, UpstreamError } from "../upstream/errors.ts";
import type { SignedChain } from "./signed-chain.ts";
import { isLie, lieAbout, type SignatureSource } from "./source.ts";

export const PROOF_NUMBERS = {
  /** Pause between two questions for news to a backup service. A folder, which changes by the epoch, gets 30 times that. */
  proofPollTimeMs: { fallback: 2_000, min: 1, max: HOUR_MS },
} as const satisfies NumberSettings;

/** Polls of a service for one of a folder. */
const FOLDER_POLLS = 30;

/** For one answer, however many requests and files it takes. */
const ANSWER_MS = 15 * 60_000;

/** `resting`: did not answer; `set_aside`: said something false. */
export type ProofSourceState = "untried" | "ok" | "resting" | "set_aside";

/** One source, for the info response. */
export interface ProofSourceStatus {
  readonly name: string;
  readonly kind: SignatureSource["kind"];
  readonly state: ProofSourceState;
  /** Why it rests or is set aside. */
  readonly fault: string | undefined;
}

interface Entry {
  readonly source: SignatureSource;
  state: ProofSourceState;
  fault: string | undefined;
  failures: number;
}

export interface ProofKeeperOptions {
  readonly sources: readonly SignatureSource[];
  readonly waypoint: Waypoint;
  readonly chain: SignedChain;
  readonly pollTimeMs: number;
  readonly retry?: BackoffOptions;
  readonly setAside?: BackoffOptions;
  readonly logger: Logger;
  readonly random?: () => number;
  /** Called when checked ledger infos were stored. */
  readonly onNews: () => Promise<void>;
  /** True for a transient fault of this node: the question is asked again. */
  readonly mayPass?: (error: unknown) => boolean;
  /** Called with any other fault of this node. */
  readonly onFault: (error: unknown) => void;
}

const RETRY: BackoffOptions = { baseMs: 1_000, maxMs: 60_000 };
const SET_ASIDE: BackoffOptions = { baseMs: 10_000, maxMs: 600_000 };

/** Runs from construction until `close`. */
export class ProofKeeper {
  readonly #options: ProofKeeperOptions;
  readonly #entries: readonly Entry[];
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>;
  /** News that `onNews` was not called for. */
  #isUntold = false;
  #telling: Promise<void> | undefined;

  constructor(options: ProofKeeperOptions) {
    this.#options = options;
    setMaxListeners(0, this.#stop.signal);
    this.#entries = options.sources.map((source) => ({
      source,
      state: "untried",
      fault: undefined,
      failures: 0,
    }));
    this.#running = Promise.all(this.#entries.map((entry) => this.#run(entry)));
  }

  sources(): readonly ProofSourceStatus[] {
    return this.#entries.map(({ source, state, fault }) => ({
      name: source.name,
      kind: source.kind,
      state,
      fault,
    }));
  }

  get receivedBytes(): number {
    return this.#entries.reduce((sum, { source }) => sum + source.receivedBytes, 0);
  }

  /** True once a source was asked for all that it has. */
  get isCaughtUp(): boolean {
    return this.#entries.some(({ state }) => state === "ok");
  }

  /** The sources that are not set aside. */
  get sound(): readonly SignatureSource[] {
    return this.#entries.flatMap(({ source, state }) => (state === "set_aside" ? [] : [source]));
  }

  /** Sets a source aside for an answer that another part found false. Questions that were under way then add nothing. */
  blame(source: SignatureSource, error: unknown): void {
    const entry = this.#entries.find((one) => one.source === source);
    if (entry !== undefined && entry.state !== "set_aside") this.#fail(entry, error);
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error("the node closes"));
    await this.#running;
    for (const { source } of this.#entries) source.close();
  }

  async #run(entry: Entry): Promise<void> {
    const { signal } = this.#stop;
    const { pollTimeMs } = this.#options;
    while (!signal.aborted) {
      let waitMs = pollTimeMs;
      try {
        await this.#ask(entry.source);
        this.#succeed(entry);
        if (entry.source.kind === "folder") waitMs *= FOLDER_POLLS;
      } catch (error) {
        if (signal.aborted) return;
        if (isSourceFault(error)) {
          waitMs = this.#fail(entry, error);
        } else if (this.#options.mayPass?.(error) !== true) {
          this.#options.onFault(error);
          return;
        }
      }
      await pause(waitMs, signal);
    }
  }

  /** Takes everything that a source has and the chain lacks. */
  async #ask(source: SignatureSource): Promise<void> {
    const { chain } = this.#options;
    const round = new LinkedAbort(this.#stop.signal);
    try {
      const first = chain.epoch ?? (await this.#startEpoch(source, round.signal));
      await this.#takeEnds(source, first, round.signal);
      const latest = await this.#answer(round.signal, () => source.latest(round.signal));
      if (latest === undefined) return;
      // An epoch that ended since the ends were asked for is asked for again, once.
      const { epoch = 0n } = chain;
      if (latest.ledgerInfo.epoch > epoch) await this.#takeEnds(source, epoch, round.signal);
      if (await named(latest, () => chain.takeLatest(latest))) this.#tell(source);
    } finally {
      round.abort(new Error("the question ended"));
      round.unlink();
      // What was checked before a fault holds.
      await chain.flush();
      if (this.#isUntold) this.#tell(source);
      await this.#telling;
    }
  }

  async #takeEnds(source: SignatureSource, first: bigint, signal: AbortSignal): Promise<void> {
    const ends = source.epochEnds(first, signal);
    for (;;) {
      const next = await this.#answer(signal, () => ends.next());
      if (next.done === true) return;
      if (await named(next.value, () => this.#options.chain.advance(next.value))) this.#tell(source);
      // A signature takes milliseconds, without a native library a tenth of a second.
      await takeTurn(signal);
    }
  }

  /** Tells of news at once, while the source, which may be slow, is asked for more. What comes meanwhile is told together. */
  #tell(source: SignatureSource): void {
    this.#isUntold = true;
    this.#telling ??= this.#tellAll(source).finally(() => {
      this.#telling = undefined;
    });
  }

  async #tellAll({ name }: SignatureSource): Promise<void> {
    const { chain, logger, onNews, mayPass, onFault } = this.#options;
    try {
      while (this.#isUntold) {
        this.#isUntold = false;
        await chain.flush();
        logger.debug(
          { source: name, epoch: chain.epoch, version: chain.latest?.ledgerInfo.version },
          "checked signed ledger infos",
        );
        await onNews();
      }
    } catch (error) {
      // Told again after the next question.
      this.#isUntold = true;
      if (mayPass?.(error) !== true) onFault(error);
    }
  }

  async #startEpoch(source: SignatureSource, signal: AbortSignal): Promise<bigint> {
    const { version } = this.#options.waypoint;
    if (version === 0n) return 0n;
    const epoch = await this.#answer(signal, () => source.findEpochEnd(version, signal));
    if (epoch !== undefined) return epoch;
    throw new UpstreamError("refused", `it has no epoch that ends at the waypoint's version ${version}`);
  }

  /** Whatever a source throws is its own fault: no source ends the node. */
  async #answer<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
    try {
      return await askInTime(ANSWER_MS, signal, ask);
    } catch (error) {
      signal.throwIfAborted();
      if (isSourceFault(error)) throw error;
      throw new UpstreamError("malformed", `its answer cannot be read: ${errorText(error)}`, {
        cause: error,
      });
    }
  }

  #succeed(entry: Entry): void {
    if (entry.state !== "ok") {
      this.#options.logger.info({ source: entry.source.name, was: entry.state }, "proof source is in use");
    }
    entry.state = "ok";
    entry.fault = undefined;
    entry.failures = 0;
  }

  /** Returns the pause before the next question. */
  #fail(entry: Entry, error: unknown): number {
    const { retry = RETRY, setAside = SET_ASIDE, random = Math.random, logger } = this.#options;
    const isFalse = !(error instanceof UpstreamError) || isLie(error);
    // A failed connection does not clear a source that said something false.
    if (isFalse || entry.state !== "set_aside") entry.state = isFalse ? "set_aside" : "resting";
    entry.failures++;
    entry.fault = `${isLie(error) ? `${error.code}: ` : ""}${errorText(error)}`;
    const waitMs = backoffMs(entry.failures, isFalse ? setAside : retry, random);
    const fields = { source: entry.source.name, fault: entry.fault, againInMs: Math.round(waitMs) };
    if (isFalse) logger.warn(fields, "proof source set aside after a false statement");
    else logger.info(fields, "proof source rests after a failed question");
    return waitMs;
  }
}

/** Names the file of a ledger info that does not hold. */
async function named<T>(signed: SignedLedgerInfo, take: () => Promise<T>): Promise<T> {
  try {
    return await take();
  } catch (error) {
    throw lieAbout(signed, error);
  }
}

function isSourceFault(error: unknown): error is UpstreamError | ProofError {
  return error instanceof UpstreamError || error instanceof ProofError;
}
