// Cross-origin rules: any origin may GET and POST and read the ledger headers. The origin is echoed with
// credentials allowed, because the official SDK asks with credentials from browsers by default and `*` would
// then be refused. The node knows no credentials, so nothing is given away.
import { HttpError, quoteInput } from "../errors.ts";
import type { RequestHeaders } from "../transport/body.ts";

const METHODS = ["GET", "HEAD", "POST"];

/** Adds the CORS headers of a response. */
export function addCorsHeaders(headers: string[], origin: string, exposed: string): void {
  headers.push(
    "Access-Control-Allow-Origin",
    origin,
    "Access-Control-Allow-Credentials",
    "true",
    "Access-Control-Expose-Headers",
    exposed,
  );
}

/** Headers of a preflight response. Throws HttpError for a method that is not served. */
export function preflightHeaders(origin: string, headers: RequestHeaders): string[] {
  const method = headers["access-control-request-method"];
  if (method === undefined || !METHODS.includes(method)) {
    throw new HttpError(
      "preflight_refused",
      `Access-Control-Request-Method: expected GET, HEAD or POST, got ${method === undefined ? "none" : quoteInput(method)}`,
    );
  }
  return [
    "Access-Control-Allow-Origin",
    origin,
    "Access-Control-Allow-Credentials",
    "true",
    "Access-Control-Allow-Methods",
    METHODS.join(", "),
    "Access-Control-Allow-Headers",
    headers["access-control-request-headers"] ?? "*",
    "Access-Control-Max-Age",
    "86400",
    "Vary",
    "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
  ];
}
