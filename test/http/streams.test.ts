// Streams of server-sent events: the state now, then every change, as the books and a reading of every version say.
import { connect, type Socket } from "node:net";
import { EventSource } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { createNode } from "../../src/node.ts";
import { BookedLedger, ENGINES, type Pair } from "../support/booked-ledger.ts";
import { EventReader, versionOf } from "../support/event-client.ts";
import { COIN, coinKey, coinStore, recordAt, stateValue } from "../support/http-ledger.ts";
import { startServer, type TestServer } from "../support/http-server.ts";
import { createLongHistory, OWNER } from "../support/long-history.ts";
import { until } from "../support/until.ts";

async function read(url: string, headers: Readonly<Record<string, string>> = {}): Promise<EventReader> {
  const reader = await EventReader.open(url, headers);
  onTestFinished(() => reader.close());
  expect([reader.response.status, reader.response.headers.get("content-type")]).toEqual([
    200,
    "text/event-stream",
  ]);
  return reader;
}

function streamUrl({ url }: { readonly url: string }, { address, asset }: Pair): string {
  return `${url}/v1/accounts/${address}/balance/${asset}/stream`;
}

async function headOf({ store }: BookedLedger): Promise<bigint> {
  const view = await store.openView();
  view.release();
  return view.position.version;
}

/** The changes of a pair after a version, in the form of events. */
async function changesAfter(ledger: BookedLedger, pair: Pair, version: bigint): Promise<object[]> {
  const changes = await ledger.changesOf(pair);
  return changes
    .filter((change) => BigInt(change.version) > version)
    .map(({ version, timestamp_usec, before, after, transaction_hash }) => ({
      version,
      timestamp_usec,
      balance: after,
      before,
      transaction_hash,
      trust: "trusted",
    }));
}

function blocksAfter({ blocks }: BookedLedger, version: bigint): object[] {
  return blocks.flatMap(({ firstVersion, lastVersion, timestampUsec }, height) =>
    lastVersion <= version
      ? []
      : [
          {
            height: `${height}`,
            first_version: `${firstVersion}`,
            last_version: `${lastVersion}`,
            timestamp_usec: `${timestampUsec}`,
          },
        ],
  );
}

