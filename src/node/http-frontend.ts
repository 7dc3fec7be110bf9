// The HTTP side of a node: a server in this process, or workers that share a port; and the page of metrics.
import { ConfigError } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import { listenForMetrics, type MetricsServer } from "../http/metrics-server.ts";
import {
  createHttpServer,
  HTTP_DEFAULTS,
  type HttpFigures,
  type HttpServer,
  type HttpServerOptions,
} from "../http/server.ts";
import { loadTlsFiles } from "../http/tls.ts";
import { bound, serverSettings } from "./http-settings.ts";
import type { Metrics } from "./metrics.ts";
import type { HttpOptions } from "./options.ts";
import type { NodeStatus, WorkerSetup } from "./worker-messages.ts";
import { reservePort, startWorkers, type WorkerPool } from "./workers.ts";

/** What the HTTP side of a node works with. */
export interface HttpFrontendOptions {
  readonly http: HttpOptions;
  /** What the server asks the node. */
  readonly server: Pick<
    HttpServerOptions,
    "ledger" | "encode" | "nodeInfo" | "unhealthyReason" | "unready" | "passThrough" | "cachePinned"
  >;
  readonly metrics: Metrics;
  /** The metrics page of all processes, for one of several. */
  readonly page: (() => Promise<string>) | undefined;
  readonly logger: Logger;
}

/** What workers need besides the options of their server. */
export interface WorkersOptions {
  readonly setup: Omit<WorkerSetup, "node" | "cachePinned"> & {
    readonly node: Omit<WorkerSetup["node"], "http">;
  };
  readonly status: () => Promise<NodeStatus>;
  readonly onFault: (error: unknown) => void;
}

/** The HTTP side of a node. */
export class HttpFrontend {
  url: string | undefined;
  readonly #options: HttpFrontendOptions;
  #server: HttpServer | undefined;
  #metricsServer: MetricsServer | undefined;
  #workers: WorkerPool | undefined;
  /** Where workers are to listen. */
  #address: { readonly host: string; readonly port: number } | undefined;

  constructor(options: HttpFrontendOptions) {
    this.#options = options;
  }

  /** Listens, or finds the port that workers will listen on. */
  async open(): Promise<void> {
    const { http } = this.#options;
    const address = this.#isShared ? await this.#reserve() : await this.#listen();
    const scheme = http.tls === undefined ? "http" : "https";
    const { host, port } = address;
    this.url = `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}/v1`;
    await this.#listenForMetrics(host);
  }

  get #isShared(): boolean {
    return (this.#options.http.workers ?? 0) > 0;
  }

  async #reserve(): Promise<{ readonly host: string; readonly port: number }> {
    const { host = HTTP_DEFAULTS.host, port = HTTP_DEFAULTS.port, tls } = this.#options.http;
    if (tls !== undefined) loadTlsFiles(tls);
    this.#address = await bound(port, reservePort(host, port));
    return this.#address;
  }

  async #listen(): Promise<{ readonly host: string; readonly port: number }> {
    const { http, server, metrics, logger } = this.#options;
    this.#server = createHttpServer({
      ...serverSettings(http),
      ...server,
      ...(http.metrics === false || http.metricsPort !== undefined ? {} : { metrics: () => this.#page() }),
      onRequest: metrics.onRequest,
      logger,
    });
    return bound(http.port, this.#server.listen());
  }

  async #listenForMetrics(host: string): Promise<void> {
    const { http, metrics } = this.#options;
    const { metricsPort: port } = http;
    if (port === undefined) return;
    const { contentType } = metrics;
    this.#metricsServer = await bound(
      port,
      listenForMetrics({ host, port, page: () => this.#page(), contentType }),
    );
  }

  /** Starts the workers, where there are to be some. */
  async startWorkers({ setup, status, onFault }: WorkersOptions): Promise<void> {
    if (!this.#isShared) return;
    const { http, metrics: own, logger, server } = this.#options;
    const { metricsPort, metrics, workers: count = 0, ...others } = http;
    this.#workers = await startWorkers({
      count,
      setup: {
        ...setup,
        cachePinned: server.cachePinned ?? true,
        node: {
          ...setup.node,
          http: { ...others, ...this.#address, metrics: metrics !== false && metricsPort === undefined },
        },
      },
      status,
      figures: own.figures,
      logger,
      onFault,
    });
  }

  /** Refuses workers where only this process can answer. */
  assertAlone(reason: string): void {
    if (this.#isShared) throw new ConfigError(`workers: ${reason}`);
  }

  /** What this process's server holds and did. */
  figures(): HttpFigures | undefined {
    return this.#server?.figures();
  }

  /** The metrics page, of all processes where there are several. */
  #page(): Promise<string> {
    return this.#options.page?.() ?? (this.#workers ?? this.#options.metrics).page();
  }

  /** Finishes the requests in hand and takes no more. */
  async close(): Promise<void> {
    await this.#server?.close();
    await this.#workers?.close();
    await this.#metricsServer?.close();
  }
}
