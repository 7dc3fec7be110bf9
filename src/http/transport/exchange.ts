// One request and its response, independent of the transport: node:http, node:http2, or the direct lane that reads the
// socket itself. Everything between the transports and the handlers uses this interface only.
import type { Socket } from "node:net";
import type { Duplex, Writable } from "node:stream";
import type { BodyHold } from "./body.ts";
import type { RequestHeaders } from "./request-headers.ts";

/** Response headers that are built once and sent often, in the forms that both transports need. */
export interface HeaderSet {
  /** Flat: name, value, name, value. */
  readonly list: readonly string[];
  /** The same as header lines with CRLF. */
  readonly lines: string;
}

/** A response to send. */
export interface Reply {
  readonly status: number;
  readonly headers: HeaderSet;
  /** Headers of this response alone, flat. */
  readonly extra: readonly string[];
  /** Undefined for a response without body and Content-Length. */
  readonly body: string | Uint8Array | undefined;
  /** Close the connection afterwards. */
  readonly closes: boolean;
  /** Called when the last byte was handed to the kernel; not called if the connection closes before that. */
  readonly onSent?: (() => void) | undefined;
  /** Shared caches may serve this response to other clients, so the added per-client headers are left out. */
  readonly isShared?: boolean;
}

/** A response that is written event by event and ends with its connection or, in HTTP/2, with its stream. */
export interface EventSink {
  readonly socket: Duplex;
  write(bytes: Uint8Array): void;
  end(): void;
}

/** Counted for a request whose client left before the response. Never sent. */
export const CLIENT_GONE = 499;

/** One request, to be answered exactly once. */
export interface Exchange {
  readonly method: string;
  /** The raw request target: origin form or absolute form. */
  readonly target: string;
  readonly headers: RequestHeaders;
  /** Why the Host header is invalid; undefined if it is valid. */
  readonly hostFault: string | undefined;
  readonly socket: Socket;
  /** The connection or, in HTTP/2, the stream: it closes when the client leaves. */
  readonly stream: Duplex;
  /** Arrival, by performance.now(). */
  readonly sinceMs: number;
  /** The client is gone. */
  readonly isGone: boolean;
  /** The client waits for 100 Continue. */
  readonly awaitsContinue: boolean;
  /** Adds a per-client header to the response, unless that response is shared. */
  addHeader(name: string, value: string): void;
  /** The body; not a promise if it is complete already. Sends 100 Continue if the client waits for it. */
  readBody(hold: BodyHold): Uint8Array | Promise<Uint8Array>;
  reply(reply: Reply): void;
  /**
   * Starts a response whose body is written in pieces. Undefined on the direct lane: the connection then moves to
   * node:http, which delivers the request again.
   */
  startStream(head: Omit<Reply, "body" | "onSent" | "isShared">): Writable | undefined;
  /** Starts a response of events. */
  startEvents(head: Omit<Reply, "body" | "onSent" | "isShared" | "closes">): EventSink;
}