describe.each(["memory", "lmdb"] as const)("streams of a local chain, on %s", async (engine) => {
  const ledger = await BookedLedger.create(await ENGINES[engine](), 5, "streams");

  it.each([true, false])("tell the state and then every change (direct lane: %s)", async (isDirect) => {
    const server = await startServer({ ledger: ledger.store, isDirect });
    const head = await headOf(ledger);
    const streams = await Promise.all(
      ledger.pairs.map(async (pair) => ({ pair, reader: await read(streamUrl(server, pair)) })),
    );
    const blocks = await read(`${server.url}/v1/blocks/stream`);
    expect(server.figures().streams).toBe(ledger.pairs.length + 1);
    await ledger.steps(15);
    let changed = 0;
    for (const { pair, reader } of streams) {
      const changes = await changesAfter(ledger, pair, head);
      changed += changes.length > 0 ? 1 : 0;
      const block = ledger.blockOf(head);
      const state = {
        version: `${head}`,
        timestamp_usec: `${block.timestampUsec}`,
        balance: `${block.booked(pair)}`,
        trust: "trusted",
      };
      await until(() => reader.data.length > changes.length);
      expect(reader.data).toEqual([state, ...changes]);
      expect(reader.events.map(({ id }) => versionOf(id))).toEqual(reader.data.map(({ version }) => version));
      expect(new Set(reader.events.map(({ event }) => event))).toEqual(new Set(["balance"]));
    }
    expect(changed).toBeGreaterThan(5);
    await until(() => blocks.data.length === 16);
    expect(blocks.data).toMatchObject(blocksAfter(ledger, head - 1n));
    expect(blocks.events.map(({ id, event }) => [versionOf(id), event])).toEqual(
      blocks.data.map(({ last_version }) => [last_version, "block"]),
    );
  });

  it("resume behind any version, by header or parameter, with what was missed and what comes", async () => {
    const server = await startServer({ ledger: ledger.store });
    const head = await headOf(ledger);
    const pair = ledger.pairs.find(({ account }) => account === "clio") ?? ledger.pairs[0];
    if (pair === undefined) throw new Error("no pairs");
    const starts = [0n, 1n, head / 3n, head / 2n, head - 1n, head];
    const streams = await Promise.all(
      starts.map(async (start, i) => {
        const [query, headers] =
          i % 2 === 0 ? ["", { "last-event-id": `${start}` }] : [`?after=${start}`, {}];
        return {
          start,
          balance: await read(streamUrl(server, pair) + query, headers),
          blocks: await read(`${server.url}/v1/blocks/stream${query}`, headers),
        };
      }),
    );
    await ledger.steps(6);
    for (const { start, balance, blocks } of streams) {
      const changes = await changesAfter(ledger, pair, start);
      await until(() => balance.data.length >= changes.length);
      expect([start, balance.data]).toEqual([start, changes]);
      const made = blocksAfter(ledger, start);
      await until(() => blocks.data.length >= made.length);
      expect([start, blocks.data]).toMatchObject([start, made]);
    }
    // The header is newer than a parameter in the URL that a client keeps.
    const both = await read(`${server.url}/v1/blocks/stream?after=0`, {
      "last-event-id": `${await headOf(ledger)}`,
    });
    await ledger.steps(1);
    await until(() => both.data.length > 0);
    expect(both.data).toHaveLength(1);
  });

  it("of a real client go on where they were when the server is started again", async () => {
    let server = await startServer({ ledger: ledger.store });
    const { port } = server;
    const pair = ledger.pairs.find(({ account }) => account === "anna") ?? ledger.pairs[0];
    if (pair === undefined) throw new Error("no pairs");
    const head = await headOf(ledger);
    const source = new EventSource(streamUrl(server, pair));
    onTestFinished(() => source.close());
    const found: { id: string; data: Record<string, string> }[] = [];
    let opened = 0;
    source.addEventListener("open", () => opened++);
    source.addEventListener("balance", (event) => {
      const { lastEventId, data } = event as unknown as { lastEventId: string; data: string };
      found.push({ id: versionOf(lastEventId) ?? "", data: JSON.parse(data) as Record<string, string> });
    });
    await until(() => found.length === 1);
    await ledger.steps(5);
    const early = await changesAfter(ledger, pair, head);
    await until(() => found.length === early.length + 1);
    await server.close();
    await ledger.steps(5);
    server = await startServer({ ledger: ledger.store, port });
    await until(() => opened === 2);
    await ledger.steps(5);
    const changes = await changesAfter(ledger, pair, head);
    expect(changes.length).toBeGreaterThan(early.length);
    await until(() => found.length === changes.length + 1);
    expect(found.slice(1).map(({ data }) => data)).toEqual(changes);
    expect(found.map(({ id }) => id)).toEqual(found.map(({ data }) => data.version));
    source.close();
    await until(() => server.figures().streams === 0);
  });
});

describe("a stream that resumes behind the window", async () => {
  const ledger = await BookedLedger.create(await ENGINES.memory(), 20, "window");
  const oldest = ledger.blocks[10]?.firstVersion ?? 0n;
  await ledger.prune(oldest);
  const server = await startServer({ ledger: ledger.store });
  const pair = ledger.pairs[0] as Pair;

  it.each([0n, oldest - 1n])("after version %s says so, and goes on with the state", async (after) => {
    const head = await headOf(ledger);
    const gap = {
      message: `changes after version ${after} are pruned; the oldest version kept is ${oldest}`,
      last_event_id: `${after}`,
      oldest_version: `${oldest}`,
    };
    const balance = await read(streamUrl(server, pair), { "last-event-id": `${after}` });
    const blocks = await read(`${server.url}/v1/blocks/stream`, { "last-event-id": `${after}` });
    await until(() => balance.data.length === 2 && blocks.data.length === 2);
    expect(balance.events.map(({ event, id }) => [event, versionOf(id)])).toEqual([
      ["gap", undefined],
      ["balance", `${head}`],
    ]);
    expect(balance.data).toEqual([
      gap,
      expect.objectContaining({ version: `${head}`, balance: `${ledger.blockOf(head).booked(pair)}` }),
    ]);
    expect(blocks.data).toMatchObject([gap, { last_version: `${head}` }]);
  });

  it("at its edge gets every change", async () => {
    const reader = await read(streamUrl(server, pair), { "last-event-id": `${oldest}` });
    const changes = await changesAfter(ledger, pair, oldest);
    await until(() => reader.data.length >= changes.length);
    expect(reader.data).toEqual(changes);
  });
});

