// One request and its response, independent of the transport: node:http, or the direct lane that reads the socket
// itself. Everything between the transports and the handlers uses this interface only.
import type { Socket } from "node:net";
import type { BodyHold, RequestHeaders } from "./body.ts";

/** Response headers that are built once and sent often, in the forms that both transports need. */
export interface HeaderSet {
  /** Flat: name, value, name, value. */
  readonly list: readonly string[];
  /** The same as header lines with CRLF. */
  readonly lines: string;
}

/** A response up to its body. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: HeaderSet;
  /** Headers of this response alone, flat. */
  readonly extra: readonly string[];
  /** Close the connection afterwards. */
  readonly closes: boolean;
}

/** A response to send at once. */
export interface WholeResponse extends ResponseHead {
  /** Undefined for a response without body and Content-Length. */
  readonly body: string | Uint8Array | undefined;
  /** Called when the last byte was handed to the kernel; not called if the connection closes before that. */
  readonly onSent?: (() => void) | undefined;
  /** Shared caches may serve this response to other clients, so the added per-client headers are left out. */
  readonly isShared?: boolean;
}

/** A response to write piece by piece. */
export interface StartedResponse extends ResponseHead {
  /** A response of events: it may be silent for long, and its connection ends with it. */
  readonly isEndless: boolean;
}

/** Takes the body of a response piece by piece. */
export interface BodySink {
  /** The connection: its unsent bytes and events tell how fast the client reads. */
  readonly socket: Socket;
  write(piece: string | Uint8Array): void;
  /** Marks the body as complete. */
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
  /** Why the head cannot be served, such as an invalid Host; undefined if it can. */
  readonly headFault: string | undefined;
  /** It closes when the client leaves. */
  readonly socket: Socket;
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
  respond(response: WholeResponse): void;
  /** Sends the head of a response whose body is written in pieces. */
  start(response: StartedResponse): BodySink;
}
