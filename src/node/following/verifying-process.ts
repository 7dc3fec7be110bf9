// A process that verifies pages while this one commits others, for a follower that is far behind. It gives all of its
// memory back when it ends, and it cannot harm the store: it only reads.
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { childFlags } from "../../base/child-flags.ts";
import type { Logger } from "../../base/log.ts";
import { SOFTWARE_VERSION } from "../../base/software-version.ts";
import { LATE, within } from "../../base/wait.ts";
import type { RemoteVerifier } from "../../sync/verify/page-verifier.ts";
import type { StartOrder, VerifyingOrder, VerifyingReport } from "./verifying-messages.ts";

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
    await verifying.start({ kind: "start", software: SOFTWARE_VERSION, ...setup });
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
  /** Pages without a verdict, the oldest first. */
  readonly #open: ((verdict: Uint8Array | undefined) => void)[] = [];
  /** Hears why it did not start, or undefined when it did. */
  #onStart: ((reason: string | undefined) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Orders that the channel has not taken yet, and what waits for it. */
  #unsent = 0;
  readonly #onSent: (() => void)[] = [];
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
    this.#child.on("message", (report: VerifyingReport) => this.#take(report));
    this.#child.on("error", (error) => this.#fail(error.message));
    this.#child.once("exit", (code, killedBy) => this.#fail(`it exited with ${killedBy ?? code}`));
    signal.addEventListener("abort", this.#stop);
  }

  /** Resolves when it can take pages. */
  async start(order: StartOrder): Promise<void> {
    const started = new Promise<string | undefined>((resolve) => {
      this.#onStart = resolve;
    });
    this.#watch(START_TIMEOUT_MS);
    this.#send(order);
    const reason = this.#ended ?? (await started);
    this.#onStart = undefined;
    if (reason !== undefined) throw new Error(`the verifying process did not start: ${reason}`);
  }

  verify(page: Uint8Array): Promise<Uint8Array | undefined> {
    if (this.#ended !== undefined) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#open.push(resolve);
      if (this.#open.length === 1) this.#watch(PAGE_TIMEOUT_MS);
      this.#send({ kind: "page", page });
    });
  }

  committed(version: bigint): void {
    this.#send({ kind: "committed", version });
  }

  sent(): Promise<void> {
    if (this.#unsent === 0 || this.#ended !== undefined) return Promise.resolve();
    return new Promise((resolve) => this.#onSent.push(resolve));
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

  #send(order: VerifyingOrder): void {
    // The event that tells why it could not be created is still to come.
    if (this.#ended !== undefined || this.#child.pid === undefined) return;
    this.#unsent++;
    try {
      this.#child.send(order, (error) => {
        this.#unsent--;
        if (this.#unsent === 0) this.#releaseSenders();
        if (error !== null) this.#fail(error.message);
      });
    } catch (error) {
      this.#fail(String(error));
    }
  }

  #take(report: VerifyingReport): void {
    switch (report.kind) {
      case "ready":
        clearTimeout(this.#timer);
        this.#onStart?.(undefined);
        return;
      case "verdict":
        this.#open.shift()?.(report.verdict);
        if (this.#open.length === 0) clearTimeout(this.#timer);
        else this.#watch(PAGE_TIMEOUT_MS);
        return;
      case "failed":
        this.#fail(report.reason, "the verifying process refuses a page: this process verifies it");
    }
  }

  #watch(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#fail(`nothing came within ${ms} ms`), ms).unref();
  }

  #releaseSenders(): void {
    for (const resolve of this.#onSent.splice(0)) resolve();
  }

  #fail(reason: string, message = "the verifying process ended: this process verifies"): void {
    // The caller of a start hears of it.
    if (this.#ended === undefined && this.#onStart === undefined) this.#logger.warn({ reason }, message);
    this.#end(reason);
  }

  #end(reason: string): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    clearTimeout(this.#timer);
    this.#signal.removeEventListener("abort", this.#stop);
    this.#onStart?.(reason);
    for (const settle of this.#open.splice(0)) settle(undefined);
    this.#releaseSenders();
    if (this.#child.connected) this.#child.disconnect();
  }
}
