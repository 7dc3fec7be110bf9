import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { LogFields } from "../../src/base/log.ts";
import { COIN, createHttpLedger, TABLE, TABLE_KEY } from "../support/http-ledger.ts";
import { startServer, type TestServer } from "../support/http-server.ts";
import { until } from "../support/until.ts";

const BALANCE = `/v1/accounts/0xc1/balance/${COIN}`;

/** Opens connections that say nothing yet. */
async function openSockets(server: TestServer, count: number): Promise<Socket[]> {
  const open = (): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const socket = connect(server.port, server.host, () => resolve(socket));
      socket.on("error", reject);
    });
  const before = server.figures().connections;
  const sockets = await Promise.all(Array.from({ length: count }, open));
  // What the system has connected the server has still to accept.
  while (server.figures().connections < before + count) await sleep(1);
  return sockets;
}

/** Sends one request on a connection and waits for the whole answer, which must end its connection. */
function ask(socket: Socket, path: string, headers = ""): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
    });
    socket.on("error", reject);
    socket.on("close", () => {
      resolve({ status: Number(text.slice(9, 12)), text });
    });
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}Connection: close\r\n\r\n`);
  });
}

function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe("more requests than can be answered in time", () => {
  const COUNT = 300;
  const WORK_MS = 4;
  const LIMIT_MS = 100;

  it("are shed quickly with 503 and Retry-After, health checks spared, and all is well after", async () => {
    const logged: [LogFields, string][] = [];
    const counted = new Map<number, number>();
    const server = await startServer({
      maxWaitMs: LIMIT_MS,
      nodeInfo: () => {
        block(WORK_MS);
        return { chain_id: "44" };
      },
      onRequest: (_, status) => counted.set(status, (counted.get(status) ?? 0) + 1),
      logger: { debug: () => {}, info: () => {}, warn: (...line) => logged.push(line), error: () => {} },
      clock: () => 1_700_000_003_000,
    });
    const sockets = await openSockets(server, COUNT);
    const [watcher] = await openSockets(server, 1);
    const startedMs = performance.now();
    const asked = sockets.map((socket) => ask(socket, "/v1/info"));
    const health = ask(watcher!, "/v1/-/healthy");
    const answers = await Promise.all(asked);
    const served = answers.filter(({ status }) => status === 200);
    const shed = answers.filter(({ status }) => status === 503);
    expect(served.length + shed.length).toBe(COUNT);
    expect(served.length).toBeGreaterThan(0);
    expect(shed.length).toBeGreaterThan(COUNT / 3);
    for (const { text } of shed) {
      expect(text).toContain("Retry-After: 1\r\n");
      expect(text).toContain("Cache-Control: no-store\r\n");
      const body = JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4)) as Record<string, unknown>;
      expect(body.error_code).toBe("internal_error");
    }
    expect((await health).status).toBe(200);
    expect(counted.get(503)).toBe(shed.length);
    await sleep(1100);
    const [after] = await openSockets(server, 1);
    expect((await ask(after!, "/v1/info")).status).toBe(200);
    // One line for a second's worth of them.
    const lines = logged.filter(([, message]) => message === "overloaded");
    expect(lines.length).toBeLessThanOrEqual(2 + Math.ceil((performance.now() - startedMs) / 1000));
    expect(lines.length).toBeLessThan(shed.length / 10);
    expect(lines.reduce((sum, [fields]) => sum + Number(fields.shed), 0)).toBe(shed.length);
  });

  it("are shed with the id that the client gave them", async () => {
    const server = await startServer({
      maxWaitMs: LIMIT_MS,
      nodeInfo: () => {
        block(WORK_MS);
        return { chain_id: "44" };
      },
    });
    const sockets = await openSockets(server, COUNT);
    const answers = await Promise.all(
      sockets.map((socket, at) => ask(socket, "/v1/info", `X-Request-Id: mine-${at}\r\n`)),
    );
    expect(answers.filter(({ status }) => status === 503).length).toBeGreaterThan(0);
    for (const [at, { text }] of answers.entries()) expect(text).toContain(`X-Request-Id: mine-${at}\r\n`);
  });

  it("one large piece of work is no overload", async () => {
    let first = true;
    const server = await startServer({
      maxWaitMs: LIMIT_MS,
      nodeInfo: () => {
        if (first) block(3 * LIMIT_MS);
        first = false;
        return { chain_id: "44" };
      },
    });
    const sockets = await openSockets(server, 40);
    const answers = await Promise.all(sockets.map((socket) => ask(socket, "/v1/info")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it("the limit can be switched off", async () => {
    const server = await startServer({
      maxWaitMs: 0,
      nodeInfo: () => {
        block(1);
        return { chain_id: "44" };
      },
    });
    const sockets = await openSockets(server, COUNT);
    const answers = await Promise.all(sockets.map((socket) => ask(socket, "/v1/info")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

describe("what does not count as in flight", () => {
  it("slow bodies do not keep others out", async () => {
    const server = await startServer({ maxInFlight: 1 });
    const slow = await openSockets(server, 5);
    for (const socket of slow) {
      socket.write(
        `POST /v1/tables/${TABLE}/raw_item HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
      );
    }
    await sleep(50);
    expect((await fetch(server.url + BALANCE)).status).toBe(200);
    for (const socket of slow) socket.destroy();
  });

  it("large bodies over the budget leave room for small ones", async () => {
    const server = await startServer({ bodyBudgetBytes: 100_000 });
    const head = `POST /v1/tables/${TABLE}/raw_item HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 200000\r\n\r\n`;
    const [slow] = await openSockets(server, 1);
    slow!.write(head + " ".repeat(99_999));
    const post = (body: string): Promise<Response> =>
      fetch(`${server.url}/v1/tables/${TABLE}/raw_item`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
    const item = JSON.stringify({ key: TABLE_KEY });
    await until(async () => (await post(item + " ".repeat(50_000))).status === 503);
    expect((await post(item)).status).toBe(200);
    slow!.destroy();
  });

  it("failing requests cannot fill the log", async () => {
    let lines = 0;
    const count = (): void => {
      lines++;
    };
    const server = await startServer({
      ledger: { openView: () => Promise.reject(new Error("no disk")) },
      logger: { debug: count, info: count, warn: count, error: count },
    });
    const started = performance.now();
    for (let i = 0; i < 300; i++) expect((await fetch(server.url + BALANCE)).status).toBe(503);
    const seconds = Math.ceil((performance.now() - started) / 1000) + 1;
    expect(lines).toBeGreaterThan(0);
    expect(lines).toBeLessThanOrEqual(20 * seconds);
  });
});

