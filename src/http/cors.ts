// Cross-origin rules: any origin may GET and POST and read the ledger headers. The origin is echoed with
// credentials allowed, because the official SDK asks with credentials from browsers by default and `*` would
// then be refused. The node knows no credentials, so nothing is given away.

const METHODS = "GET, HEAD, POST";

/** True for a method that browsers may ask for. */
export function isPreflightMethod(method: string | undefined): boolean {
  return method === "GET" || method === "HEAD" || method === "POST";
}

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

/** Headers of a preflight response. */
export function preflightHeaders(origin: string, requestedHeaders: string | undefined): string[] {
  return [
    "Access-Control-Allow-Origin",
    origin,
    "Access-Control-Allow-Credentials",
    "true",
    "Access-Control-Allow-Methods",
    METHODS,
    "Access-Control-Allow-Headers",
    requestedHeaders ?? "*",
    "Access-Control-Max-Age",
    "86400",
    "Vary",
    "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
  ];
}
