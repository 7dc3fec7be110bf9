// HTTP/2 connections: node's own http2 reads them, and their requests go the way of all others. A connection comes
// here by ALPN, or because it begins with the preface of HTTP/2.
import {
  constants,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import type { UnreadResponses } from "../admission/unread-responses.ts";
import { cutOff } from "./cut-off.ts";
import { Http2Exchange } from "./http2-exchange.ts";

/** Requests in flight on one connection; more are refused, and their client sends them again. */
const MAX_STREAMS = 100;
const MAX_HEADER_BYTES = 32 * 1024;
const MAX_HEADER_PAIRS = 128;
/** Most memory of one connection in node's http2, in MB; streams beyond it are refused. */
const MAX_SESSION_MEGABYTES = 10;
/** Requests that a client may reset before their response at once, and by the second; beyond, its connection ends. */
const RESET_BURST = 200;
const RESETS_PER_SECOND = 33;
/** Frames that break the protocol, and streams over the limit, before a connection ends. */
const MAX_INVALID_FRAMES = 20;
const MAX_REJECTED_STREAMS = 100;
/** For the client to close a connection after GOAWAY. */
const GOODBYE_MS = 5000;

/** The first bytes of the preface. No method of HTTP/1.1 begins like this. node's http2 checks the rest. */
const PREFACE = Buffer.from("PRI ");

/** True for a connection that begins with the preface: its unread bytes are still in the socket afterwards. */
export function isHttp2(socket: Socket): boolean {
  if (socket.bytesWritten > 0 || socket.readableLength < PREFACE.length) return false;
  const bytes: Buffer = socket.read();
  socket.unshift(bytes);
  return bytes.subarray(0, PREFACE.length).equals(PREFACE);
}

/** Limits and callbacks of the lane. */
export interface Http2LaneOptions {
  readonly unreadResponses: UnreadResponses;
  /** Until the first request. */
  readonly headersTimeoutMs: number;
  /** To receive a whole request, body included. */
  readonly requestTimeoutMs: number;
  /** Until the next request on an idle connection. */
  readonly keepAliveTimeoutMs: number;
  /** Idle limit while sending a response. */
  readonly readTimeoutMs: number;
  readonly take: (exchange: Http2Exchange) => void;
  /** A request expects what this server cannot do. */
  readonly refuseExpectation: (exchange: Http2Exchange) => void;
}

/** One connection. */
class Http2Connection {
  readonly socket: Socket;
  readonly #session: ServerHttp2Session;
  readonly #options: Http2LaneOptions;
  #streams = 0;
  #served = 0;
  /** Since when it has no stream. */
  #idleSinceMs = performance.now();
  #closingSinceMs: number | undefined;
  #resets = 0;

  constructor(socket: Socket, options: Http2LaneOptions) {
    this.socket = socket;
    this.#options = options;
    // The types lack the limits of later releases of node, which end such a connection sooner than the sweep does.
    const limits = { streamResetBurst: RESET_BURST, streamResetRate: RESETS_PER_SECOND };
    this.#session = performServerHandshake(socket, {
      ...limits,
      maxHeaderListPairs: MAX_HEADER_PAIRS,
      maxSessionMemory: MAX_SESSION_MEGABYTES,
      maxSessionInvalidFrames: MAX_INVALID_FRAMES,
      maxSessionRejectedStreams: MAX_REJECTED_STREAMS,
      settings: {
        enablePush: false,
        maxConcurrentStreams: MAX_STREAMS,
        maxHeaderListSize: MAX_HEADER_BYTES,
      },
    });
    // The session closes by itself then.
    this.#session.on("error", () => {});
    socket.on("error", () => {});
    // Clients leave with GOAWAY: one that sends no more reads no more.
    socket.once("end", () => this.#session.destroy());
    // GOAWAY is sent then.
    socket.once("finish", () => socket.destroy());
    this.#session.on("stream", (stream, headers) => {
      this.#watch(stream);
      const exchange = new Http2Exchange(stream, headers, {
        socket,
        readTimeoutMs: options.readTimeoutMs,
        close: () => this.close(),
      });
      if (headers.expect !== undefined && !exchange.awaitsContinue) options.refuseExpectation(exchange);
      else options.take(exchange);
    });
  }

  get isIdle(): boolean {
    return this.#streams === 0;
  }

  /** Sends GOAWAY; streams that are open go on. */
  close(): void {
    if (this.#closingSinceMs !== undefined) return;
    this.#closingSinceMs = performance.now();
    this.#session.close();
  }

  sweep(nowMs: number): void {
    this.#resets = Math.max(0, this.#resets - RESETS_PER_SECOND);
    if (this.#streams > 0) return;
    const { headersTimeoutMs, keepAliveTimeoutMs } = this.#options;
    const idleMs = nowMs - this.#idleSinceMs;
    if (this.#closingSinceMs !== undefined) {
      if (nowMs - Math.max(this.#closingSinceMs, this.#idleSinceMs) > GOODBYE_MS) this.socket.destroy();
    } else if (this.#served === 0 && idleMs > headersTimeoutMs) this.socket.destroy();
    else if (idleMs > keepAliveTimeoutMs) this.close();
  }

  #watch(stream: ServerHttp2Stream): void {
    const { unreadResponses, requestTimeoutMs } = this.#options;
    this.#streams++;
    this.#served++;
    unreadResponses.watchStream(stream);
    // The client learns of a broken stream, and the exchange sees that it is gone.
    stream.on("error", () => {});
    // Node would keep a stream that the client cancelled until its answer is written.
    stream.once("aborted", () => stream.destroy());
    const late = stream.endAfterHeaders
      ? undefined
      : setTimeout(() => {
          if (!stream.readableEnded) cutOff(stream);
        }, requestTimeoutMs);
    stream.once("close", () => {
      clearTimeout(late);
      this.#streams--;
      this.#idleSinceMs = performance.now();
      if (stream.rstCode !== constants.NGHTTP2_NO_ERROR && ++this.#resets === RESET_BURST) this.#breakOff();
    });
  }

  #breakOff(): void {
    if (!this.#session.destroyed) this.#session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    setImmediate(() => this.socket.destroy());
  }
}

/** All HTTP/2 connections. */
export class Http2Lane {
  readonly #connections = new Set<Http2Connection>();
  readonly #options: Http2LaneOptions;

  constructor(options: Http2LaneOptions) {
    this.#options = options;
  }

  accept(socket: Socket): void {
    if (socket.destroyed) return;
    const connection = new Http2Connection(socket, this.#options);
    this.#connections.add(connection);
    socket.once("close", () => this.#connections.delete(connection));
  }

  /** Takes a connection whose owner resumes it next. A socket that flows would lose the bytes that http2 is to read. */
  acceptResumed(socket: Socket): void {
    const bytes: Buffer = socket.read();
    socket.once("resume", () => {
      socket.pause();
      socket.unshift(bytes);
      this.accept(socket);
    });
  }

  /** Closes connections that were idle too long. */
  sweep(nowMs: number): void {
    for (const connection of this.#connections) connection.sweep(nowMs);
  }

  /** Closes all connections as soon as their streams have ended. */
  close(): void {
    for (const connection of this.#connections) connection.close();
  }

  /** Closes connections without a stream. */
  closeIdle(): void {
    for (const connection of this.#connections) if (connection.isIdle) connection.close();
  }

  closeAll(): void {
    for (const { socket } of this.#connections) socket.destroy();
  }
}
