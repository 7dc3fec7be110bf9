// Options that bound what clients can ask of a node, and the options of TLS.
import { ConfigError } from "../base/errors.ts";
import type { HttpOptions } from "../node.ts";
import {
  durationOption,
  integerOption,
  type OptionValues,
  optionalIntegerOption,
  switchOption,
  textOption,
} from "./option.ts";

/** Records of the options, to stand among those of a command. */
export const limitOptions = {
  "max-connections": integerOption("Open connections, of each process that answers", "COUNT", {
    min: 1,
    max: 1_000_000,
    fallback: 16_384,
  }),
  "max-in-flight": integerOption("Requests being worked on before more are turned away with 503", "COUNT", {
    min: 1,
    max: 1_000_000,
    fallback: 10_000,
  }),
  "max-wait": durationOption(
    "max-wait",
    "Requests that would wait longer behind others are turned away with 503; 0 turns none away",
    500,
  ),
  "rate-limit": optionalIntegerOption(
    "Requests per second that one client may send to a process; more get 429 (default no limit)",
    "COUNT",
    { min: 1, max: 1_000_000 },
  ),
  "trust-proxy": switchOption(
    "Tell clients apart by the last address in X-Forwarded-For: only behind a proxy that sets it",
    false,
  ),
  "headers-timeout": durationOption(
    "headers-timeout",
    "For the headers of a request, and for a TLS handshake",
    10_000,
  ),
  "request-timeout": durationOption("request-timeout", "For a whole request, body included", 30_000),
  "keep-alive-timeout": durationOption("keep-alive-timeout", "For the next request of a connection", 65_000),
  "read-timeout": durationOption("read-timeout", "For a client to read on in an answer", 60_000),
  "answer-timeout": durationOption("answer-timeout", "For a client to take all that was answered", 120_000),
  "tls-cert": textOption(
    "Certificate chain in PEM; serves HTTPS, and is loaded again when it changes",
    "FILE",
  ),
  "tls-key": textOption("Private key of the certificate in PEM", "FILE"),
};

/** Headers are part of a request: their default never asks for more time than the whole request has. */
function headersTimeout(headersMs: number, requestMs: number): number {
  if (headersMs === limitOptions["headers-timeout"].fallback) return Math.min(headersMs, requestMs);
  if (headersMs <= requestMs) return headersMs;
  throw new ConfigError(
    "--headers-timeout: expected at most --request-timeout, which holds for all of a request",
  );
}

/** Checks what belongs together, and gives the options as a node takes them. */
export function limitsOf(values: OptionValues<typeof limitOptions>): Pick<HttpOptions, "limits" | "tls"> {
  const { "tls-cert": certFile, "tls-key": keyFile, "rate-limit": rateLimit } = values;
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new ConfigError(
      certFile === undefined ? "--tls-key needs --tls-cert" : "--tls-cert needs --tls-key",
    );
  }
  if (values["trust-proxy"] && rateLimit === undefined) {
    throw new ConfigError("--trust-proxy needs --rate-limit");
  }
  const headersMs = headersTimeout(values["headers-timeout"], values["request-timeout"]);
  return {
    limits: {
      maxConnections: values["max-connections"],
      maxInFlight: values["max-in-flight"],
      maxWaitMs: values["max-wait"],
      ...(rateLimit === undefined ? {} : { rateLimit }),
      trustProxy: values["trust-proxy"],
      timeouts: {
        headersMs,
        requestMs: values["request-timeout"],
        keepAliveMs: values["keep-alive-timeout"],
        idleMs: values["read-timeout"],
        answerMs: values["answer-timeout"],
      },
    },
    ...(certFile === undefined || keyFile === undefined ? {} : { tls: { certFile, keyFile } }),
  };
}
