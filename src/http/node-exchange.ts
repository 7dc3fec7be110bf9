// An exchange over node:http: the way of everything out of the ordinary.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type BodyHold, drainBody, readBody } from "./body.ts";
import type { Exchange, NodeRequest, Reply, RequestHeaders } from "./exchange.ts";

/** One request that node parsed. */
export class NodeExchange implements Exchange {
  readonly sinceMs = performance.now();
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  /** For a client to read on in an answer. */
  readonly #idleMs: number;
  readonly #added: string[] = [];
  #awaitsContinue: boolean;

  constructor(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean, idleMs: number) {
    this.#request = request;
    this.#response = response;
    this.#awaitsContinue = awaitsContinue;
    this.#idleMs = idleMs;
  }

  get method(): string {
    return this.#request.method ?? "GET";
  }

  get target(): string {
    return this.#request.url ?? "/";
  }

  get headers(): RequestHeaders {
    return this.#request.headers;
  }

  get isHttp11(): boolean {
    return this.#request.httpVersion === "1.1";
  }

  get socket(): Socket {
    return this.#request.socket;
  }

  get isGone(): boolean {
    return this.#response.destroyed;
  }

  get awaitsContinue(): boolean {
    return this.#awaitsContinue;
  }

  addHeader(name: string, value: string): void {
    this.#added.push(name, value);
  }

  readBody(hold: BodyHold): Promise<Uint8Array> {
    this.#goOn();
    return readBody(this.#request, hold);
  }

  reply({ status, headers, extra, body, closes }: Reply): void {
    const list = [...headers.list, ...extra, ...this.#added];
    if (body !== undefined) list.push("Content-Length", String(Buffer.byteLength(body)));
    // A client that still waits may send its body or not: only a new connection is unambiguous.
    if (closes || this.#awaitsContinue) list.push("Connection", "close");
    this.#response.writeHead(status, list);
    this.#response.end(body);
    // Node hangs up on a client that does not read on in time. A short answer is gone by now.
    if (this.socket.writableLength > 0) this.socket.setTimeout(this.#idleMs);
    if (!this.#request.complete) drainBody(this.#request);
  }

  startStream({ status, headers, extra, closes }: Omit<Reply, "body">): ServerResponse {
    const list = [...headers.list, ...extra, ...this.#added];
    if (closes || this.#awaitsContinue) list.push("Connection", "close");
    this.#response.writeHead(status, list);
    // Node hangs up on a client that does not read on in time.
    this.socket.setTimeout(this.#idleMs);
    if (!this.#request.complete) drainBody(this.#request);
    return this.#response;
  }

  whenOut(callback: () => void): void {
    this.#response.once("close", callback);
  }

  toNodeRequest(): NodeRequest {
    this.#goOn();
    return { request: this.#request, response: this.#response };
  }

  #goOn(): void {
    if (!this.#awaitsContinue) return;
    this.#awaitsContinue = false;
    this.#response.writeContinue();
  }
}
