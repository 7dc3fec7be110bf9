// Where and how a node answers over HTTP.
import {
  bytesOption,
  durationOption,
  FLAG,
  grouped,
  integerOption,
  listOption,
  OBJECT,
  switchOption,
  textOption,
  textOptionWithDefault,
} from "../../base/option.ts";
import { MINUTE_MS, type NumberOptions, type NumberSettings } from "../../base/settings.ts";
import {
  HTTP_DEFAULTS,
  HTTP_NUMBERS,
  type HttpServerOptions,
  isHeaderBrand,
  isTrustLevel,
} from "../../http/server.ts";
import { TRUST_LEVELS } from "../../ledger/trust.ts";
import { optionTable } from "./option-table.ts";

export const FRONTEND_NUMBERS = {
  /** Serves /metrics on a port of its own, unless `metrics` is false. */
  metricsPort: { fallback: undefined, min: 0, max: 65_535 },
  /** Serves signed ledger infos, and state and transactions with proofs, as a node's backup service does. */
  proofPort: { fallback: undefined, min: 0, max: 65_535 },
  /**
   * Processes that answer by reading the store while this process writes it, so other processes must be able to open it.
   * With 0 this process answers.
   */
  workers: { fallback: 0, min: 0, max: 64 },
  /** How long a node that is closed serves on, without being ready, before it refuses connections. */
  drainTimeMs: { fallback: 0, min: 0, max: 10 * MINUTE_MS },
} as const satisfies NumberSettings;

/** Where and how a node answers over HTTP. */
export interface HttpOptions extends HttpServerOptions, NumberOptions<typeof FRONTEND_NUMBERS> {
  /** False switches /metrics off. */
  readonly metrics?: boolean | undefined;
}

const servingFlags = {
  host: textOptionWithDefault("Address to listen on", "HOST", HTTP_DEFAULTS.host),
  port: integerOption("Port to listen on; 0 picks a free one", "PORT", HTTP_NUMBERS.port),
  workers: integerOption(
    "Worker processes that serve requests while this process writes; with 0, this process serves them too",
    "COUNT",
    FRONTEND_NUMBERS.workers,
  ),
  "drain-time": durationOption(
    "How long a node that was told to stop still serves, while `/-/ready` says 503, so that load balancers find out first",
    FRONTEND_NUMBERS.drainTimeMs,
  ),
  "header-brand": listOption(
    "Brand in the names of the ledger headers, such as X-BRAND-LEDGER-VERSION",
    "BRAND",
    {
      fallback: HTTP_DEFAULTS.headerBrands,
      check: (text) => (isHeaderBrand(text) ? undefined : "letters, digits and dashes"),
    },
  ),
  "min-trust": textOption(
    `Weakest trust level to serve; weaker responses become 503: ${TRUST_LEVELS}`,
    "LEVEL",
    (text) => (isTrustLevel(text) ? undefined : TRUST_LEVELS),
  ),
  encode: switchOption("Switch encode_submission and explain_submission off", HTTP_DEFAULTS.encode),
  "proof-port": integerOption(
    "Also serve signatures, state and transactions with proofs on this port, as a node's backup service does; 0 picks a free one",
    "PORT",
    FRONTEND_NUMBERS.proofPort,
  ),
  "archive-url": textOption("Archive node to name in responses about pruned versions (410)", "URL", (text) =>
    /^https?:\/\//.test(text) && URL.canParse(text) ? undefined : "an absolute http or https URL",
  ),
};

const limitFlags = {
  "max-connections": integerOption(
    "Limit on open connections per process",
    "COUNT",
    HTTP_NUMBERS.maxConnections,
  ),
  "max-wait": durationOption(
    "Longest time in the queue; a request that would wait longer gets 503; 0 for no limit",
    HTTP_NUMBERS.maxWaitMs,
  ),
  "rate-limit": integerOption(
    "Limit on requests per second from one client to one process; more get 429 (default no limit)",
    "COUNT",
    HTTP_NUMBERS.rateLimit,
  ),
  "trust-proxy": switchOption(
    "Tell clients apart by the last address in X-Forwarded-For; use only behind a proxy that sets it",
    HTTP_DEFAULTS.trustProxy,
  ),
  "request-timeout": durationOption(
    "Time limit for receiving a whole request, body included; its headers, and a TLS handshake, get 10s of it",
    HTTP_NUMBERS.requestTimeoutMs,
  ),
  "keep-alive-timeout": durationOption(
    "Idle limit between two requests on a connection",
    HTTP_NUMBERS.keepAliveTimeoutMs,
  ),
  "body-limit": bytesOption("Largest request body in bytes", HTTP_NUMBERS.bodyLimitBytes),
  "max-lag": durationOption(
    "Greatest age of the latest block, even at the head; beyond it, reads get 503 and the node is not ready; 0 for no limit",
    HTTP_NUMBERS.maxLagMs,
  ),
};

export const HTTP_TABLE = optionTable<HttpOptions>()({
  flags: {
    ...grouped("Serving", servingFlags),
    ...grouped("Limits", limitFlags),
    ...grouped("Logging", {
      "log-requests": switchOption(
        "Log a line for each request: method, path, status, milliseconds, bytes, request id",
        HTTP_DEFAULTS.logRequests,
      ),
    }),
  },
  numbers: { ...HTTP_NUMBERS, ...FRONTEND_NUMBERS },
  others: {
    bcsOutput: FLAG,
    console: FLAG,
    jsonOutput: FLAG,
    metrics: FLAG,
    startPage: FLAG,
    tls: OBJECT,
  },
});
