// A process that verifies pages while this one commits others, for a follower that is far behind. It gives all of its
// memory back when it ends, and it cannot harm the store: it only reads.
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { childFlags } from "../../base/child-flags.ts";
import { errorText } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { SOFTWARE_VERSION } from "../../base/software-version.ts";
import { LATE, within } from "../../base/wait.ts";
import type { RemoteVerifier } from "../../sync/verify/remote-page-verifier.ts";
import type { PageVerification } from "../../sync/verify/verified-page.ts";
import { RemoteCalls } from "../workers/remote-calls.ts";

/** How a verifying process begins. */
export interface StartOrder {
  /** Another version of the program, installed under a running node, may verify or say something else. */
  readonly software: string;
  /** The store's directory, absolute. */
  readonly path: string;
  /** The latest version of the store. */
  readonly version: bigint;
  readonly verification: PageVerification;
}

/** What the follower calls in the verifying process. */
export type VerifyingFunctions = {
  readonly start: (order: StartOrder) => Promise<void>;
  /** The verdict of a page. */
  readonly verify: (page: Uint8Array) => Promise<Uint8Array>;
  readonly committed: (version: bigint) => void;
};

/** Far more than a start on a busy machine takes. */
const START_TIMEOUT_MS = 30_000;
/** Far more than the largest page takes on a busy machine. */
const PAGE_TIMEOUT_MS = 60_000;
/** The process is killed if it has not exited by itself; then nobody waits for it any longer than that. */
const EXIT_TIMEOUT_MS = 2_000;

/** Also where this code stands in another folder of the build. */
const ENTRY = fileURLToPath(
  new URL(`../following/verifying-main.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url),
);

/** Starts a process that verifies pages after a version of the store in a directory. Rejects if it cannot. */
export async function startVerifyingProcess(
  setup: Pick<StartOrder, "path" | "version" | "verification">,
  { logger, signal }: { readonly logger: Logger; readonly signal: AbortSignal },
): Promise<RemoteVerifier> {
  signal.throwIfAborted();
  const verifying = new VerifyingProcess(logger, signal);
  try {
    await verifying.start({ software: SOFTWARE_VERSION, ...setup });
    return verifying;
  } catch (error) {
    await verifying.close();
    throw error;
  }
}

class VerifyingProcess implements RemoteVerifier {
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #logger: Logger;
  readonly #signal: AbortSignal;
  readonly #calls = new RemoteCalls<VerifyingFunctions>((message) => this.#send(message), {});
  /** Pages without a verdict. */
  #open = 0;
  #isStarted = false;
  /** Resolves when the channel has taken the orders so far. */
  #sent: Promise<void> = Promise.resolve();
  /** Why no more verdicts come. */
  #ended: string | undefined;

  /** The signal ends it. */
  constructor(logger: Logger, signal: AbortSignal) {
    this.#logger = logger;
    this.#signal = signal;
    this.#child = fork(ENTRY, [], {
      execArgv: childFlags(process.execArgv, { entry: ENTRY }, process.env.NODE_OPTIONS),
      serialization: "advanced",
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.#exited = new Promise((resolve) => {
      this.#child.once("exit", () => resolve());
      // A process that could not be created never exits.
      this.#child.on("error", () => this.#child.pid === undefined && resolve());
    });
    this.#child.on("message", this.#calls.take);
    this.#child.on("error", (error) => this.#fail(error.message));
    this.#child.once("exit", (code, killedBy) => this.#fail(`it exited with ${killedBy ?? code}`));
    signal.addEventListener("abort", this.#stop);
  }

  /** Resolves when it can take pages. */
  async start(order: StartOrder): Promise<void> {
    const started = this.#calls.callWithin(START_TIMEOUT_MS, "start", order);
    // It may have ended before the call.
    if (this.#ended !== undefined) this.#calls.end(new Error(this.#ended));
    const reason = await started.then(
      (reply) => (reply === LATE ? `nothing came within ${START_TIMEOUT_MS} ms` : undefined),
      (error: unknown) => errorText(error),
    );
    if (reason !== undefined) throw new Error(`the verifying process did not start: ${reason}`);
    this.#isStarted = true;
  }

  async verify(page: Uint8Array): Promise<Uint8Array | undefined> {
    if (this.#ended !== undefined) return undefined;
    try {
      // Those before it are verified first.
      const verdict = await this.#calls.callWithin(++this.#open * PAGE_TIMEOUT_MS, "verify", page);
      this.#open--;
      if (verdict !== LATE) return verdict;
      this.#fail(`nothing came within ${PAGE_TIMEOUT_MS} ms`);
      return undefined;
    } catch (error) {
      this.#fail(errorText(error), "the verifying process refuses a page: this process verifies it");
      return undefined;
    }
  }

  committed(version: bigint): void {
    this.#calls.tell("committed", version);
  }

  sent(): Promise<void> {
    return Promise.race([this.#sent, this.#exited]);
  }

  async close(): Promise<void> {
    this.#stop();
    if (await this.#exits()) return;
    this.#child.kill("SIGKILL");
    if (await this.#exits()) return;
    // One that hangs in a read from the disk ends after that, and harms nothing.
    this.#logger.warn({ pid: this.#child.pid }, "the verifying process does not end: nothing waits for it");
    this.#child.unref();
  }

  /** False if it has not exited in time. */
  async #exits(): Promise<boolean> {
    return (await within(EXIT_TIMEOUT_MS, this.#exited)) !== LATE;
  }

  #stop = (): void => this.#end("it was closed");

  #send(message: object): void {
    // The event that tells why it could not be created is still to come.
    if (this.#ended !== undefined || this.#child.pid === undefined) return;
    const sent = new Promise<void>((resolve) => {
      this.#child.send(message, (error) => {
        if (error !== null) this.#fail(error.message);
        resolve();
      });
    });
    this.#sent = sent.catch((error: unknown) => this.#fail(String(error)));
  }

  #fail(reason: string, message = "the verifying process ended: this process verifies"): void {
    // The caller of a start hears of it.
    if (this.#ended === undefined && this.#isStarted) this.#logger.warn({ reason }, message);
    this.#end(reason);
  }

  #end(reason: string): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    this.#signal.removeEventListener("abort", this.#stop);
    this.#calls.end(new Error(reason));
    if (this.#child.connected) this.#child.disconnect();
  }
}
