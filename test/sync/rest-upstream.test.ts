// A REST upstream over real sockets: its requests, its refusals and its bounds.
import { setMaxListeners } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { UpstreamError } from "../../src/sync/upstream/errors.ts";
import {
  createRestUpstream,
  parseUpstreamUrl,
  type RestUpstreamOptions,
} from "../../src/sync/upstream/rest-upstream.ts";
import type { Upstream } from "../../src/sync/upstream/upstream.ts";

const signal = new AbortController().signal;
setMaxListeners(0, signal);
const open: { server: Server; upstream: Upstream }[] = [];

afterEach(() => {
  for (const { server, upstream } of open.splice(0)) {
    upstream.close();
    server.closeAllConnections();
    server.close();
  }
});

function ledgerHeaders(brand: string, version = 41n): Record<string, string> {
  return {
    [`X-${brand}-Chain-Id`]: "4",
    [`X-${brand}-Ledger-Version`]: `${version}`,
    [`X-${brand}-Ledger-Oldest-Version`]: "7",
    [`X-${brand}-Ledger-TimestampUsec`]: "1700000000000000",
    [`X-${brand}-Epoch`]: "3",
    [`X-${brand}-Block-Height`]: "12",
    [`X-${brand}-Oldest-Block-Height`]: "2",
  };
}

const BCS = { "Content-Type": "application/x-bcs" };
/** Long enough for a heavily loaded machine; tests of shorter limits set their own. */
const PATIENT = { connectMs: 60_000, firstByteMs: 60_000, stallMs: 60_000, totalMs: 120_000 };

async function serve(
  handle: (request: IncomingMessage, response: ServerResponse, body: string) => void,
  options: RestUpstreamOptions = {},
): Promise<Upstream> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => handle(request, response, body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const upstream = createRestUpstream(parseUpstreamUrl(`http://127.0.0.1:${port}`), {
    timeouts: PATIENT,
    ...options,
  });
  open.push({ server, upstream });
  return upstream;
}

async function fault(promise: Promise<unknown>): Promise<UpstreamError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(UpstreamError);
  return error as UpstreamError;
}

