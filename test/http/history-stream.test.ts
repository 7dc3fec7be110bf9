// Histories that are long: streamed at the client's pace, in pieces, and given up when the client or the versions are gone.
import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { COIN } from "../support/http-ledger.ts";
import { startServer, type TestServer } from "../support/http-server.ts";
import { CountingLedger, createLongHistory, OWNER } from "../support/long-history.ts";
import { until } from "../support/until.ts";

/** More than sockets hold between the two ends. */
const CHANGES = 60_000;
/** More than one sampled answer looks at. */
const SAMPLED = 70_000;
const PATH = `/v1/accounts/${OWNER}/balance/${COIN}/history`;
const NDJSON = { headers: { accept: "application/x-ndjson" } };
/** As many histories as are read at once. */
const MAX_IN_FLIGHT = 64;

const store = await createLongHistory(CHANGES, 3);

/** Asks for the whole history and reads nothing but the first bytes. */
async function askAndPause(server: TestServer): Promise<Socket> {
  const socket = connect(server.port, server.host);
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  socket.write(`GET ${PATH} HTTP/1.1\r\nHost: x\r\nAccept: application/x-ndjson\r\n\r\n`);
  await new Promise((resolve) => socket.once("data", resolve));
  socket.pause();
  return socket;
}

/** Waits until a number no longer changes. */
async function settled(look: () => number): Promise<number> {
  let last = look();
  let same = 0;
  await until(() => {
    same = look() === last ? same + 1 : 0;
    last = look();
    return same > 10;
  });
  return last;
}

