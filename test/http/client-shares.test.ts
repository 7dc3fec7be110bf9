// Places that are held for long are shared: one client cannot take all streams, waits or histories, however many
// connections it has, and gives each back when it leaves.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { OPERATIONS } from "../../src/http/operation-list.ts";
import type { HttpServerOptions } from "../../src/http/server.ts";
import { COIN } from "../support/http-ledger.ts";
import { startServer, type TestServer } from "../support/http-server.ts";
import { createLongHistory, OWNER } from "../support/long-history.ts";
import { until } from "../support/until.ts";

const BALANCE = `/v1/accounts/${OWNER}/balance/${COIN}`;
const STREAM = "/v1/blocks/stream";
const WAIT = `${BALANCE}?min_ledger_version=1000000000&wait_ms=30000`;
const HISTORY = `${BALANCE}/history`;
/** All places of streams and waits. */
const PLACES = 20;

const store = await createLongHistory(60_000, 1);

/** Sends a request on a connection of its own. */
function ask({ host, port }: TestServer, path: string, headers: readonly string[] = []): Socket {
  const socket = connect({ host, port });
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${headers.map((line) => `${line}\r\n`).join("")}\r\n`);
  return socket;
}

async function statusOf(socket: Socket): Promise<number> {
  const [chunk] = (await once(socket, "data")) as [Buffer];
  socket.pause();
  return Number(chunk.toString("latin1").slice(9, 12));
}

/** The status of a request that comes from another address. */
function askFrom(
  localAddress: string,
  { host, port }: TestServer,
  path: string,
  accept = "*/*",
): Promise<number> {
  const socket = connect({ host, port, localAddress });
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAccept: ${accept}\r\n\r\n`);
  return statusOf(socket);
}

function start(options: HttpServerOptions = {}): Promise<TestServer> {
  return startServer({ ledger: store, maxStreams: PLACES, maxWaiting: PLACES, ...options });
}

describe("one client on many connections", () => {
  it("cannot take all streams", async () => {
    const server = await start();
    const statuses: number[] = [];
    for (let i = 0; i < 100; i++) statuses.push(await statusOf(ask(server, STREAM)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(PLACES / 2);
    expect(statuses.filter((status) => status === 503)).toHaveLength(100 - PLACES / 2);
    expect(await askFrom("127.0.0.2", server, STREAM)).toBe(200);
    expect(await askFrom("127.0.0.3", server, STREAM)).toBe(200);
  });

  it("cannot take all streams by ranges", async () => {
    const server = await start();
    const range = "/v1/transactions/stream?start=1&end=50000";
    const asked: Socket[] = [];
    const read = (): Promise<number> => {
      const socket = ask(server, range, ["Accept: text/csv"]);
      asked.push(socket);
      return statusOf(socket);
    };
    for (let i = 0; i < PLACES / 2; i++) expect(await read()).toBe(200);
    expect(await read()).toBe(503);
    expect(await askFrom("127.0.0.2", server, STREAM)).toBe(200);
    for (const socket of asked) socket.destroy();
    await until(() => server.figures().streams <= 1);
  });

  it("cannot take all waits", async () => {
    const server = await start();
    const refused: Promise<number>[] = [];
    for (let i = 0; i < 100; i++) refused.push(statusOf(ask(server, WAIT)).catch(() => 0));
    await until(() => server.figures().waiting === PLACES / 2);
    expect(await Promise.race(refused)).toBe(503);
    void askFrom("127.0.0.2", server, WAIT).catch(() => {});
    await until(() => server.figures().waiting === PLACES / 2 + 1);
  });

  it("cannot read all histories that are read at once", async () => {
    const server = await start();
    const read = (): Promise<number> => statusOf(ask(server, HISTORY, ["Accept: text/csv"]));
    for (let i = 0; i < 32; i++) expect(await read()).toBe(200);
    expect(await read()).toBe(503);
    expect(await askFrom("127.0.0.2", server, HISTORY, "text/csv")).toBe(200);
  });

  const limited = OPERATIONS.filter(
    ({ maxInFlight, body, awaited }) =>
      maxInFlight !== undefined && body === undefined && awaited === undefined,
  );
  it.each(limited.map(({ id, path, maxInFlight = 0 }) => [id, path, maxInFlight] as const))(
    "cannot take all places of %s",
    async (_, path, places) => {
      let letOn = (): void => {};
      const held = new Promise<void>((resolve) => {
        letOn = resolve;
      });
      const server = await startServer({ ledger: { openView: () => held.then(() => store.openView()) } });
      const asked = path
        .replace("{address}", OWNER)
        .replace("{asset_type}", COIN)
        .replace("{event_handle}/{field_name}", "0x1::account::Account/key_rotation_events")
        .replace(/\{txn_hash\}|\{table_handle\}/, `0x${"1".repeat(64)}`)
        .replace(/\{\w+\}/, "1");
      let refused = 0;
      for (let i = 0; i < places; i++) {
        void statusOf(ask(server, asked)).then(
          (status) => (refused += status === 503 ? 1 : 0),
          () => {},
        );
      }
      await until(() => refused === places / 2 && server.figures().inFlight === places / 2);
      void askFrom("127.0.0.2", server, asked).catch(() => {});
      await until(() => server.figures().inFlight === places / 2 + 1);
      letOn();
    },
  );

  it("is told how many streams it has", async () => {
    const server = await start({ maxStreams: 2 });
    expect(await askFrom("127.0.0.1", server, STREAM)).toBe(200);
    const refused = await fetch(server.url + STREAM);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await refused.json()).toMatchObject({
      message: "1 of at most 2 streams are open already for this client",
    });
  });

  it("is several clients behind a trusted proxy", async () => {
    const server = await start({ trustProxy: true });
    const from = (address: string): Promise<number> =>
      statusOf(ask(server, STREAM, [`X-Forwarded-For: ${address}`]));
    for (let i = 0; i < PLACES / 2; i++) expect(await from("203.0.113.1")).toBe(200);
    expect(await from("203.0.113.1")).toBe(503);
    expect(await from("203.0.113.2")).toBe(200);
  });
});

describe("a client that leaves", () => {
  it("gives the places of its waits back", async () => {
    const server = await start();
    const waits = Array.from({ length: PLACES / 2 }, () => ask(server, WAIT));
    await until(() => server.figures().waiting === PLACES / 2);
    for (const wait of waits) wait.destroy();
    await until(() => server.figures().waiting === 0);
  });

  it("gives the place of its stream and of its history back", async () => {
    const server = await start();
    const asked = [ask(server, STREAM), ask(server, HISTORY, ["Accept: text/csv"])];
    for (const one of asked) expect(await statusOf(one)).toBe(200);
    expect([server.figures().streams, server.figures().inFlight]).toEqual([1, 1]);
    for (const one of asked) one.destroy();
    await until(() => server.figures().streams === 0 && server.figures().inFlight === 0);
  });
});
