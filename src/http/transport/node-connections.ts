// The connections of node:http. Their requests are served one at a time: node:http hands over pipelined requests as soon as
// it has read them, but never tells a response that waits behind another that its connection closed, and holds its bytes
// where no bound counts them. While the server closes, each connection closes as soon as its responses are sent.
import type { Server, ServerResponse } from "node:http";
import type { Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import { responseInProgress } from "./connection.ts";
import { cutOff } from "./cut-off.ts";

/** Reading from a connection pauses when this many of its requests wait, and goes on when none does. */
const MAX_WAITING = 16;
/** One read may bring more requests, each of which takes about 3 KB before it is served. Beyond, the connection is closed. */
const MAX_READ = 1024;

/** The requests of a connection behind the one in progress. */
export class Turns {
  readonly #socket: Socket;
  readonly #waiting: (() => void)[] = [];
  #isBusy = false;
  #isPaused = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.once("close", () => this.#waiting.splice(0));
  }

  /** Serves a request when the responses before it are sent. */
  take(response: ServerResponse | undefined, serve: () => void): void {
    // The last response said that the connection closes.
    if (!this.#socket.writable) return;
    const begin = (): void => {
      this.#isBusy = true;
      // Comes after the last byte, and when the connection closes.
      response?.once("close", this.#next);
      serve();
    };
    if (!this.#isBusy) {
      begin();
      return;
    }
    const count = this.#waiting.push(begin);
    if (count >= MAX_READ) this.#socket.destroy();
    else if (count >= MAX_WAITING) this.#pause();
  }

  readonly #next = (): void => {
    this.#isBusy = false;
    if (!this.#socket.writable) return;
    const begin = this.#waiting.shift();
    if (this.#waiting.length === 0) this.#resume();
    if (begin === undefined) return;
    // The limit on reading the response before it does not count for the work on this one.
    this.#socket.setTimeout(0);
    begin();
  };

  #pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    // node:http resumes reading by itself after each request.
    this.#socket.on("resume", this.#stayPaused).pause();
  }

  #resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#socket.off("resume", this.#stayPaused).resume();
  }

  readonly #stayPaused = (): void => void this.#socket.pause();
}

export class NodeConnections {
  /** Closes connections without a request in progress, also those that have not sent all of an ended response. */
  readonly #closeEnded: () => void;
  /** Each with the bytes that had come on it before the first request; undefined if part of that was there already. */
  readonly #open = new Map<Socket, number | undefined>();
  readonly #watched = new WeakSet<ServerResponse>();
  readonly #turns = new WeakMap<Socket, Turns>();
  #pending: NodeJS.Immediate | undefined;

  constructor(server: Server | TlsServer) {
    this.#closeEnded = server.closeIdleConnections.bind(server);
    // `close` of node:http calls this.
    server.closeIdleConnections = () => this.close();
  }

  /** Call before node:http gets a connection. */
  accept(socket: Socket): void {
    this.#open.set(socket, socket.readableLength === 0 ? socket.bytesRead : undefined);
    socket.once("close", () => this.#open.delete(socket));
  }

  /** Serves a request, which has no response if it is CONNECT, when those before it on its connection are answered. */
  serveInTurn(socket: Socket, response: ServerResponse | undefined, serve: () => void): void {
    const turns = this.#turns.get(socket) ?? new Turns(socket);
    this.#turns.set(socket, turns);
    turns.take(response, serve);
  }

  /** Makes room for others. A client that has not read all of its last response loses the rest. */
  closeIdle(): void {
    this.#closeEnded();
  }

  /** Closes connections now, or when their last response is sent. Call when the server accepts no more. */
  close(): void {
    let isUnsent = false;
    for (const [socket, silentBytes] of this.#open) {
      const response = responseInProgress(socket);
      // node:http waits for a first request, however long.
      if (response === undefined && socket.bytesRead === silentBytes) socket.destroy();
      if (response === undefined) continue;
      isUnsent ||= response.writableEnded;
      if (this.#watched.has(response)) continue;
      this.#watched.add(response);
      response.once("close", () => this.#closeSoon());
    }
    if (!isUnsent) this.#closeEnded();
  }

  closeAll(): void {
    for (const [socket] of this.#open) cutOff(socket);
  }

  /** Once for all responses that end in a turn: each look goes over all connections. */
  #closeSoon(): void {
    this.#pending ??= setImmediate(() => {
      this.#pending = undefined;
      this.close();
    });
  }
}
