// The listening socket: plain or TLS, its limits on connections and on time, what happens to requests that
// never become one, and its end.
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
import { answerBrokenRequest, refuseConnect } from "./connection.ts";
import { DirectLane } from "./direct/direct-lane.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { ERROR_CATALOGUE } from "./error-catalogue.ts";
import { HttpError } from "./errors.ts";
import { NodeExchange } from "./node-exchange.ts";
import { loadTlsFiles, type TlsFiles, watchTlsFiles } from "./tls.ts";
import type { UnreadResponses } from "./unread-responses.ts";

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
  /** For a client to take all that was answered. */
  readonly answerMs: number;
  /** For requests in hand once the server closes. */
  readonly drainMs: number;
}

/** Where a server listens. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** What the listener is made with. */
export interface ListenerOptions {
  readonly dispatcher: Dispatcher;
  readonly admission: AdmissionControl;
  readonly unreadResponses: UnreadResponses;
  readonly timeouts: HttpTimeouts;
  readonly maxConnections: number;
  /** Whether ordinary requests are read and answered without node:http. */
  readonly isDirect: boolean;
  readonly tls: TlsFiles | undefined;
  readonly logger: Logger;
  readonly onRequest: ((operationId: string, status: number, seconds: number) => void) | undefined;
}

const MAX_HEADER_BYTES = 32 * 1024;
/** How often node looks for requests that are too slow. */
const TIMEOUT_CHECK_MS = 1000;
/** How often connections that wait for a next request may be closed to make room. */
const MAKE_ROOM_MS = 1000;

/** A socket that serves requests. */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #server: Server | TlsServer;
  readonly #stopWatchingFiles: () => void;
  readonly #lane: DirectLane;
  #refused = 0;
  #madeRoomMs = Number.NEGATIVE_INFINITY;

  constructor(options: ListenerOptions) {
    this.#options = options;
    const { tls, timeouts, logger } = options;
    const common: ServerOptions = {
      maxHeaderSize: MAX_HEADER_BYTES,
      // Missing hosts are refused by the dispatcher, with a body.
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
      const server = createTlsServer({ ...common, ...loadTlsFiles(tls), handshakeTimeout });
      this.#server = server;
      this.#stopWatchingFiles = watchTlsFiles(tls, (pair) => server.setSecureContext(pair), logger);
    }
    this.#server.maxConnections = options.maxConnections;
    this.#listenForRequests();
    this.#lane = this.#listenForConnections(tls === undefined ? "connection" : "secureConnection");
  }

  /** Connections that were refused because there were too many. */
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

  /** Takes no more requests and waits for those in hand, but not for ever. */
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

  /** To be called about once a second. */
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
    server.on("request", (request: IncomingMessage, response: ServerResponse) =>
      admission.take(new NodeExchange(request, response, false, idleMs)),
    );
    server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) =>
      admission.take(new NodeExchange(request, response, true, idleMs)),
    );
    server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
      const error = new HttpError("expectation_failed", "Expect: expected 100-continue");
      dispatcher.refuse(new NodeExchange(request, response, true, idleMs), error);
    });
    server.on("clientError", (error, socket) => {
      // Where no handshake came about there is no way to answer.
      if (tls !== undefined && !unreadResponses.isWatched(socket)) {
        socket.destroy();
        return;
      }
      this.#answerBroken(error, socket);
    });
    server.on("connect", refuseConnect);
  }

  #answerBroken(error: Error, socket: Duplex): void {
    const condition = answerBrokenRequest(error, socket);
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
      onBrokenOff: (socket) => this.#answerBroken(new Error("the request breaks off"), socket),
      handOver: (socket) => {
        for (const listen of nodeListeners) listen.call(server, socket);
      },
    });
    // Node's own listener gets a connection when it is handed over.
    if (isDirect) server.removeAllListeners(event);
    server.on(event, (socket: Socket) => {
      unreadResponses.watch(socket);
      if (isDirect) lane.accept(socket);
    });
    server.on("drop", () => {
      this.#refused++;
      const nowMs = performance.now();
      if (nowMs - this.#madeRoomMs < MAKE_ROOM_MS) return;
      // Whoever keeps a connection open for later must not keep out those who want something now.
      this.#madeRoomMs = nowMs;
      this.#closeIdle();
    });
    return lane;
  }
}