describe("a client that comes back to another ledger", () => {
  it.each([
    ["above its latest version", (head: bigint) => `${head + 2n}`],
    ["far above it", () => `${2n ** 64n - 1n}`],
    ["with the id of an event of the other one", () => undefined],
  ])("%s is told of the gap, and then the state", async (_, idAt) => {
    const before = await BookedLedger.create(await ENGINES.memory(), 4, "before");
    const first = await startServer({ ledger: before.store });
    const told = await read(`${first.url}/v1/blocks/stream`);
    await until(() => told.events.length === 1);
    await first.close();
    const ledger = await BookedLedger.create(await ENGINES.memory(), 9, "after");
    const server = await startServer({ ledger: ledger.store });
    const head = await headOf(ledger);
    const pair = ledger.pairs[0] as Pair;
    const id = idAt(head) ?? told.events[0]?.id ?? "";
    const blocks = await read(`${server.url}/v1/blocks/stream`, { "last-event-id": id });
    const balance = await read(streamUrl(server, pair), { "last-event-id": id });
    await until(() => blocks.events.length > 1 && balance.events.length > 1);
    for (const reader of [blocks, balance]) {
      expect(reader.events.map(({ event }) => event)[0]).toBe("gap");
      expect(reader.data[0]?.message).toContain("changes may be missing");
      expect(versionOf(reader.events[1]?.id)).toBe(`${head}`);
    }
    await ledger.steps(1);
    await until(() => blocks.events.length === 3);
    // Its own ids are believed.
    const again = await read(`${server.url}/v1/blocks/stream`, {
      "last-event-id": blocks.events[1]?.id ?? "",
    });
    await until(() => again.events.length === 1);
    expect(again.events[0]).toMatchObject({ event: "block", id: blocks.events[2]?.id });
  });

  it("in the process is told the state", async () => {
    const first = await createNode();
    await first.produceBlock();
    const ids: string[] = [];
    for await (const { id } of first.watchBlocks({ after: 0n })) {
      ids.push(id);
      break;
    }
    await first.close();
    const node = await createNode({ localChain: { seed: "another" } });
    onTestFinished(() => node.close());
    await node.produceBlock();
    await node.produceBlock();
    const { ledger_version: head } = await node.ledgerInfo();
    for (const after of [ids[0], head + 5n]) {
      const next = await node.watchBlocks({ after })[Symbol.asyncIterator]().next();
      expect([after, next.value]).toMatchObject([after, { version: head, trust: { kind: "local" } }]);
    }
  });
});

describe("a client that takes an id as soon as it reads it", () => {
  it("gets an event again whose data it did not get, because the id is behind the data", async () => {
    const ledger = await BookedLedger.create(await ENGINES.memory(), 4, "cut");
    const server = await startServer({ ledger: ledger.store });
    const socket = connect(server.port, server.host);
    onTestFinished(() => void socket.destroy());
    let text = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    socket.write("GET /v1/blocks/stream?after=0 HTTP/1.1\r\nHost: x\r\n\r\n");
    await until(() => text.split("event: block").length > 3);
    const events = text.split("\n\n").filter((block) => block.includes("event: block"));
    for (const event of events.slice(0, 3)) {
      const names = event.split("\n").flatMap((line) => /^(event|data|id):/.exec(line)?.[1] ?? []);
      expect(names).toEqual(["event", "data", "id"]);
    }
  });
});

