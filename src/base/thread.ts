// Threads of the program.
import { availableParallelism } from "node:os";
import { Worker, type WorkerOptions } from "node:worker_threads";

/** Starts a thread from its file in the build. Tests run `source` instead, which Node loads through a translator. */
export function startThread(built: URL, source: URL, options: WorkerOptions): Worker {
  if (!import.meta.url.endsWith(".ts")) return new Worker(built, options);
  const code = `import("tsx/esm/api").then(({ register }) => {
    register();
    return import(${JSON.stringify(source.href)});
  })`;
  return new Worker(code, { ...options, eval: true });
}

/** True if a thread can run beside the event loop. */
export function hasSpareProcessor(): boolean {
  return availableParallelism() > 1;
}

/** The first message of a thread that answers. */
export const THREAD_READY = "ready";
/** The last message to it: it frees what it holds, and ends. */
export const THREAD_END = "end";

interface Waiting<Answer> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** A thread that sends `THREAD_READY`, then answers each message by one message, in their order. */
export class AnsweringThread<Question, Answer> {
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  readonly #waiting: Waiting<Answer>[] = [];
  #isReady = false;
  #isEnding = false;

  /** `onDeath` hears of a thread that ended although nobody asked it to, before its questions are rejected. */
  constructor(worker: Worker, onReady: () => void, onDeath: (error: unknown, wasBusy: boolean) => void) {
    this.#worker = worker;
    worker.on("message", (answer: Answer | typeof THREAD_READY) => {
      if (answer === THREAD_READY) {
        this.#isReady = true;
        onReady();
        return;
      }
      this.#waiting.shift()?.resolve(answer);
      // An idle thread must not keep the process alive.
      if (this.#waiting.length === 0) worker.unref();
    });
    this.#ended = new Promise((resolve) => {
      const end = (error: unknown): void => {
        if (!this.#isEnding) onDeath(error, this.#waiting.length > 0);
        this.#isEnding = true;
        for (const { reject } of this.#waiting.splice(0)) reject(error);
        resolve();
      };
      worker.on("error", end);
      worker.on("exit", (code) => end(new Error(`the thread ended with ${code}`)));
    });
    worker.unref();
  }

  /** False until it has started, and once it ends. */
  get isReady(): boolean {
    return this.#isReady && !this.#isEnding;
  }

  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** The buffer of `transferred` belongs to the thread afterwards. Rejects if the thread ends first. */
  ask(question: Question, transferred?: Uint8Array): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#worker.ref();
      this.#worker.postMessage(
        question,
        transferred === undefined ? [] : [transferred.buffer as ArrayBuffer],
      );
    });
  }

  /** Ends the thread after its last answer. Resolves when its memory is free. */
  end(): Promise<void> {
    if (!this.#isEnding) {
      this.#isEnding = true;
      this.#worker.ref();
      this.#worker.postMessage(THREAD_END);
    }
    return this.#ended;
  }
}
