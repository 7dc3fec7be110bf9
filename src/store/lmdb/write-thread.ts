// Writes batches in a thread, so that the node verifies the next page meanwhile. lmdb shares the open environment between
// the threads of a process. The thread starts with the first batch that many others follow, and ends with the first that
// none follows; the store writes by itself until the thread has started, and after it ended.
import { errorText } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { AnsweringThread, hasSpareProcessor, startThread } from "../../base/thread.ts";
import { LedgerError, type LedgerErrorCode } from "../../ledger/errors.ts";
import type { CommitBatch, StoreIdentity } from "../contract.ts";
import { isGivenUp, StoreError, type StoreErrorCode } from "../errors.ts";
import { encodeBatch } from "./batch-bytes.ts";
import type { ThreadEnvironment } from "./environment.ts";
import { addDamagedReads } from "./sealed-rows.ts";
import type { SetBackFlag } from "./set-back.ts";

/** What the thread starts with. */
export interface ThreadData {
  readonly environment: ThreadEnvironment;
  /** The row of the writer's lease. */
  readonly lease: Uint8Array;
  readonly setBack: SetBackFlag;
  readonly turn: WriteTurn;
}

/**
 * Shared numbers that let the process end: `lmdb` waits for its own lock for ever in a thread that is stopped inside a
 * transaction (3.5.6, EnvWrap::cleanupStrayTxns), and Node waits for the thread.
 */
export interface WriteTurn {
  /** 1 while the thread is inside a transaction. */
  readonly isWriting: Int32Array;
  /** 1 once the process ends: no transaction begins any more. */
  readonly isOver: Int32Array;
}

/** To the thread. */
export interface ThreadCommit {
  readonly batch: Uint8Array;
  readonly identity: StoreIdentity | undefined;
}

/** An error that changes threads. */
export interface SentError {
  readonly room: "store" | "ledger" | "other";
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** From the thread, for each commit. */
export interface ThreadReport {
  /** Undefined if the batch is stored. */
  readonly error: SentError | undefined;
  readonly wasSetBack: boolean;
  /** Rows that did not match their checksum. */
  readonly damagedReads: number;
}

export interface WriteThreadOptions extends Omit<ThreadData, "turn"> {
  readonly logger: Logger;
  readonly onSetBack: () => void;
  /** lmdb gave up a write, or the thread died in one: nobody in this process may write again. */
  readonly onGivenUp: (error: StoreError) => void;
}

/** Log line of a started thread. */
export const THREAD_STARTED = "a thread writes the store from now on";
/** Log line of one that failed. */
export const THREAD_FAILED = "the thread that writes the store failed";
/** An idle thread ends after this, and its memory with it. */
const IDLE_MS = 3_000;
/** A machine that cannot run a thread is not asked again for each batch. */
const RETRY_MS = 60_000;
/** Far more than a write takes on a slow disk: the thread died, or the disk did. */
const COMMIT_TIMEOUT_MS = 120_000;
/** How long the end of the process waits for a write under way. */
const EXIT_WAIT_MS = 10_000;
/** Memory for short-lived objects: those of one batch. */
const YOUNG_HEAP_MIB = 12;

/** In the build this code stands in another folder than the thread's. */
const BUILT = new URL("../store/write-thread.js", import.meta.url);
const SOURCE = new URL("./write-thread-main.ts", import.meta.url);

/** The thread of a store, which starts and ends as batches need it. One commit at a time. */
export class WriteThread {
  readonly #options: WriteThreadOptions;
  #thread: AnsweringThread<ThreadCommit, ThreadReport> | undefined;
  /** The end of every thread so far. Each uses the environment until then. */
  #allEnded: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  /** After a thread failed. */
  #noneUntilMs = 0;
  #givenUp: StoreError | undefined;
  readonly #turn: WriteTurn = { isWriting: sharedNumber(), isOver: sharedNumber() };

  constructor(options: WriteThreadOptions) {
    this.#options = options;
  }