describe("a stream", async () => {
  const ledger = await BookedLedger.create(await ENGINES.memory(), 3, "stream");
  const pair = ledger.pairs[0] as Pair;

  it.each([true, false])("carries the headers of a read (direct lane: %s)", async (isDirect) => {
    const server = await startServer({ ledger: ledger.store, isDirect, headerBrands: ["NODE", "APTOS"] });
    const plain = await fetch(streamUrl(server, pair).replace("/stream", ""), {
      headers: { origin: "https://a.example", "x-request-id": "abc" },
    });
    const { response } = await read(streamUrl(server, pair), {
      origin: "https://a.example",
      "x-request-id": "abc",
    });
    const own = ["content-type", "content-length", "connection", "keep-alive", "date", "transfer-encoding"];
    for (const [name, value] of plain.headers) {
      if (!own.includes(name)) expect([name, response.headers.get(name)]).toEqual([name, value]);
    }
    expect(response.headers.get("x-accel-buffering")).toBe("no");
    expect(response.headers.get("x-node-read-version")).toBe(`${await headOf(ledger)}`);
  });

  it("waits for its min_ledger_version like any read", async () => {
    const server = await startServer({ ledger: ledger.store });
    const head = await headOf(ledger);
    const behind = await fetch(`${server.url}/v1/blocks/stream?min_ledger_version=${head + 1n}`);
    expect([behind.status, await behind.json()]).toMatchObject([503, { versions_behind: "1" }]);
    const waiting = read(`${server.url}/v1/blocks/stream?min_ledger_version=${head + 1n}&wait_ms=30000`);
    await until(() => server.figures().waiting === 1);
    await ledger.steps(1);
    const reader = await waiting;
    await until(() => reader.data.length === 1);
    expect(reader.data).toMatchObject([{ last_version: `${await headOf(ledger)}` }]);
  });

  it.each([
    ["-1", "Last-Event-ID: expected the id of an event, or a u64"],
    ["18446744073709551616", "Last-Event-ID: expected the id of an event, or a u64"],
    ["abc", 'Last-Event-ID: expected the id of an event, or a u64 in decimal digits, got "abc"'],
  ])("refuses Last-Event-ID: %s", async (id, words) => {
    const server = await startServer({ ledger: ledger.store });
    const response = await fetch(`${server.url}/v1/blocks/stream`, { headers: { "last-event-id": id } });
    expect(response.status).toBe(400);
    expect(((await response.json()) as { message: string }).message).toContain(words);
    expect((await fetch(`${server.url}/v1/blocks/stream?after=x`)).status).toBe(400);
    expect((await fetch(`${server.url}/v1/accounts/0xzz/balance/0xa/stream`)).status).toBe(400);
    for (const query of ["ledger_version=1", "at=2026-01-01", "after=1&at=1", "after=1&after=1"]) {
      const refused = await fetch(`${server.url}/v1/blocks/stream?${query}`);
      expect([query, refused.status]).toEqual([query, 400]);
      await refused.body?.cancel();
    }
  });

  it("shows signs of life, whose id tells how far it is", async () => {
    const server = await startServer({ ledger: ledger.store, streamHeartbeatMs: 64 });
    const quiet = await read(`${server.url}/v1/accounts/0x404/balance/${pair.asset}/stream`);
    const first = await headOf(ledger);
    await until(() =>
      quiet.blocks.some(({ id, comment }) => comment !== undefined && versionOf(id) === `${first}`),
    );
    await ledger.steps(2);
    const head = await headOf(ledger);
    await until(() => versionOf(quiet.blocks.at(-1)?.id) === `${head}`);
    expect(quiet.blocks.at(-1)).toMatchObject({ comment: `at version ${head}`, data: undefined });
    expect(quiet.data).toHaveLength(1);
    expect(quiet.blocks[0]?.retry).toBe("2000");
  });

  it("shows signs of life no more often than it should", async () => {
    const beganMs = performance.now();
    const server = await startServer({ ledger: ledger.store, streamHeartbeatMs: 320 });
    const quiet = await read(`${server.url}/v1/accounts/0x404/balance/${pair.asset}/stream`);
    const beats = (): number => quiet.blocks.filter(({ comment }) => comment !== undefined).length;
    await until(() => beats() >= 3);
    // A late timer may shorten the next of its periods.
    expect(beats()).toBeLessThanOrEqual((performance.now() - beganMs) / 320 + 1);
  });

  it("is one of a bounded number, and none of the requests in flight", async () => {
    const limits = { maxStreams: 2, maxInFlight: 1, trustProxy: true };
    const server = await startServer({ ledger: ledger.store, ...limits });
    const first = await read(`${server.url}/v1/blocks/stream`, { "x-forwarded-for": "192.0.2.1" });
    await read(streamUrl(server, pair), { "x-forwarded-for": "192.0.2.2" });
    expect(server.figures().inFlight).toBe(0);
    const refused = await fetch(`${server.url}/v1/blocks/stream`);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await refused.json()).toMatchObject({ message: "2 streams are open already" });
    expect((await fetch(`${server.url}/v1`)).status).toBe(200);
    first.close();
    await until(() => server.figures().streams === 1);
    await read(`${server.url}/v1/blocks/stream`);
  });

  it("has no body on HEAD", async () => {
    const server = await startServer({ ledger: ledger.store });
    const response = await fetch(`${server.url}/v1/blocks/stream`, { method: "HEAD" });
    expect([response.status, await response.text()]).toEqual([200, ""]);
    expect(server.figures().streams).toBe(0);
  });

  it.each([true, false])(
    "ends when its client leaves or ends its side (direct lane: %s)",
    async (isDirect) => {
      const server = await startServer({ ledger: ledger.store, isDirect });
      const open = (): Socket => {
        const socket = connect({ port: server.port, host: server.host, allowHalfOpen: true });
        onTestFinished(() => void socket.destroy());
        socket.on("error", () => {}).on("data", () => {});
        socket.write("GET /v1/blocks/stream HTTP/1.1\r\nHost: x\r\n\r\n");
        return socket;
      };
      const [left, reset, half] = [open(), open(), open()];
      await until(() => server.figures().streams === 3);
      left.destroy();
      reset.resetAndDestroy();
      half.end();
      await until(() => server.figures().streams === 0 && server.figures().connections === 0);
      await until(() => half.readableEnded);
    },
  );

  it.each([true, false])(
    "ends when the server closes, without the wait for requests (direct lane: %s)",
    async (isDirect) => {
      const server = await startServer({ ledger: ledger.store, isDirect, drainTimeoutMs: 3_600_000 });
      const streams = [await read(`${server.url}/v1/blocks/stream`), await read(streamUrl(server, pair))];
      await until(() => streams.every(({ data }) => data.length === 1));
      await server.close();
      await until(() => streams.every(({ isOver }) => isOver));
      expect(server.figures().streams).toBe(0);
    },
  );
});

