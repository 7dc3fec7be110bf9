// Hostile clients and a hostile upstream around pass-through: what one client sends never becomes another client's
// answer, every passed request is counted and charged once, and no answer of the upstream ends the process.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../support/http-server.ts";
import { sendRaw } from "../support/raw-socket.ts";
import { until } from "../support/until.ts";

interface Seen {
  readonly request: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  readonly socket: Socket;
}

interface Upstream {
  readonly url: URL;
  readonly seen: Seen[];
}

async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<URL> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
}

/** Answers every request with its own method and path, and keeps what it saw. */
async function startUpstream(
  answer: (request: IncomingMessage, response: ServerResponse) => void = (request, response) => {
    response.end(`answer to ${request.method} ${request.url}`);
  },
): Promise<Upstream> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("latin1").on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      const { headers, socket } = request;
      seen.push({ request: `${request.method} ${request.url}`, headers, body, socket });
      answer(request, response);
    });
  });
  const url = await listen(server);
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url, seen };
}

/** Answers every connection with the same bytes, once it has said something. */
async function startRawUpstream(bytes: string): Promise<URL> {
  const server = createTcpServer((socket) => {
    socket.on("error", () => {}).once("data", () => socket.end(bytes, "latin1"));
  });
  afterAll(() => server.close());
  return listen(server);
}

interface Head {
  /** 0 where no answer came. */
  readonly status: number;
  readonly header: (name: string) => string | undefined;
}

/** Sends a request on a connection of its own, and gives the head of the first answer. */
function ask(server: TestServer, text: string): Promise<Head> {
  return new Promise((resolve) => {
    const socket = connect(server.port, server.host, () => socket.write(text, "latin1"));
    let answer = "";
    const finish = (): void => {
      const [first = "", ...lines] = answer.split("\r\n\r\n")[0]?.split("\r\n") ?? [];
      const headers = new Map(lines.map((line) => line.toLowerCase().split(": ") as [string, string]));
      resolve({ status: Number(first.slice(9, 12)), header: (name) => headers.get(name) });
      socket.destroy();
    };
    socket.on("error", () => {}).on("close", finish);
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1");
      if (answer.includes("\r\n\r\n")) finish();
    });
  });
}

const SMUGGLED = "GET /admin/secret HTTP/1.1\r\nHost: x\r\n\r\n";
const LAST = "Connection: close\r\n\r\n";

/** A request whose body looks like a request, with the given headers besides its length. */
function withBody(method: string, headers: string, body = SMUGGLED): string {
  return `${method} /v1/first HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`;
}

function chunked(method: string, headers: string, body = SMUGGLED): string {
  const size = body.length.toString(16);
  return `${method} /v1/first HTTP/1.1\r\nHost: x\r\n${headers}Transfer-Encoding: chunked\r\n\r\n${size}\r\n${body}\r\n0\r\n\r\n`;
}

