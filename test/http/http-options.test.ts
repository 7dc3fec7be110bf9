// Invalid HTTP options of the in-process interface: refused by name before the server listens.
import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { ConfigError } from "../../src/base/errors.ts";
import { createNode, type HttpOptions } from "../../src/node.ts";

/** The error of a refused start; undefined if it succeeds. */
async function refusalOf(http: HttpOptions): Promise<unknown> {
  try {
    const node = await createNode({ http: { port: 0, ...http } });
    await node.close();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe("a header brand", () => {
  it.each(["X\r\nSet-Cookie: a=1", "X\nY", "X: a", "X Y", "", "É", "-X", "x".repeat(33)])(
    "%j is refused, so that it cannot end a header line",
    async (brand) => {
      const error = await refusalOf({ headerBrands: ["NODE", brand] });
      expect(error).toBeInstanceOf(ConfigError);
      expect(String(error)).toContain("headerBrands: expected letters, digits and dashes");
      expect(String(error)).not.toContain("\n");
    },
  );

  it("of letters, digits and dashes is accepted", async () => {
    expect(await refusalOf({ headerBrands: ["APTOS", "My-Node2"] })).toBeUndefined();
  });
});

describe("a bound on clients", () => {
  it.each([0, -1, 0.5, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1e9])(
    "rateLimit %d is refused, so that no response says Retry-After: Infinity",
    async (rateLimit) => {
      const error = await refusalOf({ rateLimit });
      expect(error).toBeInstanceOf(ConfigError);
      expect(String(error)).toContain(
        `http.rateLimit: expected a whole number from 1 to 1000000, got ${rateLimit}`,
      );
    },
  );

  const WRONG: readonly (readonly [string, HttpOptions])[] = [
    ["port", { port: 65_536 }],
    ["port", { port: 1.5 }],
    ["metricsPort", { metricsPort: -1 }],
    ["workers", { workers: Number.NaN }],
    ["workers", { workers: -1 }],
    ["bodyLimitBytes", { bodyLimitBytes: 0 }],
    ["maxConnections", { maxConnections: 0 }],
    ["maxInFlight", { maxInFlight: -5 }],
    ["maxLagMs", { maxLagMs: Number.NaN }],
    ["maxWaitMs", { maxWaitMs: Number.NaN }],
    ["headersTimeoutMs", { headersTimeoutMs: -1 }],
    ["readTimeoutMs", { readTimeoutMs: Number.NaN }],
    // Timers of Node fire at once above this.
    ["answerTimeoutMs", { answerTimeoutMs: 2 ** 31 }],
  ];
  it.each(WRONG)("%s out of range is refused by name: %o", async (name, http) => {
    const error = await refusalOf(http);
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).toMatch(new RegExp(`http\\.${name}: expected a (whole number|time) from `));
  });

  it("within what works is taken", async () => {
    const limits = { rateLimit: 1, maxWaitMs: 0, maxInFlight: 1, keepAliveTimeoutMs: 1000 };
    expect(await refusalOf({ ...limits, bodyLimitBytes: 1024, maxLagMs: 0, workers: 0 })).toBeUndefined();
  });
});

describe("metrics: false", () => {
  it("serves no metrics, even with a metrics port", async () => {
    const free = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => free.once("listening", resolve));
    const address = free.address();
    const metricsPort = typeof address === "object" && address !== null ? address.port : 0;
    await new Promise((resolve) => free.close(resolve));
    const node = await createNode({ http: { port: 0, metrics: false, metricsPort } });
    try {
      await expect(fetch(`http://127.0.0.1:${metricsPort}/metrics`)).rejects.toThrow();
      expect((await fetch(`${node.url!.slice(0, -3)}/metrics`)).status).toBe(404);
    } finally {
      await node.close();
    }
  });
});
