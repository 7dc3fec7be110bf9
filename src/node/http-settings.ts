// From a node's HTTP options to those of the server: what does not depend on the node's parts. Options that no server
// can work with are refused here.
import { ConfigError, errorText } from "../base/errors.ts";
import { shortenText } from "../base/text.ts";
import type { HttpServerOptions } from "../http/server.ts";
import type { HttpOptions } from "./options.ts";

/** Node's timers end at once past this. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const MAX_COUNT = 1_000_000;

/** The word of a brand is written into header lines as it is. */
export function isHeaderBrand(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9-]{0,31}$/.test(text);
}

/** Throws ConfigError for options that no server can work with, by name. */
export function assertHttpOptions({ headerBrands = [], limits = {}, ...http }: HttpOptions): void {
  const wrong = headerBrands.find((brand) => !isHeaderBrand(brand));
  if (wrong !== undefined) {
    const got = JSON.stringify(shortenText(wrong));
    throw new ConfigError(`headerBrands: expected letters, digits and dashes, got ${got}`);
  }
  const { timeouts = {} } = limits;
  const bounds: readonly (readonly [string, number | undefined, number, number])[] = [
    ["port", http.port, 0, 65_535],
    ["metricsPort", http.metricsPort, 0, 65_535],
    ["workers", http.workers, 0, 64],
    ["bodyLimitBytes", http.bodyLimitBytes, 1, 2 ** 30],
    ["maxLagMs", http.maxLagMs, 0, Number.MAX_SAFE_INTEGER],
    ["limits.maxConnections", limits.maxConnections, 1, MAX_COUNT],
    ["limits.maxInFlight", limits.maxInFlight, 1, MAX_COUNT],
    ["limits.maxWaitMs", limits.maxWaitMs, 0, MAX_TIMER_MS],
    ["limits.rateLimit", limits.rateLimit, 1, MAX_COUNT],
    ["limits.timeouts.headersMs", timeouts.headersMs, 0, MAX_TIMER_MS],
    ["limits.timeouts.requestMs", timeouts.requestMs, 0, MAX_TIMER_MS],
    ["limits.timeouts.keepAliveMs", timeouts.keepAliveMs, 0, MAX_TIMER_MS],
    ["limits.timeouts.idleMs", timeouts.idleMs, 0, MAX_TIMER_MS],
    ["limits.timeouts.answerMs", timeouts.answerMs, 0, MAX_TIMER_MS],
  ];
  for (const [name, value, min, max] of bounds) {
    if (value === undefined || (Number.isInteger(value) && value >= min && value <= max)) continue;
    throw new ConfigError(`${name}: expected a whole number from ${min} to ${max}, got ${value}`);
  }
}

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