describe.each([true, false])("a request inside another's body (direct: %s)", (isDirect) => {
  const NAMED = [
    "Connection: Content-Length\r\n",
    "Connection: close, Content-Length\r\n",
    "Connection: keep-alive\r\nConnection: CONTENT-LENGTH \r\n",
    "Connection: transfer-encoding, content-length\r\n",
  ];
  const requests = ["GET", "HEAD", "DELETE", "OPTIONS", "PROPFIND", "POST", "PUT", "PATCH"].flatMap(
    (method) => [
      ...[...NAMED, ""].map((headers) => [method, withBody(method, headers)] as const),
      ...[...NAMED, ""].map((headers) => [method, chunked(method, headers)] as const),
    ],
  );

  it("never reaches the upstream as a request, and never answers another client", async () => {
    const upstream = await startUpstream();
    const server = await startServer({ isDirect, passThrough: upstream.url });
    for (const [method, text] of requests) {
      upstream.seen.length = 0;
      const isBodied = ["POST", "PUT", "PATCH"].includes(method);
      const { status } = await ask(server, text);
      const other = await fetch(`${server.url}/v1/accounts/0x1/events/3`);
      expect(await other.text(), text).toBe("answer to GET /v1/accounts/0x1/events/3");
      const passed = upstream.seen.map(({ request, body }) => [request, body]);
      const first = isBodied ? [[`${method} /v1/first`, SMUGGLED]] : [];
      expect(passed, text).toEqual([...first, ["GET /v1/accounts/0x1/events/3", ""]]);
      expect(status, text).toBe(isBodied ? 200 : 400);
    }
  });

  it("a socket that carried anything unusual carries nothing more", async () => {
    const upstream = await startUpstream();
    const server = await startServer({ isDirect, passThrough: upstream.url });
    const plain = async (): Promise<Socket> => {
      await (await fetch(`${server.url}/v1/plain`)).text();
      return upstream.seen.at(-1)!.socket;
    };
    // What is ordinary shares a socket: without this the rest would show nothing.
    expect(await plain()).toBe(await plain());
    const unusual = [
      chunked("POST", ""),
      withBody("POST", "Connection: Content-Length\r\n"),
      withBody("PUT", ""),
      "DELETE /v1/first HTTP/1.1\r\nHost: x\r\n\r\n",
    ];
    for (const text of unusual) {
      expect((await ask(server, text)).status, text).toBe(200);
      const { socket, headers } = upstream.seen.at(-1)!;
      expect(headers.connection, text).toBe("close");
      expect(await plain(), text).not.toBe(socket);
    }
  });

  it("a POST without any body is passed on as one of no bytes", async () => {
    const upstream = await startUpstream();
    const server = await startServer({ isDirect, passThrough: upstream.url });
    const { statuses } = await sendRaw(server, [`POST /v1/first HTTP/1.1\r\nHost: x\r\n${LAST}`]);
    expect(statuses).toEqual([200]);
    expect(upstream.seen.at(-1)!.headers).toMatchObject({ "content-length": "0" });
  });
});

describe("framing that cannot be passed on", () => {
  it("a transfer coding besides chunked is refused with 400", async () => {
    const upstream = await startUpstream();
    const server = await startServer({ passThrough: upstream.url });
    const text = `POST /v1/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n${LAST}3\r\nabc\r\n0\r\n\r\n`;
    const { statuses } = await sendRaw(server, [text]);
    expect(statuses).toEqual([400]);
    expect(upstream.seen).toEqual([]);
  });

  it("100-continue is not given for a body that is refused", async () => {
    const upstream = await startUpstream();
    const server = await startServer({ passThrough: upstream.url, bodyLimitBytes: 1000 });
    for (const [head, status] of [
      ["DELETE /v1/x HTTP/1.1\r\nContent-Length: 3\r\n", 400],
      ["POST /v1/x HTTP/1.1\r\nContent-Length: 1001\r\n", 413],
    ] as const) {
      const { statuses } = await sendRaw(server, [`${head}Host: x\r\nExpect: 100-continue\r\n\r\n`]);
      expect(statuses, head).toEqual([status]);
    }
    expect(upstream.seen).toEqual([]);
  });

  it("a chunked body over the limit gets its 413, and the connection its next answer", async () => {
    const upstream = await startUpstream();
    const server = await startServer({ passThrough: upstream.url, bodyLimitBytes: 10_000 });
    const next = `GET /v1/next HTTP/1.1\r\nHost: x\r\n${LAST}`;
    const { statuses } = await sendRaw(server, [chunked("POST", "", "x".repeat(1_000_000)), next]);
    expect(statuses).toEqual([413, 200]);
  });
});

