// Options of the HTTP server. Each is in the node's options under its own name.
import { ConfigError } from "../base/errors.ts";
import {
  FRONTEND_NUMBERS,
  HTTP_DEFAULTS,
  HTTP_NUMBERS,
  type HttpOptions,
  isHeaderBrand,
  isTrustLevel,
} from "../node.ts";
import {
  bytesOption,
  durationOption,
  grouped,
  integerOption,
  listOption,
  type OptionValues,
  switchOption,
  textOption,
  textOptionWithDefault,
  toNodeValues,
} from "./option.ts";

const servingOptions = {
  host: textOptionWithDefault("Address to listen on", "HOST", HTTP_DEFAULTS.host),
  port: integerOption("Port to listen on; 0 picks a free one", "PORT", HTTP_NUMBERS.port),
  workers: integerOption(
    "Worker processes that serve requests while this process writes; with 0, this process serves them too",
    "COUNT",
    FRONTEND_NUMBERS.workers,
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
    "Weakest trust level to serve; weaker responses become 503: proven, anchored, chained, agreed NEEDED/OF, trusted or local",
    "LEVEL",
    (text) =>
      isTrustLevel(text) ? undefined : "proven, anchored, chained, agreed NEEDED/OF, trusted or local",
  ),
  encode: switchOption("Switch encode_submission and explain_submission off", HTTP_DEFAULTS.encode),
  "json-output": switchOption("Switch JSON responses off", HTTP_DEFAULTS.jsonOutput),
  "bcs-output": switchOption("Switch BCS responses off", HTTP_DEFAULTS.bcsOutput),
  "start-page": switchOption("Switch the page at / off, and with it the console", HTTP_DEFAULTS.startPage),
  console: switchOption(
    "Serve plain pages instead of the console and the interactive API reference",
    HTTP_DEFAULTS.console,
  ),
  metrics: switchOption("Switch /metrics off", true),
  "metrics-port": integerOption("Serve /metrics on this port instead of the main one", "PORT", {
    ...FRONTEND_NUMBERS.metricsPort,
    min: 1,
  }),
  "proof-port": integerOption(
    "Also serve signatures, state and transactions with proofs on this port, as a node's backup service does; 0 picks a free one",
    "PORT",
    FRONTEND_NUMBERS.proofPort,
  ),
  "archive-url": textOption("Archive node to name in responses about pruned versions (410)", "URL", (text) =>
    /^https?:\/\//.test(text) && URL.canParse(text) ? undefined : "an absolute http or https URL",
  ),
};

const limitOptions = {
  "max-connections": integerOption(
    "Limit on open connections per process",
    "COUNT",
    HTTP_NUMBERS.maxConnections,
  ),
  "max-in-flight": integerOption(
    "Limit on requests in flight per process; more get 503",
    "COUNT",
    HTTP_NUMBERS.maxInFlight,
  ),
  "max-waiting": integerOption(
    "Limit on requests per process that wait for their min_ledger_version; more get 503",
    "COUNT",
    HTTP_NUMBERS.maxWaiting,
  ),
  "max-streams": integerOption(
    "Limit on open event streams per process; more get 503",
    "COUNT",
    HTTP_NUMBERS.maxStreams,
  ),
  "stream-buffer": bytesOption(
    "Limit on unsent bytes of an event stream; beyond it, the node closes the connection",
    HTTP_NUMBERS.streamBufferBytes,
  ),
  "stream-heartbeat": durationOption(
    "Time between heartbeats on an event stream without events",
    HTTP_NUMBERS.streamHeartbeatMs,
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
  "headers-timeout": durationOption(
    "Time limit for receiving the headers of a request, and for a TLS handshake",
    HTTP_NUMBERS.headersTimeoutMs,
  ),
  "request-timeout": durationOption(
    "Time limit for receiving a whole request, body included",
    HTTP_NUMBERS.requestTimeoutMs,
  ),
  "keep-alive-timeout": durationOption(
    "Idle limit between two requests on a connection",
    HTTP_NUMBERS.keepAliveTimeoutMs,
  ),
  "read-timeout": durationOption("Idle limit while sending a response", HTTP_NUMBERS.readTimeoutMs),
  "answer-timeout": durationOption(
    "Time limit for a client to read everything sent to it",
    HTTP_NUMBERS.answerTimeoutMs,
  ),
  "body-limit": bytesOption("Largest request body in bytes", HTTP_NUMBERS.bodyLimitBytes),
  "max-lag": durationOption(
    "Greatest age of the latest block, even at the head; beyond it, reads get 503 and the node is not ready; 0 for no limit",
    HTTP_NUMBERS.maxLagMs,
  ),
  "view-gas-limit": integerOption(
    "Gas units for one view function; the chain's own limit of work holds too",
    "UNITS",
    HTTP_NUMBERS.viewGasLimit,
  ),
};

const tlsOptions = {
  "tls-cert": textOption(
    "Serve HTTPS with this certificate chain (PEM); the node reloads the file when it changes",
    "FILE",
  ),
  "tls-key": textOption("Private key of the certificate (PEM)", "FILE"),
};

export const servingGroup = grouped("Serving", servingOptions);
export const limitGroups = { ...grouped("Limits", limitOptions), ...grouped("TLS", tlsOptions) };

type HttpValues = OptionValues<typeof servingGroup & typeof limitGroups>;

function tlsOf({ "tls-cert": certFile, "tls-key": keyFile }: HttpValues): HttpOptions["tls"] {
  if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile };
  if (certFile !== undefined) throw new ConfigError("--tls-cert needs --tls-key");
  if (keyFile !== undefined) throw new ConfigError("--tls-key needs --tls-cert");
  return undefined;
}

/** The default gives way to a shorter --request-timeout; a given value does not. */
function headersTimeoutOf(values: HttpValues): number | undefined {
  const { "headers-timeout": headersMs, "request-timeout": requestMs } = values;
  if (headersMs <= requestMs) return headersMs;
  if (headersMs === HTTP_NUMBERS.headersTimeoutMs.fallback) return undefined;
  throw new ConfigError("--headers-timeout: expected at most --request-timeout, which includes the headers");
}

/** The node's HTTP options. Throws ConfigError for options that contradict each other. */
export function httpOf(values: HttpValues): HttpOptions {
  if (values["trust-proxy"] && values["rate-limit"] === undefined) {
    throw new ConfigError("--trust-proxy needs --rate-limit");
  }
  return {
    ...toNodeValues(servingOptions, values),
    ...toNodeValues(limitOptions, values),
    headersTimeoutMs: headersTimeoutOf(values),
    tls: tlsOf(values),
  };
}
