// Works on large submissions in a thread, so that no client holds the event loop by the size of its request. One body at a
// time; a bounded number waits. The thread starts with the first large body and ends when none came for a while.
import { Worker } from "node:worker_threads";
import { HttpError } from "../../http/errors.ts";
import { JsonError } from "../../json/errors.ts";
import { ModuleError, MoveError, type MoveErrorCode } from "../../move/errors.ts";
import { TransactionError, type TransactionErrorCode } from "../../transaction/errors.ts";
import { SubmissionError, type SubmissionErrorCode } from "../../transaction/submission-error.ts";
import type {
  LedgerQuestion,
  LedgerReply,
  RequestKind,
  RequestResults,
  RequestTask,
  SentError,
  ThreadOrder,
  ThreadReport,
} from "./messages.ts";
import { NO_MEMORY, ResultMemory } from "./result-memory.ts";

/** Bodies from this size on go to the thread: smaller ones hold the loop for a few milliseconds at most. */
export const LARGE_SUBMISSION_BYTES: number = 32 * 1024;
/** The same for explanations, which name and print every part of a request. */
export const LARGE_EXPLAINED_BYTES: number = 8 * 1024;
/** Bodies that wait for the thread at most. */
const MAX_WAITING = 16;
/** An idle thread ends after this, and its memory with it. */
const IDLE_MS = 30_000;
/** Far more than the largest body takes on a busy machine. */
const TASK_TIMEOUT_MS = 30_000;
/** Memory of the thread: a body of the largest size, what it is parsed into, and its result. */
const MAX_HEAP_MIB = 256;

/** In the build this code stands in another folder than the thread's. */
const ENTRY = new URL("../node/submission-thread.js", import.meta.url);
/** Tests run the sources, which Node loads through a translator. */
const SOURCE_ENTRY = `import("tsx/esm/api").then(({ register }) => {
  register();
  return import(${JSON.stringify(new URL("./thread-main.ts", import.meta.url).href)});
})`;

function createWorker(): Worker {
  const resourceLimits = { maxOldGenerationSizeMb: MAX_HEAP_MIB };
  return import.meta.url.endsWith(".ts")
    ? new Worker(SOURCE_ENTRY, { eval: true, resourceLimits })
    : new Worker(ENTRY, { resourceLimits });
}

/** Looks up in the ledger what the thread asks for. */
export type QuestionAnswerer = (question: LedgerQuestion) => Promise<LedgerReply>;

interface Waiting {
  readonly task: RequestTask;
  readonly answer: QuestionAnswerer;
  readonly resolve: (result: RequestResults[RequestKind]) => void;
  readonly reject: (error: unknown) => void;
}