/** More events in one commit than sockets hold between the two ends. */
const MANY = 60_000;
/** What a reader that was cut off asks for again. */
const MISSED = 5000;

describe("a reader that is too slow", () => {
  /** Opens a stream by hand and reads nothing but its beginning. */
  async function openPaused(server: TestServer): Promise<Socket> {
    const socket = connect(server.port, server.host);
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => {});
    socket.write(`GET /v1/accounts/${OWNER}/balance/${COIN}/stream HTTP/1.1\r\nHost: x\r\n\r\n`);
    await new Promise((resolve) => socket.once("data", resolve));
    socket.pause();
    return socket;
  }

  it("is cut off; one that reads gets every change; the first resumes with all that it missed", async () => {
    const store = await createLongHistory(10, 1);
    const server = await startServer({ ledger: store, streamHeartbeatMs: 3_600_000 });
    const url = `${server.url}/v1/accounts/${OWNER}/balance/${COIN}/stream`;
    const slow = await openPaused(server);
    const fast = await read(url);
    await until(() => fast.data.length === 1 && server.figures().streams === 2);
    const view = await store.openView();
    const { position } = view;
    view.release();
    const keyHash = coinKey(OWNER);
    const versions = Array.from({ length: MANY }, (_, i) => position.version + BigInt(i + 1));
    const last = versions.at(-1) ?? 0n;
    await store.commit({
      previous: position.version,
      position: { ...position, version: last, blockHeight: position.blockHeight + 1n },
      writes: versions.map((version) => ({ version, keyHash, value: stateValue(coinStore(version)) })),
      blocks: [
        {
          height: position.blockHeight + 1n,
          firstVersion: position.version + 1n,
          timestampUsec: position.timestampUsec,
          epoch: 1n,
        },
      ],
      records: versions.map((at) => recordAt(at)),
      treeNodes: [],
    });
    await until(() => server.figures().streamsCutOff === 1 && server.figures().streams === 1);
    await until(() => slow.destroyed || slow.readableFlowing === false);
    await until(() => fast.blocks.length === MANY + 2);
    const expected = versions.map((version) => `${version}`);
    expect(fast.events.slice(1).map(({ id }) => versionOf(id))).toEqual(expected);
    // Catching up goes at the reader's pace: no bound cuts that off.
    const again = await read(url, { "last-event-id": `${last - BigInt(MISSED)}` });
    await until(() => again.blocks.length === MISSED + 1);
    expect(again.events.map(({ id }) => versionOf(id))).toEqual(expected.slice(-MISSED));
    expect(server.figures().streamsCutOff).toBe(1);
  });
});

