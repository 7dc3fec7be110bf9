// An exchange straight on a socket: the whole request is there, and the answer goes out in one write where it is
// short. Node's own way stores headers one by one and writes head and body apart, which costs more than reading a
// balance does.
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { headerLines } from "../response/headers.ts";
import type { BodyHold, RequestHeaders } from "./body.ts";
import type { BodySink, Exchange, ResponseHead, StartedResponse, WholeResponse } from "./exchange.ts";
import type { OrdinaryRequest } from "./request-head.ts";
import { sharedReads } from "./shared-reads.ts";

/** Builds the lines that node:http would add by itself. */
export class ResponseTail {
  readonly #keepAlive: string;
  #second = 0;
  #date = "";
  #staying = "";

  constructor(keepAliveTimeoutMs: number) {
    this.#keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveTimeoutMs / 1000)}\r\n`;
  }

  lines(closes: boolean): string {
    const second = Math.floor(Date.now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#date = `Date: ${new Date(second * 1000).toUTCString()}\r\n`;
      this.#staying = this.#date + this.#keepAlive;
    }
    return closes ? `${this.#date}Connection: close\r\n` : this.#staying;
  }
}

/** Longest body that is sent in one write with its head; longer ones gain nothing. */
const MAX_JOINED_BYTES = 4096;

const NONE_ADDED: string[] = [];
const NO_BODY = new Uint8Array();

/** What an exchange tells its connection. */
export interface ExchangeOwner {
  readonly socket: Socket;
  readonly tail: ResponseTail;
  /** Part of a response is written: the client has to read on. */
  expectReading(): void;
  /** The whole response is written. */
  responded(closes: boolean): void;
}

/** Text whose latin1 bytes are those of the body; undefined for a body that is too long. */
function latin1Body(body: string | Uint8Array): string | undefined {
  if (body.length > MAX_JOINED_BYTES) return undefined;
  if (typeof body !== "string") {
    return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1");
  }
  return Buffer.byteLength(body) === body.length ? body : Buffer.from(body).toString("latin1");
}

/** One request that was read here. */
export class DirectExchange implements Exchange {
  readonly method: "GET" | "POST";
  readonly target: string;
  readonly headers: RequestHeaders;
  /** Requests with any other are left to node:http. */
  readonly headFault = undefined;
  readonly awaitsContinue = false;
  readonly sinceMs: number = performance.now();
  readonly #owner: ExchangeOwner;
  readonly #body: Uint8Array;
  #added: string[] = NONE_ADDED;

  /** `bytes` begin with the request; those of `sharedReads` are only valid during this call. */
  constructor(owner: ExchangeOwner, request: OrdinaryRequest, bytes: Buffer) {
    this.method = request.method;
    this.target = request.target;
    this.headers = request.block.headers;
    this.#owner = owner;
    const { bodyStart, end } = request;
    if (bodyStart === end) this.#body = NO_BODY;
    else {
      const body = bytes.subarray(bodyStart, end);
      this.#body = bytes === sharedReads ? Buffer.from(body) : body;
    }
  }

  get socket(): Socket {
    return this.#owner.socket;
  }

  get isGone(): boolean {
    return !this.#owner.socket.writable;
  }

  addHeader(name: string, value: string): void {
    if (this.#added === NONE_ADDED) this.#added = [];
    this.#added.push(name, value);
  }

  readBody(hold: BodyHold): Uint8Array {
    hold.add(this.#body.length);
    return this.#body;
  }

  respond(response: WholeResponse): void {
    const { socket } = this.#owner;
    if (this.isGone) return;
    const { body, closes, onSent } = response;
    const head = this.#head(response, closes, response.isShared === true);
    const text = body === undefined ? "" : latin1Body(body);
    if (body === undefined) {
      socket.write(`${head}\r\n`, "latin1", onSent);
    } else if (text !== undefined) {
      socket.write(`${head}Content-Length: ${text.length}\r\n\r\n${text}`, "latin1", onSent);
    } else {
      socket.cork();
      socket.write(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`, "latin1");
      socket.write(body, onSent);
      socket.uncork();
    }
    this.#owner.responded(closes);
  }

  start(response: StartedResponse): BodySink {
    const owner = this.#owner;
    const { socket } = owner;
    const closes = response.closes || response.isEndless;
    const head = this.#head(response, closes, false);
    if (response.isEndless) {
      socket.write(`${head}\r\n`, "latin1");
      return {
        socket,
        write: (piece) => void socket.write(piece),
        end: () => owner.responded(true),
      };
    }
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`, "latin1");
    return {
      socket,
      write: (piece) => {
        socket.cork();
        socket.write(`${Buffer.byteLength(piece).toString(16)}\r\n`, "latin1");
        socket.write(piece);
        socket.write("\r\n", "latin1");
        socket.uncork();
        if (socket.writableLength > 0) owner.expectReading();
      },
      end: () => {
        socket.write("0\r\n\r\n", "latin1");
        owner.responded(closes);
      },
    };
  }

  /** Status line and headers, up to those of the body. */
  #head({ status, headers, extra }: ResponseHead, closes: boolean, isShared: boolean): string {
    const own = headerLines(extra) + (isShared ? "" : headerLines(this.#added));
    return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.lines}${own}${this.#owner.tail.lines(closes)}`;
  }
}