  /** True if the thread can commit now. Otherwise it begins to start, if the machine has room for it. */
  getReady(): boolean {
    if (this.#givenUp !== undefined) return false;
    if (this.#thread === undefined) this.#start();
    return this.#thread?.isReady ?? false;
  }

  /** Commits a batch of about `size` bytes. Throws what the commit throws. Call when it is ready. */
  async commit(batch: CommitBatch, identity: StoreIdentity | undefined, size: number): Promise<void> {
    if (this.#thread === undefined) throw new Error("no thread writes the store");
    clearTimeout(this.#timer);
    const bytes = encodeBatch(batch, size);
    const report = await this.#inTime(this.#thread.ask({ batch: bytes, identity }, bytes));
    const { error, wasSetBack, damagedReads } = report;
    this.#timer = setTimeout(() => void this.end(), IDLE_MS).unref();
    addDamagedReads(damagedReads);
    if (wasSetBack) this.#options.onSetBack();
    if (error === undefined) return;
    const received = receivedError(error);
    if (isGivenUp(received)) this.#giveUp(received);
    throw received;
  }

  /** The report of a commit; throws StoreError `given_up` if the thread dies or does not answer. */
  async #inTime(reporting: Promise<ThreadReport>): Promise<ThreadReport> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const error = new Error(`no answer in ${COMMIT_TIMEOUT_MS} ms`);
        this.#onDeath(error, true);
        reject(error);
      }, COMMIT_TIMEOUT_MS);
    });
    try {
      return await Promise.race([reporting, late]);
    } catch (error) {
      throw this.#givenUp ?? error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the thread after its last commit. Resolves when no thread uses the environment any more. */
  async end(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#thread !== undefined) this.#allEnded = Promise.all([this.#allEnded, this.#thread.end()]);
    this.#thread = undefined;
    await this.#allEnded;
    if (this.#thread === undefined && this.#givenUp === undefined) process.off("exit", this.#onExit);
  }

  /** Node stops the thread next, which must not happen inside a transaction. */
  readonly #onExit = (): void => {
    const { isWriting, isOver } = this.#turn;
    Atomics.store(isOver, 0, 1);
    if (Atomics.wait(isWriting, 0, 1, EXIT_WAIT_MS) === "timed-out") process.kill(process.pid, "SIGKILL");
  };

  #start(): void {
    if (!hasSpareProcessor() || performance.now() < this.#noneUntilMs) return;
    const { environment, lease, setBack, logger } = this.#options;
    const workerData: ThreadData = { environment, lease: Uint8Array.from(lease), setBack, turn: this.#turn };
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_HEAP_MIB };
    try {
      this.#thread = new AnsweringThread(
        startThread(BUILT, SOURCE, { workerData, resourceLimits }),
        () => logger.debug({}, THREAD_STARTED),
        (error, wasBusy) => this.#onDeath(error, wasBusy),
      );
      process.on("exit", this.#onExit);
    } catch (error) {
      this.#onDeath(error, false);
    }
  }

  #onDeath(error: unknown, wasBusy: boolean): void {
    const { logger, environment } = this.#options;
    logger.warn({ err: errorText(error) }, THREAD_FAILED);
    this.#thread = undefined;
    this.#noneUntilMs = performance.now() + RETRY_MS;
    if (!wasBusy) return;
    // The transaction may be half made, and lmdb's lock taken for good.
    const text = `the thread that wrote the store at ${environment.path} died in a write; start again to continue with the last commit`;
    this.#giveUp(new StoreError("given_up", text, { cause: error }));
  }

  #giveUp(error: StoreError): void {
    this.#givenUp = error;
    this.#options.onGivenUp(error);
  }
}

function sharedNumber(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

function receivedError({ room, code, message, details }: SentError): Error {
  switch (room) {
    case "store":
      return new StoreError(code as StoreErrorCode, message, { details });
    case "ledger":
      return new LedgerError(code as LedgerErrorCode, message, { details });
    case "other":
      return new Error(message);
  }
}
