// Parses ordinary requests: GET or POST, HTTP/1.1, a plain path, a valid Host, each header once, a body of stated
// length. Every other request goes to node's parser, so this one accepts a small subset and must agree on it.

import { isHost } from "../routing/url.ts";
import type { RequestHeaders } from "./body.ts";
import { SMALL_BYTES } from "./body.ts";

/** Longest head parsed here, and the part that most heads fit into. */
const MAX_HEAD_BYTES = 16 * 1024;
const USUAL_HEAD_BYTES = 1024;
/** Longest body read here: the size up to which bodies are not counted against the budget. */
const MAX_BODY_BYTES: number = SMALL_BYTES;
/** Most bytes of an ordinary request. */
export const MAX_REQUEST_BYTES: number = MAX_HEAD_BYTES + MAX_BODY_BYTES;

const HEAD_END = "\r\n\r\n";
const VERSION = " HTTP/1.1";
const MAX_LENGTH_DIGITS = 5;

/** Parsed header lines. Cached, because a connection mostly repeats the same ones. */
export interface HeaderBlock {
  readonly text: string;
  readonly headers: RequestHeaders;
  readonly bodyBytes: number | undefined;
}

/** An ordinary request at the front of some bytes. */
export interface OrdinaryRequest {
  readonly method: "GET" | "POST";
  readonly target: string;
  readonly block: HeaderBlock;
  readonly bodyStart: number;
  readonly end: number;
}

/** `partial`: needs more bytes; `other`: for node's parser. */
export type RequestReading = OrdinaryRequest | "partial" | "other";

/** Characters of header names. */
const isNameChar: readonly boolean[] = Array.from({ length: 256 }, (_, code) =>
  /^[!#$%&'*+\-.^_`|~0-9A-Za-z]$/.test(String.fromCharCode(code)),
);

class Headers implements RequestHeaders {
  host: string | undefined = undefined;
  accept: string | undefined = undefined;
  origin: string | undefined = undefined;
  "accept-encoding": string | undefined = undefined;
  "content-length": string | undefined = undefined;
  "content-type": string | undefined = undefined;
  "if-none-match": string | undefined = undefined;
  "last-event-id": string | undefined = undefined;
  traceparent: string | undefined = undefined;
  "x-forwarded-for": string | undefined = undefined;
  "x-request-id": string | undefined = undefined;
}

/** Headers that send a request to node's parser, whatever their value. */
const UNUSUAL: ReadonlySet<string> = new Set([
  "content-encoding",
  "expect",
  "proxy-connection",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const KEPT: ReadonlySet<string> = new Set(Object.keys(new Headers()));

function isKept(name: string): name is keyof Headers {
  return KEPT.has(name);
}

/** Whether all bytes of a part are visible ASCII. */
function isVisible(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const code = bytes[i] ?? 0;
    if (code < 0x21 || code > 0x7e) return false;
  }
  return true;
}

/** Trimmed; undefined if it holds control characters. */
function readValue(text: string, start: number, end: number): string | undefined {
  let first = start;
  let last = end;
  while (first < last && isBlank(text.charCodeAt(first))) first++;
  while (last > first && isBlank(text.charCodeAt(last - 1))) last--;
  for (let i = first; i < last; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x7f || (code < 0x20 && code !== 0x09)) return undefined;
  }
  return text.slice(first, last);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** Parses complete header lines; undefined if they are not ordinary. */
function readBlock(text: string): HeaderBlock | undefined {
  const headers = new Headers();
  let at = 0;
  let hasConnection = false;
  while (at < text.length) {
    const end = text.indexOf("\r\n", at);
    let colon = at;
    while (colon < end && isNameChar[text.charCodeAt(colon)] === true) colon++;
    if (colon === at || text[colon] !== ":") return undefined;
    const name = text.slice(at, colon).toLowerCase();
    const value = readValue(text, colon + 1, end);
    if (value === undefined || UNUSUAL.has(name)) return undefined;
    if (name === "connection") {
      if (hasConnection || value.toLowerCase() !== "keep-alive") return undefined;
      hasConnection = true;
    } else if (isKept(name)) {
      if (headers[name] !== undefined) return undefined;
      headers[name] = value;
    }
    at = end + 2;
  }
  if (headers.host === undefined || !isHost(headers.host)) return undefined;
  const length = headers["content-length"];
  if (length === undefined) return { text, headers, bodyBytes: undefined };
  const bodyBytes = readLength(length);
  return bodyBytes === undefined ? undefined : { text, headers, bodyBytes };
}

function readLength(text: string): number | undefined {
  if (text.length === 0 || text.length > MAX_LENGTH_DIGITS) return undefined;
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    length = 10 * length + digit;
  }
  return length <= MAX_BODY_BYTES ? length : undefined;
}

/** Reads the request at the front of the first `length` bytes; `known` are the headers of the one before. */
export function readRequest(
  bytes: Buffer,
  known: HeaderBlock | undefined,
  length: number = bytes.length,
): RequestReading {
  let text = bytes.toString("latin1", 0, Math.min(length, USUAL_HEAD_BYTES));
  let headEnd = text.indexOf(HEAD_END);
  if (headEnd < 0 && length > USUAL_HEAD_BYTES) {
    text = bytes.toString("latin1", 0, Math.min(length, MAX_HEAD_BYTES));
    headEnd = text.indexOf(HEAD_END);
  }
  if (headEnd < 0) return isBeginning(text) && length < MAX_HEAD_BYTES ? "partial" : "other";
  const lineEnd = text.indexOf("\r\n");
  const method = text.startsWith("GET ") ? "GET" : text.startsWith("POST ") ? "POST" : undefined;
  if (method === undefined || !text.startsWith(VERSION, lineEnd - VERSION.length)) return "other";
  const start = method.length + 1;
  const end = lineEnd - VERSION.length;
  if (text[start] !== "/" || !isVisible(bytes, start, end)) return "other";
  const lines = text.slice(lineEnd + 2, headEnd + 2);
  const block = known !== undefined && known.text === lines ? known : readBlock(lines);
  if (block === undefined || (block.bodyBytes === undefined) !== (method === "GET")) return "other";
  const bodyStart = headEnd + HEAD_END.length;
  const requestEnd = bodyStart + (block.bodyBytes ?? 0);
  if (requestEnd > length) return "partial";
  return { method, target: text.slice(start, end), block, bodyStart, end: requestEnd };
}

/** True if the bytes may still become an ordinary request. */
function isBeginning(text: string): boolean {
  return text.length < 5
    ? "GET /".startsWith(text) || "POST ".startsWith(text)
    : text.startsWith("GET /") || text.startsWith("POST ");
}
