// Works on large submissions in a thread, so that no client holds the event loop by the size of its request. One body at a
// time; a bounded number waits. The thread starts with the first large body and ends when none came for a while.
import { Worker } from "node:worker_threads";
import { LATE } from "../../base/wait.ts";
import { HttpError } from "../../http/errors.ts";
import { createAccountReader } from "../../ledger/items/account.ts";
import { readModuleItem } from "../../ledger/items/module-item.ts";
import type { LedgerView } from "../../ledger/view.ts";
import { addressFromBytes } from "../../move/address.ts";
import { RemoteCalls } from "../workers/remote-calls.ts";
import type { LedgerFunctions, RequestKind, RequestResult, ThreadFunctions } from "./messages.ts";

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

/** Answers from a view, which must stay open meanwhile. */
function ledgerFunctions(view: LedgerView): LedgerFunctions {
  const accounts = createAccountReader(view);
  return {
    module: async ({ address, name }) => {
      const module = await readModuleItem(view, { address: addressFromBytes(address), name });
      // A message would take along the buffer that the bytes are a part of: a page of the store.
      return module && { ...module, bytes: new Uint8Array(module.bytes) };
    },
    sequenceNumber: async (address) => accounts.sequenceNumber(addressFromBytes(address)),
    balance: async ({ owner, asset }) => accounts.balance(addressFromBytes(owner), asset),
  };
}

/** A thread that runs. */
interface Running {
  readonly worker: Worker;
  readonly calls: RemoteCalls<ThreadFunctions>;
  /** Answers for the task that it works on. */
  ledger: LedgerFunctions;
}

export class RequestThread {
  #running: Running | undefined;
  #waiting = 0;
  /** Settles when the tasks so far are done. */
  #turn: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  /**
   * Works on a body when its turn comes, with a view that stays open meanwhile. Throws AnsweredError with what the work
   * refuses, and HttpError `overloaded`, `unavailable`.
   */
  run<Kind extends RequestKind>(
    kind: Kind,
    body: Uint8Array,
    view: LedgerView,
  ): Promise<RequestResult<Kind>> {
    if (this.#isClosed) throw closing();
    if (this.#waiting > MAX_WAITING) {
      throw new HttpError("overloaded", "too many large submissions wait already", {
        headers: ["Retry-After", "1"],
      });
    }
    this.#waiting++;
    const done = this.#turn.then(() => this.#work(kind, body, view)).finally(() => this.#waiting--);
    this.#turn = done.catch(() => {});
    // The thread answers with what the kind of the task asks for.
    return done as Promise<RequestResult<Kind>>;
  }

  async #work(kind: RequestKind, body: Uint8Array, view: LedgerView): Promise<RequestResult<RequestKind>> {
    if (this.#isClosed) throw closing();
    clearTimeout(this.#idle);
    const ledger = ledgerFunctions(view);
    this.#running ??= this.#start(ledger);
    const { calls, worker } = this.#running;
    this.#running.ledger = ledger;
    const { chainId, timestampUsec } = view.position;
    try {
      const task = { body: new Uint8Array(body), chainId, timestampUsec };
      worker.ref();
      const result = await calls.callWithin(TASK_TIMEOUT_MS, kind, task);
      if (result !== LATE) return result;
      void this.#end(new Error("the task took too long"));
      throw new HttpError("overloaded", "the submission took too long to work on");
    } finally {
      // An idle thread must not keep the process alive.
      worker.unref();
      if (!this.#isClosed) this.#idle = setTimeout(() => void this.#end(closing()), IDLE_MS).unref();
    }
  }

  #start(ledger: LedgerFunctions): Running {
    const worker = createWorker();
    const calls = new RemoteCalls<ThreadFunctions>((message) => worker.postMessage(message), {
      module: (id: Parameters<LedgerFunctions["module"]>[0]) => running.ledger.module(id),
      sequenceNumber: (address: Uint8Array) => running.ledger.sequenceNumber(address),
      balance: (asked: Parameters<LedgerFunctions["balance"]>[0]) => running.ledger.balance(asked),
    });
    const running: Running = { worker, calls, ledger };
    const onDeath = (error: Error): void => {
      calls.end(error);
      if (this.#running === running) this.#running = undefined;
    };
    worker.on("message", calls.take);
    worker.on("error", onDeath);
    worker.on("exit", () => onDeath(new Error("the thread for large submissions ended")));
    return running;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    await this.#end(closing());
  }

  /** Ends the thread and its task. Those that wait go on with a new one. */
  async #end(reason: Error): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    running?.calls.end(reason);
    await running?.worker.terminate();
  }
}

function closing(): HttpError {
  return new HttpError("unavailable", "the node is closing");
}
