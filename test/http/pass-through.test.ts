// Requests that are not served here, handed on: untouched, and nowhere else.
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, describe, expect, it, vi } from "vitest";
import { NodeConnections } from "../../src/http/node-connections.ts";
import { PassThrough } from "../../src/http/pass-through.ts";
import { LedgerError } from "../../src/ledger/errors.ts";
import type { Ledger } from "../../src/ledger/view.ts";
import { createHttpLedger } from "../support/http-ledger.ts";
import { startServer } from "../support/http-server.ts";
import { until } from "../support/until.ts";

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

const seen: Seen[] = [];
let tellFirstRead = (): void => {};
const firstRead = new Promise<void>((resolve) => {
  tellFirstRead = resolve;
});
const upstream: Server = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => {
    seen.push({ method: request.method, url: request.url, headers: request.headers, body });
    if (request.url?.includes("slow")) {
      response.writeHead(200, { "Content-Type": "text/plain" });
      response.write("first ");
      void firstRead.then(() => response.end("last"));
      return;
    }
    if (request.url?.includes("cut")) {
      response.writeHead(200, { "Content-Length": "100" }).write("half");
      setTimeout(() => response.destroy(), 20);
      return;
    }
    response
      .writeHead(418, "teapot", {
        "Content-Type": "application/x-upstream",
        "X-Aptos-Ledger-Version": "77",
        "X-Node-Trust": "proven",
        "Set-Cookie": ["a=1", "b=2"],
        Connection: "keep-alive, x-secret-hop",
        "X-Secret-Hop": "1",
      })
      .end(`seen ${request.method} ${request.url}`);
  });
});
await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
const { port } = upstream.address() as AddressInfo;
afterAll(() => {
  upstream.closeAllConnections();
  upstream.close();
});

const { url } = await startServer({
  passThrough: new URL(`http://127.0.0.1:${port}/prefix/v1`),
  bodyLimitBytes: 10_000,
});

/** Sends a raw request and gives everything that comes back. */
function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () => socket.write(text));
    let out = "";
    socket.on("data", (chunk) => {
      out += chunk;
    });
    socket.on("end", () => resolve(out));
    socket.on("error", reject);
  });
}