describe("a REST upstream", () => {
  it("asks for pages in BCS and reads the head under any brand", async () => {
    const seen: string[] = [];
    const upstream = await serve((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers.accept}`);
      const brand = seen.length === 1 ? "Aptos" : "NODE";
      response.writeHead(200, { ...BCS, ...ledgerHeaders(brand) }).end(Buffer.from([0]));
    });
    const first = await upstream.getRecords(5n, 10, signal);
    const second = await upstream.getRecords(6n, 100, signal);
    expect(first).toEqual(second);
    expect(first.head).toEqual({
      chainId: 4,
      version: 41n,
      oldestVersion: 7n,
      timestampUsec: 1_700_000_000_000_000n,
      epoch: 3n,
      blockHeight: 12n,
    });
    expect(seen).toEqual([
      "GET /v1/transactions?start=5&limit=10 application/x-bcs",
      "GET /v1/transactions?start=6&limit=100 application/x-bcs",
    ]);
    expect(upstream.receivedBytes).toBe(2);
  });

  it("reuses its connection and sends the key, which its name does not contain", async () => {
    const sockets = new Set<unknown>();
    let key: string | undefined;
    const upstream = await serve(
      (request, response) => {
        sockets.add(request.socket);
        key = request.headers.authorization;
        response.writeHead(200, { ...ledgerHeaders("NODE") }).end("{}");
      },
      { apiKey: { name: "authorization", value: "Bearer secret" } },
    );
    for (let i = 0; i < 5; i++) await upstream.getHead(signal);
    expect(sockets.size).toBe(1);
    expect(key).toBe("Bearer secret");
    expect(JSON.stringify(upstream)).not.toContain("secret");
  });

  it("distinguishes beyond head, pruned, busy and refused", async () => {
    const answers: [number, Record<string, string>, string][] = [
      [400, ledgerHeaders("APTOS"), "invalid_input"],
      [410, ledgerHeaders("APTOS"), "version_pruned"],
      [503, { "Retry-After": "7" }, "internal_error"],
      [429, {}, "rate_limited"],
      [500, {}, "internal_error"],
      [403, {}, "api_disabled"],
      [302, { Location: "http://127.0.0.1:1/" }, ""],
      [400, { ...ledgerHeaders("APTOS", 100n) }, "invalid_input"],
    ];
    let turn = 0;
    const upstream = await serve((_, response) => {
      const [status, headers, code] = answers[turn++] ?? [500, {}, ""];
      response
        .writeHead(status, { "Content-Type": "application/json; charset=utf-8", ...headers })
        .end(JSON.stringify({ message: "said", error_code: code }));
    });
    const codes: string[] = [];
    for (let i = 0; i < answers.length; i++) {
      const error = await fault(upstream.getRecords(42n, 10, signal));
      codes.push(error.code);
      if (i === 2) expect(error.retryAfterMs).toBe(7000);
      expect(error.message).not.toContain("said");
    }
    expect(codes).toEqual([
      "beyond_head",
      "pruned",
      "busy",
      "busy",
      "unreachable",
      "refused",
      "refused",
      "refused",
    ]);
  });

  it("refuses HTML, missing headers and headers that are not numbers", async () => {
    const answers = [
      { "Content-Type": "text/html", ...ledgerHeaders("NODE") },
      { ...BCS },
      { ...BCS, ...ledgerHeaders("NODE"), "X-NODE-Ledger-Version": "0x29" },
      { ...BCS, ...ledgerHeaders("NODE"), "X-NODE-Chain-Id": "256" },
      { ...BCS, ...ledgerHeaders("NODE"), "Content-Encoding": "br" },
    ];
    let turn = 0;
    const upstream = await serve((_, response) => response.writeHead(200, answers[turn++]).end("<html>"));
    for (const _ of answers) {
      expect((await fault(upstream.getRecords(1n, 1, signal))).code).toBe("malformed");
    }
  });

  it("bounds what comes and what it inflates to", async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const bodies: [Record<string, string>, Uint8Array][] = [
      [{}, Buffer.alloc(200_000)],
      [{ "Content-Encoding": "gzip" }, bomb],
      [{ "Content-Encoding": "gzip" }, gzipSync(Buffer.alloc(1000)).subarray(0, 20)],
      [{ "Content-Encoding": "gzip" }, Buffer.from("not gzip")],
      [{ "Content-Encoding": "gzip" }, gzipSync(Buffer.alloc(1000))],
    ];
    let turn = 0;
    const upstream = await serve(
      (_, response) => {
        const [headers, body] = bodies[turn++] ?? [{}, Buffer.alloc(0)];
        response.writeHead(200, { ...BCS, ...ledgerHeaders("NODE"), ...headers }).end(body);
      },
      { maxPageBytes: 100_000 },
    );
    expect(bomb.length).toBeLessThan(100_000);
    const before = process.memoryUsage().arrayBuffers;
    const codes: string[] = [];
    for (let i = 0; i < 4; i++) codes.push((await fault(upstream.getRecords(1n, 1, signal))).code);
    expect(codes).toEqual(["too_large", "too_large", "malformed", "malformed"]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
    expect((await upstream.getRecords(1n, 1, signal)).bytes.length).toBe(1000);
  });

  it("gives up on responses that hang, stall, drip or are cut, and on a closed port", async () => {
    const begin = (response: ServerResponse): void => {
      response.writeHead(200, { ...BCS, ...ledgerHeaders("NODE"), "Content-Length": "1000" });
      response.write(Buffer.alloc(10));
    };
    const cases: [Partial<typeof PATIENT>, (response: ServerResponse) => void, string][] = [
      [{ firstByteMs: 300 }, () => {}, "no response within"],
      [{ stallMs: 150 }, begin, "the response stalled"],
      [
        { totalMs: 600 },
        (response) => {
          begin(response);
          const drip = setInterval(() => response.write(Buffer.alloc(1)), 50);
          response.on("close", () => clearInterval(drip));
        },
        "no complete response",
      ],
      [
        {},
        (response) => {
          begin(response);
          setTimeout(() => response.destroy(), 20);
        },
        "",
      ],
    ];
    for (const [timeouts, answer, message] of cases) {
      const upstream = await serve((_, response) => answer(response), {
        timeouts: { ...PATIENT, ...timeouts },
      });
      const error = await fault(upstream.getRecords(1n, 1, signal));
      expect(error.code).toBe("unreachable");
      expect(error.message).toContain(message);
    }
    const nobody = createRestUpstream(parseUpstreamUrl("http://127.0.0.1:1"));
    expect((await fault(nobody.getHead(signal))).message).toContain("ECONNREFUSED");
  });

  it("gives up on a port that never finishes a handshake", async () => {
    const silent = createTcpServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as AddressInfo;
    const upstream = createRestUpstream(parseUpstreamUrl(`https://127.0.0.1:${port}`), {
      timeouts: { ...PATIENT, connectMs: 200 },
    });
    const error = await fault(upstream.getHead(signal));
    expect([error.code, error.message]).toEqual(["unreachable", "no connection within 200 ms"]);
    upstream.close();
    silent.close();
  });

  it("retries once on a new connection when a reused one turns out to be closed", async () => {
    const requests: number[] = [];
    let isClosing = false;
    let sockets = 0;
    const numbers = new WeakMap<object, number>();
    const upstream = await serve((request, response) => {
      const number = numbers.get(request.socket) ?? ++sockets;
      const isKept = numbers.has(request.socket);
      numbers.set(request.socket, number);
      requests.push(number);
      if (isKept || isClosing) request.socket.destroy();
      else response.writeHead(200, ledgerHeaders("NODE")).end("{}");
    });
    await upstream.getHead(signal);
    expect((await upstream.getHead(signal)).version).toBe(41n);
    expect(requests).toEqual([1, 1, 2]);
    isClosing = true;
    expect((await fault(upstream.getHead(signal))).code).toBe("unreachable");
    expect(requests.length).toBe(5);
  });

  it("closes the connection of a response that it refuses early", async () => {
    let ended: () => void = () => {};
    const isClosed = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const handle = (_: unknown, response: ServerResponse): void => {
      response.on("close", ended);
      response
        .writeHead(200, { ...BCS, ...ledgerHeaders("NODE"), "Content-Encoding": "br" })
        .write("more to come");
    };
    // No timeout may cause it.
    const upstream = await serve(handle, { timeouts: { ...PATIENT, stallMs: 600_000, totalMs: 600_000 } });
    expect((await fault(upstream.getRecords(1n, 1, signal))).code).toBe("malformed");
    await isClosed;
  });

  it("aborts requests in flight when closed", async () => {
    let arrived: () => void = () => {};
    const upstream = await serve(() => arrived());
    const isThere = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const asked = fault(upstream.getHead(signal));
    await isThere;
    upstream.close();
    expect((await asked).code).toBe("unreachable");
  });

  it("uses no value of a repeated header", async () => {
    const upstream = await serve((_, response) => {
      response.writeHead(200, [
        ...Object.entries({ ...BCS, ...ledgerHeaders("NODE") }).flat(),
        "X-NODE-Epoch",
        "4",
      ]);
      response.end(Buffer.from([0]));
    });
    expect((await fault(upstream.getRecords(1n, 1, signal))).code).toBe("malformed");
  });

  it("stops at once when aborted", async () => {
    const upstream = await serve(() => {});
    const stop = new AbortController();
    const asked = upstream.getHead(stop.signal);
    setTimeout(() => stop.abort(new Error("stopped")), 20);
    await expect(asked).rejects.toThrow("stopped");
    await expect(upstream.getHead(stop.signal)).rejects.toThrow("stopped");
  });

  it("accepts state values of the requested version only", async () => {
    const json = { "Content-Type": "application/json" };
    const answers: [number, Record<string, string>, string][] = [
      [200, { ...BCS, ...ledgerHeaders("APTOS") }, "\x00\x01a"],
      [404, { ...json, ...ledgerHeaders("APTOS") }, '{"error_code":"state_value_not_found"}'],
      [200, { ...BCS, ...ledgerHeaders("NODE"), "X-NODE-Read-Version": "20" }, "\x00\x01a"],
      [200, { ...BCS, ...ledgerHeaders("NODE"), "X-NODE-Read-Version": "21" }, "\x00\x01a"],
      [200, { ...BCS, ...ledgerHeaders("APTOS", 19n) }, "\x00\x01a"],
      [404, { ...json, ...ledgerHeaders("APTOS") }, '{"error_code":"web_framework_error"}'],
      [404, { ...json, ...ledgerHeaders("APTOS", 19n) }, '{"error_code":"version_not_found"}'],
    ];
    const asked: string[] = [];
    const upstream = await serve((request, response, body) => {
      asked.push(`${request.url} ${body}`);
      const [status, headers, text] = answers[asked.length - 1] ?? [500, {}, ""];
      response.writeHead(status, headers).end(text);
    });
    const key = Uint8Array.of(1, 2, 255);
    const ask = () => upstream.getStateValue(key, 20n, signal);
    expect(Buffer.from((await ask()).value ?? [])).toEqual(Buffer.from([0, 1, 97]));
    expect((await ask()).value).toBeUndefined();
    expect((await ask()).value?.length).toBe(3);
    expect((await fault(ask())).code).toBe("malformed");
    expect((await fault(ask())).code).toBe("malformed");
    expect((await fault(ask())).code).toBe("refused");
    expect((await fault(ask())).code).toBe("beyond_head");
    expect(asked[0]).toBe('/v1/experimental/state_values/raw?ledger_version=20 {"key":"0x0102ff"}');
  });

  it("keeps to its rate cap", async () => {
    let asked = 0;
    const upstream = await serve(
      (_, response) => {
        asked++;
        response.writeHead(200, ledgerHeaders("NODE")).end("{}");
      },
      { upstreamRate: 0.001 },
    );
    await upstream.getHead(signal);
    const stop = new AbortController();
    const second = upstream.getHead(stop.signal);
    // Without a cap the second request would arrive before these, which are sent after it one by one.
    const { port } = open.at(-1)!.server.address() as AddressInfo;
    for (let i = 0; i < 2; i++) await fetch(`http://127.0.0.1:${port}/`);
    expect(asked).toBe(1 + 2);
    stop.abort(new Error("stopped"));
    await expect(second).rejects.toThrow("stopped");
  });

  it.each([
    ["a refusal", 429, { "Retry-After": "60" }],
    ["a refusal that only has a reset", 429, { "RateLimit-Reset": "60" }],
    ["the last allowed response", 200, { "RateLimit-Remaining": "0", "RateLimit-Reset": "60" }],
    ["the same, as older servers spell it", 200, { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "60" }],
    ["the same in one header", 200, { RateLimit: '"default";r=0;t=60' }],
    ["the same in its earlier form", 200, { RateLimit: "limit=100, remaining=0, reset=60" }],
  ] as const)("sends nothing after %s until the limit is reset", async (_, status, headers) => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    let asked = 0;
    const upstream = await serve((_, response) => {
      const isOpen = ++asked !== 2;
      const more = isOpen ? { "RateLimit-Remaining": "5", "RateLimit-Reset": "60" } : headers;
      response.writeHead(isOpen ? 200 : status, { ...ledgerHeaders("NODE"), ...more }).end("{}");
    });
    await upstream.getHead(signal);
    await upstream.getHead(signal).catch(() => {});
    vi.advanceTimersByTime(50_000);
    const refused = await fault(upstream.getHead(signal));
    expect([refused.code, refused.retryAfterMs, asked]).toEqual(["busy", 10_000, 2]);
    vi.advanceTimersByTime(10_000);
    expect((await upstream.getHead(signal)).version).toBe(41n);
    expect(asked).toBe(3);
  });

  it("accepts base URLs with and without /v1, and none with credentials", () => {
    expect(parseUpstreamUrl("http://a.example").href).toBe("http://a.example/v1");
    expect(parseUpstreamUrl("https://a.example/x/v1/").href).toBe("https://a.example/x/v1");
    for (const text of ["a.example", "ftp://a.example", "http://u:p@a.example", "http://a.example?x=1", ""]) {
      expect(() => parseUpstreamUrl(text), text).toThrow("upstream");
    }
  });
});
