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
import type { Logger } from "../../base/log.ts";
import { DAY_MS, type NumberSettings, type Numbers } from "../../base/settings.ts";
import type { AdmissionControl } from "../admission/admission-control.ts";
import type { UnreadResponses } from "../admission/unread-responses.ts";
import type { Dispatcher } from "../dispatcher.ts";
import { ERROR_CATALOGUE } from "../error-catalogue.ts";
import { HttpError } from "../errors.ts";
import type { AccessLog } from "../response/access-log.ts";
import { refuseConnect, rejectBrokenRequest, responseInProgress } from "./connection.ts";
import { cutOff } from "./cut-off.ts";
import { DirectLane } from "./direct-lane.ts";
import { NodeConnections } from "./node-connections.ts";
import { NodeExchange } from "./node-exchange.ts";
import { loadTlsFiles, type TlsFiles, watchTlsFiles } from "./tls.ts";

/** Limits on connections and on the time that clients may take. */
export const LISTENER_NUMBERS = {
  maxConnections: { fallback: 16_384, min: 1, max: 1_000_000 },
  /** For all headers of a request, and for a TLS handshake. */
  headersTimeoutMs: { fallback: 10_000, min: 1, max: DAY_MS },
  /** To receive a whole request, body included. */
  requestTimeoutMs: { fallback: 30_000, min: 1, max: DAY_MS },
  /** Until the next request on an idle connection. */
  keepAliveTimeoutMs: { fallback: 65_000, min: 1, max: DAY_MS },
  /** Idle limit while sending a response. */
  readTimeoutMs: { fallback: 60_000, min: 1, max: DAY_MS },
  /** For requests in flight once the server closes. */
  drainTimeoutMs: { fallback: 10_000, min: 0, max: DAY_MS },
} as const satisfies NumberSettings;

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
  readonly settings: Numbers<typeof LISTENER_NUMBERS>;
  /** Serve ordinary requests on the direct lane, without node:http. */
  readonly isDirect: boolean;
  readonly tls: TlsFiles | undefined;
  readonly logger: Logger;
  /** Undefined when requests are not logged. */
  readonly accessLog: AccessLog | undefined;
  readonly onRequest: ((operationId: string, status: number, seconds: number) => void) | undefined;
}

const MAX_HEADER_BYTES = 32 * 1024;
/** How often node:http looks for requests that are too slow. */
const TIMEOUT_CHECK_MS = 1000;
/** Shortest time between two rounds of closing idle connections to make room. */
const MAKE_ROOM_MS = 1000;

const EXPECTATION = "Expect: expected 100-continue";

