// A server on a port of its own next to the main one: faucet, status, metrics, proofs. The requests of a connection are
// served one at a time and dropped when it closes, as on the main port.
import { createServer, type IncomingMessage, type ServerOptions, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { plainHeaders } from "../response/headers.ts";
import { Turns } from "../transport/node-connections.ts";

export interface SideServerOptions {
  readonly host: string;
  readonly port: number;
  readonly limits: Pick<
    ServerOptions,
    "headersTimeout" | "requestTimeout" | "keepAliveTimeout" | "connectionsCheckingInterval" | "maxHeaderSize"
  >;
  readonly maxConnections: number;
  /** Must end the response, and not reject. */
  readonly serve: (request: IncomingMessage, response: ServerResponse) => unknown;
}

export interface SideServer {
  /** Such as `http://127.0.0.1:8081`. */
  readonly url: string;
  close(): Promise<void>;
}

/** Listens. Rejects with the error of the socket, such as EADDRINUSE. */
export function listenBeside(options: SideServerOptions): Promise<SideServer> {
  const { host, port, limits, maxConnections, serve } = options;
  const turns = new WeakMap<Socket, Turns>();
  const server = createServer(limits, (request, response) => {
    const { socket } = request;
    const own = turns.get(socket) ?? new Turns(socket);
    turns.set(socket, own);
    // A client that left: node:http tells it by an error of the response, too.
    response.on("error", () => {});
    own.take(response, () => void serve(request, response));
  });
  server.maxConnections = maxConnections;
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      const bound = (server.address() as AddressInfo).port;
      resolve({
        url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
        close: () =>
          new Promise((done) => {
            server.close(() => done());
            server.closeAllConnections();
          }),
      });
    });
  });
}

const LIMITS = {
  headersTimeout: 5000,
  requestTimeout: 5000,
  keepAliveTimeout: 5000,
  maxHeaderSize: 8192,
} as const;
const MAX_CONNECTIONS = 64;

/** Serves `GET /metrics` and nothing else. */
export function listenForMetrics(options: {
  readonly host: string;
  readonly port: number;
  readonly page: () => Promise<string>;
}): Promise<SideServer> {
  const { host, port, page } = options;
  return listenBeside({
    host,
    port,
    limits: LIMITS,
    maxConnections: MAX_CONNECTIONS,
    serve: (request, response) => {
      if (request.method !== "GET" || request.url !== "/metrics") {
        response.writeHead(404, { "Content-Type": "text/plain" }).end("only GET /metrics is served here\n");
        return;
      }
      page().then(
        (text) => response.writeHead(200, [...plainHeaders("text").list]).end(text),
        () => response.writeHead(500).end(),
      );
    },
  });
}
