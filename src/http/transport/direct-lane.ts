// The direct lane: serves connections straight from their sockets. node:http takes half of the time of a short
// response, mostly for features that ordinary requests do not use. A connection's requests are answered here, one after the
// other, for as long as they are ordinary; at the first one that is not, it moves to node:http for good, with the bytes left.
import type { Socket } from "node:net";
import { DirectExchange, type ExchangeOwner, ResponseTail } from "./direct-exchange.ts";
import { type HeaderBlock, MAX_REQUEST_BYTES, type OrdinaryRequest, readRequest } from "./request-head.ts";
import { sharedReads, withSharedReads } from "./shared-reads.ts";

/** Bytes buffered behind the request in flight before reading pauses. */
const MAX_HELD_BYTES = MAX_REQUEST_BYTES;
/** Pieces that a request may come in. */
const MAX_PIECES = 4;
/** Header lines are kept for the next request when they are in a head up to this size. */
const MAX_KEPT_HEAD_BYTES = 1024;

/** What a connection needs of its surroundings. */
interface DirectSurroundings {
  readonly tail: ResponseTail;
  /** Idle limit while sending a response. */
  readonly readTimeoutMs: number;
  take(exchange: DirectExchange): void;
  /** The client ended the connection in the middle of a request. */
  onBrokenOff(socket: Socket): void;
  /** Gives the connection to node:http; its unread bytes are in the socket again. */
  handOver(socket: Socket): void;
  /** The connection is no longer here. */
  onLeft(connection: DirectConnection): void;
}

function copyOfShared(count: number): Buffer {
  return Buffer.from(sharedReads.subarray(0, count));
}

/** A connection in this lane. */
class DirectConnection implements ExchangeOwner {
  readonly socket: Socket;
  readonly #around: DirectSurroundings;
  #current: DirectExchange | undefined;
  /** Bytes that are not served yet. */
  #held: Buffer | undefined;
  #pieces = 0;
  #known: HeaderBlock | undefined;
  #isReading = false;
  /** The server closes: no request is waited for. */
  #isClosing = false;
  /** False once node:http has the connection. */
  #isHere = true;
  #served = 0;
  #sinceMs = performance.now();

