// Worker processes: they share one port and read one store, while the process that started them writes. A worker that
// dies is replaced, and its counters stay on the metrics page. Workers exit when the channel to the writer closes.
import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { childFlags } from "../../base/child-flags.ts";
import type { Logger } from "../../base/log.ts";
import { LATE, within } from "../../base/wait.ts";
import { addFigures, figuresPage, type MetricFigures, onlyCounts, requestsIn } from "../metrics/metrics.ts";
import type { SubmissionCall, SubmissionReply } from "./forwarded-submissions.ts";
import type { NodeStatus, WorkerOrder, WorkerReport, WorkerSetup } from "./worker-messages.ts";

export interface WorkerPoolOptions {
  readonly count: number;
  readonly setup: WorkerSetup;
  readonly status: () => Promise<NodeStatus>;
  /** The writer's own figures. */
  readonly figures: () => Promise<MetricFigures>;
  /** Makes a call of a worker. Never rejects. */
  readonly onSubmission: (call: SubmissionCall) => Promise<SubmissionReply>;
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

/** Starts workers; resolves when all of them listen. */
export async function startWorkers(options: WorkerPoolOptions): Promise<WorkerPool> {
  const pool = new WorkerPool(options);
  try {
    await pool.start();
  } catch (error) {
    await pool.close();
    throw error;
  }
  return pool;
}

interface Member {
  readonly worker: Worker;
  readonly listening: Promise<void>;
  /** From its last answer. */
  figures: MetricFigures | undefined;
  /** From its last report: kept when the worker exits. */
  counts: MetricFigures | undefined;
}

export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #members = new Set<Member>();
  readonly #waiting = new Map<number, (figures: MetricFigures) => void>();
  #status: NodeStatus | undefined;
  #statusText = "";
  #statusTimer: NodeJS.Timeout | undefined;
  #questions = 0;
  #failures = 0;
  /** Counters of exited workers. */
  #exitedCounts: MetricFigures = [];
  #closing = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

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

  async #closeMember({ worker }: Member): Promise<void> {
    if (worker.isDead()) return;
    const exited = once(worker, "exit");
    send(worker, { kind: "close" });
    if ((await within(CLOSE_TIMEOUT_MS, exited)) === LATE) worker.process.kill("SIGKILL");
    await exited;
  }

  #fork(): Member {
    const worker = cluster.fork();
    let settle = (_: Error | undefined): void => {};
    const listening = new Promise<void>((resolve, reject) => {
      settle = (error) => (error === undefined ? resolve() : reject(error));
    });
    // Nobody awaits a replacement: its failure must not be an unhandled rejection.
    listening.catch(() => {});
    const member: Member = { worker, listening, figures: undefined, counts: undefined };
    this.#members.add(member);
    worker.on("message", (report: WorkerReport) => this.#take(member, report, settle));
    worker.on("error", (error) => settle(error));
    worker.once("exit", (code, signal) => {
      settle(new Error(`a worker exited with ${signal ?? code} before it listened`));
      this.#replace(member, signal ?? `code ${code}`);
    });
    return member;
  }

  #take(member: Member, report: WorkerReport, settle: (error: Error | undefined) => void): void {
    const { worker } = member;
    switch (report.kind) {
      case "ready":
        if (this.#status === undefined) return;
        send(worker, { kind: "setup", setup: this.#options.setup, status: this.#status });
        return;
      case "listening":
        this.#failures = 0;
        settle(undefined);
        return;
      case "failed":
        settle(report.error);
        return;
      case "log":
        this.#options.logger[report.level]({ ...report.fields, worker: worker.process.pid }, report.message);
        return;
      case "figures":
        member.figures = report.figures;
        member.counts = onlyCounts(report.figures);
        this.#waiting.get(report.id)?.(report.figures);
        return;
      case "counts":
        member.counts = report.counts;
        return;
      case "page":
        void this.page().then((page) => send(worker, { kind: "page", id: report.id, page }));
        return;
      case "submission":
        void this.#options
          .onSubmission(report.call)
          .then((reply) => send(worker, { kind: "submission", id: report.id, reply }));
    }
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

  async #askFigures({ worker }: Member): Promise<void> {
    const id = this.#questions++;
    const answered = new Promise<void>((resolve) => {
      this.#waiting.set(id, () => resolve());
      worker.once("exit", () => resolve());
    });
    send(worker, { kind: "figures", id });
    // A worker that is too busy counts with its last figures.
    await within(FIGURES_TIMEOUT_MS, answered);
    this.#waiting.delete(id);
  }

  async #refreshStatus(): Promise<void> {
    const status = await this.#options.status();
    const text = JSON.stringify(status);
    if (text === this.#statusText) return;
    this.#statusText = text;
    this.#status = status;
    for (const { worker } of this.#members) send(worker, { kind: "status", status });
  }
}

function send(worker: Worker, order: WorkerOrder): void {
  // A worker that is exiting has no channel any more.
  if (worker.isConnected()) worker.send(order, () => {});
}
