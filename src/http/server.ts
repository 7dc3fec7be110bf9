// The HTTP server: its options, their defaults, and the parts put together. Built on node:http, so that every
// malformed request can be answered, with a lane of its own for ordinary requests (`direct/`).
import { type Logger, silentLogger } from "../base/log.ts";
import type { Ledger } from "../ledger/view.ts";
import { AdmissionControl, type AdmissionFigures } from "./admission-control.ts";
import { Dispatcher, type Switches } from "./dispatcher.ts";
import { type HttpTimeouts, type ListenAddress, Listener } from "./listener.ts";
import { createOpenApi } from "./openapi.ts";
import { OPERATIONS } from "./operation-list.ts";
import { metrics } from "./operations/metrics.ts";
import { PassThrough } from "./pass-through.ts";
import type { NodeInfo, SubmissionEncoder } from "./services.ts";
import type { TlsFiles } from "./tls.ts";
import { UnreadResponses } from "./unread-responses.ts";

/** Options of the server. Only the first three have no default. */
export interface HttpServerOptions {
  readonly ledger: Ledger;
  readonly encode: SubmissionEncoder;
  /** Keys and values of the info answer, with the ledger where there is one. */
  readonly nodeInfo: NodeInfo;
  /** Text of the metrics page; without it there is none. */
  readonly metrics?: () => Promise<string>;
  /** Ids of operations that are not served. */
  readonly leaveOut?: readonly string[];
  /** Why the node is not well; undefined when it is. */
  readonly unhealthyReason?: () => string | undefined;
  /** Why the node should get no requests just now although it is well; undefined when it should. */
  readonly unready?: () => string | undefined;
  readonly host?: string;
  /** 0 takes any free port. */
  readonly port?: number;
  /** Words between `X-` and the names of the ledger headers. */
  readonly headerBrands?: readonly string[];
  readonly switches?: Partial<Switches>;
  readonly bodyLimitBytes?: number;
  /** For all bodies in hand together. */
  readonly bodyBudgetBytes?: number;
  /** For all answers together that wait to be read. */
  readonly answerBudgetBytes?: number;
  /** Requests in hand before more are turned away. */
  readonly maxInFlight?: number;
  /** Requests that would wait longer behind others are turned away; 0 turns none away. */
  readonly maxWaitMs?: number;
  readonly maxConnections?: number;
  /** Whether ordinary requests are read and answered without node:http; true unless said. */
  readonly isDirect?: boolean;
  /** Requests per second and client; no limit when left out. */
  readonly rateLimit?: number;
  /** Whether clients are told apart by what a proxy in front writes into X-Forwarded-For. */
  readonly trustProxy?: boolean;
  /** Certificate and key; plain HTTP when left out. */
  readonly tls?: TlsFiles;
  /** How old the ledger's time may be before reads are refused; no limit when left out. */
  readonly maxLagMs?: number;
  /** Where clients find versions that are pruned here. */
  readonly archivalEndpoint?: string;
  /** Base URL, with `/v1`, of a node that gets what is not served here. */
  readonly passThrough?: URL;
  /**
   * Whether answers at a named version may be cached for good. Not for chains that may start anew under the
   * same address.
   */
  readonly cachePinned?: boolean;
  readonly timeouts?: Partial<HttpTimeouts>;
  readonly logger?: Logger;
  /** Logs every request. */
  readonly accessLog?: boolean;
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
  /** Called once for each answer. */
  readonly onRequest?: (operationId: string, status: number, seconds: number) => void;
}

/** What a server holds at the moment, and what it did since the start. */
export interface HttpFigures extends AdmissionFigures {
  readonly connections: number;
  readonly refusedConnections: number;
  readonly unreadResponsesEnded: number;
  readonly inFlight: number;
  readonly answerBytes: number;
}

/** A server that can be started once and closed once. */
export interface HttpServer {
  listen(): Promise<ListenAddress>;
  /** Takes no more requests, finishes those in hand, closes. */
  close(): Promise<void>;
  figures(): HttpFigures;
}

