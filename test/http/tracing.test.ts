// OpenTelemetry traces: a collector of the test's own gets a span for each request, joined to the caller's trace and
// without what was asked; a collector that is dead holds and grows nothing; without the variables nothing changes.
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ConfigError } from "../../src/base/errors.ts";
import { silentLogger } from "../../src/base/log.ts";
import type { Exchange } from "../../src/http/transport/exchange.ts";
import { observeRequests } from "../../src/node/http-frontend.ts";
import { createMetrics } from "../../src/node/metrics/metrics.ts";
import { createNode } from "../../src/node.ts";
import { until } from "../support/until.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { key: string; value: Record<string, unknown> }[];
  readonly status?: { code: number };
}

interface Batch {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly resource: Readonly<Record<string, unknown>>;
  readonly spans: readonly Span[];
}

function flat(attributes: Span["attributes"]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

/** A receiver of OTLP over HTTP in JSON. Until `release` is called, a held one does not respond. */
async function startCollector({ isHeld = false } = {}) {
  const batches: Batch[] = [];
  const held: ServerResponse[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk as string;
    const [{ resource, scopeSpans }] = (
      JSON.parse(text) as {
        resourceSpans: [{ resource: { attributes: Span["attributes"] }; scopeSpans: [{ spans: Span[] }] }];
      }
    ).resourceSpans;
    const { url: path, headers } = request;
    batches.push({ path, headers, text, resource: flat(resource.attributes), spans: scopeSpans[0].spans });
    if (isHeld) held.push(response);
    else response.end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { batches, held, close, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Starts a node with these variables, asks it, and ends it. */
async function traceNode(variables: Record<string, string>, ask: (url: string) => Promise<unknown>) {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const node = await createNode({ http: { port: 0 } });
  try {
    await ask(node.url ?? "");
  } finally {
    await node.close();
  }
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("traces", () => {
  it("join the caller's trace, with operation and status, and hold nothing of the request", async () => {
    const collector = await startCollector();
    const variables = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: "x-key=a%20b, x-tenant=t",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
      OTEL_SERVICE_NAME: "ledger",
    };
    await traceNode(variables, async (url) => {
      const headers = { traceparent: `00-${TRACE}-${PARENT}-01` };
      await fetch(`${url}/info`, { headers });
      const body = '{"sender":"SECRET"}';
      const json = { "content-type": "application/json" };
      await fetch(`${url}/transactions/encode_submission`, { method: "POST", headers: json, body });
    });
    collector.close();
    const spans = collector.batches.flatMap((batch) => batch.spans);
    expect(collector.batches[0]).toMatchObject({
      path: "/v1/traces",
      headers: { "x-key": "a b", "x-tenant": "t", "content-type": "application/json" },
      resource: { "service.name": "ledger", "deployment.environment.name": "test" },
    });
    const info = spans.find(({ name }) => name === "info");
    expect(info).toMatchObject({ traceId: TRACE, parentSpanId: PARENT, kind: 2 });
    expect(info?.spanId).toMatch(/^[0-9a-f]{16}$/);
    expect(BigInt(info?.endTimeUnixNano ?? 0)).toBeGreaterThan(BigInt(info?.startTimeUnixNano ?? 0));
    expect(flat(info?.attributes ?? [])).toEqual({
      "http.request.method": "GET",
      "http.response.status_code": 200,
      "sextant.operation": "info",
    });
    const refused = spans.find(({ parentSpanId }) => parentSpanId === undefined);
    expect(refused?.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(flat(refused?.attributes ?? [])).toMatchObject({ "http.response.status_code": 400 });
    expect(collector.batches.map(({ text }) => text).join()).not.toContain("SECRET");
    expect(spans).toHaveLength(2);
  });

  it.each([
    ["a caller that samples nothing", {}, `00-${TRACE}-${PARENT}-00`, 0],
    [
      "a caller that samples, with always_off",
      { OTEL_TRACES_SAMPLER: "always_off" },
      `00-${TRACE}-${PARENT}-01`,
      0,
    ],
    ["a malformed parent, as a trace of its own", {}, `00-${"0".repeat(32)}-${PARENT}-00`, 1],
    [
      "a trace outside of the ratio",
      { OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0" },
      "",
      0,
    ],
    ["nobody, if the exporter is none", { OTEL_TRACES_EXPORTER: "none" }, "", 0],
  ])("are taken for %s", async (_, variables, traceparent, expected) => {
    const collector = await startCollector();
    const all = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/own`, ...variables };
    await traceNode(all, (url) => fetch(`${url}/info`, { headers: { traceparent } }));
    collector.close();
    expect(collector.batches.flatMap(({ spans }) => spans)).toHaveLength(expected);
    if (expected > 0) expect(collector.batches[0]?.path).toBe("/own");
  });

  it.each([
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "no pair"],
    ["OTEL_TRACES_SAMPLER", "sometimes"],
  ])("are refused with a bad %s", async (name, value) => {
    const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318", [name]: value };
    const refused = traceNode(variables, async () => {});
    await expect(refused).rejects.toThrow(ConfigError);
    await expect(traceNode(variables, async () => {})).rejects.toThrow(name);
  });
});

const EXCHANGE = { method: "GET", headers: {} } as Exchange;
/** Far more than the queue holds. */
const MANY = 20_000;
const MAX_QUEUED = 2048;
const MAX_BATCH = 512;

describe("a collector that does not respond", () => {
  it("gets one batch, and the queue stays bounded", async () => {
    const collector = await startCollector({ isHeld: true });
    const logged: string[] = [];
    const logger = { ...silentLogger, warn: (_: object, message: string) => void logged.push(message) };
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const { onRequest, close } = observeRequests(createMetrics([]), environment, logger);
    for (let i = 0; i < MANY; i++) onRequest("info", 200, 0.001, EXCHANGE);
    await until(() => collector.batches.length === 1);
    expect(collector.batches[0]?.spans).toHaveLength(MAX_BATCH);
    // From now on it responds: only what the queue held is left.
    for (const response of collector.held) response.end("{}");
    collector.held.push = (response) => {
      response.end("{}");
      return 0;
    };
    const sent = (): number => collector.batches.reduce((sum, { spans }) => sum + spans.length, 0);
    await until(() => sent() >= MAX_BATCH + MAX_QUEUED);
    await close();
    expect(sent()).toBe(MAX_BATCH + MAX_QUEUED);
    expect(logged).toEqual([]);
    collector.close();
  });

  it("is given up at the stop, with one line in the log", async () => {
    const collector = await startCollector({ isHeld: true });
    const logged: string[] = [];
    const logger = { ...silentLogger, warn: (_: object, message: string) => void logged.push(message) };
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const { onRequest, close } = observeRequests(createMetrics([]), environment, logger);
    for (let i = 0; i < MANY; i++) onRequest("info", 200, 0.001, EXCHANGE);
    await close();
    expect(logged).toEqual(["traces cannot be sent"]);
    collector.close();
  });
});

describe("without a collector", () => {
  it("requests are reported to the metrics' own function and nothing else", async () => {
    const metrics = createMetrics([]);
    const { onRequest } = observeRequests(metrics, {}, silentLogger);
    expect(onRequest).toBe(metrics.onRequest);
  });
});
