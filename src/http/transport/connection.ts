// Responses on connections without a valid request: parser errors, timeouts, CONNECT.
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { errorBody } from "../error-answer.ts";
import { type Condition, ERROR_CATALOGUE } from "../error-catalogue.ts";

type NodeResponse = ServerResponse<IncomingMessage>;

/** The response in progress of a connection of node:http, which keeps it there. */
export function responseInProgress(socket: Duplex): NodeResponse | undefined {
  return (socket as Duplex & { readonly _httpMessage?: NodeResponse | null })._httpMessage ?? undefined;
}

const MESSAGES: ReadonlyMap<string, readonly [Condition, string]> = new Map([
  ["HPE_HEADER_OVERFLOW", ["headers_too_large", "the request line and headers are too long"]],
  ["HPE_CHUNK_EXTENSIONS_OVERFLOW", ["body_too_large", "the chunk extensions of the body are too long"]],
  ["ERR_HTTP_REQUEST_TIMEOUT", ["request_timeout", "the request did not arrive in time"]],
]);

function rawAnswer(condition: Condition, message: string, extraHeaders = ""): string {
  const { status } = ERROR_CATALOGUE[condition];
  const body = errorBody(condition, message);
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\n${extraHeaders}` +
    `Cache-Control: no-store\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

function finish(socket: Duplex, answer: string): void {
  socket.on("error", () => {});
  socket.end(answer, () => socket.destroy());
}

function isWhole(pending: NodeResponse | undefined): boolean {
  return pending?.req.complete === true;
}

/** Waits for the responses to earlier requests of the connection. */
function destroyOnceAnswered(socket: Duplex): void {
  const pending = responseInProgress(socket);
  if (isWhole(pending)) pending?.once("close", () => destroyOnceAnswered(socket));
  else socket.destroy();
}

/** Responds to a parser error, or closes the connection if a response is in progress. */
export function rejectBrokenRequest(error: Error & { code?: string }, socket: Duplex): Condition | undefined {
  // node:http closes the socket after the response to a request with `Connection: close`; later bytes are not read.
  if (error.code === "HPE_CLOSED_CONNECTION") return undefined;
  const pending = responseInProgress(socket);
  if (isWhole(pending) && socket.writable && error.code !== "ECONNRESET") {
    destroyOnceAnswered(socket);
    return undefined;
  }
  if (!socket.writable || error.code === "ECONNRESET" || pending?.headersSent === true) {
    socket.destroy();
    return undefined;
  }
  const reason = "reason" in error && typeof error.reason === "string" ? `: ${error.reason}` : "";
  const [condition, message] = MESSAGES.get(error.code ?? "") ?? [
    "malformed_request",
    `this is not valid HTTP/1.1${reason}`,
  ];
  finish(socket, rawAnswer(condition, message));
  return condition;
}

/** Refuses CONNECT: this is no proxy. */
export function refuseConnect(socket: Duplex): void {
  finish(socket, rawAnswer("wrong_method", "CONNECT is not served", "Allow: GET, HEAD, POST\r\n"));
}
