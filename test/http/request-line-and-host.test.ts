// The two places that say which host and path a request is for: its target and its Host header. RFC 9112, 3.2.
import { describe, expect, it } from "vitest";
import { COIN } from "../support/http-ledger.ts";
import { startServer, type TestServer } from "../support/http-server.ts";
import { sendRaw } from "../support/raw-socket.ts";

const BALANCE = `/v1/accounts/0xc1/balance/${COIN}`;

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Sends a request between two ordinary ones, so that both ways of reading see it, and gives its answer. */
async function ask(server: TestServer, head: string): Promise<Answer> {
  const first = `GET ${BALANCE} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const last = `GET ${BALANCE} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
  const bytes = Buffer.from(`${first}${head}\r\n\r\n${last}`, "latin1");
  const { text } = await sendRaw(server, [bytes]);
  const answer = text.split(/(?=HTTP\/1\.1 \d{3} )/)[1] ?? "";
  return { status: Number(answer.slice(9, 12)), text: answer };
}

function expectRefusal({ status, text }: Answer, why: string): void {
  expect(status, why).toBe(400);
  const body = JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4)) as Record<string, unknown>;
  expect([body.error_code, typeof body.message], why).toEqual(["web_framework_error", "string"]);
}

describe.each([true, false])("an absolute target (direct: %s)", async (isDirect) => {
  const server = await startServer({ isDirect });
  const get = (target: string) => ask(server, `GET ${target} HTTP/1.1\r\nHost: x`);

  it.each([
    "http://h?x=/v1/info",
    "http://h?/v1/info",
    "http://h:80?x=http://h/v1/info",
    "https://h?x=/v1/info",
    "http://h",
    "http://h/",
    "http://[::1]:8080",
  ])("%s is served as /, not as what its query says", async (target) => {
    const { text, status } = await get(target);
    expect(status).toBe(200);
    expect(text).toContain("Content-Type: text/html");
  });

  it.each([
    `http://node.example${BALANCE}`,
    `HTTP://node.example:8080${BALANCE}`,
    `hTTps://[2001:db8::1]${BALANCE}?x=/v1/info`,
  ])("%s is served as its path", async (target) => {
    const { text, status } = await get(target);
    expect(status).toBe(200);
    expect(text).toContain("\r\n\r\n200000000");
  });

  it.each([
    "http:///v1/info",
    "http://?x=1",
    "http://user@h/v1/info",
    "http://h:port/v1/info",
    "http://h%zz/v1/info",
    "http://[::1/v1/info",
  ])("%s names no host, and gets 400", async (target) => {
    expectRefusal(await get(target), target);
  });
});

describe.each([true, false])("the Host header (direct: %s)", async (isDirect) => {
  const counted: number[] = [];
  const server = await startServer({ isDirect, onRequest: (_, status) => counted.push(status) });

  it.each([
    ["twice, alike", "Host: x\r\nHost: x"],
    ["twice, not alike", "Host: x\r\nAccept: */*\r\nhost: y"],
    ["twice, one of them empty", "Host:\r\nHost: x"],
    ["missing", "Accept: */*"],
    ["with a blank", "Host: a b"],
    ["with a path", "Host: x/v1"],
    ["with a user", "Host: user@x"],
    ["with a port that is no number", "Host: x:http"],
    ["with two ports", "Host: x:80:80"],
    ["with a broken escape", "Host: x%2"],
    ["with a broken address", "Host: [::1"],
    ["with an address that is none", "Host: [zz]:80"],
    ["with bytes that are not ASCII", "Host: caf\xe9"],
    ["that is longer than a host can be", `Host: ${"a".repeat(256)}`],
  ])("%s: 400", async (why, lines) => {
    for (const line of [`GET ${BALANCE} HTTP/1.1`, "GET /v1/nothing HTTP/1.1", "DELETE /v1 HTTP/1.1"]) {
      counted.length = 0;
      expectRefusal(await ask(server, `${line}\r\n${lines}`), why);
      expect(counted.sort(), why).toEqual([200, 200, 400]);
    }
  });

  it.each(["x", "x:8080", "x:", "", "127.0.0.1:1", "[::1]", "[2001:db8::1]:443", "a_b.example.", "%41"])(
    "%j is valid",
    async (host) => {
      expect((await ask(server, `GET ${BALANCE} HTTP/1.1\r\nHost: ${host}`)).status).toBe(200);
    },
  );

  it("is refused twice in a preflight and under HTTP/1.0 too, which may leave it out", async () => {
    const preflight = "Origin: https://a.example\r\nAccess-Control-Request-Method: GET";
    expectRefusal(
      await ask(server, `OPTIONS ${BALANCE} HTTP/1.1\r\nHost: x\r\nHost: x\r\n${preflight}`),
      "preflight",
    );
    expectRefusal(await ask(server, `GET ${BALANCE} HTTP/1.0\r\nHost: x\r\nHost: x`), "HTTP/1.0");
    expect((await ask(server, `GET ${BALANCE} HTTP/1.0\r\nAccept: */*`)).status).toBe(200);
  });
});

describe.each([true, false])("a head that node:http would read leniently (direct: %s)", async (isDirect) => {
  const server = await startServer({ isDirect });

  it.each([
    [
      "a body in a coding that nobody takes off",
      "HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0",
    ],
    ["two names for the same coding", "HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity, chunked\r\n\r\n0"],
    ["another version", "HTTP/2.0\r\nHost: x"],
  ])("%s is refused", async (why, rest) => {
    expectRefusal(await ask(server, `GET ${BALANCE} ${rest}`), why);
  });
});
