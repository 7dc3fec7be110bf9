// The connections of node:http while the server closes: each one closes as soon as its responses are sent.
import type { Server, ServerResponse } from "node:http";
import type { Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import { responseInProgress } from "./connection.ts";

export class NodeConnections {
  /** Closes connections without a request in progress, also those that have not sent all of an ended response. */
  readonly #closeEnded: () => void;
  /** Each with the bytes that had come on it before the first request; undefined if part of that was there already. */
  readonly #open = new Map<Socket, number | undefined>();
  readonly #watched = new WeakSet<ServerResponse>();
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

  /** Once for all responses that end in a turn: each look goes over all connections. */
  #closeSoon(): void {
    this.#pending ??= setImmediate(() => {
      this.#pending = undefined;
      this.close();
    });
  }
}
