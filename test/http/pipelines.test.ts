// Pipelines: a connection of HTTP/1.1 has one request in progress, on every lane, and loses the others when its client leaves.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { COIN, TABLE, TABLE_KEY } from "../support/http-ledger.ts";
import { startServer, type TestServer } from "../support/http-server.ts";
import { createLongHistory, OWNER } from "../support/long-history.ts";
import { sendRaw } from "../support/raw-socket.ts";
import { until } from "../support/until.ts";

const HISTORY = `/v1/accounts/${OWNER}/balance/${COIN}/history`;
/** As many histories as are read at once. */
const MAX_HISTORIES = 64;

const store = await createLongHistory(60_000, 3);

const sockets: Socket[] = [];
const uncaught: unknown[] = [];
const note = (error: unknown): void => void uncaught.push(error);
beforeEach(() => {
  process.on("uncaughtExceptionMonitor", note);
});
afterEach(() => {
  process.off("uncaughtExceptionMonitor", note);
  for (const socket of sockets.splice(0)) socket.destroy();
  expect(uncaught.splice(0)).toEqual([]);
});

function get(path: string, accept = "*/*"): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\nAccept: ${accept}\r\n\r\n`;
}

/** Moves a connection of the direct lane to node:http. */
const HEAD = "HEAD /v1/info HTTP/1.1\r\nHost: x\r\n\r\n";

/** Sends requests and waits for the first bytes of an answer. Reads no more unless told to. */
async function send({ port, host }: TestServer, requests: readonly string[]): Promise<Socket> {
  const socket = connect(port, host);
  sockets.push(socket);
  socket.on("error", () => {});
  socket.write(requests.join(""));
  await once(socket, "data");
  socket.pause();
  return socket;
}

/** A promise, and the function that fulfils it. */
function latch(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe.each([
  ["node:http", false, []],
  ["node:http after the direct lane", true, [HEAD]],
  ["the direct lane", true, []],
] as const)("a pipeline on %s", (_, isDirect, first) => {
  /** A server that answers `info` once it is told to. */
  const startHeld = async () => {
    const [{ opened, open }, asked] = [latch(), latch()];
    const nodeInfo = async () => {
      asked.open();
      await opened;
      return { chain_id: "44" };
    };
    return { asked, open, server: await startServer({ isDirect, nodeInfo }) };
  };

  it("of event streams does not end the process when its client leaves during the catch-up", async () => {
    const server = await startServer({ ledger: store, isDirect });
    for (let round = 0; round < 5; round++) {
      const streams = [get("/v1/blocks/stream"), get("/v1/blocks/stream?after=0")];
      const socket = await send(server, [...first, ...streams]);
      socket.destroy();
      await until(() => server.figures().connections === 0 && server.figures().streams === 0);
    }
    for (let round = 0; round < 5; round++) {
      const socket = await send(server, [...first, get("/v1/blocks/stream?after=0")]);
      // The server sees a client that sends no more, and can still write.
      socket.resume();
      socket.end();
      await until(() => server.figures().connections === 0 && server.figures().streams === 0);
    }
    expect((await fetch(`${server.url}/v1/info`)).status).toBe(200);
  });

  it("has one event stream, whatever comes behind it", async () => {
    const server = await startServer({ ledger: store, isDirect });
    const streams = Array.from({ length: 5 }, () => get("/v1/blocks/stream"));
    await send(server, [...first, ...streams]);
    await until(() => server.figures().streams > 0);
    expect((await fetch(`${server.url}/v1/info`)).status).toBe(200);
    expect(server.figures().streams).toBe(1);
  });

  it.each(["text/csv", "application/x-ndjson"])(
    "of histories as %s gives its places back when its client leaves",
    async (accept) => {
      const server = await startServer({ ledger: store, isDirect });
      for (let sent = 0; sent < MAX_HISTORIES; sent += 8) {
        const socket = await send(server, [
          ...first,
          ...Array.from({ length: 8 }, () => get(HISTORY, accept)),
        ]);
        await until(() => server.figures().inFlight > 0);
        socket.destroy();
        await until(() => server.figures().connections === 0);
      }
      await until(() => server.figures().inFlight === 0);
      const response = await fetch(`${server.url}${HISTORY}?limit=1`, { headers: { accept } });
      expect(response.status).toBe(200);
    },
  );

  it("makes no answer while the one before it is unread", async () => {
    let made = 0;
    const large = "x".repeat(60_000);
    const nodeInfo = () => ({ made: `${++made}`, large });
    const server = await startServer({ ledger: store, isDirect, nodeInfo });
    const infos = Array.from({ length: 100 }, () => get("/v1/info"));
    const socket = await send(server, [...first, get(HISTORY, "application/x-ndjson"), ...infos]);
    await until(() => server.figures().inFlight === 1);
    const madeByHead = made;
    expect((await fetch(`${server.url}/v1/info`)).status).toBe(200);
    expect(made).toBe(madeByHead + 1);
    // They all come once the client reads.
    let read = 0;
    socket.on("data", (chunk: Buffer) => {
      read += chunk.length;
    });
    socket.resume();
    await until(() => made === madeByHead + 1 + infos.length && read > infos.length * large.length);
  });

  it("answers 100 Continue in front of the answer that it belongs to", async () => {
    const { asked, open, server } = await startHeld();
    const body = JSON.stringify({ key: TABLE_KEY });
    const post =
      `POST /v1/tables/${TABLE}/raw_item HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n` +
      `Accept: application/x-bcs\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const receiving = sendRaw(server, [get("/v1/info") + post]);
    await asked.opened;
    // Answered after the second request has come.
    await fetch(`${server.url}/v1/-/healthy`);
    open();
    const { text, statuses } = await receiving;
    expect(statuses).toEqual([200, 100, 200]);
    const expected = await fetch(`${server.url}/v1/tables/${TABLE}/raw_item`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/x-bcs" },
      body,
    });
    const item = Buffer.from(await expected.arrayBuffer()).toString("latin1");
    expect(text.slice(text.lastIndexOf("\r\n\r\n") + 4)).toBe(item);
  });

  it("refuses CONNECT after the answers to the requests before it", async () => {
    const { asked, open, server } = await startHeld();
    const receiving = sendRaw(server, [`${get("/v1/info")}CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`]);
    await asked.opened;
    await fetch(`${server.url}/v1/-/healthy`);
    open();
    expect((await receiving).statuses).toEqual([200, 405]);
  });
});
