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

/** What a query says about one parameter; `invalid` when its value is not UTF-8, `repeated` when it has several. */
export type QueryValue = { readonly text: string } | "absent" | "invalid" | "repeated";

/** Finds a parameter in the text behind the question mark. */
export function findQuery(search: string, name: string): QueryValue {
  let found: QueryValue = "absent";
  let start = 0;
  while (start < search.length) {
    const ampersand = search.indexOf("&", start);
    const end = ampersand < 0 ? search.length : ampersand;
    const equals = search.indexOf("=", start);
    const nameEnd = equals < 0 || equals > end ? end : equals;
    if (decodeQueryText(search.slice(start, nameEnd)) === name) {
      if (found !== "absent") return "repeated";
      const text = decodeQueryText(search.slice(Math.min(nameEnd + 1, end), end));
      found = text === undefined ? "invalid" : { text };
    }
    start = end + 1;
  }
  return found;
}

/** All values of a parameter; undefined for one that is not UTF-8. */
export function findQueries(search: string, name: string): (string | undefined)[] {
  return search.split("&").flatMap((part) => {
    const equals = part.indexOf("=");
    const [key, value] = equals < 0 ? [part, ""] : [part.slice(0, equals), part.slice(equals + 1)];
    return part !== "" && decodeQueryText(key) === name ? [decodeQueryText(value)] : [];
  });
}

/** The names in the text behind the question mark. One that is not UTF-8 is as it came. */
export function queryNames(search: string): string[] {
  const parts = search.split("&").filter((part) => part !== "");
  return parts.map((part) => {
    const [name = ""] = part.split("=", 1);
    return decodeQueryText(name) ?? name;
  });
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
