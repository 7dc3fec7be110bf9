// Traces of requests, sent to an OpenTelemetry collector (OTLP over HTTP, in JSON). A span is made when its response ends,
// from facts that the metrics need anyway: operation, status, time and the caller's trace. It has no URL, header or body.
// Spans wait in a bounded queue; one batch at a time is sent, and a batch that fails is dropped. So a collector that is
// slow or dead costs neither memory nor time of requests.

import { randomBytes } from "node:crypto";
import { ConfigError, errorText } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { withDeadline } from "../../base/wait.ts";
import type { Exchange } from "../../http/transport/exchange.ts";

export type TraceEnvironment = Readonly<Record<string, string | undefined>>;

function textOf(environment: TraceEnvironment, name: string): string | undefined {
  const text = environment[name]?.trim();
  return text === "" ? undefined : text;
}

/** Where spans go; undefined if traces are off. Throws ConfigError for a URL that cannot be used. */
function traceUrlOf(environment: TraceEnvironment): URL | undefined {
  if (textOf(environment, "OTEL_SDK_DISABLED")?.toLowerCase() === "true") return undefined;
  if (textOf(environment, "OTEL_TRACES_EXPORTER") === "none") return undefined;
  const own = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
  const common = "OTEL_EXPORTER_OTLP_ENDPOINT";
  const name = textOf(environment, own) === undefined ? common : own;
  const text = textOf(environment, name);
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError(`${name}: expected an http or https URL, such as http://127.0.0.1:4318`);
  }
  // Only the common endpoint is a base.
  if (name === common) url.pathname = `${url.pathname.replace(/\/$/, "")}/v1/traces`;
  return url;
}

/** Pairs such as `key=value,key2=value2`, with percent encoding. Throws ConfigError. */
function pairsOf(environment: TraceEnvironment, name: string): [string, string][] {
  const parts = (textOf(environment, name) ?? "").split(",").map((part) => part.trim());
  return parts
    .filter((part) => part !== "")
    .map((part) => {
      const at = part.indexOf("=");
      try {
        if (at < 1) throw new URIError("no =");
        return [part.slice(0, at).trim(), decodeURIComponent(part.slice(at + 1).trim())];
      } catch (error) {
        // The value may be a secret: it is not repeated.
        throw new ConfigError(`${name}: expected key=value pairs separated by commas`, error);
      }
    });
}

/** Decides whether a request is traced: by its trace id, and by the parent's decision if there is one. */
type Sampler = (traceId: string, isParentSampled: boolean | undefined) => boolean;

const SAMPLERS = ["always_on", "always_off", "traceidratio"] as const;

function samplerOf(environment: TraceEnvironment): Sampler {
  const name = textOf(environment, "OTEL_TRACES_SAMPLER") ?? "parentbased_always_on";
  const isParentBased = name.startsWith("parentbased_");
  const kind = SAMPLERS.find((one) => one === name.replace("parentbased_", ""));
  if (kind === undefined) {
    const known = SAMPLERS.flatMap((one) => [one, `parentbased_${one}`]).join(", ");
    throw new ConfigError(`OTEL_TRACES_SAMPLER: expected one of ${known}`);
  }
  const ratio = Number(textOf(environment, "OTEL_TRACES_SAMPLER_ARG") ?? "1");
  if (kind === "traceidratio" && !(ratio >= 0 && ratio <= 1)) {
    throw new ConfigError("OTEL_TRACES_SAMPLER_ARG: expected a number from 0 to 1");
  }
  const share = kind === "always_on" ? 1 : kind === "always_off" ? 0 : ratio;
  // The last eight hex digits are random in every trace id, so that all services decide alike.
  const isChosen = (traceId: string): boolean => Number.parseInt(traceId.slice(-8), 16) < share * 2 ** 32;
  return (traceId, isParentSampled) => (isParentBased ? isParentSampled : undefined) ?? isChosen(traceId);
}

interface TraceSettings {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly attributes: Readonly<Record<string, string>>;
  readonly isSampled: Sampler;
}

/** All settings of the tracer; undefined if traces are off. Throws ConfigError. */
export function traceSettingsOf(environment: TraceEnvironment): TraceSettings | undefined {
  const url = traceUrlOf(environment);
  if (url === undefined) return undefined;
  const own = "OTEL_EXPORTER_OTLP_TRACES_HEADERS";
  const headers = textOf(environment, own) === undefined ? "OTEL_EXPORTER_OTLP_HEADERS" : own;
  const service = textOf(environment, "OTEL_SERVICE_NAME");
  return {
    url,
    headers: Object.fromEntries(pairsOf(environment, headers)),
    attributes: {
      "service.name": "sextant",
      ...Object.fromEntries(pairsOf(environment, "OTEL_RESOURCE_ATTRIBUTES")),
      ...(service === undefined ? {} : { "service.name": service }),
    },
    isSampled: samplerOf(environment),
  };
}

