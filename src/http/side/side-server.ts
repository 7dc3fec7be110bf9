// A server on a port of its own next to the main one: faucet, status, metrics, proofs. The requests of a connection are
// served one at a time and dropped when it closes, as on the main port. Faucet and status are small servers: bounded in
// connections, bytes and time, open to every origin.
import { createServer, type IncomingMessage, type ServerOptions, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { errorText } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { HttpError } from "../errors.ts";
import { addCorsHeaders, preflightHeaders } from "../response/cors.ts";
import { plainHeaders } from "../response/headers.ts";
import { isJsonMediaType } from "../response/negotiation.ts";
import { Turns } from "../transport/node-connections.ts";

/** A request with its body. */
export interface SmallRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Buffer;
  /** Address of the client. */
  readonly client: string;
  /** Of the page that asks; undefined outside of browsers. */
  readonly origin: string | undefined;
  /** True for a POST that a page of any origin can send without asking first: a form, say. */
  readonly isSimple: boolean;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
}

/** JSON of a value, a text, or bytes. */
export interface SmallResponse {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface SmallServerOptions {
  readonly host: string;
  readonly port: number;
  readonly respond: (request: SmallRequest) => Promise<SmallResponse> | SmallResponse;
  /** The response to a request that cannot be read, or whose handler fails. */
  readonly refuse: (status: number, message: string) => SmallResponse;
  readonly logger: Logger;
  /** By path; 64 KiB where it is undefined. */
  readonly maxBodyBytes?: (path: string) => number | undefined;
}

const LIMITS = {
  headersTimeout: 5000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 1000,
  maxHeaderSize: 16_384,
} as const;
const MAX_CONNECTIONS = 256;
const MAX_BODY_BYTES = 64 * 1024;

/** The body, or undefined if it is too long. */
async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function encode(body: unknown): readonly [type: string, bytes: Uint8Array] {
  if (body instanceof Uint8Array) return ["application/octet-stream", body];
  return typeof body === "string"
    ? ["text/plain; charset=utf-8", Buffer.from(body)]
    : ["application/json", Buffer.from(JSON.stringify(body))];
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body, headers = {} }: SmallResponse,
): void {
  const { origin } = request.headers;
  const list = ["Vary", "Origin", ...Object.entries(headers).flat()];
  if (origin !== undefined) addCorsHeaders(list, origin, "Retry-After");
  const [type, bytes] = encode(body);
  list.push("Content-Type", type);
  response.writeHead(status, [...list, "Content-Length", `${bytes.length}`]);
  response.end(request.method === "HEAD" ? undefined : bytes);
}

/** Listens. Rejects with the error of the socket, such as EADDRINUSE. */
export function listenSmall(options: SmallServerOptions): Promise<SideServer> {
  const { host, port, respond, refuse, logger } = options;
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "GET", url = "/" } = request;
    const mark = url.indexOf("?");
    const path = mark < 0 ? url : url.slice(0, mark);
    const maxBytes = options.maxBodyBytes?.(path) ?? MAX_BODY_BYTES;
    const body = await readBody(request, maxBytes);
    if (body === undefined) {
      response.shouldKeepAlive = false;
      send(request, response, refuse(413, `expected a body of at most ${maxBytes} bytes`));
      return;
    }
    const { origin } = request.headers;
    if (method === "OPTIONS" && origin !== undefined) {
      try {
        response.writeHead(200, preflightHeaders(origin, request.headers)).end();
      } catch (error) {
        if (!(error instanceof HttpError)) throw error;
        send(request, response, refuse(403, error.message));
      }
      return;
    }
    const left = new AbortController();
    response.once("close", () => left.abort());
    const asked: SmallRequest = {
      method: method === "HEAD" ? "GET" : method,
      path,
      query: new URLSearchParams(mark < 0 ? "" : url.slice(mark + 1)),
      body,
      origin,
      client: request.socket.remoteAddress ?? "",
      isSimple: origin !== undefined && !isJsonMediaType(request.headers["content-type"] ?? ""),
      signal: left.signal,
    };
    send(request, response, await respond(asked));
  };
  return listenBeside({
    host,
    port,
    limits: LIMITS,
    maxConnections: MAX_CONNECTIONS,
    serve: (request, response) =>
      handle(request, response).catch((error: unknown) => {
        if (response.closed || (request.destroyed && !request.complete)) return;
        logger.warn({ error: errorText(error) }, "a request of the local chain's helpers failed");
        if (!response.headersSent) send(request, response, refuse(500, "internal error"));
        else response.destroy();
      }),
  });
}

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

const METRICS_LIMITS = {
  headersTimeout: 5000,
  requestTimeout: 5000,
  keepAliveTimeout: 5000,
  maxHeaderSize: 8192,
} as const;
const MAX_METRICS_CONNECTIONS = 64;

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
    limits: METRICS_LIMITS,
    maxConnections: MAX_METRICS_CONNECTIONS,
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
