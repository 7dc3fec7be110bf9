// An exchange over node:http: the way of everything out of the ordinary.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type BodyHold, drainBody, readBody } from "./body.ts";
import { quoteInput } from "./errors.ts";
import type { Exchange, NodeRequest, Reply, RequestHeaders } from "./exchange.ts";
import { isHost } from "./request-target.ts";

/** What is known of a request that was admitted before its connection went over to node:http. */
export interface Admitted {
  readonly sinceMs: number;
  /** Headers that were added to its answer, flat. */
  readonly added: readonly string[];
}

/** What an exchange is made with besides node's objects. */
export interface NodeExchangeOptions {
  /** Whether the client waits to be told to send its body. */
  readonly awaitsContinue: boolean;
  /** For a client to read on in an answer. */
  readonly readTimeoutMs: number;
  readonly admitted: Admitted | undefined;
}

/** One request that node parsed. */
export class NodeExchange implements Exchange {
  readonly sinceMs: number;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  /** For a client to read on in an answer. */
  readonly #readTimeoutMs: number;
  readonly #added: string[];
  #awaitsContinue: boolean;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    { awaitsContinue, readTimeoutMs, admitted }: NodeExchangeOptions,
  ) {
    this.sinceMs = admitted?.sinceMs ?? performance.now();
    this.#added = [...(admitted?.added ?? [])];
    this.#request = request;
    this.#response = response;
    this.#awaitsContinue = awaitsContinue;
    this.#readTimeoutMs = readTimeoutMs;
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

  get hostFault(): string | undefined {
    const { headers, rawHeaders, httpVersion } = this.#request;
    // Node keeps the first of several.
    const count = rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === "host").length;
    if (count > 1) return `Host: expected one, got ${count}`;
    const { host } = headers;
    if (host === undefined) return httpVersion === "1.1" ? "the Host header is missing" : undefined;
    return isHost(host) ? undefined : `Host: expected a host and a port or none, got ${quoteInput(host)}`;
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

  reply({ status, headers, extra, body, closes, onSent, isShared }: Reply): void {
    const list = [...headers.list, ...extra, ...(isShared === true ? [] : this.#added)];
    if (body !== undefined) list.push("Content-Length", String(Buffer.byteLength(body)));
    // A client that still waits may send its body or not: only a new connection is unambiguous.
    if (closes || this.#awaitsContinue) list.push("Connection", "close");
    this.#response.writeHead(status, list);
    this.#response.end(body, onSent);
    // Node hangs up on a client that does not read on in time. A short answer is gone by now.
    if (this.socket.writableLength > 0) this.socket.setTimeout(this.#readTimeoutMs);
    if (!this.#request.complete) drainBody(this.#request);
  }

  toNodeRequest(): NodeRequest {
    return {
      request: this.#request,
      response: this.#response,
      added: this.#added,
      goOn: () => this.#goOn(),
    };
  }

  #goOn(): void {
    if (!this.#awaitsContinue) return;
    this.#awaitsContinue = false;
    this.#response.writeContinue();
  }
}
