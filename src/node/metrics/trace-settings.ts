// The OpenTelemetry variables that switch traces on. Kept apart from the tracer, which is loaded only if they do.
import { ConfigError } from "../../base/errors.ts";

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
export type Sampler = (traceId: string, isParentSampled: boolean | undefined) => boolean;

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

export interface TraceSettings {
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
