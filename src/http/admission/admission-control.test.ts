import { Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { silentLogger } from "../../base/log.ts";
import { DirectExchange, type ExchangeOwner, ResponseTail } from "../transport/direct-exchange.ts";
import type { Exchange } from "../transport/exchange.ts";
import { readRequest } from "../transport/request-head.ts";
import { AdmissionControl } from "./admission-control.ts";

function exchangeFor(target: string): Exchange {
  const owner: ExchangeOwner = {
    socket: new Socket(),
    tail: new ResponseTail(1000),
    expectReading: () => {},
    responded: () => {},
  };
  const bytes = Buffer.from(`GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
  const request = readRequest(bytes, undefined);
  if (typeof request === "string") throw new Error(`not an ordinary request: ${request}`);
  return new DirectExchange(owner, request, bytes);
}

afterEach(() => {
  vi.useRealTimers();
});

describe("the admission", () => {
  it("lets health checks and metrics overtake what waits, but not without end", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const served: string[] = [];
    const admission = new AdmissionControl({
      serve: ({ target }) => served.push(target),
      settings: { maxWaitMs: 0, rateLimit: undefined },
      trustProxy: false,
      exposed: "",
      logger: silentLogger,
      accessLog: undefined,
      onRequest: undefined,
      onTick: () => {},
    });
    admission.take(exchangeFor("/v1/info"));
    expect(served).toEqual(["/v1/info"]);
    // Its watch was never started, so no beat comes: the loop looks busy from here on.
    vi.advanceTimersByTime(60);
    expect(admission.figures().longestLoopDelayMs).toBe(35);
    for (const target of ["/v1/info", "/v1", "/v1/-/healthy", "/v1/-/ready", "/metrics"]) {
      admission.take(exchangeFor(target));
    }
    expect(served.slice(1)).toEqual(["/v1/-/healthy", "/v1/-/ready", "/metrics"]);
    expect(admission.figures().queued).toBe(2);
    for (let i = 0; i < 100; i++) admission.take(exchangeFor("/v1/-/healthy"));
    expect(served.length).toBe(17);
  });
});
