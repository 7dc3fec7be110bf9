// Worker processes: they share one port and read one store, while the process that started them writes. A worker that
// dies is replaced, and its counters stay on the metrics page. Workers exit when the channel to the writer closes.
import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { childFlags } from "../../base/child-flags.ts";
import type { Logger } from "../../base/log.ts";
import { LATE, within } from "../../base/wait.ts";
import { addFigures, figuresPage, type MetricFigures, onlyCounts, requestsIn } from "../metrics/metrics.ts";
import { RemoteCalls } from "./remote-calls.ts";
import type { NodeStatus, WorkerFunctions, WorkerSetup, WriterFunctions } from "./worker-messages.ts";
import type { SubmissionFunctions } from "./writer-submissions.ts";

export interface WorkerPoolOptions {
  readonly count: number;
  readonly setup: WorkerSetup;
  readonly status: () => Promise<NodeStatus>;
  /** The writer's own figures. */
  readonly figures: () => Promise<MetricFigures>;
  readonly submissions: SubmissionFunctions;
  readonly logger: Logger;
  /** Called when replacements keep failing. */
  readonly onFault: (error: unknown) => void;
}

/**
 * Of each half of a worker's young generation. Requests leave only garbage, so that a collection takes as long as what it
 * keeps, not as the space; node's 16 MB cost a worker 8 MB of memory and save no CPU time that could be measured.
 */
const YOUNG_GENERATION_MB = 4;
const STATUS_MS = 250;
const FIGURES_TIMEOUT_MS = 2000;
/** Longer than a worker takes to finish its requests in flight. */
const CLOSE_TIMEOUT_MS = 15_000;
/** Pause before a replacement, times the failures in a row. */
const RETRY_MS = 100;
/** Replacements that may fail in a row before the node gives up. */
const MAX_FAILURES = 10;

