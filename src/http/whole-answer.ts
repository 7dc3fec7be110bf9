// Short answers in one piece. Node's own way stores headers one by one and writes head and body apart, which costs
// more than reading a balance does. Here the head is made ready as text, and text and body go out in one write.
// This uses one field of node's response beyond its documented face: the head's text. Where that is not as
// expected, and for every answer that is out of the ordinary, the documented way is taken.
import { IncomingMessage, ServerResponse, STATUS_CODES } from "node:http";
import { Socket } from "node:net";

/** Longest body that is sent so; longer ones gain nothing. */
const MAX_BODY_BYTES = 4096;

/** Node writes this text before the body, and makes it itself only while it is null. */
type HeadHolder = ServerResponse & { _header?: string | null };

function hasHeadField(): boolean {
  const response: HeadHolder = new ServerResponse(new IncomingMessage(new Socket()));
  return response._header === null && !response.headersSent && !response.chunkedEncoding;
}

/** Flat header list as lines. */
export function headerLines(headers: readonly string[]): string {
  let lines = "";
  for (let i = 0; i < headers.length; i += 2) lines += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return lines;
}

/** Text whose latin1 bytes are those of the body; undefined for a body that is too long. */
function latin1Body(body: string | Uint8Array): string | undefined {
  if (body.length > MAX_BODY_BYTES) return undefined;
  if (typeof body !== "string") {
    return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1");
  }
  return Buffer.byteLength(body) === body.length ? body : Buffer.from(body).toString("latin1");
}

/** Sends short answers on connections that stay open. */
export class WholeAnswers {
  readonly #isPossible = hasHeadField();
  /** What every head ends with, but for the time. */
  readonly #keepAlive: string;
  #second = 0;
  #tail = "";

  constructor(keepAliveMs: number) {
    this.#keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n`;
  }

  /** Sends an answer of these header lines and this body; false when it must be sent the documented way. */
  send(
    request: IncomingMessage,
    response: ServerResponse,
    status: number,
    lines: string,
    body: string | Uint8Array,
  ): boolean {
    const isOrdinary =
      this.#isPossible &&
      response.shouldKeepAlive &&
      request.httpVersionMinor === 1 &&
      request.method !== "HEAD" &&
      request.headers.expect === undefined &&
      // Set by whoever looked at the request before.
      response.getHeaderNames().length === 0;
    if (!isOrdinary) return false;
    const text = latin1Body(body);
    if (text === undefined) return false;
    const head =
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}${this.#tailNow()}` +
      `Content-Length: ${text.length}\r\n\r\n`;
    response.statusCode = status;
    const holder: HeadHolder = response;
    holder._header = head + text;
    response.end();
    return true;
  }

  /** Date and connection lines; the date changes once a second. */
  #tailNow(): string {
    const second = Math.floor(Date.now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#tail = `Date: ${new Date(second * 1000).toUTCString()}\r\n${this.#keepAlive}`;
    }
    return this.#tail;
  }
}
