// The access log: a line for each response, off by default, and nothing that a client sends can forge a line.
import { describe, expect, it } from "vitest";
import type { LogFields } from "../../src/base/log.ts";
import { readableLine } from "../../src/cli/log.ts";
import { startServer } from "../support/http-server.ts";
import { sendRaw } from "../support/raw-socket.ts";
import { until } from "../support/until.ts";

interface Line extends LogFields {
  readonly message: string;
}

async function startLogged(options: Parameters<typeof startServer>[0] = {}) {
  const lines: Line[] = [];
  const log = (fields: LogFields, message: string): void => {
    if (message === "request") lines.push({ ...fields, message });
  };
  const logger = { debug: log, info: log, warn: log, error: log };
  return { server: await startServer({ logger, logRequests: true, ...options }), lines };
}

const BALANCE = "/v1/accounts/0x1/balance/0x1::aptos_coin::AptosCoin";

describe("the access log", () => {
  it("has method, path, status, milliseconds, bytes and the request id of each response", async () => {
    const { server, lines } = await startLogged();
    const fine = await fetch(`${server.url}/v1/info?x=1`);
    const body = await fine.text();
    const named = await fetch(`${server.url}/v1/nowhere`, { headers: { "x-request-id": "mine" } });
    const refusal = await named.text();
    await until(() => lines.length === 2);
    expect(lines).toEqual([
      {
        message: "request",
        method: "GET",
        path: "/v1/info?x=1",
        status: 200,
        ms: expect.any(Number),
        bytes: body.length,
        requestId: fine.headers.get("x-request-id"),
        client: "127.0.0.1",
      },
      expect.objectContaining({ status: 404, path: "/v1/nowhere", bytes: refusal.length, requestId: "mine" }),
    ]);
    expect(lines[0]?.requestId).toMatch(/^[0-9a-f]{12}-[0-9a-z]+$/);
  });

  it("has the bytes of a response in pieces, the opening of a stream, and a head without a body", async () => {
    const { server, lines } = await startLogged();
    const pieces = await fetch(`${server.url}${BALANCE}/history`, {
      headers: { accept: "application/x-ndjson", "accept-encoding": "identity" },
    });
    const text = await pieces.text();
    await until(() => lines.length === 1);
    expect(lines[0]).toMatchObject({ status: pieces.status, bytes: Buffer.byteLength(text) });
    const stream = await fetch(`${server.url}/v1/blocks/stream`);
    await until(() => lines.length === 2);
    expect(lines[1]).toMatchObject({ status: 200, path: "/v1/blocks/stream", bytes: 0 });
    await stream.body?.cancel();
    await fetch(`${server.url}/v1/info`, { method: "HEAD" });
    await until(() => lines.length === 3);
    expect(lines[2]).toMatchObject({ method: "HEAD", status: 200 });
  });

  it("has what admission control refuses, and bytes that are no request", async () => {
    const { server, lines } = await startLogged({ rateLimit: 1 });
    await fetch(`${server.url}/v1/info`);
    await fetch(`${server.url}/v1/info`);
    await until(() => lines.length === 2);
    expect(lines[1]).toMatchObject({ method: "GET", path: "/v1/info", status: 429 });
    await sendRaw(server, ["nonsense\r\n\r\n"]);
    await until(() => lines.length === 3);
    expect(lines[2]).toEqual({ message: "request", status: 400 });
  });

  it("is off unless asked for, and then no response gets an id that the client did not send", async () => {
    const { server, lines } = await startLogged({ logRequests: false });
    const response = await fetch(`${server.url}/v1/info`);
    expect(response.headers.get("x-request-id")).toBeNull();
    expect(lines).toEqual([]);
  });
});

describe("a line for people", () => {
  it("stays one line without control characters, whatever the fields hold", () => {
    const evil = "/v1/a\nERROR forged\r\u001b[2J\u009b31m\u202e";
    const line = readableLine(
      JSON.stringify({ level: 30, time: 0, path: evil, id: "a b", quiet: "ok", msg: "request" }),
      false,
    );
    expect(line).toBe(
      '00:00:00.000 INFO  request path="/v1/a\\nERROR forged\\r\\u001b[2J\\u009b31m\\u202e" id="a b" quiet=ok\n',
    );
  });
});
