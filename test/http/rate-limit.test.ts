import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { clientKey, RateLimiter } from "../../src/http/admission/rate-limiter.ts";
import { COIN } from "../support/http-ledger.ts";
import { startServer } from "../support/http-server.ts";

const BALANCE = `/v1/accounts/0xc1/balance/${COIN}`;

function limits(response: Response): readonly (string | null)[] {
  return ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset", "retry-after"].map((name) =>
    response.headers.get(name),
  );
}

describe("over HTTP", () => {
  let nowMs = 0;

  // The clock of the buckets stands still unless a test moves it.
  beforeEach(() => {
    nowMs = performance.now();
    vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("is off unless asked for", async () => {
    const { url } = await startServer();
    const response = await fetch(url + BALANCE);
    expect([response.status, ...limits(response)]).toEqual([200, null, null, null, null]);
  });

  it("answers 429 with clear headers and lets the client back in after", async () => {
    const counted: number[] = [];
    const seen: (readonly (string | number | null)[])[] = [];
    const ask = (url: string): Promise<Response> =>
      fetch(url + BALANCE, { headers: { origin: "https://a.example" } });
    const server = await startServer({ rateLimit: 3, onRequest: (_, status) => counted.push(status) });
    const responses = await Promise.all(Array.from({ length: 5 }, () => ask(server.url)));
    for (const response of responses) {
      seen.push([response.status, ...limits(response)]);
      if (response.status === 429) {
        const body = (await response.json()) as Record<string, unknown>;
        expect(body.error_code).toBe("web_framework_error");
        expect(body.message).toContain("3 requests per second");
        expect(response.headers.get("access-control-allow-origin")).toBe("https://a.example");
        expect(response.headers.get("access-control-expose-headers")).toContain("RateLimit-Remaining");
      } else expect(await response.text()).toBe("200000000");
    }
    // Connections are answered in any order: the order of what is left is that of counting.
    seen.sort((a, b) => Number(a[0]) - Number(b[0]) || Number(b[2]) - Number(a[2]));
    expect(seen).toEqual([
      [200, "3", "2", "0", null],
      [200, "3", "1", "0", null],
      [200, "3", "0", "1", null],
      [429, "3", "0", "1", "1"],
      [429, "3", "0", "1", "1"],
    ]);
    expect(counted).toEqual([200, 200, 200, 429, 429]);
    expect(server.figures().rateLimited).toBe(2);
    nowMs += 300;
    expect((await fetch(server.url + BALANCE)).status).toBe(429);
    nowMs += 100;
    expect((await fetch(server.url + BALANCE)).status).toBe(200);
  });

  it.each([true, false])("answers 429 with the id that the client gave (direct: %s)", async (isDirect) => {
    const { url } = await startServer({ rateLimit: 1, isDirect });
    const ask = (id: string): Promise<Response> => fetch(url + BALANCE, { headers: { "x-request-id": id } });
    const refused = [await ask("first"), await ask("second"), await ask("not fit to be repeated")];
    expect(refused.map((answer) => [answer.status, answer.headers.get("x-request-id")])).toEqual([
      [200, "first"],
      [429, "second"],
      [429, null],
    ]);
  });

  it("believes X-Forwarded-For only when told to, and then only its last address", async () => {
    const statuses = async (trustProxy: boolean, addresses: readonly string[]): Promise<number[]> => {
      const { url } = await startServer({ rateLimit: 1, trustProxy });
      const answers: number[] = [];
      for (const address of addresses) {
        answers.push((await fetch(url + BALANCE, { headers: { "x-forwarded-for": address } })).status);
      }
      return answers;
    };
    expect(await statuses(false, ["10.0.0.1", "10.0.0.2"])).toEqual([200, 429]);
    expect(await statuses(true, ["10.0.0.1", "10.0.0.2", "10.0.0.1"])).toEqual([200, 200, 429]);
    // A proxy may add the port that it saw, which is another one for every connection.
    expect(await statuses(true, ["203.0.113.7:50001", "203.0.113.7:50002"])).toEqual([200, 429]);
    expect(await statuses(true, ["203.0.113.7", "203.0.113.7:50002"])).toEqual([200, 429]);
    expect(await statuses(true, ["[2001:db8::1]:50001", "[2001:db8::1]:50002"])).toEqual([200, 429]);
    expect(await statuses(true, ["2001:db8::1", "[2001:db8::1]:50002"])).toEqual([200, 429]);
    expect(await statuses(true, ["203.0.113.7:50001", "203.0.113.8:50001"])).toEqual([200, 200]);
    // What comes before the last comma is the client's own claim.
    expect(await statuses(true, ["1.1.1.1, 10.0.0.9", "2.2.2.2, 10.0.0.9"])).toEqual([200, 429]);
  });
});

describe("buckets", () => {
  it("fill at the rate and hold one second's worth", () => {
    const limiter = new RateLimiter(10);
    const allowed = (count: number, nowMs: number): number =>
      Array.from({ length: count }, () => limiter.take("a", nowMs)).filter((one) => one.allowed).length;
    expect(allowed(50, 0)).toBe(10);
    expect(allowed(50, 500)).toBe(5);
    expect(allowed(50, 60_000)).toBe(10);
    expect(limiter.take("b", 60_000).allowed).toBe(true);
  });

  it("of many clients take no more memory than of some", () => {
    const limiter = new RateLimiter(1, 100);
    for (let i = 0; i < 10_000; i++) limiter.take(`client ${i}`, i);
    expect(limiter.size).toBe(100);
    // Clients that keep asking are not evicted by clients that asked once.
    expect(limiter.take("busy", 20_000).allowed).toBe(true);
    for (let i = 0; i < 1000; i++) {
      limiter.take(`passing ${i}`, 20_000);
      if (i % 50 === 0) expect(limiter.take("busy", 20_000).allowed).toBe(false);
    }
  });
});

describe("who counts as one client", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["::FFFF:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8:1:2::1", "2001:db8:1:2"],
    ["2001:0db8:0001:0002::", "2001:db8:1:2"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
    ["fe80::1%eth0", "fe80:0:0:0"],
    ["203.0.113.7:50001", "203.0.113.7"],
    ["[::ffff:203.0.113.7]:50001", "203.0.113.7"],
    ["::ffff:cb00:7107", "203.0.113.7"],
    ["0:0:0:0:0:ffff:203.0.113.7", "203.0.113.7"],
    ["[2001:db8:1:2::1]:443", "2001:db8:1:2"],
    ["[2001:db8:1:2::1]", "2001:db8:1:2"],
    // Without brackets the last part is one of the address.
    ["2001:db8:1:2::443", "2001:db8:1:2"],
    ["[fe80::1%eth0]:443", "fe80:0:0:0"],
    ["1:2::3:4:5:203.0.113.7", "1:2:0:3"],
    ["::203.0.113.7", "0:0:0:0"],
    ["unknown", "unknown"],
    ["unknown:50001", "unknown:50001"],
    ["[unknown]:1", "[unknown]:1"],
    ["x".repeat(40_000), "x".repeat(64)],
    ["", ""],
  ])("%s", (address, client) => {
    expect(clientKey(address)).toBe(client);
  });
});