const MAX_QUEUED = 2048;
const MAX_BATCH = 512;
const SEND_EVERY_MS = 5000;
const SEND_TIMEOUT_MS = 10_000;
/** At a stop there is less time, so that a dead collector does not hold the process. */
const CLOSE_TIMEOUT_MS = 1000;

/** The caller's trace, from its `traceparent` header. */
interface ParentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** Reads a W3C traceparent; undefined for one that is missing or malformed, which starts a new trace. */
function parseTraceparent(text: string | undefined): ParentSpan | undefined {
  const match = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(text ?? "");
  const [, version, traceId = "", spanId = "", flags = "", rest] = match ?? [];
  if (version === undefined || version === "ff" || (version === "00" && rest !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** A finished span in the JSON form of OTLP. */
type Span = Readonly<Record<string, unknown>>;

const SERVER_KIND = 2;
const ERROR_STATUS = { code: 2 };

function textAttribute(key: string, value: string) {
  return { key, value: { stringValue: value } };
}

/** Collects spans and sends them. */
export class Tracer {
  readonly #settings: TraceSettings;
  readonly #logger: Logger;
  readonly #timer: NodeJS.Timeout;
  readonly #closing = new AbortController();
  #queue: Span[] = [];
  #sending: Promise<void> | undefined;
  #dropped = 0;
  #isFailing = false;

  constructor(settings: TraceSettings, logger: Logger) {
    this.#settings = settings;
    this.#logger = logger;
    this.#timer = setInterval(() => this.#send(), SEND_EVERY_MS).unref();
  }

  /** Records one response. */
  request(operation: string, status: number, seconds: number, { method, headers }: Exchange): void {
    const parent = parseTraceparent(headers.traceparent);
    const traceId = parent?.traceId ?? randomBytes(16).toString("hex");
    if (!this.#settings.isSampled(traceId, parent?.isSampled)) return;
    if (this.#queue.length >= MAX_QUEUED) {
      this.#dropped++;
      return;
    }
    const endNs = BigInt(Date.now()) * 1_000_000n;
    this.#queue.push({
      traceId,
      spanId: randomBytes(8).toString("hex"),
      ...(parent === undefined ? {} : { parentSpanId: parent.spanId }),
      name: operation,
      kind: SERVER_KIND,
      startTimeUnixNano: `${endNs - BigInt(Math.round(seconds * 1e9))}`,
      endTimeUnixNano: `${endNs}`,
      attributes: [
        textAttribute("http.request.method", method),
        textAttribute("sextant.operation", operation),
        { key: "http.response.status_code", value: { intValue: status } },
      ],
      ...(status >= 500 ? { status: ERROR_STATUS } : {}),
    });
    if (this.#queue.length >= MAX_BATCH) this.#send();
  }

  /** Starts to send a batch, unless one is on its way. */
  #send(): void {
    if (this.#sending !== undefined || this.#queue.length === 0) return;
    const batch = this.#queue.slice(0, MAX_BATCH);
    this.#queue = this.#queue.slice(MAX_BATCH);
    this.#sending = this.#post(batch)
      .then(
        () => this.#note(undefined),
        (error: unknown) => {
          this.#dropped += batch.length;
          this.#note(error);
        },
      )
      .finally(() => {
        this.#sending = undefined;
        if (this.#queue.length >= MAX_BATCH) this.#send();
      });
  }

  async #post(spans: readonly Span[]): Promise<void> {
    const { url, headers, attributes } = this.#settings;
    const resource = {
      attributes: Object.entries(attributes).map(([key, value]) => textAttribute(key, value)),
    };
    const body = JSON.stringify({
      resourceSpans: [{ resource, scopeSpans: [{ scope: { name: "sextant" }, spans }] }],
    });
    const late = (): Error => new Error(`the collector did not respond within ${SEND_TIMEOUT_MS} ms`);
    const deadline = { ms: SEND_TIMEOUT_MS, signal: this.#closing.signal, late };
    const response = await withDeadline(deadline, (signal) =>
      fetch(url, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body,
        redirect: "error",
        signal,
      }),
    );
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the collector responded with ${response.status}`);
  }

  /** Logs when sending begins to fail and when it works again, not every batch. */
  #note(error: unknown): void {
    const isFailing = error !== undefined;
    if (isFailing === this.#isFailing) return;
    this.#isFailing = isFailing;
    const dropped = this.#dropped;
    if (isFailing) this.#logger.warn({ err: errorText(error), dropped }, "traces cannot be sent");
    else this.#logger.info({ dropped }, "traces are sent again");
  }

  /** Sends what is queued, for a short time. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    const limit = setTimeout(() => this.#closing.abort(), CLOSE_TIMEOUT_MS);
    do {
      await this.#sending;
      this.#send();
    } while (this.#sending !== undefined && !this.#closing.signal.aborted);
    await this.#sending;
    clearTimeout(limit);
  }
}
