// Request targets and Host values, by RFC 9112 section 3.2, and the texts in them. Decoding is as lenient as clients need:
// an escape that is none stands for itself. The result must be UTF-8.
import { isIPv6 } from "node:net";
import { hexDigit } from "../../base/hex.ts";
import { HttpError, quoteInput } from "../errors.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const PERCENT = 37;

function decodeOnce(text: string): string | undefined {
  // In place, because an escape is longer than its byte.
  const bytes = Buffer.from(text, "utf8");
  let length = 0;
  let seen = 0;
  for (let i = 0; i < bytes.length; i++) {
    let byte = bytes[i] ?? 0;
    const high = byte === PERCENT ? hexDigit(bytes[i + 1] ?? 0) : -1;
    const low = high < 0 ? -1 : hexDigit(bytes[i + 2] ?? 0);
    if (low >= 0) {
      byte = high * 16 + low;
      i += 2;
    }
    bytes[length++] = byte;
    seen |= byte;
  }
  // A call of the decoder takes longer than all of this.
  if (seen < 128) return bytes.toString("latin1", 0, length);
  try {
    return utf8.decode(bytes.subarray(0, length));
  } catch {
    return undefined;
  }
}

/** Decodes twice, so that `%253C` is `<` as well; undefined when the bytes are not UTF-8. */
export function decodeTwice(text: string): string | undefined {
  if (!text.includes("%")) return text;
  const once = decodeOnce(text);
  return once?.includes("%") ? decodeOnce(once) : once;
}

/** Decodes a query value: `+` is a space, then escapes, twice. */
export function decodeQueryText(text: string): string | undefined {
  return decodeTwice(text.includes("+") ? text.replaceAll("+", " ") : text);
}

/** A parameter of a query. */
export interface QueryPart {
  /** As it came if it is not UTF-8. */
  readonly name: string;
  /** Undefined if it is not UTF-8. */
  readonly text: string | undefined;
}

/** The parameters in the text behind the question mark. */
export function readQuery(search: string): readonly QueryPart[] {
  const parts: QueryPart[] = [];
  let start = 0;
  while (start < search.length) {
    const ampersand = search.indexOf("&", start);
    const end = ampersand < 0 ? search.length : ampersand;
    const equals = search.indexOf("=", start);
    const nameEnd = equals < 0 || equals > end ? end : equals;
    if (end > start) {
      const name = search.slice(start, nameEnd);
      const text = search.slice(Math.min(nameEnd + 1, end), end);
      parts.push({ name: decodeQueryText(name) ?? name, text: decodeQueryText(text) });
    }
    start = end + 1;
  }
  return parts;
}

/** What a query says about one parameter; `invalid` when its value is not UTF-8, `repeated` when it has several. */
export type QueryValue = { readonly text: string } | "absent" | "invalid" | "repeated";

/** Finds a parameter of a query. */
export function findQuery(parts: readonly QueryPart[], name: string): QueryValue {
  let found: QueryValue = "absent";
  for (const part of parts) {
    if (part.name !== name) continue;
    if (found !== "absent") return "repeated";
    found = part.text === undefined ? "invalid" : { text: part.text };
  }
  return found;
}

/** All values of a parameter; undefined for one that is not UTF-8. */
export function findQueries(parts: readonly QueryPart[], name: string): (string | undefined)[] {
  return parts.flatMap((part) => (part.name === name ? [part.text] : []));
}

const SCHEME = /^https?:\/\//i;
/** Characters of a registered name or an IPv4 address. */
const NAME = /^[\w.~!$&'()*+,;=%-]{0,255}$/;
const ESCAPE = /^[0-9a-f]{2}/i;
const PORT = /^(?::\d{0,5})?$/;

function isName(text: string): boolean {
  const [, ...escaped] = text.split("%");
  return NAME.test(text) && escaped.every((part) => ESCAPE.test(part));
}

/** Whether a text is a host with or without a port, as the Host header has it. The empty one is. */
export function isHost(text: string): boolean {
  if (!text.startsWith("[")) {
    const colon = text.indexOf(":");
    const end = colon < 0 ? text.length : colon;
    return isName(text.slice(0, end)) && PORT.test(text.slice(end));
  }
  const end = text.indexOf("]");
  return end > 0 && isIPv6(text.slice(1, end)) && PORT.test(text.slice(end + 1));
}

/** Path and query of a request target, which may be absolute. */
export function originForm(target: string): string {
  if (target.startsWith("/")) return target;
  const start = SCHEME.exec(target)?.[0].length;
  if (start === undefined) return target;
  const length = target.slice(start).search(/[/?#]/);
  const end = length < 0 ? target.length : start + length;
  const host = target.slice(start, end);
  if (host === "" || host.startsWith(":") || !isHost(host)) {
    throw new HttpError("malformed_request", `request target: expected a host, got ${quoteInput(host)}`);
  }
  const rest = target.slice(end);
  return rest.startsWith("/") ? rest : `/${rest}`;
}
