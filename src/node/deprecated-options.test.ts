import { describe, expect, it } from "vitest";
import { silentLogger } from "../base/log.ts";
import { withPresentNames } from "./deprecated-options.ts";

const url = "cassandra://127.0.0.1/k";

function rename(options: Parameters<typeof withPresentNames>[0]): { options: unknown; logged: unknown[] } {
  const logged: unknown[] = [];
  const logger = { ...silentLogger, warn: (fields: object) => logged.push(fields) };
  return { options: withPresentNames(options, logger), logged };
}

describe("option names of earlier versions", () => {
  it("still work, and the log names their successors once each", () => {
    const { options, logged } = rename({
      cassandra: { url, leaseMs: 2000 },
      follow: { upstreams: ["u"], requestsPerSecond: 3, faultAfterMs: 4 },
      http: { port: 0, limits: { maxWaitMs: 5, trustProxy: true, timeouts: { idleMs: 6 } } },
    });
    expect(options).toMatchObject({
      store: { engine: "cassandra", url, leaseTimeMs: 2000 },
      follow: { upstreams: ["u"], upstreamRate: 3, giveUpTimeMs: 4 },
      http: { port: 0, maxWaitMs: 5, trustProxy: true, readTimeoutMs: 6 },
    });
    expect(logged).toHaveLength(7);
    expect(logged).toContainEqual({ option: "http.limits.timeouts.idleMs", use: "http.readTimeoutMs" });
    // A worker gets the renamed options and must not log again.
    expect(rename(options as object).logged).toEqual([]);
  });

  it("leave nothing behind, also of names without a value", () => {
    const limits = { rateLimit: 5, maxWaitMs: undefined, timeouts: { idleMs: undefined } };
    expect(rename({ http: { port: 0, limits } }).options).toEqual({ http: { port: 0, rateLimit: 5 } });
    expect(rename({ http: { limits: { timeouts: {} } } }).options).toEqual({ http: {} });
  });

  it("leave options with present names as they are", () => {
    const options = { data: "d", http: { port: 0, maxWaitMs: 5 } };
    expect(rename(options)).toEqual({ options, logged: [] });
  });
});
