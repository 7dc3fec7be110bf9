// Writes batches in a thread, so that the node verifies the next page meanwhile. lmdb shares the open environment between
// the threads of a process. The thread starts with the first batch that others follow, and ends when none came for a while;
// the store writes by itself until it has started, and whenever nothing follows.
import type { Worker } from "node:worker_threads";
import type { Logger } from "../../base/log.ts";
import { startThread } from "../../base/thread.ts";
import { LedgerError, type LedgerErrorCode } from "../../ledger/errors.ts";
import type { CommitBatch, StoreIdentity } from "../contract.ts";
import { StoreError, type StoreErrorCode } from "../errors.ts";
import { encodeBatch } from "./batch-bytes.ts";
import type { ThreadEnvironment } from "./environment.ts";
import type { SetBackFlag } from "./set-back.ts";

/** What the thread starts with. */
export interface ThreadData {
  readonly environment: ThreadEnvironment;
  /** The row of the writer's lease. */
  readonly lease: Uint8Array;
  readonly setBack: SetBackFlag;
  /** One number: 1 once the thread has started. A message would wait for a turn of the event loop. */
  readonly started: Int32Array;
}

/** To the thread. */
export type ThreadOrder =
  | { readonly kind: "commit"; readonly batch: Uint8Array; readonly identity: StoreIdentity | undefined }
  | { readonly kind: "end" };

/** An error that changes threads. */
interface SentError {
  readonly room: "store" | "ledger" | "other";
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** From the thread. A commit is answered by `stored` or `failed`. */
export type ThreadReport =
  | { readonly kind: "started" }
  | { readonly kind: "setBack" }
  | { readonly kind: "stored" }
  | { readonly kind: "failed"; readonly error: SentError };

export interface WriteThreadOptions extends Omit<ThreadData, "started"> {
  readonly logger: Logger;
  readonly onSetBack: () => void;
  /** The thread ended by itself, or could not start. */
  readonly onFailed: (error: unknown) => void;
}

/** Log line of a started thread. */
export const THREAD_STARTED = "a thread writes the store from now on";
/** Log line of one that failed. */
export const THREAD_FAILED = "the thread that writes the store failed";
/** An idle thread ends after this, and its memory with it. */
const IDLE_MS = 3_000;
/** Memory for short-lived objects: those of one batch. */
const YOUNG_HEAP_MIB = 12;

/** In the build this code stands in another folder than the thread's. */
const BUILT = new URL("../store/write-thread.js", import.meta.url);
const SOURCE = new URL("./write-thread-main.ts", import.meta.url);

/** One commit at a time. */
export class WriteThread {
  readonly #options: WriteThreadOptions;
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  readonly #started = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #hasEnded = false;
  #current: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: WriteThreadOptions) {
    this.#options = options;
    const { environment, lease, setBack } = options;
    const workerData: ThreadData = {
      environment,
      lease: Uint8Array.from(lease),
      setBack,
      started: this.#started,
    };
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_HEAP_MIB };
    this.#worker = startThread(BUILT, SOURCE, { workerData, resourceLimits });
    this.#worker.on("message", (report: ThreadReport) => this.#onReport(report));
    this.#ended = new Promise((resolve) => {
      this.#worker.on("error", (error) => this.#onDeath(error, resolve));
      this.#worker.on("exit", () =>
        this.#onDeath(new Error("the thread that writes the store ended"), resolve),
      );
    });
    this.#rest();
  }

  /** False until it has started, and after it ended. */
  get isReady(): boolean {
    return !this.#hasEnded && Atomics.load(this.#started, 0) === 1;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Commits a batch of about `size` bytes. Throws what the commit throws. */
  commit(batch: CommitBatch, identity: StoreIdentity | undefined, size: number): Promise<void> {
    const bytes = encodeBatch(batch, size);
    return new Promise((resolve, reject) => {
      clearTimeout(this.#timer);
      this.#current = { resolve, reject };
      this.#worker.ref();
      const order: ThreadOrder = { kind: "commit", batch: bytes, identity };
      this.#worker.postMessage(order, [bytes.buffer as ArrayBuffer]);
    });
  }

  /** Ends the thread between two commits: its memory, and its use of the environment. */
  end(): Promise<void> {
    clearTimeout(this.#timer);
    if (!this.#hasEnded) {
      this.#hasEnded = true;
      this.#worker.ref();
      this.#worker.postMessage({ kind: "end" } satisfies ThreadOrder);
    }
    return this.#ended;
  }

  #onReport(report: ThreadReport): void {
    const current = this.#current;
    switch (report.kind) {
      case "started":
        this.#options.logger.debug({}, THREAD_STARTED);
        return;
      case "setBack":
        this.#options.onSetBack();
        return;
      case "stored":
        this.#rest();
        current?.resolve();
        return;
      case "failed":
        this.#rest();
        current?.reject(receivedError(report.error));
    }
  }

  /** Does not keep the process alive until the next commit. */
  #rest(): void {
    this.#current = undefined;
    this.#worker.unref();
    this.#timer = setTimeout(() => void this.end(), IDLE_MS).unref();
  }

  #onDeath(error: unknown, resolve: () => void): void {
    clearTimeout(this.#timer);
    // A thread that could not start leaves the store as it is.
    if (!this.#hasEnded) this.#options.onFailed(error);
    this.#hasEnded = true;
    this.#current?.reject(error);
    this.#current = undefined;
    resolve();
  }
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
