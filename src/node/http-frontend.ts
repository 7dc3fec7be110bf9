// The HTTP side of a node: a server in this process or workers that share a port, and the metrics page.
import { ConfigError, errorText, TryAgainError } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import type { RequestObserver } from "../http/response/responder.ts";
import {
  createHttpServer,
  HTTP_DEFAULTS,
  HTTP_NUMBERS,
  type HttpFigures,
  type HttpServer,
  type HttpServices,
} from "../http/server.ts";
import { listenForMetrics, type SideServer } from "../http/side/side-server.ts";
import { loadTlsFiles } from "../http/transport/tls.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { observeCollections } from "./metrics/process-metrics.ts";
import { type TraceEnvironment, Tracer, traceSettingsOf } from "./metrics/tracing.ts";
import { FRONTEND_NUMBERS, type HttpOptions } from "./options/http-options.ts";
import type { NodeStatus, WorkerSetup } from "./workers/worker-messages.ts";
import { reservePort, WorkerPool } from "./workers/workers.ts";
import type { SubmissionFunctions } from "./workers/writer-submissions.ts";

interface Observation {
  readonly onRequest: RequestObserver;
  close(): Promise<void>;
}

/** Without traces, `onRequest` is the counter of the metrics itself. */
export function observeRequests(
  { onRequest }: Pick<Metrics, "onRequest">,
  environment: TraceEnvironment,
  logger: Logger,
): Observation {
  const settings = traceSettingsOf(environment);
  if (settings === undefined) return { onRequest, close: async () => {} };
  const tracer = new Tracer(settings, logger);
  return {
    onRequest: (operation, status, seconds, exchange) => {
      onRequest(operation, status, seconds);
      if (exchange !== undefined) tracer.request(operation, status, seconds, exchange);
    },
    close: () => tracer.close(),
  };
}

export interface HttpFrontendOptions {
  readonly http: HttpOptions;
  readonly services: Omit<HttpServices, "metricsPage" | "onRequest" | "logger">;
  readonly metrics: Metrics;
  /** In a worker: the metrics page of all processes. */
  readonly page: (() => Promise<string>) | undefined;
  readonly logger: Logger;
}

/** What workers need in addition to the HTTP options. */
export interface WorkersOptions {
  readonly setup: Omit<WorkerSetup, "node"> & {
    readonly node: Omit<WorkerSetup["node"], "http">;
  };
  readonly status: () => Promise<NodeStatus>;
  readonly submissions: SubmissionFunctions;
  readonly onFault: (error: unknown) => void;
}

/** Transient faults of listening: the port is taken, or the address or its name is not there yet. */
const PASSING_CODES = ["EADDRINUSE", "EADDRNOTAVAIL", "EAI_AGAIN", "ENOTFOUND"];

/** Names the port when it cannot be bound. */
export function withPort<T>(port: number, listening: Promise<T>): Promise<T> {
  return listening.catch((error: unknown) => {
    const { code = "" } = error as NodeJS.ErrnoException;
    const Fault = PASSING_CODES.includes(code) ? TryAgainError : ConfigError;
    const advice = code === "EADDRINUSE" ? "; stop what uses it, or choose another port" : "";
    throw new Fault(`cannot listen on port ${port}: ${errorText(error)}${advice}`, error);
  });
}

export class HttpFrontend {
  url: string | undefined;
  readonly #options: HttpFrontendOptions;
  #server: HttpServer | undefined;
  #metricsServer: SideServer | undefined;
  #workers: WorkerPool | undefined;
  #observation: Observation | undefined;
  /** Where the workers listen. */
  #address: { readonly host: string; readonly port: number } | undefined;

  constructor(options: HttpFrontendOptions) {
    this.#options = options;
  }

  /** Listens, or reserves the port that the workers will share. */
  async open(): Promise<void> {
    const { http } = this.#options;
    observeCollections();
    const address = this.#isShared ? await this.#reserve() : await this.#listen();
    const scheme = http.tls === undefined ? "http" : "https";
    const { host, port } = address;
    this.url = `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}/v1`;
    await this.#listenForMetrics(host);
  }

  get #isShared(): boolean {
    return (this.#options.http.workers ?? FRONTEND_NUMBERS.workers.fallback) > 0;
  }

  get #port(): number {
    return this.#options.http.port ?? HTTP_NUMBERS.port.fallback;
  }

  get #hasOwnMetrics(): boolean {
    const { metrics, metricsPort } = this.#options.http;
    return metrics !== false && metricsPort === undefined;
  }

  async #reserve(): Promise<{ readonly host: string; readonly port: number }> {
    const { host = HTTP_DEFAULTS.host, tls } = this.#options.http;
    if (tls !== undefined) loadTlsFiles(tls);
    // The workers use these; what is wrong with them is said once, here.
    traceSettingsOf(process.env);
    this.#address = await withPort(this.#port, reservePort(host, this.#port));
    return this.#address;
  }

  async #listen(): Promise<{ readonly host: string; readonly port: number }> {
    const { http, services, metrics, logger } = this.#options;
    this.#observation = observeRequests(metrics, process.env, logger);
    this.#server = createHttpServer({
      ...http,
      ...services,
      metricsPage: this.#hasOwnMetrics ? () => this.#page() : undefined,
      onRequest: this.#observation.onRequest,
      logger,
    });
    return withPort(this.#port, this.#server.listen());
  }

  async #listenForMetrics(host: string): Promise<void> {
    const { http } = this.#options;
    const { metricsPort: port } = http;
    if (port === undefined || http.metrics === false) return;
    this.#metricsServer = await withPort(port, listenForMetrics({ host, port, page: () => this.#page() }));
  }

  /** Starts the workers, if there are any. */
  async startWorkers({ setup, status, submissions, onFault }: WorkersOptions): Promise<void> {
    if (!this.#isShared) return;
    const { http, metrics: own, logger } = this.#options;
    const { metricsPort: _port, workers: count = 0, ...others } = http;
    this.#workers = new WorkerPool({
      count,
      setup: {
        ...setup,
        node: {
          ...setup.node,
          http: { ...others, ...this.#address, metrics: this.#hasOwnMetrics },
        },
      },
      status,
      figures: own.figures,
      submissions,
      logger,
      onFault,
    });
    await this.#workers.start();
  }

  /** Throws if there are workers, where only this process can answer. */
  assertAlone(reason: string): void {
    if (this.#isShared) throw new ConfigError(`http.workers: ${reason}`);
  }

  /** Responses since the start. */
  async requestCount(): Promise<number> {
    return this.#workers === undefined ? this.#options.metrics.requestCount() : this.#workers.requestCount();
  }

  /** Undefined where workers answer. */
  figures(): HttpFigures | undefined {
    return this.#server?.figures();
  }

  /** The metrics page of all processes. */
  #page(): Promise<string> {
    return this.#options.page?.() ?? (this.#workers ?? this.#options.metrics).page();
  }

  /** Takes no more requests and finishes those in flight. */
  async close(): Promise<void> {
    await this.#server?.close();
    await this.#observation?.close();
    await this.#workers?.close();
    await this.#metricsServer?.close();
  }
}
