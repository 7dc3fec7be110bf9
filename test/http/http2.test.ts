// HTTP/2, by prior knowledge and by ALPN: the same answers, limits and shutdown as over HTTP/1.1.
import { readFileSync } from "node:fs";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type SecureClientSessionOptions,
} from "node:http2";
import { connect as tlsConnect } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import type { LogFields } from "../../src/base/log.ts";
import { createCertificate, hasOpenssl } from "../support/certificate.ts";
import { anchoredUpTo, COIN, createHttpLedger } from "../support/http-ledger.ts";
import { SIGNING_MESSAGE, startServer, type TestServer } from "../support/http-server.ts";
import { sendRaw } from "../support/raw-socket.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const BALANCE = `/v1/accounts/0xc1/balance/${COIN}`;
const ENCODE = "/v1/transactions/encode_submission";
const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const SETTINGS = Uint8Array.of(0, 0, 0, 4, 0, 0, 0, 0, 0);
/** Headers that HTTP/2 forbids. */
const FORBIDDEN = ["connection", "keep-alive", "transfer-encoding", "upgrade"];

function open(
  { url }: { readonly url: string },
  options: SecureClientSessionOptions = {},
): ClientHttp2Session {
  const session = connect(url, options);
  session.on("error", () => {});
  onTestFinished(() => session.destroy());
  return session;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Resolves when the stream has closed; status 0 without a response. */
function answerOf(stream: ClientHttp2Stream): Promise<Answer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let headers: IncomingHttpHeaders & { ":status"?: number | undefined } = {};
    stream.on("error", () => {});
    stream.on("response", (given) => {
      headers = given;
    });
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("close", () =>
      resolve({ status: headers[":status"] ?? 0, headers, body: Buffer.concat(chunks) }),
    );
  });
}

function ask(
  session: ClientHttp2Session,
  path: string,
  headers: OutgoingHttpHeaders = {},
  body?: string | Uint8Array,
): Promise<Answer> {
  const method = body === undefined ? "GET" : "POST";
  const stream = session.request({ ":method": method, ":path": path, ...headers });
  stream.end(body);
  return answerOf(stream);
}

function closed(session: ClientHttp2Session): Promise<void> {
  return new Promise((resolve) => session.once("close", resolve));
}

