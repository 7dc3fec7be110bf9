// The budget for responses that wait to be sent holds the bytes that wait, and gives them back when they are sent or
// when nobody is left to send them to. Both request paths are asked: the direct lane and node:http.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { describe, expect, it } from "vitest";
import { createCertificate, hasOpenssl } from "../support/certificate.ts";
import { startServer, type TestServer } from "../support/http-server.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const MIB = 1024 * 1024;
const LARGE = 200_000;

function get(path: string, headers = ""): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
}

/** Asks one request after the other on a connection that stays open; resolves when all answers were read. */
async function askAndStay(socket: Socket, requests: readonly string[]): Promise<void> {
  socket.on("error", () => {});
  for (const request of requests) {
    socket.write(request);
    let head = "";
    let missing = 1;
    while (missing > 0) {
      const [chunk] = (await once(socket, "data")) as [Buffer];
      missing -= chunk.length;
      if (head !== "") continue;
      // The head comes in one piece.
      head = chunk.toString("latin1", 0, chunk.indexOf("\r\n\r\n") + 4);
      expect(head).toContain("HTTP/1.1 200 OK\r\n");
      missing = Number(/\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1]) + head.length - chunk.length;
    }
  }
}

/** A server whose info waits for a word before it answers with many bytes. */
async function startSlowServer(
  isDirect: boolean,
): Promise<{ server: TestServer; asked: () => number; goOn: () => void }> {
  let asked = 0;
  const waiting: (() => void)[] = [];
  const server = await startServer({
    isDirect,
    answerBudgetBytes: MIB,
    nodeInfo: async () => {
      asked++;
      await new Promise<void>((resolve) => waiting.push(resolve));
      return { large: "x".repeat(LARGE) };
    },
  });
  const goOn = (): void => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  return { server, asked: () => asked, goOn };
}

/** Asks the slow server as somebody who reads. */
async function askOnce(server: TestServer, asked: () => number, goOn: () => void): Promise<number> {
  const before = asked();
  const answer = fetch(`${server.url}/v1/info`, { headers: { "accept-encoding": "identity" } });
  await until(() => asked() > before);
  goOn();
  const response = await answer;
  await response.text();
  return response.status;
}

describe.each([
  ["direct lane", true],
  ["node:http", false],
])("the budget for unsent responses (%s)", (_, isDirect) => {
  it.each(["gzip", "br", "identity"])(
    "is free again after responses in %s were read on connections that stay open",
    async (coding) => {
      const server = await startServer({
        isDirect,
        answerBudgetBytes: MIB,
        nodeInfo: () => ({ large: "x".repeat(LARGE) }),
      });
      const socket = connect(server.port, server.host);
      const requests = ["/v1/spec.json", "/v1/info"].map((path) =>
        get(path, `Accept-Encoding: ${coding}\r\n`),
      );
      await askAndStay(socket, Array<string[]>(20).fill(requests).flat());
      await until(() => server.figures().answerBytes === 0);
      const answer = await fetch(`${server.url}/v1/info`, { headers: { "accept-encoding": "identity" } });
      expect([answer.status, server.figures().connections]).toEqual([200, 2]);
      socket.destroy();
    },
  );

  it("holds the compressed size of a response that nobody reads", async () => {
    const noise = randomBytes(8 * MIB).toString("hex");
    const server = await startServer({ isDirect, nodeInfo: () => ({ noise }) });
    const socket = connect(server.port, server.host);
    socket.pause();
    socket.write(get("/v1/info", "Accept-Encoding: gzip\r\n"));
    await until(() => server.figures().answerBytes > 0 && server.figures().inFlight === 0);
    const held = server.figures().answerBytes;
    const head = await new Promise<string>((resolve) => {
      socket.once("data", (chunk) => resolve(chunk.toString("latin1")));
      socket.resume();
    });
    expect(held).toBe(Number(/content-length: (\d+)/i.exec(head)?.[1]));
    expect(held).toBeLessThan(noise.length * 0.6);
    socket.destroy();
    await until(() => server.figures().answerBytes === 0);
  });

  it("holds nothing for a client that left while its response was made", async () => {
    const { server, asked, goOn } = await startSlowServer(isDirect);
    for (let i = 0; i < 10; i++) {
      const socket = connect(server.port, server.host);
      socket.write(get("/v1/info"));
      await until(() => asked() === i + 1);
      socket.resetAndDestroy();
      await until(() => server.figures().connections === 0);
      goOn();
      await until(() => server.figures().inFlight === 0);
    }
    expect(server.figures().answerBytes).toBe(0);
    expect(await askOnce(server, asked, goOn)).toBe(200);
  });

  it("holds nothing for a client that left while its response was compressed", async () => {
    const noise = randomBytes(8 * MIB).toString("hex");
    const server = await startServer({ isDirect, nodeInfo: () => ({ noise }) });
    const socket = connect(server.port, server.host);
    socket.write(get("/v1/info", "Accept-Encoding: br\r\n"));
    await until(() => server.figures().answerBytes > 0);
    socket.resetAndDestroy();
    await until(() => server.figures().inFlight === 0 && server.figures().connections === 0);
    expect(server.figures().answerBytes).toBe(0);
  });

  it("holds nothing for a client that left with a response behind another one", async () => {
    let goOn = (): void => {};
    const first = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let asked = 0;
    const server = await startServer({
      isDirect,
      answerBudgetBytes: MIB,
      nodeInfo: async () => {
        if (++asked === 1) await first;
        return { large: "x".repeat(LARGE) };
      },
    });
    const socket = connect(server.port, server.host);
    socket.write(get("/v1/info").repeat(3));
    // The second request is served after the first response.
    await until(() => asked === 1);
    socket.resetAndDestroy();
    await until(() => server.figures().connections === 0);
    goOn();
    await until(() => server.figures().inFlight === 0);
    expect(server.figures().answerBytes).toBe(0);
  });

  it("counts bytes, not characters", async () => {
    const text = "€".repeat(4 * MIB);
    const server = await startServer({ isDirect, nodeInfo: () => ({ text }) });
    const socket = connect(server.port, server.host);
    socket.pause();
    socket.write(get("/v1/info"));
    await until(() => server.figures().answerBytes > 0);
    expect(server.figures().answerBytes).toBe(Buffer.byteLength(JSON.stringify({ text })));
    socket.destroy();
    await until(() => server.figures().answerBytes === 0);
  });

  it.skipIf(!hasOpenssl)("is free again over TLS, read or not (needs openssl)", async () => {
    const files = createCertificate(temporaryFolder(), "budget");
    const server = await startServer({
      isDirect,
      tls: files,
      nodeInfo: () => ({ large: "x".repeat(16 * MIB) }),
    });
    const options = { port: server.port, host: server.host, rejectUnauthorized: false };
    const reader = connectTls(options);
    await once(reader, "secureConnect");
    const packed = get("/v1/info", "Accept-Encoding: gzip\r\n");
    await askAndStay(reader, [get("/v1/info"), packed, get("/v1/info"), packed]);
    await until(() => server.figures().answerBytes === 0);
    const unread = connectTls(options);
    await once(unread, "secureConnect");
    unread.on("error", () => {});
    unread.pause();
    unread.write(get("/v1/info"));
    await until(() => server.figures().answerBytes > 16 * MIB);
    unread.destroy();
    await until(() => server.figures().answerBytes === 0);
    reader.destroy();
  });
});