export class RequestThread {
  readonly #waiting: Waiting[] = [];
  readonly #memory = new ResultMemory();
  /** Memory that the thread has for the result of its task. */
  #given = NO_MEMORY;
  #worker: Worker | undefined;
  #current: Waiting | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** Works on a body when its turn comes. Throws what the work throws, or HttpError `overloaded`, `unavailable`. */
  run<Kind extends RequestKind>(
    task: RequestTask<Kind>,
    answer: QuestionAnswerer,
  ): Promise<RequestResults[Kind]> {
    if (this.#isClosed) throw new HttpError("unavailable", "the node is closing");
    if (this.#waiting.length >= MAX_WAITING) {
      throw new HttpError("overloaded", "too many large submissions wait already", {
        headers: ["Retry-After", "1"],
      });
    }
    return new Promise((resolve, reject) => {
      // The thread answers with what the kind of the task asks for.
      this.#waiting.push({ task, answer, resolve: resolve as Waiting["resolve"], reject });
      this.#startNext();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end(new Error("the node is closing"));
  }

  #startNext(): void {
    if (this.#current !== undefined) return;
    const next = this.#waiting.shift();
    if (next === undefined) {
      if (this.#worker !== undefined) this.#setTimer(IDLE_MS);
      return;
    }
    this.#setTimer(TASK_TIMEOUT_MS);
    this.#current = next;
    try {
      this.#worker ??= this.#startWorker();
      this.#worker.ref();
      const { task } = next;
      if (task.kind === "encodeText") this.#given = this.#memory.take();
      const order: ThreadOrder = { kind: "task", task, memory: this.#given, mayShare: this.#memory.hasRoom };
      this.#worker.postMessage(order, [task.body.buffer as ArrayBuffer]);
    } catch (error) {
      // The machine has no room for a thread now; the next body tries again.
      this.#current = undefined;
      clearTimeout(this.#timer);
      next.reject(error);
      this.#startNext();
    }
  }

  #startWorker(): Worker {
    const worker = createWorker();
    this.#memory.isOpen = true;
    // What a thread that was given up still says belongs to no task: the next one has another thread.
    worker.on("message", (report: ThreadReport) => {
      if (worker === this.#worker) this.#onReport(report);
    });
    worker.on("error", (error) => this.#onDeath(worker, error));
    worker.on("exit", () => this.#onDeath(worker, new Error("the thread for large submissions ended")));
    return worker;
  }

  #send(order: ThreadOrder): void {
    this.#worker?.postMessage(order);
  }

  #onReport(report: ThreadReport): void {
    const current = this.#current;
    if (current === undefined) return;
    switch (report.kind) {
      case "question":
        void this.#reply(current, report.question);
        return;
      case "done":
        this.#memory.keep(this.#given);
        this.#finish();
        current.resolve(receivedResult(report.result));
        return;
      case "printed": {
        const result = this.#memory.lend(report.memory ?? this.#given, report.sizeBytes);
        if (report.memory !== undefined) this.#memory.keep(this.#given);
        this.#finish();
        current.resolve(result);
        return;
      }
      case "failed":
        this.#memory.keep(this.#given);
        this.#finish();
        current.reject(receivedError(report.error));
    }
  }

  async #reply(asker: Waiting, question: LedgerQuestion): Promise<void> {
    try {
      const reply = await asker.answer(question);
      if (this.#current === asker) this.#send({ kind: "reply", reply });
    } catch (error) {
      if (this.#current !== asker) return;
      // The thread waits for a reply that it will not get: the next task needs a new one.
      await this.#end(error);
    }
  }

  #finish(): void {
    this.#current = undefined;
    this.#given = NO_MEMORY;
    // An idle thread must not keep the process alive.
    this.#worker?.unref();
    this.#startNext();
  }

  /** Ends the thread and its task. Those that wait go on with a new one. */
  async #end(reason: unknown): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#memory.close();
    this.#given = NO_MEMORY;
    clearTimeout(this.#timer);
    const current = this.#current;
    this.#current = undefined;
    current?.reject(reason);
    if (this.#isClosed) for (const { reject } of this.#waiting.splice(0)) reject(reason);
    this.#startNext();
    await worker?.terminate();
  }

  #onDeath(worker: Worker, error: unknown): void {
    if (worker === this.#worker) void this.#end(error);
  }

  #setTimer(timeoutMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      void this.#end(new HttpError("overloaded", "the submission took too long to work on"));
    }, timeoutMs).unref();
  }
}

function receivedResult(
  result: Extract<ThreadReport, { kind: "done" }>["result"],
): RequestResults[RequestKind] {
  if (typeof result === "string" || result instanceof Uint8Array) return result;
  return result.map((one) => (one instanceof Uint8Array ? one : receivedError(one)));
}

/** An error of the thread as the error that the same work throws here. */
function receivedError({ room, code, message, details }: SentError): Error {
  switch (room) {
    case "json": {
      const place = { line: Number(details.line), column: Number(details.column) };
      return new JsonError(String(details.reason), place, Number(details.offset));
    }
    case "submission":
      return new SubmissionError(code as SubmissionErrorCode, message);
    case "move":
      return new MoveError(code as MoveErrorCode, message, { details });
    case "module":
      return new ModuleError(message, { details });
    case "transaction":
      return new TransactionError(code as TransactionErrorCode, message, { details });
    case "other":
      return new Error(message);
  }
}
