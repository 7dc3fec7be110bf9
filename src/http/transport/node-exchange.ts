// An exchange over node:http, for every request that the direct lane does not take.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { quoteInput } from "../errors.ts";
import { isHost } from "../routing/url.ts";
import type { RequestHeaders } from "./body.ts";
import { type BodyHold, drainBody, readBody } from "./body.ts";
import type { BodySink, Exchange, StartedResponse, WholeResponse } from "./exchange.ts";

/** Bytes of a body that are written in one turn of the event loop; the kernel copies them in about 0.1 ms. */
const SLICE_BYTES = 256 * 1024;

/** Options of an exchange. */
export interface NodeExchangeOptions {
  /** The client waits for 100 Continue. */
  readonly awaitsContinue: boolean;
  /** Idle limit while sending a response. */
  readonly readTimeoutMs: number;
}

/** One request that node:http parsed. */
export class NodeExchange implements Exchange {
  readonly sinceMs: number = performance.now();
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  /** Idle limit while sending a response. */
  readonly #readTimeoutMs: number;
  readonly #added: string[] = [];
  #awaitsContinue: boolean;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    { awaitsContinue, readTimeoutMs }: NodeExchangeOptions,
  ) {
    this.#request = request;
    this.#response = response;
    this.#awaitsContinue = awaitsContinue;
    this.#readTimeoutMs = readTimeoutMs;
    // The connection closes by itself then.
    response.on("error", () => {});
    // Node drops what it read together with a request that asks for another protocol: only a new connection is certain
    // to lose nothing.
    const { upgrade, connection = "" } = request.headers;
    if (upgrade !== undefined && /\bupgrade\b/i.test(connection)) response.shouldKeepAlive = false;
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

  get headFault(): string | undefined {
    const { headers, rawHeaders, httpVersion } = this.#request;
    if (httpVersion !== "1.1" && httpVersion !== "1.0")
      return `expected HTTP/1.1 or HTTP/1.0, got HTTP/${httpVersion}`;
    const coding = headers["transfer-encoding"];
    // node:http takes other codings off as little as this node does.
    if (coding !== undefined && coding.toLowerCase() !== "chunked")
      return `Transfer-Encoding: expected chunked, got ${quoteInput(coding)}`;
    // node:http keeps the first of several.
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

  respond({ status, headers, extra, body, closes, onSent, isShared }: WholeResponse): void {
    const list = [...headers.list, ...extra, ...(isShared === true ? [] : this.#added)];
    if (body !== undefined) list.push("Content-Length", String(Buffer.byteLength(body)));
    // A client that still waits for 100 Continue may or may not send its body: only a new connection is unambiguous.
    if (closes || this.#awaitsContinue) list.push("Connection", "close");
    this.#response.writeHead(status, list);
    if (body instanceof Uint8Array && body.length > SLICE_BYTES) this.#writeSlices(body, onSent);
    else this.#response.end(body, onSent);
    // node:http closes the connection if the client does not read in time. A short response is already sent.
    if (this.socket.writableLength > 0) this.socket.setTimeout(this.#readTimeoutMs);
    if (!this.#request.complete) drainBody(this.#request);
  }

  start({ status, headers, extra, closes, isEndless }: StartedResponse): BodySink {
    const response = this.#response;
    const { socket } = this;
    const list = [...headers.list, ...extra, ...this.#added];
    if (closes || isEndless || this.#awaitsContinue) list.push("Connection", "close");
    response.writeHead(status, list);
    // node:http closes the connection if the client does not read in time.
    socket.setTimeout(isEndless ? 0 : this.#readTimeoutMs);
    if (!this.#request.complete) drainBody(this.#request);
    return {
      socket,
      write: (piece) => void response.write(piece),
      end: () => void response.end(),
    };
  }

  /** Lets other requests in between the slices of a body, however fast the client reads. */
  #writeSlices(body: Uint8Array, onSent: (() => void) | undefined): void {
    const response = this.#response;
    let at = 0;
    const writeNext = (): void => {
      if (response.destroyed) return;
      const slice = body.subarray(at, at + SLICE_BYTES);
      at += SLICE_BYTES;
      if (at < body.length) response.write(slice, () => setImmediate(writeNext));
      else response.end(slice, onSent);
    };
    writeNext();
  }

  #goOn(): void {
    if (!this.#awaitsContinue) return;
    this.#awaitsContinue = false;
    this.#response.writeContinue();
  }
}
