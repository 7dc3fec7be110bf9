// The connections that are served straight from their sockets. Node's HTTP server takes half of the time of a short
// answer, mostly for what ordinary requests do not need; this lane is for those, and hands everything else over.
import type { Socket } from "node:net";
import type { Admitted } from "../node-exchange.ts";
import { DirectConnection, type DirectSurroundings } from "./direct-connection.ts";
import type { DirectExchange } from "./direct-exchange.ts";
import { ReplyTail } from "./reply-tail.ts";

/** How long the first request or the rest of one may take here; whoever takes longer is node's. */
const PATIENCE_MS = 1000;

/** What the lane is made with. */
export interface DirectLaneOptions {
  /** For the next request of a connection. */
  readonly keepAliveTimeoutMs: number;
  /** For a client to read on in an answer. */
  readonly readTimeoutMs: number;
  readonly take: (exchange: DirectExchange) => void;
  /** A client ended its connection in the middle of a request. */
  readonly onBrokenOff: (socket: Socket) => void;
  /** Gives a connection to node:http, with the admitted request that comes first on it. */
  readonly handOver: (socket: Socket, admitted: Admitted | undefined) => void;
}

/** All connections of this lane. */
export class DirectLane {
  readonly #connections = new Set<DirectConnection>();
  readonly #keepAliveTimeoutMs: number;
  readonly #around: DirectSurroundings;

  constructor(options: DirectLaneOptions) {
    this.#keepAliveTimeoutMs = options.keepAliveTimeoutMs;
    this.#around = {
      tail: new ReplyTail(options.keepAliveTimeoutMs),
      readTimeoutMs: options.readTimeoutMs,
      take: options.take,
      onBrokenOff: options.onBrokenOff,
      handOver: options.handOver,
      onLeft: (connection) => this.#connections.delete(connection),
    };
  }

  accept(socket: Socket): void {
    this.#connections.add(new DirectConnection(socket, this.#around));
  }

  /** Ends what has been idle for too long, and leaves what is slow to node:http. */
  sweep(nowMs: number): void {
    for (const connection of this.#connections) {
      const { idleSinceMs, lateSinceMs } = connection;
      if (idleSinceMs !== undefined && nowMs - idleSinceMs > this.#keepAliveTimeoutMs)
        connection.socket.destroy();
      else if (lateSinceMs !== undefined && nowMs - lateSinceMs > PATIENCE_MS) connection.handOver();
    }
  }

  /** Ends the connections that wait for their next request. */
  closeIdle(): void {
    for (const { idleSinceMs, socket } of this.#connections) if (idleSinceMs !== undefined) socket.destroy();
  }

  closeAll(): void {
    for (const { socket } of this.#connections) socket.destroy();
  }
}
