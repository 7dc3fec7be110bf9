// An exchange over one stream of an HTTP/2 connection. HTTP/2 has no Connection header: a connection that closes says
// so with GOAWAY, and a body that nobody reads ends with its stream.
import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { quoteInput } from "../errors.ts";
import { isHost } from "../routing/url.ts";
import { type BodyHold, readBody } from "./body.ts";
import { cutOff } from "./cut-off.ts";
import type { BodySink, Exchange, StartedResponse, WholeResponse } from "./exchange.ts";
import type { RequestHeaders } from "./request-headers.ts";

/** What an exchange needs of its connection. */
export interface Http2ExchangeOptions {
  readonly socket: Socket;
  /** Idle limit while sending a response. */
  readonly readTimeoutMs: number;
  /** Closes the connection once its streams have ended. */
  readonly close: () => void;
}

type SentHeaders = Record<string, string | string[] | number>;

/** Flat headers as an object. A name that comes again keeps all its values. */
function toSentHeaders(status: number, list: readonly string[]): SentHeaders {
  const headers: SentHeaders = { ":status": status };
  for (let i = 0; i + 1 < list.length; i += 2) {
    const name = (list[i] ?? "").toLowerCase();
    const value = list[i + 1] ?? "";
    const known = headers[name];
    headers[name] = known === undefined ? value : [known, value].flat().map(String);
  }
  return headers;
}

/** One request that came on a stream. */
export class Http2Exchange implements Exchange {
  readonly sinceMs: number = performance.now();
  readonly method: string;
  readonly target: string;
  readonly headers: RequestHeaders;
  readonly hostFault: string | undefined;
  readonly #stream: ServerHttp2Stream;
  readonly #options: Http2ExchangeOptions;
  readonly #added: string[] = [];
  #awaitsContinue: boolean;

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, options: Http2ExchangeOptions) {
    this.method = headers[":method"] ?? "GET";
    this.target = headers[":path"] ?? "/";
    const { ":authority": authority, host = authority } = headers;
    this.headers = { ...headers, host };
    this.hostFault = hostFaultOf(authority, host);
    this.#stream = stream;
    this.#options = options;
    this.#awaitsContinue = headers.expect?.toLowerCase() === "100-continue";
  }

  /** The connection, which further streams share. */
  get socket(): Socket {
    return this.#options.socket;
  }

  get stream(): ServerHttp2Stream {
    return this.#stream;
  }

  get isGone(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
  }

  /** A connection that ends closes its streams. */
  probe(): void {}

  get awaitsContinue(): boolean {
    return this.#awaitsContinue;
  }

  addHeader(name: string, value: string): void {
    this.#added.push(name, value);
  }

  readBody(hold: BodyHold): Promise<Uint8Array> {
    this.#goOn();
    return readBody(Object.assign(this.#stream, { headers: this.headers }), hold);
  }

  respond({ status, headers, extra, body, closes, isShared }: WholeResponse): void {
    if (this.isGone) return;
    const stream = this.#stream;
    const list = [...headers.list, ...extra, ...(isShared === true ? [] : this.#added)];
    if (body !== undefined) list.push("Content-Length", String(Buffer.byteLength(body)));
    const endStream = body === undefined || this.method === "HEAD";
    stream.respond(toSentHeaders(status, list), { endStream });
    if (!endStream) stream.end(body);
    this.#expectReading();
    this.#leaveBody();
    if (closes) this.#options.close();
  }

  start({ status, headers, extra, closes, isEndless }: StartedResponse): BodySink {
    const stream = this.#stream;
    if (!this.isGone) {
      const endStream = this.method === "HEAD";
      stream.respond(toSentHeaders(status, [...headers.list, ...extra, ...this.#added]), { endStream });
      this.#leaveBody();
      if (!isEndless) this.#expectReading();
      if (closes) this.#options.close();
    }
    return {
      stream,
      write: (piece) => {
        if (stream.writable) stream.write(piece);
      },
      end: () => void stream.end(),
    };
  }

  /** Ends the stream if the client does not read on in time. */
  #expectReading(): void {
    const stream = this.#stream;
    if (stream.destroyed) return;
    stream.setTimeout(this.#options.readTimeoutMs, () => cutOff(stream));
  }

  /** Tells the client, once it has the response, to stop sending a body that nobody reads. */
  #leaveBody(): void {
    const stream = this.#stream;
    if (stream.endAfterHeaders || stream.readableEnded) return;
    stream.once("finish", () => stream.close(constants.NGHTTP2_NO_ERROR));
  }

  #goOn(): void {
    if (!this.#awaitsContinue) return;
    this.#awaitsContinue = false;
    if (!this.isGone) this.#stream.additionalHeaders({ ":status": 100 });
  }
}

function hostFaultOf(authority: string | undefined, host: string | undefined): string | undefined {
  if (host === undefined) return "the :authority header is missing";
  if (authority !== undefined && authority !== host) return "Host: expected the same as :authority";
  return isHost(host) ? undefined : `Host: expected a host and a port or none, got ${quoteInput(host)}`;
}
