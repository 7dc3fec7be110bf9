// The direct lane: serves connections straight from their sockets. node:http takes half of the time of a short
// response, mostly for features that ordinary requests do not use. Every other request moves to node:http.
import type { Socket } from "node:net";
import { DirectConnection, type DirectSurroundings } from "./direct-connection.ts";
import { type DirectExchange, ResponseTail } from "./direct-exchange.ts";

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
