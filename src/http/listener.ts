// The listening socket: plain or TLS, limits on connections and times, malformed requests, and shutdown.
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "../base/log.ts";
import type { AdmissionControl } from "./admission-control.ts";
import { refuseConnect, rejectBrokenRequest } from "./connection.ts";
import { DirectLane } from "./direct/direct-lane.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { ERROR_CATALOGUE } from "./error-catalogue.ts";
import { HttpError } from "./errors.ts";
import { type Admitted, NodeExchange } from "./node-exchange.ts";
import { loadTlsFiles, type TlsFiles, watchTlsFiles } from "./tls.ts";
import type { UnreadResponses } from "./unread-responses.ts";

/** Time limits. */
export interface HttpTimeouts {
  /** To receive all headers of a request. */
  readonly headersMs: number;
  /** To receive a whole request, body included. */
  readonly requestMs: number;
  /** Until the next request on an idle connection. */
  readonly keepAliveMs: number;
  /** Idle limit while sending a response. */
  readonly idleMs: number;
  /** To send a whole response. */
  readonly answerMs: number;
  /** For requests in flight while the server closes. */
  readonly drainMs: number;
}

/** Where a server listens. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Parts and limits of the listener. */
export interface ListenerOptions {
  readonly dispatcher: Dispatcher;
  readonly admission: AdmissionControl;
  readonly unreadResponses: UnreadResponses;
  readonly timeouts: HttpTimeouts;
  readonly maxConnections: number;
  /** Serve ordinary requests on the direct lane, without node:http. */
  readonly isDirect: boolean;
  readonly tls: TlsFiles | undefined;
  readonly logger: Logger;
  readonly onRequest: ((operationId: string, status: number, seconds: number) => void) | undefined;
}

const MAX_HEADER_BYTES = 32 * 1024;
/** How often node:http looks for requests that are too slow. */
const TIMEOUT_CHECK_MS = 1000;
/** Shortest time between two rounds of closing idle connections to make room. */
const MAKE_ROOM_MS = 1000;

/** A socket that serves requests. */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #server: Server | TlsServer;
  readonly #stopWatchingFiles: () => void;
  readonly #lane: DirectLane;
  /** By connection that moved to node:http: its request that was already admitted. */
  readonly #admitted = new WeakMap<Socket, Admitted>();
  #refused = 0;
  #madeRoomMs = Number.NEGATIVE_INFINITY;

  constructor(options: ListenerOptions) {
    this.#options = options;
    const { tls, timeouts, logger } = options;
    const common: ServerOptions = {
      maxHeaderSize: MAX_HEADER_BYTES,
      // The dispatcher refuses a missing Host, with an error body.
      requireHostHeader: false,
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      keepAliveTimeout: timeouts.keepAliveMs,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      noDelay: true,
    };
    if (tls === undefined) {
      this.#server = createServer(common);
      this.#stopWatchingFiles = () => {};
    } else {
      const handshakeTimeout = timeouts.headersMs;
      const server = createTlsServer({
        ...common,
        ...loadTlsFiles(tls),
        handshakeTimeout,
        allowHalfOpen: true,
      });
      this.#server = server;
      this.#stopWatchingFiles = watchTlsFiles(tls, (pair) => server.setSecureContext(pair), logger);
    }
    this.#server.maxConnections = options.maxConnections;
    // A client that half-closed still gets its responses. Node's types lack this setting.
    Object.assign(this.#server, { httpAllowHalfOpen: true });
    this.#listenForRequests();
    this.#lane = this.#listenForConnections(tls === undefined ? "connection" : "secureConnection");
  }

  /** Connections refused above `maxConnections`. */
  get refused(): number {
    return this.#refused;
  }

  listen(host: string, port: number): Promise<ListenAddress> {
    const server = this.#server;
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

  /** Accepts no more requests and waits for those in flight, at most `drainMs`. */
  close(): Promise<void> {
    this.#stopWatchingFiles();
    const server = this.#server;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#lane.closeAll();
        server.closeAllConnections();
      }, this.#options.timeouts.drainMs);
      server.close(() => {
        clearTimeout(timer);
        resolve();
      });
      this.#closeIdle();
    });
  }

  /** Call about once a second. */
  sweep(nowMs: number): void {
    this.#lane.sweep(nowMs);
  }

  #closeIdle(): void {
    this.#lane.closeIdle();
    this.#server.closeIdleConnections();
  }

  #listenForRequests(): void {
    const { dispatcher, admission, unreadResponses, tls } = this.#options;
    const server = this.#server;
    const { idleMs } = this.#options.timeouts;
    const waiting = { awaitsContinue: true, idleMs, admitted: undefined };
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      const admitted = this.#admitted.get(request.socket);
      const exchange = new NodeExchange(request, response, { awaitsContinue: false, idleMs, admitted });
      if (admitted === undefined) admission.take(exchange);
      else {
        this.#admitted.delete(request.socket);
        admission.serve(exchange);
      }
    });
    server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) =>
      admission.take(new NodeExchange(request, response, waiting)),
    );
    server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
      const error = new HttpError("expectation_failed", "Expect: expected 100-continue");
      dispatcher.refuse(new NodeExchange(request, response, waiting), error);
    });
    server.on("clientError", (error, socket) => {
      // Without a TLS handshake there is no way to respond.
      if (tls !== undefined && !unreadResponses.isWatched(socket)) {
        socket.destroy();
        return;
      }
      this.#rejectBroken(error, socket);
    });
    server.on("connect", refuseConnect);
  }

  #rejectBroken(error: Error, socket: Duplex): void {
    const condition = rejectBrokenRequest(error, socket);
    if (condition !== undefined) this.#options.onRequest?.("none", ERROR_CATALOGUE[condition].status, 0);
  }

  #listenForConnections(event: "connection" | "secureConnection"): DirectLane {
    const server = this.#server;
    const { admission, unreadResponses, timeouts, isDirect } = this.#options;
    const nodeListeners = server.listeners(event);
    const lane = new DirectLane({
      keepAliveMs: timeouts.keepAliveMs,
      idleMs: timeouts.idleMs,
      take: (exchange) => admission.take(exchange),
      onBrokenOff: (socket) => this.#rejectBroken(new Error("the request breaks off"), socket),
      handOver: (socket, admitted) => {
        if (admitted !== undefined) this.#admitted.set(socket, admitted);
        for (const listen of nodeListeners) listen.call(server, socket);
      },
    });
    // node:http gets a connection only when the direct lane hands it over.
    if (isDirect) server.removeAllListeners(event);
    server.on(event, (socket: Socket) => {
      unreadResponses.watch(socket);
      if (isDirect) lane.accept(socket);
    });
    server.on("drop", () => {
      this.#refused++;
      const nowMs = performance.now();
      if (nowMs - this.#madeRoomMs < MAKE_ROOM_MS) return;
      // Idle connections must not keep out clients with requests.
      this.#madeRoomMs = nowMs;
      this.#closeIdle();
    });
    return lane;
  }
}