/** Also where this code stands in another folder of the build. */
const ENTRY = fileURLToPath(
  new URL(`../workers/worker-main.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url),
);

/** Binds a port and frees it again: checks that it is available and picks one for 0. Rejects with the error of listening. */
export async function reservePort(host: string, port: number): Promise<{ host: string; port: number }> {
  const server = createServer();
  server.listen({ host, port });
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("listening on no port");
  return { host: address.address, port: address.port };
}

interface Member {
  readonly worker: Worker;
  readonly calls: RemoteCalls<WorkerFunctions>;
  readonly listening: Promise<void>;
  /** From its last answer. */
  figures: MetricFigures | undefined;
  /** From its last report: kept when the worker exits. */
  counts: MetricFigures | undefined;
}

export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #members = new Set<Member>();
  #status: NodeStatus | undefined;
  #statusTimer: NodeJS.Timeout | undefined;
  #failures = 0;
  /** Counters of exited workers. */
  #exitedCounts: MetricFigures = [];
  #closing = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /** Starts the workers; resolves when all of them listen. */
  async start(): Promise<void> {
    const needs = { entry: ENTRY, youngGenerationMb: YOUNG_GENERATION_MB };
    const execArgv = childFlags(process.execArgv, needs, process.env.NODE_OPTIONS);
    cluster.setupPrimary({ exec: ENTRY, args: [], execArgv, serialization: "advanced" });
    // Each worker accepts connections itself, so they do not wait for a busy writer.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    await this.#refreshStatus();
    const members = Array.from({ length: this.#options.count }, () => this.#fork());
    await Promise.all(members.map(({ listening }) => listening));
    this.#statusTimer = setInterval(() => void this.#refreshStatus(), STATUS_MS);
    this.#statusTimer.unref();
  }

  /** The metrics page of the whole node. */
  async page(): Promise<string> {
    const own = this.#options.figures();
    await Promise.all([...this.#members].map((member) => this.#askFigures(member)));
    const theirs = [...this.#members].flatMap(({ figures }) => (figures === undefined ? [] : [figures]));
    return figuresPage([await own, this.#exitedCounts, ...theirs]);
  }

  /** Responses of all workers, as of their last reports. */
  async requestCount(): Promise<number> {
    const current = [...this.#members].map(({ counts }) => (counts === undefined ? 0 : requestsIn(counts)));
    return current.reduce((sum, count) => sum + count, requestsIn(this.#exitedCounts));
  }

  /** Lets the workers finish their requests in flight and exit. */
  async close(): Promise<void> {
    this.#closing = true;
    clearInterval(this.#statusTimer);
    await Promise.all([...this.#members].map((member) => this.#closeMember(member)));
  }

  async #closeMember({ worker, calls }: Member): Promise<void> {
    if (worker.isDead()) return;
    const exited = once(worker, "exit");
    calls.tell("close", undefined);
    if ((await within(CLOSE_TIMEOUT_MS, exited)) === LATE) worker.process.kill("SIGKILL");
    await exited;
  }

  #fork(): Member {
    const worker = cluster.fork();
    // A worker that is exiting has no channel any more.
    const send = (message: object): void => void (worker.isConnected() && worker.send(message, () => {}));
    const own: WriterFunctions = {
      ...this.#options.submissions,
      setup: () => this.#setup(),
      listening: () => {
        this.#failures = 0;
        settle(undefined);
      },
      failed: (reason) => settle(new Error(reason)),
      log: ({ level, fields, message }) =>
        this.#options.logger[level]({ ...fields, worker: worker.process.pid }, message),
      counts: (counts) => {
        member.counts = counts;
      },
      page: () => this.page(),
    };
    const calls = new RemoteCalls<WorkerFunctions>(send, own);
    let settle = (_: Error | undefined): void => {};
    const listening = new Promise<void>((resolve, reject) => {
      settle = (error) => (error === undefined ? resolve() : reject(error));
    });
    // Nobody awaits a replacement: its failure must not be an unhandled rejection.
    listening.catch(() => {});
    const member: Member = { worker, calls, listening, figures: undefined, counts: undefined };
    this.#members.add(member);
    worker.on("message", calls.take);
    worker.on("error", (error) => settle(error));
    worker.once("exit", (code, signal) => {
      const exited = new Error(`a worker exited with ${signal ?? code} before it listened`);
      settle(exited);
      calls.end(exited);
      this.#replace(member, signal ?? `code ${code}`);
    });
    return member;
  }

  #setup(): { readonly setup: WorkerSetup; readonly status: NodeStatus } {
    if (this.#status === undefined) throw new Error("workers start after the node has a status");
    return { setup: this.#options.setup, status: this.#status };
  }

  /** Replaces a worker that exited. */
  #replace(member: Member, reason: string): void {
    this.#members.delete(member);
    const { counts } = member;
    if (counts !== undefined) this.#exitedCounts = addFigures([this.#exitedCounts, counts]);
    if (this.#closing) return;
    const { logger, onFault } = this.#options;
    logger.error({ worker: member.worker.process.pid, reason }, "a worker died and is replaced");
    if (++this.#failures > MAX_FAILURES) {
      onFault(new Error(`${MAX_FAILURES} workers in a row exited before they listened: ${reason}`));
      return;
    }
    setTimeout(
      () => {
        if (!this.#closing) this.#fork();
      },
      RETRY_MS * (this.#failures - 1),
    );
  }

  async #askFigures(member: Member): Promise<void> {
    const asked = member.calls.callWithin(FIGURES_TIMEOUT_MS, "figures", undefined);
    const figures = await asked.catch((): typeof LATE => LATE);
    // A worker that is too busy, or exits, counts with its last figures.
    if (figures === LATE) return;
    member.figures = figures;
    member.counts = onlyCounts(figures);
  }

  async #refreshStatus(): Promise<void> {
    const status = await this.#options.status();
    if (isDeepStrictEqual(status, this.#status)) return;
    this.#status = status;
    for (const { calls } of this.#members) calls.tell("status", status);
  }
}
