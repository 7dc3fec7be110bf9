// An exchange straight on a socket: the whole request is there, and the answer goes out in one write where it is
// short. Node's own way stores headers one by one and writes head and body apart, which costs more than reading a
// balance does.
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { headerLines } from "../response/headers.ts";
import type { BodyHold } from "./body.ts";
import type { EventSink, Exchange, Reply } from "./exchange.ts";
import type { Admitted } from "./node-exchange.ts";
import type { OrdinaryRequest } from "./request-head.ts";
import type { RequestHeaders } from "./request-headers.ts";
import { sharedReads } from "./shared-reads.ts";

/** Builds the lines that node:http would add by itself. */
export class ReplyTail {
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

/** What an exchange tells its connection. */
export interface ExchangeOwner {
  readonly socket: Socket;
  readonly tail: ReplyTail;
  /** The answer was written. */
  replied(closes: boolean): void;
  /** Leaves the connection to node:http, this request first: it comes again, and is not to be admitted again. */
  handOver(request: Buffer, admitted: Admitted): void;
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
  readonly hostFault = undefined;
  readonly awaitsContinue = false;
  readonly sinceMs: number = performance.now();
  readonly #owner: ExchangeOwner;
  /** Head and body as they came; `sharedReads` until `keepBytes`, for a request without a body. */
  #bytes: Buffer;
  readonly #bodyStart: number;
  readonly #end: number;
  #added: string[] = NONE_ADDED;

  constructor(owner: ExchangeOwner, request: OrdinaryRequest, bytes: Buffer) {
    this.method = request.method;
    this.target = request.target;
    this.headers = request.block.headers;
    this.#owner = owner;
    this.#bytes = bytes;
    this.#bodyStart = request.bodyStart;
    this.#end = request.end;
    // What a handler keeps of a body must outlive the next read.
    if (this.#end > this.#bodyStart) this.keepBytes();
  }

  /** Copies the request out of `sharedReads`, which the next read of any connection overwrites. */
  keepBytes(): void {
    if (this.#bytes === sharedReads) this.#bytes = Buffer.from(sharedReads.subarray(0, this.#end));
  }

  get socket(): Socket {
    return this.#owner.socket;
  }

  get stream(): Socket {
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
    hold.add(this.#end - this.#bodyStart);
    return this.#bytes.subarray(this.#bodyStart, this.#end);
  }

  reply({ status, headers, extra, body, closes, onSent, isShared }: Reply): void {
    const { socket, tail } = this.#owner;
    if (this.isGone) return;
    const own = headerLines(extra) + (isShared === true ? "" : headerLines(this.#added));
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.lines}${own}${tail.lines(closes)}`;
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
    this.#owner.replied(closes);
  }

  startEvents({ status, headers, extra }: Omit<Reply, "body" | "onSent" | "isShared" | "closes">): EventSink {
    const { socket, tail } = this.#owner;
    const own = headerLines(extra) + headerLines(this.#added);
    socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.lines}${own}${tail.lines(true)}\r\n`,
      "latin1",
    );
    return {
      socket,
      write: (bytes) => void socket.write(bytes),
      end: () => this.#owner.replied(true),
    };
  }

  /** Other responses on this lane have a known length. */
  startStream(): undefined {
    this.keepBytes();
    this.#owner.handOver(this.#bytes, { sinceMs: this.sinceMs, added: this.#added });
  }
}