describe("streams of a node that writes", () => {
  it("hear of its own commits, end when it closes, and are counted", async () => {
    const node = await createNode({ http: { port: 0, maxWaitMs: 0 }, pruneWindow: "off" });
    const anna = node.guide()?.accounts[0]?.address ?? "";
    const coin = "0x1::aptos_coin::AptosCoin";
    const reader = await read(`${node.url}/accounts/${anna}/balance/${coin}/stream`);
    const blocks = await read(`${node.url}/blocks/stream`);
    for (let block = 0; block < 10; block++) await node.produceBlock();
    const changes: string[] = [];
    for await (const { version, after } of node.balanceHistory(anna, coin, { from: 1n })) {
      changes.push(`${version} ${after}`);
    }
    expect(changes.length).toBeGreaterThan(1);
    await until(() => reader.data.length === changes.length + 1 && blocks.data.length === 11);
    expect(reader.data.slice(1).map(({ version, balance }) => `${version} ${balance}`)).toEqual(changes);
    expect(blocks.data.map(({ height }) => height)).toEqual(Array.from({ length: 11 }, (_, i) => `${i}`));
    const page = await (await fetch(new URL("/metrics", node.url))).text();
    expect(page).toMatch(/^sextant_http_streams 2$/m);
    await node.close();
    await until(() => reader.isOver && blocks.isOver);
  });
});

describe("watching in the process", () => {
  it("tells the state and every change, to as many as ask, at the pace of each", async () => {
    const node = await createNode({ pruneWindow: "off" });
    const anna = node.guide()?.accounts[0]?.address ?? "";
    const coin = "0x1::aptos_coin::AptosCoin";
    const stop = new AbortController();
    const told: string[] = [];
    const watching = (async () => {
      for await (const { version, balance } of node.watchBalance(anna, coin, { signal: stop.signal })) {
        told.push(`${version} ${balance}`);
      }
    })();
    await until(() => told.length === 1);
    for (let block = 0; block < 8; block++) await node.produceBlock();
    const changes: string[] = [];
    for await (const { version, after } of node.balanceHistory(anna, coin, { from: 1n })) {
      changes.push(`${version} ${after}`);
    }
    await until(() => told.length === changes.length + 1);
    expect(told.slice(1)).toEqual(changes);
    stop.abort();
    await watching;
    const heights: bigint[] = [];
    for await (const { height } of node.watchBlocks({ after: 0n })) {
      heights.push(height);
      if (heights.length === 8) break;
    }
    expect(heights).toEqual([1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n]);
    const endless = node.watchBlocks()[Symbol.asyncIterator]();
    await endless.next();
    const ended = expect(endless.next()).rejects.toThrow("the node is closed");
    await node.close();
    await ended;
  });

  it("refuses what is no version, address or asset", async () => {
    const node = await createNode();
    const first = (events: AsyncIterable<unknown>) => events[Symbol.asyncIterator]().next();
    await expect(first(node.watchBlocks({ after: 1 as unknown as bigint }))).rejects.toThrow(
      "after: expected a bigint or the id of an event, got number",
    );
    await expect(first(node.watchBalance("0xzz", "0xa"))).rejects.toThrow();
    await expect(first(node.watchBalance("0x1", "::"))).rejects.toThrow();
    await node.close();
  });
});