  constructor(accepted: Socket, around: DirectSurroundings) {
    this.#around = around;
    const shared = withSharedReads(accepted, (count) => this.#onRead(count));
    const socket = shared ?? accepted;
    this.socket = socket;
    if (shared === undefined) socket.on("data", this.#onData);
    socket.on("end", this.#onEnd).on("close", this.#onClose);
    socket.on("timeout", this.#onTimeout).on("error", this.#onError).on("drain", this.#onDrain);
  }

  get tail(): ResponseTail {
    return this.#around.tail;
  }

  /** Since when it has waited for its next request; undefined while it is busy or has sent part of one. */
  get idleSinceMs(): number | undefined {
    return this.#served > 0 && this.#isWaiting && this.socket.writableLength === 0
      ? this.#sinceMs
      : undefined;
  }

  /** Since when its first request, or the rest of one, has been missing. */
  get lateSinceMs(): number | undefined {
    const isWaiting = this.#current === undefined && (this.#served === 0 || this.#held !== undefined);
    return isWaiting ? this.#sinceMs : undefined;
  }

  /** Closes a connection that waits for a request, once the client has read the response before it. */
  closeWhenSent(): void {
    this.#isClosing = true;
    if (!this.#isWaiting) return;
    if (this.socket.writableLength > 0) this.#endSocket();
    else this.socket.destroy();
  }

  /** Leaves the connection to node:http. */
  handOver(): void {
    const { socket } = this;
    const rest = this.#held;
    socket.pause();
    socket.off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onClose);
    socket.off("timeout", this.#onTimeout).off("error", this.#onError).off("drain", this.#onDrain);
    this.#current = undefined;
    this.#held = undefined;
    this.#isHere = false;
    this.#around.onLeft(this);
    if (socket.readableEnded) {
      // Nothing can be put back into a stream that has ended: node gets what it would have read.
      this.#around.handOver(socket);
      if (rest !== undefined) socket.emit("data", rest);
      socket.emit("end");
      return;
    }
    if (rest !== undefined) socket.unshift(rest);
    this.#around.handOver(socket);
    socket.resume();
  }

  /** Hangs up on a client that does not read on in time. */
  expectReading(): void {
    const { socket } = this;
    if (socket.timeout === undefined || socket.timeout === 0) socket.setTimeout(this.#around.readTimeoutMs);
  }

  responded(closes: boolean): void {
    const { socket } = this;
    this.#current = undefined;
    this.#served++;
    this.#sinceMs = performance.now();
    if (socket.writableLength > 0) this.expectReading();
    // A response in pieces may have begun before the server closed.
    if (closes || (this.#isClosing && this.#held === undefined)) {
      this.#held = undefined;
      this.#endSocket();
    } else if (!this.#isReading) this.#goOn();
  }

  /** Bytes came into `sharedReads`. Most of the time they are one whole request, which is served from there. */
  #onRead(count: number): boolean {
    // node:http reads by itself, unless a protocol above it gave the connection back. It reads on when that has read.
    if (!this.#isHere) return this.socket.push(copyOfShared(count));
    if (this.#held === undefined && !this.#isBusy && this.socket.writable) {
      const request = readRequest(sharedReads, this.#known, count);
      if (typeof request !== "string" && request.end === count) {
        this.#isReading = true;
        this.#serve(request, sharedReads);
        this.#isReading = false;
        return true;
      }
    }
    this.#onData(copyOfShared(count));
    return true;
  }

  readonly #onData = (chunk: Buffer): void => {
    // Nothing that comes after the last response is answered.
    if (!this.socket.writable) return;
    const bytes = this.#held === undefined ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = bytes;
    if (!this.#isBusy) this.#read();
    else if (bytes.length > MAX_HELD_BYTES) this.socket.pause();
  };

  /** The client sends no more. It still reads, so what it asked for is answered first. */
  readonly #onEnd = (): void => {
    if (!this.#isBusy) this.#endAfterLast();
  };

  readonly #onClose = (): void => {
    this.#around.onLeft(this);
  };

  readonly #onTimeout = (): void => {
    if (this.socket.writableLength > 0) this.socket.destroy();
    else this.socket.setTimeout(0);
  };

  readonly #onDrain = (): void => {
    this.#sinceMs = performance.now();
    if (this.#current === undefined) this.#goOn();
  };

  /** The socket closes by itself then. */
  readonly #onError = (): void => {};

  /** True if no request is being served, and none has begun to come. */
  get #isWaiting(): boolean {
    return this.#current === undefined && this.#held === undefined;
  }

  /** True while bytes that come must wait: for an answer to be made, or for the client to read those it has. */
  get #isBusy(): boolean {
    return this.#current !== undefined || this.socket.writableNeedDrain;
  }

  #goOn(): void {
    this.socket.resume();
    this.#read();
    if (this.#isHere && this.socket.readableEnded && !this.#isBusy) this.#endAfterLast();
  }

  /** Serves what is ordinary at the front of the held bytes, one request at a time. */
  #read(): void {
    this.#isReading = true;
    while (this.#held !== undefined && !this.#isBusy && this.socket.writable) {
      const bytes: Buffer = this.#held;
      const request = readRequest(bytes, this.#known);
      if (typeof request === "string") {
        if (request === "other" || ++this.#pieces > MAX_PIECES) this.handOver();
        break;
      }
      const isAll = request.end === bytes.length;
      this.#held = isAll ? undefined : bytes.subarray(request.end);
      this.#serve(request, isAll ? bytes : bytes.subarray(0, request.end));
    }
    this.#isReading = false;
  }

  #serve(request: OrdinaryRequest, bytes: Buffer): void {
    this.#pieces = 0;
    this.#known = request.bodyStart <= MAX_KEPT_HEAD_BYTES ? request.block : undefined;
    this.#current = new DirectExchange(this, request, bytes);
    this.#around.take(this.#current);
  }

  #endAfterLast(): void {
    if (this.#held !== undefined) this.#around.onBrokenOff(this.socket);
    else this.#endSocket();
  }

  #endSocket(): void {
    this.socket.end(() => this.socket.destroy());
  }
}

/** Longest wait for the first request, or for the rest of one. Slower connections go to node:http. */
const PATIENCE_MS = 1000;

/** Limits and callbacks of the lane. */
export interface DirectLaneOptions {
  /** Until the next request on an idle connection. */
  readonly keepAliveTimeoutMs: number;
  /** Idle limit while sending a response. */
  readonly readTimeoutMs: number;
  readonly take: (exchange: DirectExchange) => void;
  /** A client closed its connection in the middle of a request. */
  readonly onBrokenOff: (socket: Socket) => void;
  /** Moves a connection to node:http. */
  readonly handOver: (socket: Socket) => void;
}

/** All connections of this lane. */
export class DirectLane {
  readonly #connections = new Set<DirectConnection>();
  readonly #keepAliveTimeoutMs: number;
  readonly #around: DirectSurroundings;

  constructor(options: DirectLaneOptions) {
    this.#keepAliveTimeoutMs = options.keepAliveTimeoutMs;
    this.#around = {
      tail: new ResponseTail(options.keepAliveTimeoutMs),
      readTimeoutMs: options.readTimeoutMs,
      take: options.take,
      onBrokenOff: options.onBrokenOff,
      handOver: options.handOver,
      onLeft: (connection) => this.#connections.delete(connection),
    };
  }

  /** Takes a new connection. Returns its socket, which may be another one than the server made. */
  accept(accepted: Socket): Socket {
    const connection = new DirectConnection(accepted, this.#around);
    this.#connections.add(connection);
    return connection.socket;
  }

  /** Closes connections that were idle too long, and moves slow ones to node:http. */
  sweep(nowMs: number): void {
    for (const connection of this.#connections) {
      const { idleSinceMs, lateSinceMs } = connection;
      if (idleSinceMs !== undefined && nowMs - idleSinceMs > this.#keepAliveTimeoutMs)
        connection.socket.destroy();
      else if (lateSinceMs !== undefined && nowMs - lateSinceMs > PATIENCE_MS) connection.handOver();
    }
  }

  /** Closes connections that wait for a request; those that are busy close after their response. */
  close(): void {
    for (const connection of this.#connections) connection.closeWhenSent();
  }

  /** Closes idle connections. */
  closeIdle(): void {
    for (const { idleSinceMs, socket } of this.#connections) if (idleSinceMs !== undefined) socket.destroy();
  }

  closeAll(): void {
    for (const { socket } of this.#connections) socket.destroy();
  }
}