describe("answers that nobody reads", () => {
  const SIZE = 16 * 1024 * 1024;
  const ASK = "GET /v1/info HTTP/1.1\r\nHost: x\r\n\r\n";

  it("share a budget: what goes over it is refused", async () => {
    const server = await startServer({
      nodeInfo: () => ({ large: "x".repeat(SIZE) }),
      answerBudgetBytes: 1.5 * SIZE,
    });
    const [unread] = await openSockets(server, 1);
    unread!.pause();
    unread!.write(ASK);
    const refused = await until(async () => {
      const answer = await fetch(`${server.url}/v1/info`);
      if (answer.status === 200) await answer.text();
      return answer.status !== 200 && answer;
    });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect((await fetch(server.url + BALANCE)).status).toBe(200);
    unread!.destroy();
    const whole = await until(async () => {
      const answer = await fetch(`${server.url}/v1/info`);
      const text = await answer.text();
      return answer.status === 200 && text;
    });
    expect(whole.length).toBeGreaterThan(SIZE);
  });

  it("end the connection of a client that reads a little now and then", async () => {
    const server = await startServer({
      nodeInfo: () => ({ large: "x".repeat(SIZE) }),
      readTimeoutMs: 60_000,
      answerTimeoutMs: 1000,
    });
    const [socket] = await openSockets(server, 1);
    let received = 0;
    socket!.pause();
    socket!.on("readable", () => {});
    socket!.write(ASK);
    const nibble = setInterval(() => {
      received += (socket!.read(1000) as Buffer | null)?.length ?? 0;
    }, 20);
    await until(() => server.figures().unreadResponsesEnded === 1);
    await until(() => server.figures().connections === 0);
    clearInterval(nibble);
    expect(received).toBeGreaterThan(0);
    socket!.destroy();
  });

  it("many requests on one connection without reading: bounded, and others are served", async () => {
    const server = await startServer({ ledger: await createHttpLedger() });
    const [socket] = await openSockets(server, 1);
    socket!.pause();
    socket!.on("error", () => {});
    const requests = Buffer.from(`GET ${BALANCE} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(2000));
    const before = process.memoryUsage().rss;
    const statuses: number[] = [];
    // The system itself takes tens of megabytes before the sender has to keep any.
    for (let i = 0; i < 1000 && !socket!.destroyed && socket!.writableLength < 1_000_000; i++) {
      socket!.write(requests);
      statuses.push((await fetch(server.url + BALANCE)).status);
    }
    // Either the pipe is full, or there were too many at once and the connection is gone.
    expect(socket!.destroyed || socket!.writableLength > 0).toBe(true);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
    socket!.destroy();
  });
});

describe.each([true, false])("many requests that wait on one connection (direct: %s)", (isDirect) => {
  /** Sends requests at once to a server that is held up, and gives the number of answers and the longest queue. */
  async function sendMany(count: number, request: string): Promise<{ answers: number; longest: number }> {
    let longest = 0;
    const server: TestServer = await startServer({
      isDirect,
      maxWaitMs: 0,
      nodeInfo: () => {
        block(50);
        return { chain_id: "44" };
      },
      onRequest: () => {
        longest = Math.max(longest, server.figures().queued);
      },
    });
    const [busy, many] = await openSockets(server, 2);
    const ended = new Promise<number>((resolve) => {
      let answers = 0;
      let end = "";
      many!.on("data", (chunk) => {
        const text = end + chunk.toString("latin1");
        answers += text.split("HTTP/1.1 200").length - 1;
        end = text.slice(text.lastIndexOf("HTTP/1.1 200") + 1).slice(-11);
        if (answers === count) resolve(answers);
      });
      many!.on("error", () => {}).on("close", () => resolve(answers));
    });
    // They wait only where the loop is held up just before they come.
    const served = ask(busy!, "/v1/info");
    many!.write(request.repeat(count));
    expect((await served).status).toBe(200);
    const answers = await ended;
    // Others are served meanwhile and after.
    expect((await fetch(server.url + BALANCE)).status).toBe(200);
    many!.destroy();
    await server.close();
    return { answers, longest };
  }

  it.each([400, 20_000])("are all answered one at a time, %i on a connection that stays", async (count) => {
    const { answers, longest } = await sendMany(count, `GET ${BALANCE} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(answers).toBe(count);
    // One of each connection.
    expect(longest).toBeLessThanOrEqual(2);
  });
});

describe("too many connections", () => {
  it("are refused; those that only wait for a next request make room", async () => {
    const server = await startServer({ maxConnections: 20 });
    const kept = await openSockets(server, 20);
    const first = kept.map((socket) => new Promise<void>((resolve) => socket.once("data", () => resolve())));
    for (const socket of kept) socket.write(`GET ${BALANCE} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await Promise.all(first);
    const closed = kept.map(
      (socket) => new Promise<void>((resolve) => socket.once("close", () => resolve())),
    );
    const refused = connect(server.port, server.host);
    refused.on("error", () => {});
    await new Promise<void>((resolve) => refused.once("close", () => resolve()));
    expect(server.figures().refusedConnections).toBe(1);
    await Promise.all(closed);
    expect((await fetch(server.url + BALANCE)).status).toBe(200);
  });

  it("a connection with a request in flight is never closed to make room", async () => {
    const server = await startServer({ maxConnections: 2 });
    const [busy, other] = await openSockets(server, 2);
    busy!.write("GET /v1/info HTTP/1.1\r\nHost: x\r\n");
    await sleep(50);
    const refused = connect(server.port, server.host);
    refused.on("error", () => {});
    await new Promise<void>((resolve) => refused.once("close", () => resolve()));
    busy!.write("Connection: close\r\n\r\n");
    const text = await new Promise<string>((resolve) => busy!.once("data", (chunk) => resolve(`${chunk}`)));
    expect(text).toContain("200 OK");
    other!.destroy();
  });
});
