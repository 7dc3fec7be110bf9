// An answer that breaks off looks cut to its client, on every lane: none takes it for a complete one.
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { describe, expect, it } from "vitest";
import type { HttpServerOptions } from "../../src/http/server.ts";
import type { Ledger } from "../../src/ledger/view.ts";
import { createCertificate, hasOpenssl } from "../support/certificate.ts";
import { COIN } from "../support/http-ledger.ts";
import { startServer, type TestServer } from "../support/http-server.ts";
import { CountingLedger, createLongHistory, OWNER } from "../support/long-history.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const PATH = `/v1/accounts/${OWNER}/balance/${COIN}/history`;
const store = await createLongHistory(60_000, 1);
const certificate = hasOpenssl ? createCertificate(temporaryFolder(), "cut-answers") : undefined;

const LAST_CHUNK = Buffer.from("\r\n0\r\n\r\n");

interface Received {
  readonly bytes: number;
  /** What tells the client that the answer is not complete. */
  readonly cut: string | undefined;
}

/** Sends a request of HTTP/1 and reads until the connection closes. `isPaused` holds the reading back. */
function receive(socket: Socket, version: "1.0" | "1.1", isPaused: () => boolean): Promise<Received> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let cut: string | undefined;
    let hasEnd = false;
    let tail: Buffer = Buffer.alloc(0);
    socket.on("error", (error: Error & { code?: string }) => {
      cut = error.code ?? error.message;
    });
    socket.on("end", () => {
      hasEnd = true;
    });
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      // Otherwise a connection stays open after a complete answer. The last chunk may come in two pieces.
      tail = Buffer.concat([tail, chunk]).subarray(-LAST_CHUNK.length);
      if (tail.equals(LAST_CHUNK)) socket.end();
      if (!isPaused()) return;
      socket.pause();
      void until(() => !isPaused()).then(() => socket.resume());
    });
    socket.on("close", () => {
      const body = Buffer.concat(chunks);
      if (version === "1.1" && !body.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)) cut ??= "no last chunk";
      if (!hasEnd) cut ??= "no end";
      resolve({ bytes: body.length, cut });
    });
    socket.write(`GET ${PATH} HTTP/${version}\r\nHost: x\r\nAccept: text/csv\r\n\r\n`);
  });
}

type Lane = readonly [
  name: string,
  options: HttpServerOptions & { isDirect?: boolean },
  ask: (server: TestServer, isPaused: () => boolean) => Promise<Received>,
];

const tls = certificate === undefined ? undefined : { tls: certificate };
const secured = ({ host, port }: TestServer): Socket =>
  connectTls({ host, port, ca: readFileSync(certificate?.certFile ?? "") });
const LANES: readonly Lane[] = [
  ["HTTP/1.1", {}, (server, isPaused) => receive(connect(server.port, server.host), "1.1", isPaused)],
  [
    "HTTP/1.1 of node:http alone",
    { isDirect: false },
    (server, isPaused) => receive(connect(server.port, server.host), "1.1", isPaused),
  ],
  ["HTTP/1.0", {}, (server, isPaused) => receive(connect(server.port, server.host), "1.0", isPaused)],
  ...(tls === undefined
    ? []
    : ([
        ["HTTP/1.1 over TLS", tls, (server, isPaused) => receive(secured(server), "1.1", isPaused)],
      ] satisfies Lane[])),
];

/** A ledger whose history cannot be read from some version on. */
const breakingLedger: Ledger = {
  openView: async () => {
    const view = await new CountingLedger(store).openView();
    return {
      ...view,
      getHistory: (key, range) =>
        range.from > 10_000n ? Promise.reject(new Error("the disk is gone")) : view.getHistory(key, range),
    };
  },
};

describe.each(LANES)("over %s", (_lane, options, ask) => {
  it("a history is complete when nothing happens", async () => {
    const server = await startServer({ ...options, ledger: await createLongHistory(100, 1) });
    const { bytes, cut } = await ask(server, () => false);
    expect(bytes).toBeGreaterThan(1000);
    expect(cut).toBeUndefined();
  });

  it("a history whose reading fails in the middle looks cut", async () => {
    const server = await startServer({ ...options, ledger: breakingLedger });
    const { bytes, cut } = await ask(server, () => false);
    expect(bytes).toBeGreaterThan(0);
    expect(cut).toBeDefined();
  });
});

// A client of node shows a reset as an end once it has paused: with HTTP/1.0 it cannot tell.
const TELLING_LANES = LANES.filter(([lane]) => lane !== "HTTP/1.0");

describe.each(TELLING_LANES)("over %s", (_lane, options, ask) => {
  it.each([
    ["stops reading", { readTimeoutMs: 50 }],
    ["reads too slowly", { answerTimeoutMs: 50 }],
  ])("a history looks cut to a client that %s", async (_, limits) => {
    const server = await startServer({ ...options, ...limits, ledger: store });
    let isClosed = false;
    const received = ask(server, () => !isClosed);
    await until(() => server.figures().inFlight === 1);
    await until(() => server.figures().inFlight === 0);
    isClosed = true;
    expect((await received).cut).toBeDefined();
  });
});