describe("an upstream that answers strangely", () => {
  const HEAD = "HTTP/1.1 200 OK\r\n";
  it.each([
    [
      "a length that its Connection names",
      `${HEAD}Connection: close, content-length\r\nContent-Length: 5\r\n\r\nhello`,
      200,
    ],
    ["an impossible status", "HTTP/1.1 099 X\r\nContent-Length: 0\r\n\r\n", 503],
    [
      "a change of protocol that nobody asked for",
      "HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n",
      503,
    ],
    ["a control character in a header", `${HEAD}X: a\x01b\r\nContent-Length: 0\r\n\r\n`, 503],
    ["no HTTP", "no HTTP\r\n\r\n", 503],
    ["nothing", "", 503],
  ])("%s: the client gets an answer, and the node goes on", async (_, bytes, status) => {
    const counted: number[] = [];
    const server = await startServer({
      passThrough: await startRawUpstream(bytes),
      onRequest: (_operation, code) => counted.push(code),
    });
    const answer = await fetch(`${server.url}/v1/x`);
    expect(answer.status).toBe(status);
    if (status === 200) expect(await answer.text()).toBe("hello");
    await until(() => counted.length > 0);
    expect(counted).toEqual([status]);
    expect((await fetch(`${server.url}/v1/info`)).status).toBe(200);
  });
});

describe.each([true, false])("what a passed request counts as (direct: %s)", (isDirect) => {
  async function start(
    upstream: Upstream,
    options: Parameters<typeof startServer>[0] = {},
  ): Promise<TestServer & { readonly counted: string[] }> {
    const counted: string[] = [];
    const server = await startServer({
      isDirect,
      passThrough: upstream.url,
      onRequest: (operation, status) => counted.push(`${operation} ${status}`),
      ...options,
    });
    return { ...server, counted };
  }

  it("POST to a path outside the upstream's reach is 405, as without pass-through", async () => {
    const upstream = await startUpstream();
    const server = await start(upstream, { metricsPage: () => Promise.resolve("up 1\n") });
    for (const path of ["/", "/v1", "/metrics"]) {
      const answer = await fetch(server.url + path, { method: "POST", body: "x" });
      expect([path, answer.status, answer.headers.get("allow")]).toEqual([path, 405, "GET, HEAD"]);
    }
    expect((await fetch(`${server.url}/nothing`, { method: "POST" })).status).toBe(404);
    expect(upstream.seen).toEqual([]);
  });

  it("is charged once: at one a second, three a second apart are all allowed, and each says what is left", async () => {
    const upstream = await startUpstream((_, response) => {
      response.writeHead(200, { "RateLimit-Limit": "9999", "X-Own": "1" }).end("ok");
    });
    const server = await start(upstream, { rateLimit: 1 });
    for (let i = 0; i < 3; i++) {
      if (i > 0) await sleep(1100);
      const { status, header } = await ask(server, "GET /v1/passed HTTP/1.1\r\nHost: x\r\n\r\n");
      const names = ["x-own", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"];
      // The upstream's own limit is one of this node, not of its client.
      expect([status, ...names.map(header)]).toEqual([200, "1", "1", "0", "1"]);
    }
  });

  it("a client that leaves before the answer is counted as 499, not as 200", async () => {
    let asked = 0;
    const upstream = await startUpstream(() => {
      asked++;
    });
    const server = await start(upstream);
    const socket = connect(server.port, server.host);
    socket.write("GET /v1/never HTTP/1.1\r\nHost: x\r\n\r\n");
    await until(() => asked === 1);
    socket.resetAndDestroy();
    await until(() => server.counted.length > 0);
    expect(server.counted).toEqual(["none 499"]);
  });

  it("an upstream that breaks off in its answer is counted as 503, not as 200", async () => {
    const upstream = await startUpstream((_, response) => {
      response.writeHead(200, { "Content-Length": "100" }).write("half", () => response.destroy());
    });
    const server = await start(upstream);
    await sendRaw(server, ["GET /v1/cut HTTP/1.1\r\nHost: x\r\n\r\n"]);
    await until(() => server.counted.length > 0);
    expect(server.counted).toEqual(["none 503"]);
  });
});
