import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createMachineSource } from "../../src/chain/machine-source.ts";
import { COIN, createHttpLedger, TABLE, TABLE_KEY } from "../support/http-ledger.ts";
import { startServer } from "../support/http-server.ts";
import { sendRaw } from "../support/raw-socket.ts";
import { until } from "../support/until.ts";

const LIMIT = 1_000_000;
const server = await startServer({ bodyLimitBytes: LIMIT });
/** Limit of connections that must be cut off; all others get time for a busy machine. */
const strict = await startServer({ headersTimeoutMs: 500, requestTimeoutMs: 1000, keepAliveTimeoutMs: 500 });
/** A connection that is still open after this time is never cut off. */
const WAIT_MS = 60_000;
const BALANCE = `/v1/accounts/0xc1/balance/${COIN}`;
const ITEM = `/v1/tables/${TABLE}/raw_item`;
const KEY = JSON.stringify({ key: TABLE_KEY });
const CLOSE = "Host: x\r\nConnection: close\r\n";

function itemRequest(headers: string, body: string): string {
  return `POST ${ITEM} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}\r\n${body}`;
}

/** Every refusal has the documented body, even where there is no request to speak of. */
function expectErrorBody(text: string, status: number): void {
  const body = JSON.parse(text.slice(text.lastIndexOf("\r\n\r\n") + 4)) as Record<string, unknown>;
  expect(text).toContain(`HTTP/1.1 ${status} `);
  expect(text).toContain("Content-Type: application/json\r\n");
  expect(body.error_code).toBe("web_framework_error");
  expect(typeof body.message).toBe("string");
}

