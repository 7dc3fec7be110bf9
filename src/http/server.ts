// The HTTP server: options and their defaults, the listening socket, its limits and its end. Built on
// node:http directly, so that every malformed request can be answered and nothing stands between the socket
// and the handlers.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type Logger, silentLogger } from "../base/log.ts";
import type { Ledger } from "../ledger/view.ts";
import { answerBrokenRequest, refuseConnect } from "./connection.ts";
import { Dispatcher, type Switches } from "./dispatcher.ts";
import { ERROR_CATALOGUE } from "./error-catalogue.ts";
import { HttpError } from "./errors.ts";
import { createOpenApi } from "./openapi.ts";
import { OPERATIONS } from "./operation-list.ts";
import { metrics } from "./operations/metrics.ts";
import type { NodeInfo, SubmissionEncoder } from "./services.ts";

/** How long a client may take, and how long closing may. */
export interface HttpTimeouts {
  /** For all headers of a request. */
  readonly headersMs: number;
  /** For a whole request, body included. */
  readonly requestMs: number;
  /** For the next request of a connection. */
  readonly keepAliveMs: number;
  /** For a client to read on in an answer. */
  readonly idleMs: number;
  /** For requests in hand once the server closes. */
  readonly drainMs: number;
}

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
  readonly ailment?: () => string | undefined;
  readonly host?: string;
  /** 0 takes any free port. */
  readonly port?: number;
  /** Words between `X-` and the names of the ledger headers. */
  readonly headerBrands?: readonly string[];
  readonly switches?: Partial<Switches>;
  readonly bodyLimitBytes?: number;
  /** For all bodies in hand together. */
  readonly bodyBudgetBytes?: number;
  /** Requests in hand before more are turned away. */
  readonly maxInFlight?: number;
  /** How old the ledger's time may be before reads are refused; no limit when left out. */
  readonly maxLagMs?: number;
  /** Where clients find versions that are pruned here. */
  readonly archivalEndpoint?: string;
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

/** Where a server listens. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** A server that can be started once and closed once. */
export interface HttpServer {
  listen(): Promise<ListenAddress>;
  /** Takes no more requests, finishes those in hand, closes. */
  close(): Promise<void>;
}

/** Defaults of the options. */
export const HTTP_DEFAULTS = {
  host: "127.0.0.1",
  port: 8080,
  headerBrands: ["NODE"],
  switches: { encode: true, jsonOutput: true, bcsOutput: true },
  bodyLimitBytes: 8 * 1024 * 1024,
  bodyBudgetBytes: 256 * 1024 * 1024,
  maxInFlight: 10_000,
  timeouts: { headersMs: 10_000, requestMs: 30_000, keepAliveMs: 65_000, idleMs: 120_000, drainMs: 10_000 },
} as const;

const MAX_HEADER_BYTES = 32 * 1024;
/** How often node looks for requests that are too slow. */
const TIMEOUT_CHECK_MS = 1000;

/** Makes a server; it does not listen yet. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const timeouts = { ...HTTP_DEFAULTS.timeouts, ...options.timeouts };
  const logger = options.logger ?? silentLogger;
  const headerBrands = options.headerBrands ?? HTTP_DEFAULTS.headerBrands;
  const leaveOut = [...(options.leaveOut ?? []), ...(options.metrics === undefined ? [metrics.id] : [])];
  const operations = OPERATIONS.filter((operation) => !leaveOut.includes(operation.id));
  const document = createOpenApi(operations, headerBrands);
  const dispatcher = new Dispatcher({
    ledger: options.ledger,
    services: {
      encode: options.encode,
      nodeInfo: options.nodeInfo,
      ailment: options.ailment ?? (() => undefined),
      metrics: options.metrics ?? (() => Promise.resolve("")),
      clock: options.clock ?? Date.now,
      openapi: () => document,
    },
    operations,
    headerBrands,
    switches: { ...HTTP_DEFAULTS.switches, ...options.switches },
    bodyLimitBytes: options.bodyLimitBytes ?? HTTP_DEFAULTS.bodyLimitBytes,
    bodyBudgetBytes: options.bodyBudgetBytes ?? HTTP_DEFAULTS.bodyBudgetBytes,
    maxInFlight: options.maxInFlight ?? HTTP_DEFAULTS.maxInFlight,
    maxLagMs: options.maxLagMs,
    archivalEndpoint: options.archivalEndpoint,
    idleMs: timeouts.idleMs,
    cachePinned: options.cachePinned ?? true,
    logger,
    accessLog: options.accessLog ?? false,
    onRequest: options.onRequest,
  });
  const server = createNodeServer(dispatcher, timeouts, logger, options.onRequest);
  return {
    listen: () => listen(server, options.host ?? HTTP_DEFAULTS.host, options.port ?? HTTP_DEFAULTS.port),
    close: () => {
      dispatcher.closing = true;
      return close(server, timeouts.drainMs);
    },
  };
}

function createNodeServer(
  dispatcher: Dispatcher,
  timeouts: HttpTimeouts,
  logger: Logger,
  onRequest: HttpServerOptions["onRequest"],
): Server {
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    // Missing hosts are refused by the dispatcher, with a body.
    requireHostHeader: false,
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    noDelay: true,
  });
  const serve = (request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): void => {
    dispatcher.serve(request, response, awaitsContinue).catch((error: unknown) => {
      logger.error({ err: error }, "request broke off");
      request.socket.destroy();
    });
  };
  server.on("request", (request: IncomingMessage, response: ServerResponse) =>
    serve(request, response, false),
  );
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) =>
    serve(request, response, true),
  );
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    dispatcher.refuse(
      request,
      response,
      new HttpError("expectation_failed", "Expect: expected 100-continue"),
    );
  });
  server.on("clientError", (error, socket) => {
    const condition = answerBrokenRequest(error, socket);
    if (condition !== undefined) onRequest?.("none", ERROR_CATALOGUE[condition].status, 0);
  });
  server.on("connect", refuseConnect);
  return server;
}

function listen(server: Server, host: string, port: number): Promise<ListenAddress> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      const address = server.address();
      if (address === null || typeof address === "string") reject(new Error("listening on no port"));
      else resolve({ host: address.address, port: address.port });
    });
  });
}

function close(server: Server, drainMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), drainMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