describe("pass-through", () => {
  it("labels what the upstream says as one upstream's word, whatever the upstream claims", async () => {
    const answer = await fetch(`${url}/v1/accounts/0x1/events/3`);
    expect(answer.headers.get("x-node-trust")).toBe("trusted");
    const strict = await startServer({
      passThrough: new URL(`http://127.0.0.1:${port}/prefix/v1`),
      minTrust: "chained",
    });
    const refused = await fetch(`${strict.url}/v1/accounts/0x1/events/3`);
    expect([refused.status, refused.headers.get("x-node-trust")]).toEqual([503, null]);
  });

  it("hands on method, path, query and body, and the answer back untouched", async () => {
    const answer = await fetch(`${url}/v1/accounts/0x1/events/3?limit=5&x=%3C`, {
      headers: { "X-Client": "7", Authorization: "Bearer theirs" },
    });
    expect(answer.status).toBe(418);
    expect(await answer.text()).toBe("seen GET /prefix/v1/accounts/0x1/events/3?limit=5&x=%3C");
    expect(answer.headers.get("x-aptos-ledger-version")).toBe("77");
    expect(answer.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(answer.headers.get("x-secret-hop")).toBeNull();
    expect(answer.headers.get("x-node-ledger-version")).toBeNull();
    expect(seen.at(-1)?.headers).toMatchObject({
      "x-client": "7",
      authorization: "Bearer theirs",
      host: `127.0.0.1:${port}`,
    });
    await fetch(`${url}/v1/transactions`, { method: "POST", body: "signed bytes" });
    expect(seen.at(-1)).toMatchObject({
      method: "POST",
      url: "/prefix/v1/transactions",
      body: "signed bytes",
    });
    await fetch(`${url}/v1/view`, { method: "POST", body: "a call" });
    expect(seen.at(-1)).toMatchObject({ url: "/prefix/v1/view", body: "a call" });
    await fetch(`${url}/v1/accounts/0x1/events/4?limit=1`);
    expect(seen.at(-1)).toMatchObject({ method: "GET", url: "/prefix/v1/accounts/0x1/events/4?limit=1" });
  });

  it("hands on lists of the reference's paths where this node has no index", async () => {
    const inner = await createHttpLedger();
    const ledger = {
      openView: async () => {
        const view = await inner.openView();
        return new Proxy(view, {
          get: (target, name) => {
            if (name === "getIndexedTo") return () => undefined;
            const value: unknown = Reflect.get(target, name, target);
            return typeof value === "function" ? value.bind(target) : value;
          },
        });
      },
    };
    const passThrough = new URL(`http://127.0.0.1:${port}/prefix/v1`);
    for (const options of [{ index: false }, { ledger }]) {
      const server = await startServer({ passThrough, ...options });
      for (const path of ["/accounts/0x1/resources", "/accounts/0x1/modules"]) {
        await fetch(`${server.url}/v1${path}`);
        expect(seen.at(-1)?.url).toBe(`/prefix/v1${path}`);
      }
      // No other node has this one.
      const own = await fetch(`${server.url}/v1/accounts/0x1/balances`);
      expect(own.status).toBe(403);
      const alone = await startServer(options);
      expect((await fetch(`${alone.url}/v1/accounts/0x1/resources`)).status).toBe(403);
    }
  });

  it("keeps what is served here", async () => {
    const before = seen.length;
    expect((await fetch(`${url}/v1`)).status).toBe(200);
    expect((await fetch(`${url}/v1/info`)).status).toBe(200);
    expect((await fetch(`${url}/v1/accounts/zz/balance/0xa`)).status).toBe(400);
    expect((await fetch(`${url}/elsewhere`)).status).toBe(404);
    expect(seen.length).toBe(before);
  });

  it("drops the headers of the connection, and whatever Connection names", async () => {
    await raw(
      "GET /v1/x HTTP/1.1\r\nHost: evil.example\r\nConnection: close, X-Private\r\nX-Private: 1\r\nTE: trailers\r\nProxy-Authorization: Basic x\r\nKeep-Alive: 5\r\nUpgrade: h2c\r\n\r\n",
    );
    const { headers } = seen.at(-1)!;
    for (const name of ["x-private", "te", "proxy-authorization", "keep-alive", "upgrade"]) {
      expect(headers, name).not.toHaveProperty(name);
    }
    expect(headers.host).toBe(`127.0.0.1:${port}`);
  });

  it("leads nowhere else, whatever the target looks like", async () => {
    const before = seen.length;
    const targets = [
      "/v1/../admin",
      "/v1/%2e%2e/admin",
      "/v1/..%2fadmin",
      "/v1/a/./b",
      "/v1//evil.example/x",
      "//evil.example/v1/x",
      "/v1/..\\admin",
      "/v1/%5c..%5cadmin",
      "/v2/x",
      "/v1x",
    ];
    for (const target of targets) {
      const answer = await raw(`GET ${target} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`);
      expect(answer.split(" ")[1], target).toBe("404");
    }
    expect(seen.length).toBe(before);
    await raw("GET http://evil.example/v1/x HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
    expect(seen.at(-1)).toMatchObject({ url: "/prefix/v1/x", headers: { host: `127.0.0.1:${port}` } });
  });

  it("streams, and tells a client when the upstream breaks off", async () => {
    const slow = await fetch(`${url}/v1/slow`);
    const reader = slow.body!.getReader();
    const first = await reader.read();
    expect(Buffer.from(first.value!).toString()).toBe("first ");
    // Not before, so an answer that is held back until it is whole never comes.
    tellFirstRead();
    expect(Buffer.from((await reader.read()).value!).toString()).toBe("last");
    await expect(fetch(`${url}/v1/cut`).then((answer) => answer.text())).rejects.toThrow();
  });

  it("bounds bodies, answers 503 when nobody is there, and finds loops", async () => {
    const large = await fetch(`${url}/v1/transactions`, { method: "POST", body: "x".repeat(20_000) });
    expect(large.status).toBe(413);
    const nobody = await startServer({ passThrough: new URL("http://127.0.0.1:1/v1") });
    const failed = await fetch(`${nobody.url}/v1/x`);
    expect(failed.status).toBe(503);
    expect(await failed.json()).toMatchObject({ error_code: "internal_error" });
    const { via } = seen.at(-1)!.headers;
    const looped = await fetch(`${url}/v1/x`, { headers: { Via: String(via) } });
    expect(looped.status).toBe(503);
  });

  it.each([true, false])("asks nothing for a client that left meanwhile (direct: %s)", async (isDirect) => {
    const real = await createHttpLedger();
    let reads = 0;
    let failReads = (): void => {};
    const failing = new Promise<void>((resolve) => {
      failReads = resolve;
    });
    const failRead = async (): Promise<never> => {
      reads++;
      await failing;
      throw new LedgerError("not_indexed", "there is no index");
    };
    const ledger: Ledger = {
      openView: async () => {
        const view = await real.openView();
        return new Proxy(view, {
          get: (_, name) => {
            const value: unknown = Reflect.get(view, name, view);
            return typeof value === "function" && name !== "release" ? failRead : value;
          },
        });
      },
    };
    const accept = vi.spyOn(NodeConnections.prototype, "accept");
    const counted: number[] = [];
    const server = await startServer({
      ledger,
      isDirect,
      passThrough: new URL(`http://127.0.0.1:${port}/prefix/v1`),
      onRequest: (_, status) => void counted.push(status),
    });
    const serve = vi.spyOn(PassThrough.prototype, "serve");
    const socket = connect(server.port, server.host);
    socket.write("GET /v1/accounts/0x1/resources HTTP/1.1\r\nHost: x\r\n\r\n");
    await until(() => reads > 0);
    socket.resetAndDestroy();
    await until(() => server.figures().connections === 0);
    accept.mockClear();
    failReads();
    await until(() => server.figures().inFlight === 0 || serve.mock.calls.length > 0);
    expect(serve).toHaveBeenCalledTimes(0);
    expect(counted).toEqual([499]);
    // It would be kept there until the server closes.
    expect(accept).toHaveBeenCalledTimes(0);
    vi.restoreAllMocks();
  });
});