describe("HTTP/2 with prior knowledge", () => {
  it("answers as over HTTP/1.1, without the headers of a connection", async () => {
    const server = await startServer();
    const session = open(server);
    const over1 = await fetch(server.url + BALANCE);
    const { status, headers, body } = await ask(session, BALANCE, { "x-request-id": "mine" });
    expect([status, `${body}`]).toEqual([200, await over1.text()]);
    const names = [...over1.headers.keys()].filter((name) => !FORBIDDEN.includes(name));
    expect(Object.keys(headers).sort()).toEqual([":status", ...names, "x-request-id"].sort());
    expect(headers["x-request-id"]).toBe("mine");

    const head = await ask(session, BALANCE, { ":method": "HEAD" });
    expect([head.status, head.headers["content-length"], head.body.length]).toEqual([200, "9", 0]);
    const wrong = await ask(session, "/v1/accounts/0xzz/balance/x");
    expect([wrong.status, JSON.parse(`${wrong.body}`)]).toEqual([
      400,
      await (await fetch(`${server.url}/v1/accounts/0xzz/balance/x`)).json(),
    ]);
    expect((await ask(session, "/nothing")).status).toBe(404);
    expect((await ask(session, BALANCE, { ":method": "DELETE" })).status).toBe(405);
    expect((await ask(session, BALANCE, { ":authority": "a:b:c" })).status).toBe(400);
    expect((await ask(session, BALANCE, { expect: "tea" })).status).toBe(417);
    expect(server.figures().connections).toBeLessThanOrEqual(2);
  });

  it("a pinned answer has an ETag, and 304 has no body", async () => {
    const session = open(await startServer({ ledger: await createHttpLedger(anchoredUpTo(30n)) }));
    const first = await ask(session, `${BALANCE}?ledger_version=30`);
    const etag = first.headers.etag ?? "";
    expect(etag).toMatch(/^"/);
    const again = await ask(session, `${BALANCE}?ledger_version=30`, { "if-none-match": etag });
    expect([again.status, again.body.length, again.headers["content-length"]]).toEqual([304, 0, undefined]);
  });

  it("reads bodies with and without a length, after 100 Continue too, and refuses one that is too large", async () => {
    const session = open(await startServer({ bodyLimitBytes: 1000 }));
    const json = { "content-type": "application/json" };
    const expected = JSON.stringify(`0x${Buffer.from(SIGNING_MESSAGE).toString("hex")}`);
    expect(`${(await ask(session, ENCODE, json, "{}")).body}`).toBe(expected);
    const sized = await ask(session, ENCODE, { ...json, "content-length": "2" }, "{}");
    expect(`${sized.body}`).toBe(expected);
    const waiting = session.request({ ":method": "POST", ":path": ENCODE, ...json, expect: "100-continue" });
    waiting.once("continue", () => waiting.end("{}"));
    expect(`${(await answerOf(waiting)).body}`).toBe(expected);

    const large = Buffer.alloc(300_000, 0x20);
    expect((await ask(session, ENCODE, json, large)).status).toBe(413);
    const declared = await ask(session, ENCODE, { ...json, "content-length": String(large.length) }, large);
    expect(declared.status).toBe(413);
    // The connection goes on.
    expect((await ask(session, BALANCE)).status).toBe(200);
  });

  it("serves many streams of one connection at once, large answers among them", async () => {
    const server = await startServer();
    const session = open(server);
    await new Promise((resolve) => session.once("remoteSettings", resolve));
    expect(session.remoteSettings.maxConcurrentStreams).toBe(100);
    const page = await (await fetch(`${server.url}/v1/spec.json`)).text();
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, i) => ask(session, i % 20 === 0 ? "/v1/spec.json" : BALANCE)),
    );
    for (const [i, { status, body }] of answers.entries()) {
      expect(status).toBe(200);
      expect(`${body}`).toBe(i % 20 === 0 ? page : "200000000");
    }
    await until(() => server.figures().answerBytes === 0);
  });

  it("refuses too many headers and too long ones, and goes on", async () => {
    const server = await startServer();
    const session = open(server, { maxSendHeaderBlockLength: 1_000_000 });
    await ask(session, BALANCE);
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`x-${i}`, "1"]));
    expect((await ask(session, BALANCE, many)).status).not.toBe(200);
    expect((await ask(session, BALANCE, { "x-a": "a".repeat(20_000) })).status).toBe(200);
    const long = { "x-a": "a".repeat(20_000), "x-b": "b".repeat(20_000) };
    expect((await ask(session, BALANCE, long)).status).not.toBe(200);
    expect((await ask(open(server), BALANCE)).status).toBe(200);
  });

  it("limits the rate, and logs and counts each request", async () => {
    const lines: LogFields[] = [];
    const counted: number[] = [];
    const log = (fields: LogFields, message: string): void => {
      if (message === "request") lines.push(fields);
    };
    const server = await startServer({
      rateLimit: 1,
      logRequests: true,
      logger: { debug: log, info: log, warn: log, error: log },
      onRequest: (_, status) => counted.push(status),
    });
    const session = open(server);
    const answers = await Promise.all([ask(session, BALANCE), ask(session, BALANCE)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 429]);
    expect(answers[1]?.headers["ratelimit-limit"]).toBe("1");
    expect(counted).toEqual([200, 429]);
    expect(lines).toMatchObject([
      { method: "GET", path: BALANCE, status: 200, client: "127.0.0.1" },
      { method: "GET", path: BALANCE, status: 429, client: "127.0.0.1" },
    ]);
  });

  it("streams events beside other requests; the stream ends with the client's reset", async () => {
    const server = await startServer({ streamHeartbeatMs: 64 });
    const session = open(server);
    const stream = session.request({ ":path": `${BALANCE}/stream` });
    let text = "";
    stream.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
    await until(() => text.includes("event: balance") && text.includes(": at version"));
    expect(server.figures().streams).toBe(1);
    expect((await ask(session, BALANCE)).status).toBe(200);
    stream.close(constants.NGHTTP2_CANCEL);
    await until(() => server.figures().streams === 0);
    expect((await ask(session, BALANCE)).status).toBe(200);
  });

  it("streams a history in pieces", async () => {
    const server = await startServer();
    const path = `${BALANCE}/history`;
    const headers = { accept: "application/x-ndjson" };
    const over1 = await fetch(server.url + path, { headers });
    const { status, body } = await ask(open(server), path, headers);
    expect([status, `${body}`]).toEqual([over1.status, await over1.text()]);
  });

  it("ends a connection that opens streams and resets them", async () => {
    let served = 0;
    const server = await startServer({ onRequest: () => served++ });
    const session = open(server);
    await ask(session, BALANCE);
    let code = 0;
    session.once("goaway", (given) => {
      code = given;
    });
    const ended = closed(session);
    let sent = 0;
    while (!session.destroyed && sent < 20_000) {
      for (let i = 0; i < 50 && !session.destroyed; i++, sent++) {
        const stream = session.request({ ":path": BALANCE });
        stream.on("error", () => {});
        stream.close(constants.NGHTTP2_CANCEL);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    await ended;
    expect(code).not.toBe(0);
    expect(served).toBeLessThan(5000);
    await until(() => server.figures().connections === 0 && server.figures().inFlight === 0);
    expect((await ask(open(server), BALANCE)).status).toBe(200);
  });

  it("a client that does not read is cut off, and what it held is free", async () => {
    const server = await startServer({ readTimeoutMs: 200 });
    const session = open(server, { settings: { initialWindowSize: 0 } });
    const cut = await ask(session, "/v1/spec.json");
    expect([cut.status, cut.body.length]).toEqual([200, 0]);
    await until(() => server.figures().answerBytes === 0);
  });

  it("ends a body that does not come, and idle connections", async () => {
    const server = await startServer({
      requestTimeoutMs: 200,
      headersTimeoutMs: 200,
      keepAliveTimeoutMs: 200,
    });
    const session = open(server);
    expect((await ask(session, BALANCE)).status).toBe(200);
    const slow = session.request({ ":method": "POST", ":path": ENCODE, "content-type": "application/json" });
    slow.write("{");
    expect((await answerOf(slow)).status).toBe(0);
    await closed(session);
    // A client that sends nothing but its settings.
    await sendRaw(server, [PREFACE, SETTINGS]);
    await until(() => server.figures().connections === 0);
  });

  it("garbage after the preface closes the connection, and a broken preface is no request", async () => {
    // node's http2 sends GOAWAY and waits for the client to close: the limit for the first request ends that.
    const server = await startServer({ headersTimeoutMs: 200 });
    const garbage = [
      [`${PREFACE}garbage garbage garbage`],
      [PREFACE, SETTINGS, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"],
      ["PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n", SETTINGS],
      [PREFACE, Uint8Array.of(0xff, 0xff, 0xff, 1, 4, 0, 0, 0, 1)],
    ];
    for (const pieces of garbage) expect((await sendRaw(server, pieces)).statuses).toEqual([]);
    expect(
      (await sendRaw(server, ["PROPFIND / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"])).statuses,
    ).toEqual([405]);
    // Only a connection begins with the preface.
    const later = `GET ${BALANCE} HTTP/1.1\r\nHost: x\r\n\r\n${PREFACE}`;
    expect((await sendRaw(server, [later])).statuses).toEqual([200, 400]);
    await until(() => server.figures().connections === 0);
    expect((await ask(open(server), BALANCE)).status).toBe(200);
  });

  it("says goodbye when the server stops: streams in flight end first, events end at once", async () => {
    const server = await startServer({ drainTimeoutMs: 60_000 });
    const [busy, idle, watching] = [open(server), open(server), open(server)];
    await ask(idle, BALANCE);
    const events = watching.request({ ":path": `${BALANCE}/stream` });
    await new Promise((resolve) => events.once("response", resolve));
    events.resume();
    const encoding = busy.request({
      ":method": "POST",
      ":path": ENCODE,
      "content-type": "application/json",
    });
    encoding.write("{");
    await ask(busy, BALANCE);
    const goodbyes = [busy, idle, watching].map(
      (session) => new Promise((resolve) => session.once("goaway", resolve)),
    );
    const ends = [busy, idle, watching].map(closed);
    const stopped = server.close();
    expect(await Promise.all(goodbyes)).toEqual([0, 0, 0]);
    encoding.end("}");
    expect((await answerOf(encoding)).status).toBe(200);
    await Promise.all([stopped, ...ends]);
  });

  it("stops within the drain time when a stream stays open", async () => {
    const server = await startServer({ drainTimeoutMs: 100 });
    const session = open(server);
    const encoding = session.request({
      ":method": "POST",
      ":path": ENCODE,
      "content-type": "application/json",
    });
    encoding.on("error", () => {});
    encoding.write("{");
    expect((await ask(session, BALANCE)).status).toBe(200);
    await server.close();
    await until(() => server.figures().connections === 0);
  });
});

describe.skipIf(!hasOpenssl)("HTTP/2 over TLS (needs openssl)", () => {
  function handshake(server: TestServer, ca: Buffer, protocols: string[]): Promise<string | false | null> {
    return new Promise((resolve, reject) => {
      const socket = tlsConnect(
        { port: server.port, host: "127.0.0.1", ca, ALPNProtocols: protocols },
        () => {
          resolve(socket.alpnProtocol);
          socket.end();
        },
      );
      socket.on("error", reject);
    });
  }

  it("is chosen by ALPN alone, and HTTP/1.1 stays for the others", async () => {
    const files = createCertificate(temporaryFolder(), "both");
    const server = await startServer({ tls: files });
    const ca = readFileSync(files.certFile);
    expect(await handshake(server, ca, ["h2", "http/1.1"])).toBe("h2");
    expect(await handshake(server, ca, ["http/1.1"])).toBe("http/1.1");
    const session = open({ url: `https://127.0.0.1:${server.port}` }, { ca });
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(session, BALANCE)));
    expect(answers.every(({ status, body }) => status === 200 && `${body}` === "200000000")).toBe(true);
    const text = await new Promise<string>((resolve) => {
      const socket = tlsConnect({ port: server.port, host: "127.0.0.1", ca }, () => socket.write(PREFACE));
      socket.once("data", (bytes) => resolve(`${bytes}`));
      socket.on("error", () => {});
    });
    expect(text).toContain("HTTP/1.1 400");
    const ended = closed(session);
    await Promise.all([server.close(), ended]);
  });
});
