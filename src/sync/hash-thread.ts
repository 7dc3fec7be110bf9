// Hashes the content of pages in a thread before the committer takes them. The thread runs while pages are hashed ahead;
// without it, or where it fails, the committer computes the same hashes.
import { errorText } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import { AnsweringThread, hasSpareProcessor, startThread } from "../base/thread.ts";

/** Memory for short-lived objects: those of one page. */
const YOUNG_HEAP_MIB = 8;

/** In the build this code stands in another folder than the thread's. */
const BUILT = new URL("../sync/hash-thread.js", import.meta.url);
const SOURCE = new URL("./hash-thread-main.ts", import.meta.url);

export class HashThread {
  readonly #logger: Logger;
  #thread: AnsweringThread<Uint8Array, Uint8Array | undefined> | undefined;
  /** A machine that cannot run the thread is not asked again. */
  #hasFailed = false;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  get isReady(): boolean {
    return this.#thread?.isReady ?? false;
  }

  /** The hashes of a page, see `hashPage`. Undefined if the thread has not started yet or failed, or if the page does not decode. */
  async hash(page: Uint8Array): Promise<Uint8Array | undefined> {
    this.#thread ??= this.#start();
    if (this.#thread?.isReady !== true) return undefined;
    return this.#thread.ask(page).catch(() => undefined);
  }

  /** Ends the thread, and its memory with it. */
  async end(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.end();
  }

  #start(): AnsweringThread<Uint8Array, Uint8Array | undefined> | undefined {
    if (this.#hasFailed || !hasSpareProcessor()) return undefined;
    const onDeath = (error: unknown): void => {
      this.#logger.warn({ err: errorText(error) }, "the thread that hashes pages failed");
      this.#hasFailed = true;
      this.#thread = undefined;
    };
    try {
      const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_HEAP_MIB };
      return new AnsweringThread(startThread(BUILT, SOURCE, { resourceLimits }), () => {}, onDeath);
    } catch (error) {
      onDeath(error);
      return undefined;
    }
  }
}