describe("what is not valid HTTP", () => {
  it.each([
    ["garbage", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400],
    ["an unknown method", "BREW /v1/info HTTP/1.1\r\nHost: x\r\n\r\n", 400],
    ["no host", "GET /v1/info HTTP/1.1\r\nConnection: close\r\n\r\n", 400],
    ["a bad version", "GET /v1/info HTTP/9.9\r\nHost: x\r\n\r\n", 400],
    ["a space in the target", `GET /v1/ info HTTP/1.1\r\n${CLOSE}\r\n`, 400],
    ["two content lengths", itemRequest("Content-Length: 5\r\nContent-Length: 6\r\n", KEY), 400],
    [
      "a length and chunks",
      itemRequest("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
      400,
    ],
    ["a negative length", itemRequest("Content-Length: -5\r\n", ""), 400],
    ["a broken chunk", itemRequest("Transfer-Encoding: chunked\r\n", "zz\r\nab\r\n0\r\n\r\n"), 400],
    ["large headers", `GET /v1/info HTTP/1.1\r\n${CLOSE}X: ${"a".repeat(40_000)}\r\n\r\n`, 431],
    ["a huge target", `GET /${"a".repeat(60_000)} HTTP/1.1\r\n${CLOSE}\r\n`, 431],
    ["a long target", `GET /${"a".repeat(20_000)} HTTP/1.1\r\n${CLOSE}\r\n`, 414],
    ["CONNECT", "CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n", 405],
    [
      "another expectation",
      itemRequest(`Expect: tea\r\nContent-Length: 2\r\nConnection: close\r\n`, ""),
      417,
    ],
    [
      "a declared length far over the limit",
      itemRequest(`Content-Length: 99999999999\r\nConnection: close\r\n`, "x"),
      413,
    ],
  ])("%s", async (_, text, status) => {
    const answer = await sendRaw(server, [Buffer.from(text, "latin1")]);
    expect(answer.statuses).toEqual([status]);
    expectErrorBody(answer.text, status);
  });

  it("headers that trickle in are cut off with 408", async () => {
    // The time for a whole request must not be what cuts them off.
    const patient = await startServer({
      headersTimeoutMs: 500,
      requestTimeoutMs: 120_000,
      keepAliveTimeoutMs: 500,
    });
    const pieces = ["GET /v1/info HTTP/1.1\r\n", ...Array(40).fill("X: y\r\n")];
    const answer = await sendRaw(patient, pieces, { pauseMs: 100, waitMs: WAIT_MS });
    expect(answer.statuses).toEqual([408]);
    expectErrorBody(answer.text, 408);
  });

  it("a body that trickles in is cut off with 408", async () => {
    const pieces = [itemRequest("Content-Length: 100\r\n", ""), ...Array(40).fill("0")];
    const answer = await sendRaw(strict, pieces, { pauseMs: 100, waitMs: WAIT_MS });
    expect(answer.statuses).toEqual([408]);
    expectErrorBody(answer.text, 408);
  });

  it("a connection that says nothing is closed", async () => {
    const answer = await sendRaw(strict, [], { waitMs: WAIT_MS });
    expect(answer.statuses).toEqual([408]);
  });

  it.each([true, false])("a connection without a next request is closed (direct: %s)", async (isDirect) => {
    const kept = await startServer({ isDirect, keepAliveTimeoutMs: 300 });
    const socket = connect(kept.port, kept.host);
    const answered = once(socket, "data");
    // Waits for ever where it is not closed.
    const closed = once(socket, "close");
    socket.write(`GET ${BALANCE} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(String(await answered)).toContain("200 OK");
    await closed;
    await until(() => kept.figures().connections === 0);
  });
});

describe("unusual but valid", () => {
  it("pipelined requests are answered in order", async () => {
    const balance = `GET ${BALANCE} HTTP/1.1\r\nHost: x\r\n\r\n`;
    const item = itemRequest(`Content-Length: ${KEY.length}\r\n`, KEY);
    const last = `GET /v1/nothing HTTP/1.1\r\n${CLOSE}\r\n`;
    const answer = await sendRaw(server, [balance + item + balance + last]);
    expect(answer.statuses).toEqual([200, 200, 200, 404]);
    expect(answer.text.indexOf("200000000")).toBeLessThan(answer.text.indexOf("deadbeef"));
  });

  it("a good request before a bad one gets its answer", async () => {
    const answer = await sendRaw(server, [`GET ${BALANCE} HTTP/1.1\r\nHost: x\r\n\r\nBREW\r\n\r\n`]);
    expect(answer.statuses[0]).toBe(200);
    expect(answer.text).toContain("200000000");
  });

  it("a request that ends its connection gets its answer, whatever follows it", async () => {
    const balance = `GET ${BALANCE} HTTP/1.1\r\nHost: x\r\n`;
    const plain = await startServer({ isDirect: false });
    for (const last of [`${balance}Connection: close\r\n\r\n`, `GET ${BALANCE} HTTP/1.0\r\n\r\n`]) {
      const { statuses } = await sendRaw(plain, [`${balance}\r\n${last}${balance}\r\nmore`]);
      expect(statuses).toEqual([200, 200]);
    }
  });

  it("whole requests before broken bytes all get their answers", async () => {
    const balance = `GET ${BALANCE} HTTP/1.1\r\nHost: x\r\n\r\n`;
    const plain = await startServer({ isDirect: false });
    const { statuses } = await sendRaw(plain, [`${balance.repeat(5)}BREW\r\n\r\n`]);
    expect(statuses.slice(0, 5)).toEqual([200, 200, 200, 200, 200]);
  });

  it("an absolute target", async () => {
    const answer = await sendRaw(server, [`GET http://node.example${BALANCE} HTTP/1.1\r\n${CLOSE}\r\n`]);
    expect(answer.statuses).toEqual([200]);
  });

  it("an upgrade that is not taken", async () => {
    const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nHost: x\r\n";
    const answer = await sendRaw(strict, [`GET ${BALANCE} HTTP/1.1\r\n${upgrade}\r\n`], { waitMs: WAIT_MS });
    expect(answer.statuses).toEqual([200]);
  });

  it("an upgrade that is not taken ends its connection, so that nothing behind it waits in vain", async () => {
    const upgrade = "Host: x\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\r\n";
    for (const path of [BALANCE, "/nothing"]) {
      // Node drops what it read together with such a request.
      const { statuses, text } = await sendRaw(server, [
        `GET ${path} HTTP/1.1\r\n${upgrade}GET ${BALANCE} HTTP/1.1\r\nHost: x\r\n\r\n`,
      ]);
      expect([path, statuses.length]).toEqual([path, 1]);
      expect(text, path).toContain("Connection: close\r\n");
    }
  });

  it("HTTP/1.0 without a host", async () => {
    const answer = await sendRaw(server, [`GET ${BALANCE} HTTP/1.0\r\n\r\n`]);
    expect(answer.text).toContain("200000000");
  });

  it("a client that closes its side after asking", async () => {
    const answer = await sendRaw(server, [`GET ${BALANCE} HTTP/1.1\r\nHost: x\r\n\r\n`], { end: true });
    expect(answer.statuses).toEqual([200]);
  });

  it("a GET with a body", async () => {
    const get = `GET ${BALANCE} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello`;
    const answer = await sendRaw(server, [get, `GET /v1/info HTTP/1.1\r\n${CLOSE}\r\n`], { pauseMs: 50 });
    expect(answer.statuses).toEqual([200, 200]);
  });

  it("100-continue is given for a body that is wanted", async () => {
    const head = itemRequest(
      `Content-Length: ${KEY.length}\r\nExpect: 100-continue\r\nConnection: close\r\n`,
      "",
    );
    const answer = await sendRaw(server, [head, KEY], { pauseMs: 50 });
    expect(answer.statuses).toEqual([100, 200]);
  });

  it("100-continue is not given for a body that is not", async () => {
    const head = itemRequest(`Content-Length: ${LIMIT + 1}\r\nExpect: 100-continue\r\n`, "");
    const answer = await sendRaw(server, [head]);
    expect(answer.statuses).toEqual([413]);
    expect(answer.text).toContain("Connection: close");
  });

  it("a body over the limit gets its 413, declared or chunked, and the server lives", async () => {
    const body = Buffer.alloc(20 * LIMIT, 32);
    const declared = await fetch(server.url + ITEM, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    expect(declared.status).toBe(413);
    const chunked = await fetch(server.url + ITEM, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: new Blob([body]).stream(),
      duplex: "half",
    });
    expect(chunked.status).toBe(413);
    expect((await fetch(server.url + BALANCE)).status).toBe(200);
  });
});

describe("clients that go away", () => {
  it("an abandoned body is dropped and its view never opened", async () => {
    const ledger = await createHttpLedger();
    let opened = 0;
    const answered: string[] = [];
    const watched = await startServer({
      ledger: {
        openView: () => {
          opened++;
          return ledger.openView();
        },
      },
      onRequest: (id, status) => answered.push(`${id} ${status}`),
    });
    const socket = connect(watched.port, watched.host);
    socket.write(itemRequest("Content-Length: 1000\r\n", "abc"));
    await until(() => watched.figures().connections === 1);
    await sleep(100);
    socket.destroy();
    await until(() => answered.length > 0);
    // The end of the stream in the middle of a body is broken HTTP, which nobody is there to be told.
    expect([opened, answered]).toEqual([0, ["none 400"]]);
    expect((await fetch(watched.url + BALANCE)).status).toBe(200);
    expect([opened, answered]).toEqual([1, ["none 400", "get_account_balance 200"]]);
  });

  it("a request abandoned before its view opens runs no handler, and the view is released", async () => {
    const ledger = await createHttpLedger();
    let open = (): void => {};
    const admission = new Promise<void>((resolve) => {
      open = resolve;
    });
    let asked = 0;
    let reads = 0;
    let released = 0;
    const watched = await startServer({
      ledger: {
        openView: async () => {
          asked++;
          await admission;
          const view = await ledger.openView();
          return {
            position: view.position,
            getItems: (keys, version) => {
              reads++;
              return view.getItems(keys, version);
            },
            getHistory: (key, range) => view.getHistory(key, range),
            getOwnedKeys: (owner, page) => view.getOwnedKeys(owner, page),
            getIndexedTo: () => view.getIndexedTo(),
            getBlockByHeight: (height) => view.getBlockByHeight(height),
            getBlockByVersion: (version) => view.getBlockByVersion(version),
            getBlockAtTime: (time) => view.getBlockAtTime(time),
            getRecords: (...args) => view.getRecords(...args),
            release: () => {
              released++;
              view.release();
            },
          };
        },
      },
    });
    const abandoned = httpRequest(watched.url + BALANCE);
    abandoned.on("error", () => {});
    abandoned.end();
    await until(() => asked === 1);
    // A client that only closed its side would still read.
    (abandoned.socket as Socket).resetAndDestroy();
    await until(() => watched.figures().connections === 0);
    open();
    await until(() => released > 0);
    await sleep(50);
    expect([reads, released]).toEqual([0, 1]);
  });
});

describe.each([true, false])("a client that leaves before its answer (direct: %s)", (isDirect) => {
  it.each(["opens its view", "makes its answer"])("is counted as 499: while the node %s", async (moment) => {
    const counted: string[] = [];
    let isAsked = false;
    let goOn = (): void => {};
    const left = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const pause = async (): Promise<void> => {
      isAsked = true;
      await left;
    };
    const ledger = await createHttpLedger();
    const watched = await startServer({
      isDirect,
      ledger: {
        openView: async () => {
          if (moment === "opens its view") await pause();
          return ledger.openView();
        },
      },
      nodeInfo: async () => {
        await pause();
        return { chain_id: "44" };
      },
      onRequest: (id, status) => counted.push(`${id} ${status}`),
    });
    const socket = connect(watched.port, watched.host);
    socket.write("GET /v1/info HTTP/1.1\r\nHost: x\r\n\r\n");
    await until(() => isAsked);
    socket.resetAndDestroy();
    await until(() => watched.figures().connections === 0);
    goOn();
    await until(() => counted.length > 0);
    expect(counted).toEqual(["info 499"]);
  });
});

describe("closing", () => {
  it("finishes requests in flight, refuses later ones", async () => {
    const ledger = await createHttpLedger();
    let open = (): void => {};
    const admission = new Promise<void>((resolve) => {
      open = resolve;
    });
    let asked = 0;
    const openView = async () => {
      asked++;
      await admission;
      return ledger.openView();
    };
    const closing = await startServer({ ledger: { openView } });
    const pending = fetch(closing.url + BALANCE);
    await until(() => asked === 1);
    const closed = closing.close();
    open();
    const response = await pending;
    expect([response.status, response.headers.get("connection")]).toEqual([200, "close"]);
    await closed;
    await expect(fetch(closing.url + BALANCE)).rejects.toThrow();
  });

  it("does not wait for ever", async () => {
    let asked = 0;
    const openView = () => {
      asked++;
      return new Promise<never>(() => {});
    };
    const stuck = await startServer({
      ledger: { openView },
      drainTimeoutMs: 100,
    });
    const pending = fetch(stuck.url + BALANCE);
    pending.catch(() => {});
    await until(() => asked === 1);
    await stuck.close();
    await expect(pending).rejects.toThrow();
  });

  it("a port in use is an error of listen", async () => {
    const { createHttpServer } = await import("../../src/http/server.ts");
    const second = createHttpServer({
      ledger: await createHttpLedger(),
      encoder: () => Promise.reject(new Error("never asked")),
      explainer: () => Promise.reject(new Error("never asked")),
      machine: createMachineSource(),
      nodeInfo: () => ({}),
      host: server.host,
      port: server.port,
    });
    await expect(second.listen()).rejects.toThrow("EADDRINUSE");
  });
});
