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
import type { Logger } from "../base/log.ts";
import { answerBrokenRequest, refuseConnect } from "./connection.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { ERROR_CATALOGUE } from "./error-catalogue.ts";
import { HttpError } from "./errors.ts";
import type { Gate } from "./gate.ts";
import type { SlowReaders } from "./slow-readers.ts";
import { loadTlsFiles, type TlsFiles, watchTlsFiles } from "./tls.ts";

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
  readonly gate: Gate;
  readonly slowReaders: SlowReaders;
  readonly timeouts: HttpTimeouts;
  readonly maxConnections: number;
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
    this.#listenForConnections(tls === undefined ? "connection" : "secureConnection");
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
      const timer = setTimeout(() => server.closeAllConnections(), this.#options.timeouts.drainMs);
      server.close(() => {
        clearTimeout(timer);
        resolve();
      });
      server.closeIdleConnections();
    });
  }

  #listenForRequests(): void {
    const { dispatcher, gate, slowReaders, tls, onRequest } = this.#options;
    const server = this.#server;
    server.on("request", (request: IncomingMessage, response: ServerResponse) =>
      gate.take(request, response, false),
    );
    server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) =>
      gate.take(request, response, true),
    );
    server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
      const error = new HttpError("expectation_failed", "Expect: expected 100-continue");
      dispatcher.refuse(request, response, error);
    });
    server.on("clientError", (error, socket) => {
      // Where no handshake came about there is no way to answer.
      if (tls !== undefined && !slowReaders.isWatched(socket)) {
        socket.destroy();
        return;
      }
      const condition = answerBrokenRequest(error, socket);
      if (condition !== undefined) onRequest?.("none", ERROR_CATALOGUE[condition].status, 0);
    });
    server.on("connect", refuseConnect);
  }

  #listenForConnections(event: "connection" | "secureConnection"): void {
    const server = this.#server;
    server.on(event, (socket: Socket) => this.#options.slowReaders.watch(socket));
    server.on("drop", () => {
      this.#refused++;
      const nowMs = performance.now();
      if (nowMs - this.#madeRoomMs < MAKE_ROOM_MS) return;
      // Whoever keeps a connection open for later must not keep out those who want something now.
      this.#madeRoomMs = nowMs;
      server.closeIdleConnections();
    });
  }
}