describe("a long history", () => {
  it("comes whole, in order, and others are answered meanwhile", async () => {
    const server = await startServer({ ledger: store });
    const order: string[] = [];
    const response = await fetch(server.url + PATH, NDJSON);
    const text = response.text().then((body) => {
      order.push("history");
      return body;
    });
    const other = fetch(`${server.url}/v1/accounts/${OWNER}/balance/${COIN}`).then(() =>
      order.push("balance"),
    );
    const lines = (await text).split("\n");
    await other;
    expect(order).toEqual(["balance", "history"]);
    expect(lines.pop()).toBe("");
    expect(lines).toHaveLength(CHANGES);
    const wrong = lines.findIndex((line, i) => {
      const { version, before, after } = JSON.parse(line) as Record<string, string>;
      return version !== `${3 * (i + 1)}` || before !== `${i}` || after !== `${i + 1}`;
    });
    expect(wrong).toBe(-1);
  });

  it.each(["text/csv", "application/x-ndjson"])("in %s opens as many views on every lane", async (accept) => {
    const few = await createLongHistory(3, 3);
    const read = async (isDirect: boolean): Promise<readonly [views: number, text: string]> => {
      const ledger = new CountingLedger(few);
      const server = await startServer({ ledger, isDirect });
      const response = await fetch(server.url + PATH, { headers: { accept } });
      return [ledger.views, await response.text()];
    };
    const [direct, plain] = [await read(true), await read(false)];
    expect(direct).toEqual(plain);
    expect(plain[0]).toBe(3);
  });

  it("waits for a client that does not read on, without a view, and goes on when it does", async () => {
    const ledger = new CountingLedger(store);
    const server = await startServer({ ledger });
    const socket = await askAndPause(server);
    const views = await settled(() => ledger.views);
    expect(ledger.openViews).toBe(0);
    expect(views).toBeLessThan(CHANGES / 64);
    let end = "";
    socket.on("data", (chunk: Buffer) => {
      end = (end + chunk.toString("latin1")).slice(-200);
    });
    socket.resume();
    await until(() => end.endsWith("0\r\n\r\n"));
    expect(end).toContain(`"after":"${CHANGES}"`);
    expect(ledger.views).toBeGreaterThan(views);
  });

  it("ends when the client leaves", async () => {
    const ledger = new CountingLedger(store);
    const server = await startServer({ ledger });
    const socket = await askAndPause(server);
    expect(server.figures().inFlight).toBe(1);
    socket.destroy();
    await until(() => server.figures().inFlight === 0);
    const views = await settled(() => ledger.views);
    expect(views).toBeLessThan(CHANGES / 64);
    expect(ledger.openViews).toBe(0);
  });

  it("of a client that never reads on is given up, and its connection ended", async () => {
    const server = await startServer({ ledger: store, readTimeoutMs: 300 });
    await askAndPause(server);
    await until(() => server.figures().inFlight === 0 && server.figures().connections === 0);
  });

  it("breaks off, so that the client notices, when the pruner overtakes it", async () => {
    const pruned = await createLongHistory(CHANGES, 3);
    const errors: unknown[] = [];
    const logger = {
      debug: () => {},
      info: () => {},
      warn: () => {},
      error: (fields: unknown) => errors.push(fields),
    };
    const server = await startServer({ ledger: pruned, logger });
    const response = await fetch(server.url + PATH, NDJSON);
    const reader = response.body?.getReader();
    await reader?.read();
    const { version } = (await pruned.openView()).position;
    for (let done = false; !done; ) ({ done } = await pruned.prune(version - 100n, 1_000_000));
    const readOn = async (): Promise<void> => {
      while ((await reader?.read())?.done !== true);
    };
    await expect(readOn()).rejects.toThrow();
    expect(errors).toHaveLength(1);
    expect((await fetch(`${server.url}/v1`)).status).toBe(200);
  });

  it("is one of a bounded number: more are turned away until one is done", async () => {
    const ledger = new CountingLedger(store);
    const server = await startServer({ ledger, trustProxy: true });
    const limited = `${server.url}${PATH}?to=30`;
    const ask = (_: unknown, client: number): Promise<Response> =>
      fetch(limited, { headers: { ...NDJSON.headers, "x-forwarded-for": `192.0.2.${client}` } });
    let open = (): void => {};
    ledger.gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const waiting = Array.from({ length: MAX_IN_FLIGHT }, ask);
    // Two keys each.
    await until(() => ledger.waiting === 2 * MAX_IN_FLIGHT);
    const refused = await fetch(limited, NDJSON);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect((await fetch(`${server.url}/v1/accounts/${OWNER}/balance/${COIN}`)).status).toBe(200);
    open();
    for (const response of await Promise.all(waiting)) {
      expect((await response.text()).split("\n")).toHaveLength(11);
    }
    expect((await fetch(limited, NDJSON)).status).toBe(200);
  });

  it("has no body on HEAD", async () => {
    const ledger = new CountingLedger(store);
    const server = await startServer({ ledger });
    const response = await fetch(server.url + PATH, { ...NDJSON, method: "HEAD" });
    expect([response.status, await response.text()]).toEqual([200, ""]);
    expect(ledger.views).toBeLessThan(5);
    expect(server.figures().inFlight).toBe(0);
  });

  it("in samples comes in pages too, and loses neither the lowest nor the highest", async () => {
    const wave = (change: number): bigint =>
      BigInt(1_000_000 + Math.round(1e6 * Math.sin(change / 900)) + (change % 7));
    const many = await createLongHistory(SAMPLED, 1, wave);
    const server = await startServer({ ledger: many });
    const found: { version: string; after: string }[] = [];
    let pages = 0;
    for (let cursor: string | null = ""; cursor !== null; pages++) {
      const start = cursor === "" ? "" : `&start=${cursor}`;
      const response = await fetch(`${server.url}${PATH}?points=200${start}`);
      expect(response.status).toBe(200);
      found.push(...((await response.json()) as typeof found));
      cursor = response.headers.get("x-node-cursor");
    }
    expect(pages).toBe(2);
    expect(found.length).toBeLessThanOrEqual(204);
    const amounts = Array.from({ length: SAMPLED }, (_, change) => Number(wave(change)));
    const after = found.map((one) => Number(one.after));
    expect(Math.min(...after)).toBe(amounts.reduce((least, one) => Math.min(least, one)));
    expect(Math.max(...after)).toBe(amounts.reduce((most, one) => Math.max(most, one)));
    const versions = found.map((one) => Number(one.version));
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
  });
});

describe("what a history costs", () => {
  it("follows from its changes, not from the versions between them", async () => {
    const costs: number[] = [];
    for (const gap of [1, 10_000]) {
      const ledger = new CountingLedger(await createLongHistory(100, gap));
      const server = await startServer({ ledger });
      const changes = (await (await fetch(`${server.url}${PATH}?limit=1000`)).json()) as unknown[];
      expect(changes).toHaveLength(100);
      costs.push(ledger.reads, ledger.rows);
    }
    const [reads = 0, rows = 0, readsAmongMany = 0, rowsAmongMany = 0] = costs;
    expect(rows).toBeLessThan(500);
    expect(rowsAmongMany).toBeLessThan(1.5 * rows);
    expect(readsAmongMany).toBeLessThan(1.5 * reads);
  });

  it("has a bound where nothing changes: a page may be empty and still lead on", async () => {
    const ledger = new CountingLedger(
      await createLongHistory(40_000, 1, (change) => (change < 39_999 ? 1n : 2n)),
    );
    const server = await startServer({ ledger });
    const found: unknown[][] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const before = ledger.rows;
      const start: string = cursor === "" ? "" : `&start=${cursor}`;
      const response = await fetch(`${server.url}${PATH}?limit=1000${start}`);
      found.push((await response.json()) as unknown[]);
      expect(ledger.rows - before).toBeLessThan(20_000);
      cursor = response.headers.get("x-node-cursor");
    }
    expect(found.map((page) => page.length)).toEqual([1, 0, 1]);
  });
});
