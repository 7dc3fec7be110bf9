// Request targets and Host values, by RFC 9112 section 3.2.
import { isIPv6 } from "node:net";
import { HttpError, quoteInput } from "./errors.ts";

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