/** Defaults of the options. */
export const HTTP_DEFAULTS = {
  host: "127.0.0.1",
  port: 8080,
  headerBrands: ["NODE"],
  switches: { encode: true, jsonOutput: true, bcsOutput: true },
  bodyLimitBytes: 8 * 1024 * 1024,
  bodyBudgetBytes: 256 * 1024 * 1024,
  answerBudgetBytes: 256 * 1024 * 1024,
  maxInFlight: 10_000,
  maxWaitMs: 500,
  maxConnections: 16_384,
  timeouts: {
    headersMs: 10_000,
    requestMs: 30_000,
    keepAliveMs: 65_000,
    idleMs: 60_000,
    answerMs: 120_000,
    drainMs: 10_000,
  },
} as const;

/** How often connections are looked at for answers that nobody reads. */
const SWEEP_MS = 1000;

/** Makes a server; it does not listen yet. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const timeouts = { ...HTTP_DEFAULTS.timeouts, ...options.timeouts };
  const logger = options.logger ?? silentLogger;
  const headerBrands = options.headerBrands ?? HTTP_DEFAULTS.headerBrands;
  const leaveOut = [...(options.leaveOut ?? []), ...(options.metrics === undefined ? [metrics.id] : [])];
  const operations = OPERATIONS.filter((operation) => !leaveOut.includes(operation.id));
  const document = createOpenApi(operations, headerBrands);
  const unreadResponses = new UnreadResponses({
    budgetBytes: options.answerBudgetBytes ?? HTTP_DEFAULTS.answerBudgetBytes,
    answerMs: timeouts.answerMs,
  });
  const bodyLimitBytes = options.bodyLimitBytes ?? HTTP_DEFAULTS.bodyLimitBytes;
  const passThrough =
    options.passThrough === undefined
      ? undefined
      : new PassThrough({ target: options.passThrough, bodyLimitBytes });
  const dispatcher = new Dispatcher({
    ledger: options.ledger,
    services: {
      encode: options.encode,
      nodeInfo: options.nodeInfo,
      unhealthyReason: options.unhealthyReason ?? (() => undefined),
      unready: options.unready ?? (() => undefined),
      metrics: options.metrics ?? (() => Promise.resolve("")),
      clock: options.clock ?? Date.now,
      openapi: () => document,
    },
    operations,
    headerBrands,
    switches: { ...HTTP_DEFAULTS.switches, ...options.switches },
    bodyLimitBytes,
    bodyBudgetBytes: options.bodyBudgetBytes ?? HTTP_DEFAULTS.bodyBudgetBytes,
    maxInFlight: options.maxInFlight ?? HTTP_DEFAULTS.maxInFlight,
    maxLagMs: options.maxLagMs,
    archivalEndpoint: options.archivalEndpoint,
    passThrough,
    unreadResponses,
    cachePinned: options.cachePinned ?? true,
    logger,
    accessLog: options.accessLog ?? false,
    onRequest: options.onRequest,
  });
  let sweptMs = 0;
  let unreadResponsesEnded = 0;
  const admission = new AdmissionControl({
    serve: (exchange) => {
      dispatcher.serve(exchange).catch((error: unknown) => {
        logger.error({ err: error }, "request broke off");
        exchange.socket.destroy();
      });
    },
    maxWaitMs: options.maxWaitMs ?? HTTP_DEFAULTS.maxWaitMs,
    rateLimit: options.rateLimit,
    trustProxy: options.trustProxy ?? false,
    exposed: dispatcher.exposedHeaders,
    logger,
    onRequest: options.onRequest,
    onBeat: (nowMs) => {
      if (nowMs - sweptMs < SWEEP_MS) return;
      sweptMs = nowMs;
      unreadResponsesEnded += unreadResponses.sweep(nowMs);
      listener.sweep(nowMs);
    },
  });
  const listener = new Listener({
    dispatcher,
    admission,
    unreadResponses,
    timeouts,
    maxConnections: options.maxConnections ?? HTTP_DEFAULTS.maxConnections,
    isDirect: options.isDirect ?? true,
    tls: options.tls,
    logger,
    onRequest: options.onRequest,
  });
  return {
    listen: () => {
      admission.start();
      return listener.listen(options.host ?? HTTP_DEFAULTS.host, options.port ?? HTTP_DEFAULTS.port);
    },
    close: async () => {
      dispatcher.startClosing();
      await listener.close();
      passThrough?.close();
      admission.stop();
    },
    figures: () => ({
      ...admission.figures(),
      connections: unreadResponses.connections,
      refusedConnections: listener.refused,
      unreadResponsesEnded,
      inFlight: dispatcher.inFlight,
      answerBytes: unreadResponses.largeBytes,
    }),
  };
}
