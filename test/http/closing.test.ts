// A server that closes while clients still read: each response arrives whole, and then nothing is waited for.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/view.ts";
import { COIN, createHttpLedger } from "../support/http-ledger.ts";
import { startServer } from "../support/http-server.ts";
import { createLongHistory, OWNER } from "../support/long-history.ts";
import { until } from "../support/until.ts";

/** More than the buffers of the two sockets hold. */
const SIZE = 32 * 1024 * 1024;
/** A test that waited for this would fail. */
const NEVER_MS = 60 * 60 * 1000;
const INFO = "GET /v1/info HTTP/1.1\r\nHost: x\r\n\r\n";
const ENCODE =
  "POST /v1/transactions/encode_submission HTTP/1.1\r\nHost: x\r\nAccept: application/x-bcs\r\n" +
  "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";

function startLarge(options: { isDirect: boolean; drainTimeoutMs?: number }) {
  return startServer({
    nodeInfo: () => ({ large: "x".repeat(SIZE) }),
    encoder: async () => new Uint8Array(SIZE),
    drainTimeoutMs: NEVER_MS,
    ...options,
  });
}

/** Asks on a connection that the client keeps, and waits for the first bytes of the response. */
async function ask(server: { port: number; host: string }, request: string): Promise<Socket> {
  const socket = connect(server.port, server.host);
  socket.on("error", () => {});
  socket.write(request);
  await once(socket, "readable");
  return socket;
}

/** Reads to the end. Returns the length of the body, and the one that the head states. */
async function readAll(socket: Socket): Promise<{ length: number; stated: number }> {
  const pieces: Buffer[] = [];
  for await (const piece of socket) pieces.push(piece as Buffer);
  const bytes = Buffer.concat(pieces);
  const end = bytes.indexOf("\r\n\r\n");
  const stated = /content-length: (\d+)/i.exec(bytes.toString("latin1", 0, end))?.[1];
  return { length: bytes.length - end - 4, stated: Number(stated) };
}

describe.each([
  ["the direct lane", true],
  ["node:http", false],
])("a server that closes, on %s", (_, isDirect) => {
  it.each([
    ["a text", INFO],
    ["bytes", ENCODE],
  ])(
    "lets a client read %s to the end and closes then, although the client would keep the connection",
    async (__, request) => {
      const server = await startLarge({ isDirect });
      const idle = await ask(server, "GET /v1/-/healthy HTTP/1.1\r\nHost: x\r\n\r\n");
      const socket = await ask(server, request);
      const closed = server.close();
      const { length, stated } = await readAll(socket);
      await readAll(idle);
      expect(length).toBe(stated);
      expect(length).toBeGreaterThan(SIZE - 1);
      await closed;
    },
  );

  it("lets a client read a response in pieces to its last one, although it began as one of many", async () => {
    const ledger = await createLongHistory(5000, 3);
    const server = await startServer({ ledger, isDirect, drainTimeoutMs: NEVER_MS });
    const path = `/v1/accounts/${OWNER}/balance/${COIN}/history`;
    const socket = await ask(server, `GET ${path} HTTP/1.1\r\nHost: x\r\nAccept: text/csv\r\n\r\n`);
    const closed = server.close();
    const pieces: Buffer[] = [];
    for await (const piece of socket) pieces.push(piece as Buffer);
    const text = Buffer.concat(pieces).toString("latin1");
    expect(text.slice(0, text.indexOf("\r\n\r\n"))).toMatch(/connection: keep-alive/i);
    expect(text.slice(-100)).toMatch(/,5000,0x[0-9a-f]+\r?\n\r\n0\r\n\r\n$/);
    await closed;
  });

  it("cuts off a client that never reads, after the time for that", async () => {
    const server = await startLarge({ isDirect, drainTimeoutMs: 100 });
    const socket = await ask(server, INFO);
    await server.close();
    const { length, stated } = await readAll(socket).catch(() => ({ length: 0, stated: SIZE }));
    expect(length).toBeLessThan(stated);
  });

  it("waits for no connection without a request", async () => {
    const server = await startLarge({ isDirect });
    const silent = connect(server.port, server.host);
    await until(() => server.figures().connections === 1);
    const closed = server.close();
    await once(silent, "close");
    await closed;
  });
});

describe("work for a client that left", () => {
  /** A server whose encoder waits for the test, and a client that asked it and left. */
  async function leave(isDirect: boolean) {
    let begin = (): void => {};
    let finish = (): void => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const encoder = async (): Promise<Uint8Array> => {
      begin();
      await finished;
      return new Uint8Array(1);
    };
    const server = await startServer({ encoder, isDirect, drainTimeoutMs: NEVER_MS });
    const socket = connect(server.port, server.host);
    socket.write(ENCODE);
    await begun;
    // A client that only sends no more would still read.
    socket.resetAndDestroy();
    await until(() => server.figures().connections === 0);
    return { server, finish };
  }

  it.each([true, false])(
    "ends before the server is closed: the ledger goes then, direct: %s",
    async (isDirect) => {
      const { server, finish } = await leave(isDirect);
      let inFlight = Number.NaN;
      const closed = server.close().then(() => {
        inFlight = server.figures().inFlight;
      });
      for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
      expect(inFlight).toBeNaN();
      finish();
      await closed;
      expect(inFlight).toBe(0);
    },
  );

  it.each([
    ["for a transaction", `/v1/transactions/wait_by_hash/0x${"11".repeat(32)}`],
    ["for a version", "/v1/?min_ledger_version=5"],
  ])("opens no view after the server is closed, also if it waits %s", async (_, path) => {
    const ledger = await createHttpLedger();
    let isOpening = false;
    let isClosed = false;
    let isLate: boolean | undefined;
    let goOn = (): void => {};
    const goesOn = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const slow: Ledger = {
      openView: async () => {
        isOpening = true;
        await goesOn;
        isLate = isClosed;
        return ledger.openView();
      },
    };
    const server = await startServer({ ledger: slow, drainTimeoutMs: NEVER_MS });
    const socket = connect(server.port, server.host);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await until(() => isOpening);
    socket.resetAndDestroy();
    await until(() => server.figures().connections === 0);
    const closed = server.close().then(() => {
      isClosed = true;
    });
    for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
    goOn();
    await closed;
    await until(() => isLate !== undefined);
    expect(isLate).toBe(false);
  });

  it("that does not end is not waited for long", async () => {
    const { server, finish } = await leave(true);
    await server.close();
    expect(server.figures().inFlight).toBe(1);
    finish();
  });
});
