// From a node's HTTP options to those of the server: what does not depend on the node's parts.
import { ConfigError, errorText } from "../base/errors.ts";
import type { HttpServerOptions } from "../http/server.ts";
import type { HttpOptions } from "./options.ts";

/** The server's settings that the options name; what they leave out keeps the server's default. */
export function serverSettings(
  http: HttpOptions,
): Omit<HttpServerOptions, "ledger" | "encode" | "explain" | "nodeInfo"> {
  return {
    switches: {
      encode: http.encode ?? true,
      jsonOutput: http.jsonOutput ?? true,
      bcsOutput: http.bcsOutput ?? true,
    },
    leaveOut: http.startPage === false ? ["start_page"] : [],
    ...(http.maxLagMs === undefined ? {} : { maxLagMs: http.maxLagMs }),
    ...(http.host === undefined ? {} : { host: http.host }),
    ...(http.port === undefined ? {} : { port: http.port }),
    ...(http.headerBrands === undefined ? {} : { headerBrands: http.headerBrands }),
    ...(http.bodyLimitBytes === undefined ? {} : { bodyLimitBytes: http.bodyLimitBytes }),
    ...(http.archiveUrl === undefined ? {} : { archivalEndpoint: http.archiveUrl }),
    ...(http.tls === undefined ? {} : { tls: http.tls }),
    ...http.limits,
  };
}

/** A socket that cannot be had is a fault of the configuration, named by its port. */
export function bound<T>(port: number | undefined, listening: Promise<T>): Promise<T> {
  return listening.catch((error: unknown) => {
    throw new ConfigError(`cannot listen on port ${port ?? "8080"}: ${errorText(error)}`, error);
  });
}
