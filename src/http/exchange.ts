// One request and its answer, whichever way it came: over node:http, or straight from the socket. What stands
// between the two ways and the handlers knows this face only.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { BodyHold } from "./body.ts";

/** The request headers that anything here looks at. */
export interface RequestHeaders {
  readonly host?: string | undefined;
  readonly accept?: string | undefined;
  readonly origin?: string | undefined;
  readonly "accept-encoding"?: string | undefined;
  readonly "content-encoding"?: string | undefined;
  readonly "content-length"?: string | undefined;
  readonly "content-type"?: string | undefined;
  readonly "if-none-match"?: string | undefined;
  readonly "x-forwarded-for"?: string | string[] | undefined;
  readonly "x-request-id"?: string | string[] | undefined;
  readonly "access-control-request-headers"?: string | undefined;
  readonly "access-control-request-method"?: string | undefined;
}

/** Headers of an answer that are made once and used often, in both forms that are needed. */
export interface HeaderSet {
  /** Flat: name, value, name, value. */
  readonly list: readonly string[];
  /** The same as text, each line with its end. */
  readonly lines: string;
}

/** What is answered. */
export interface Reply {
  readonly status: number;
  readonly headers: HeaderSet;
  /** Headers of this answer alone, flat. */
  readonly extra: readonly string[];
  /** Undefined for an answer that has no body and no length. */
  readonly body: string | Uint8Array | undefined;
  /** Whether the connection ends with it. */
  readonly closes: boolean;
}

/** A request with the objects that node made for it. */
export interface NodeRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** One request that is to be answered once. */
export interface Exchange {
  readonly method: string;
  /** As it came: path and query, or an absolute form. */
  readonly target: string;
  readonly headers: RequestHeaders;
  readonly isHttp11: boolean;
  readonly socket: Socket;
  /** When it was taken in, by performance.now(). */
  readonly sinceMs: number;
  /** True once there is nobody left to answer. */
  readonly isGone: boolean;
  /** True until a client that waits for it was told to go on. */
  readonly awaitsContinue: boolean;
  /** Adds a header to whatever will be answered. */
  addHeader(name: string, value: string): void;
  /** The body, at once where it is there. Tells the client to go on where it waits for that. */
  readBody(hold: BodyHold): Uint8Array | Promise<Uint8Array>;
  reply(reply: Reply): void;
  /**
   * Begins an answer whose body is written piece by piece. Undefined when the connection went over to node:http, which
   * brings the request again.
   */
  startStream(head: Omit<Reply, "body">): ServerResponse | undefined;
  /** Calls back once the answer is out or will never be. */
  whenOut(callback: () => void): void;
  /**
   * Node's own objects, for an answer that is streamed. Undefined when there are none: the connection then went
   * over to node:http, which brings the request again.
   */
  toNodeRequest(): NodeRequest | undefined;
}