/** A socket that serves requests. */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #server: Server | TlsServer;
  readonly #stopWatchingFiles: () => void;
  readonly #lane: DirectLane;
  readonly #nodeConnections: NodeConnections;
  #refused = 0;
  #madeRoomMs = Number.NEGATIVE_INFINITY;

  constructor(options: ListenerOptions) {
    this.#options = options;
    const { tls, settings, logger } = options;
    const common: ServerOptions = {
      maxHeaderSize: MAX_HEADER_BYTES,
      // The dispatcher refuses a missing Host, with an error body.
      requireHostHeader: false,
      headersTimeout: settings.headersTimeoutMs,
      requestTimeout: settings.requestTimeoutMs,
      keepAliveTimeout: settings.keepAliveTimeoutMs,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      noDelay: true,
    };
    if (tls === undefined) {
      this.#server = createServer(common);
      this.#stopWatchingFiles = () => {};
    } else {
      const handshakeTimeout = settings.headersTimeoutMs;
      const server = createTlsServer({
        ...common,
        ...loadTlsFiles(tls),
        handshakeTimeout,
        allowHalfOpen: true,
        ALPNProtocols: ["http/1.1"],
      });
      this.#server = server;
      this.#stopWatchingFiles = watchTlsFiles(tls, (pair) => server.setSecureContext(pair), logger);
    }
    this.#server.maxConnections = settings.maxConnections;
    // A client that half-closed still gets its responses. Node's types lack this setting.
    Object.assign(this.#server, { httpAllowHalfOpen: true });
    this.#nodeConnections = new NodeConnections(this.#server);
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

  /**
   * Accepts no more connections, and closes those that are open when their responses are sent, or after `drainTimeoutMs`.
   */
  close(): Promise<void> {
    this.#stopWatchingFiles();
    const server = this.#server;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#lane.closeAll();
        this.#nodeConnections.closeAll();
      }, this.#options.settings.drainTimeoutMs);
      server.close(() => {
        clearTimeout(timer);
        resolve();
      });
      this.#lane.close();
      this.#nodeConnections.close();
    });
  }

  /** Call about once a second. */
  sweep(nowMs: number): void {
    this.#lane.sweep(nowMs);
  }

  /** Makes room for other connections. */
  #closeIdle(): void {
    this.#lane.closeIdle();
    this.#nodeConnections.closeIdle();
  }

  #listenForRequests(): void {
    const { dispatcher, admission, unreadResponses, tls } = this.#options;
    const server = this.#server;
    const { readTimeoutMs } = this.#options.settings;
    const serveInTurn = (request: IncomingMessage, response: ServerResponse, serve: () => void): void =>
      this.#nodeConnections.serveInTurn(request.socket, response, serve);
    const ready = { awaitsContinue: false, readTimeoutMs };
    const waiting = { awaitsContinue: true, readTimeoutMs };
    server.on("request", (request: IncomingMessage, response: ServerResponse) =>
      serveInTurn(request, response, () => admission.take(new NodeExchange(request, response, ready))),
    );
    server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) =>
      serveInTurn(request, response, () => admission.take(new NodeExchange(request, response, waiting))),
    );
    server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) =>
      serveInTurn(request, response, () => {
        const error = new HttpError("expectation_failed", EXPECTATION);
        dispatcher.refuse(new NodeExchange(request, response, waiting), error);
      }),
    );
    server.on("timeout", (socket: Socket) => {
      if (responseInProgress(socket) === undefined) socket.destroy();
      else cutOff(socket);
    });
    server.on("clientError", (error, socket) => {
      // Without a TLS handshake there is no way to respond.
      if (tls !== undefined && !unreadResponses.isWatched(socket)) {
        socket.destroy();
        return;
      }
      this.#rejectBroken(error, socket);
    });
    server.on("connect", ({ socket }: IncomingMessage) => {
      // node:http listens to it no more.
      socket.on("error", () => {});
      this.#nodeConnections.serveInTurn(socket, undefined, () => refuseConnect(socket));
    });
  }

  #rejectBroken(error: Error, socket: Duplex): void {
    const condition = rejectBrokenRequest(error, socket);
    if (condition === undefined) return;
    const { status } = ERROR_CATALOGUE[condition];
    this.#options.onRequest?.("none", status, 0);
    this.#options.accessLog?.writeBroken(status);
  }

  #listenForConnections(event: "connection" | "secureConnection"): DirectLane {
    const server = this.#server;
    const { admission, unreadResponses, settings, isDirect } = this.#options;
    const nodeListeners = server.listeners(event);
    const lane = new DirectLane({
      keepAliveTimeoutMs: settings.keepAliveTimeoutMs,
      readTimeoutMs: settings.readTimeoutMs,
      take: (exchange) => admission.take(exchange),
      onBrokenOff: (socket) => this.#rejectBroken(new Error("the request breaks off"), socket),
      handOver: (socket) => {
        this.#nodeConnections.accept(socket);
        for (const listen of nodeListeners) listen.call(server, socket);
      },
    });
    // node:http gets a connection only when the direct lane hands it over.
    if (isDirect) server.removeAllListeners(event);
    server.on(event, (socket: Socket) => {
      if (!isDirect) this.#nodeConnections.accept(socket);
      unreadResponses.watch(isDirect ? lane.accept(socket) : socket);
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
