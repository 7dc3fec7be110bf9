// Read your writes: reads that wait for the node to get to a version.
import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { LedgerView } from "../../src/ledger/view.ts";
import { createNode } from "../../src/node.ts";
import { BookedLedger, ENGINES, type Pair } from "../support/booked-ledger.ts";
import { startServer, type TestServer } from "../support/http-server.ts";
import { CountingLedger, createLedgerOfWrites } from "../support/long-history.ts";
import { transferRequest } from "../support/submitter.ts";
import { until } from "../support/until.ts";

const LONG_MS = 30_000;
const ZERO = new Uint8Array(32);

function pairOf(ledger: BookedLedger): Pair {
  const pair = ledger.pairs.find(({ account, assetName }) => account === "anna" && assetName === "native");
  if (pair === undefined) throw new Error("anna is gone");
  return pair;
}

async function headOf({ store }: BookedLedger): Promise<bigint> {
  const view = await store.openView();
  view.release();
  return view.position.version;
}

const JSON_TYPE = { "content-type": "application/json" };

/** One request of every operation that reads the ledger. */
function readsOf({ address, asset }: Pair): readonly (readonly [string, RequestInit?])[] {
  const account = `/v1/accounts/${address}/balance/${asset}`;
  const post = (body: unknown): RequestInit => ({
    method: "POST",
    headers: JSON_TYPE,
    body: JSON.stringify(body),
  });
  return [
    [account],
    [`${account}/detail`],
    [`${account}/history`],
    ["/v1/balances", post({ queries: [{ address, asset_type: asset }] })],
    ["/v1/tables/raw_items", post({ queries: [{ table_handle: "0x1", key: "0x" }] })],
    ["/v1/tables/0x1/raw_item", post({ key: "0x" })],
    ["/v1/transactions/encode_submission", post({})],
    ["/v1/transactions/explain_submission", post({ message: "0x" })],
    ["/v1/transactions", { headers: { accept: "application/x-bcs" } }],
    [
      "/v1/experimental/state_values/raw",
      { ...post({ key: "0x" }), headers: { ...JSON_TYPE, accept: "application/x-bcs" } },
    ],
    ["/v1"],
  ];
}

describe.each(["memory", "lmdb"] as const)("min_ledger_version, on %s", async (engine) => {
  const ledger = await BookedLedger.create(await ENGINES[engine](), 5, "least");
  const pair = pairOf(ledger);
  const server = await startServer({ ledger: ledger.store });
  const balanceUrl = `${server.url}/v1/accounts/${pair.address}/balance/${pair.asset}`;

  it("is answered at once where the node is there, for every operation as without it", async () => {
    const head = await headOf(ledger);
    for (const [path, init] of readsOf(pair)) {
      const plain = await fetch(server.url + path, init);
      const least = await fetch(`${server.url}${path}?min_ledger_version=${head}&wait_ms=0`, init);
      expect([path, least.status, await least.text()]).toEqual([path, plain.status, await plain.text()]);
    }
  });

  it("is 503 where the node is behind, for every operation, and tells how far", async () => {
    const head = await headOf(ledger);
    for (const [path, init] of readsOf(pair)) {
      const response = await fetch(`${server.url}${path}?min_ledger_version=${head + 7n}`, init);
      expect([path, response.status, await response.json()]).toEqual([
        path,
        503,
        {
          message: `the ledger is at version ${head}, 7 behind version ${head + 7n}, after a wait of at most 0 ms`,
          error_code: "internal_error",
          ledger_version: `${head}`,
          versions_behind: "7",
        },
      ]);
      expect(response.headers.get("x-node-ledger-version")).toBe(`${head}`);
      expect(response.headers.get("retry-after")).toBe("1");
    }
  });

  it("waits for the block, and answers with the balance that it left", async () => {
    for (let block = 0; block < 5; block++) {
      const head = await headOf(ledger);
      const waiting = Array.from({ length: 20 }, () =>
        fetch(`${balanceUrl}?quoted=true&min_ledger_version=${head + 1n}&wait_ms=${LONG_MS}`),
      );
      await until(() => server.figures().waiting === 20);
      await ledger.steps(1);
      for (const response of await Promise.all(waiting)) {
        expect(await response.json()).toBe(`${ledger.blocks.at(-1)?.booked(pair)}`);
        expect(BigInt(response.headers.get("x-node-read-version") ?? 0)).toBe(
          ledger.blocks.at(-1)?.lastVersion,
        );
      }
      expect(server.figures().waiting).toBe(0);
    }
  });

  it("wakes only those whose version is there", async () => {
    const head = await headOf(ledger);
    const near = fetch(`${balanceUrl}?min_ledger_version=${head + 1n}&wait_ms=${LONG_MS}`);
    const far = fetch(`${balanceUrl}?min_ledger_version=${head + 60n}&wait_ms=${LONG_MS}`);
    await until(() => server.figures().waiting === 2);
    await ledger.steps(1);
    expect((await near).status).toBe(200);
    expect(server.figures().waiting).toBe(1);
    await until(async () => {
      await ledger.steps(1);
      return (await headOf(ledger)) >= head + 60n;
    });
    expect((await far).status).toBe(200);
  });

  it("gives up after wait_ms, not before, and tells where the ledger is then", async () => {
    const head = await headOf(ledger);
    const beganMs = performance.now();
    const waiting = fetch(`${balanceUrl}?min_ledger_version=${head + 60n}&wait_ms=300`);
    await ledger.steps(1);
    const response = await waiting;
    // Timers may be a millisecond early.
    expect(performance.now() - beganMs).toBeGreaterThan(298);
    const now = await headOf(ledger);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      ledger_version: `${now}`,
      versions_behind: `${head + 60n - now}`,
    });
  });

  it.each([
    ["min_ledger_version=", "min_ledger_version: expected a u64"],
    ["min_ledger_version=-1", "min_ledger_version: expected a u64"],
    ["min_ledger_version=18446744073709551616", "min_ledger_version: expected a u64"],
    ["min_ledger_version=1&wait_ms=30001", "wait_ms: expected a whole number from 0 to 30000"],
    ["min_ledger_version=1&wait_ms=1s", "wait_ms: expected a whole number"],
    ["wait_ms=5", "wait_ms: expected together with min_ledger_version"],
  ])("%s is 400", async (query, words) => {
    const response = await fetch(`${balanceUrl}?${query}`);
    expect(response.status).toBe(400);
    expect(((await response.json()) as { message: string }).message).toContain(words);
  });
});

it("holds for the view that answers, where the ledger goes back before", async () => {
  const [long, short] = await Promise.all(
    [20n, 5n].map((version) => createLedgerOfWrites([{ keyHash: ZERO, version, value: undefined }])),
  );
  let opened = 0;
  const server = await startServer({
    ledger: { openView: async () => (opened++ === 0 ? long : short)?.openView() as LedgerView },
  });
  const response = await fetch(`${server.url}/v1?min_ledger_version=20&wait_ms=1`);
  expect([response.status, await response.json()]).toMatchObject([
    503,
    { ledger_version: "5", versions_behind: "15" },
  ]);
});

describe("requests that wait", async () => {
  const ledger = await BookedLedger.create(await ENGINES.memory(), 2, "least");
  const { address, asset } = pairOf(ledger);
  const path = `/v1/accounts/${address}/balance/${asset}`;
  const late = `${path}?min_ledger_version=1000000&wait_ms=${LONG_MS}`;

  function ask(server: TestServer, target = late, client = "192.0.2.1"): Socket {
    const socket = connect({ port: server.port, host: server.host, allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => {});
    socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${client}\r\n\r\n`);
    return socket;
  }

  it("hold no view, do not count as in flight, and keep nobody out", async () => {
    const counting = new CountingLedger(ledger.store);
    const server = await startServer({ ledger: counting, maxInFlight: 1 });
    for (let i = 0; i < 50; i++) ask(server);
    await until(() => server.figures().waiting === 50);
    expect(server.figures().inFlight).toBe(0);
    await until(() => counting.openViews === 0);
    expect((await fetch(server.url + path)).status).toBe(200);
  });

  it("are bounded: more are turned away", async () => {
    const server = await startServer({ ledger: ledger.store, maxWaiting: 3, trustProxy: true });
    for (let i = 0; i < 3; i++) ask(server, late, `192.0.2.${i}`);
    await until(() => server.figures().waiting === 3);
    const refused = await fetch(server.url + late);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await refused.json()).toMatchObject({ message: "3 requests wait for a version already" });
    expect((await fetch(`${server.url}${path}?min_ledger_version=1&wait_ms=100`)).status).toBe(200);
  });

  it.each([true, false])("end when the client leaves (direct lane: %s)", async (isDirect) => {
    const server = await startServer({ ledger: ledger.store, isDirect });
    const leaving = [ask(server), ask(server)];
    await until(() => server.figures().waiting === 2);
    leaving[0]?.destroy();
    leaving[1]?.resetAndDestroy();
    await until(() => server.figures().waiting === 0 && server.figures().connections === 0);
  });

  it.each([true, false])(
    "of a client that ends its side are answered at once (direct lane: %s)",
    async (isDirect) => {
      const server = await startServer({ ledger: ledger.store, isDirect });
      const socket = ask(server);
      await until(() => server.figures().waiting === 1);
      socket.end();
      const answer = await new Promise<string>((resolve) => {
        socket.once("data", (chunk: Buffer) => resolve(chunk.toString("latin1")));
      });
      expect(answer).toMatch(/^HTTP\/1\.1 503 /);
      expect(server.figures().waiting).toBe(0);
    },
  );

  it("are answered when the server closes", async () => {
    const server = await startServer({ ledger: ledger.store });
    const waiting = [fetch(server.url + late), fetch(server.url + late)];
    await until(() => server.figures().waiting === 2);
    await server.close();
    for (const response of await Promise.all(waiting)) {
      expect(response.status).toBe(503);
      expect(await response.json()).toHaveProperty("versions_behind");
    }
  });

  it("are answered when the node closes", async () => {
    const node = await createNode({ http: { port: 0, maxWaitMs: 0 } });
    const waiting = fetch(`${node.url?.slice(0, -3)}${late}`);
    await until(async () =>
      /^sextant_http_waiting 1$/m.test(await (await fetch(`${node.url?.slice(0, -3)}/metrics`)).text()),
    );
    await node.close();
    expect((await waiting).status).toBe(503);
  });
});

async function toArray<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe("minLedgerVersion of calls", () => {
  it("waits for the node's own commits, in each call", async () => {
    const node = await createNode({ pruneWindow: "off" });
    const guide = node.guide();
    const [account] = guide?.accounts ?? [];
    const anna = account?.address ?? "";
    const coin = "0x1::aptos_coin::AptosCoin";
    const request = transferRequest(anna, anna, "1000");
    const calls = [
      (options: object) => node.balance(anna, coin, options),
      (options: object) => node.rawItem("0x1", "0x", options),
      (options: object) => node.balances([{ address: anna, asset: coin }], options),
      (options: object) => node.rawItems([{ handle: "0x1", key: "0x" }], options),
      (options: object) => node.balanceDetail(anna, coin, options),
      (options: object) => toArray(node.balanceHistory(anna, coin, options)),
      (options: object) => node.encodeSubmission(request, options),
      (options: object) => node.explainSubmission(request, options),
      (options: object) => node.ledgerInfo(options),
    ];
    for (const call of calls) {
      const head = BigInt((await node.ledgerInfo()).ledger_version);
      const minLedgerVersion = head + 1n;
      await expect(call({ minLedgerVersion })).rejects.toMatchObject({
        code: "behind",
        details: { latest: head, behind: 1n },
      });
      const waiting = call({ minLedgerVersion, waitMs: LONG_MS });
      await node.produceBlock();
      const found = await waiting;
      expect(found).toEqual(await call({ minLedgerVersion }));
    }
    await node.close();
  });

  it("refuses what is no version or no time", async () => {
    const node = await createNode();
    for (const [options, words] of [
      [{ waitMs: 5 }, "waitMs: expected together with minLedgerVersion"],
      [{ minLedgerVersion: 1n, waitMs: 30_001 }, "waitMs: expected a whole number from 0 to 30000"],
      [{ minLedgerVersion: 1n, waitMs: 0.5 }, "waitMs: expected a whole number"],
      [{ minLedgerVersion: 1 }, "minLedgerVersion: expected a bigint, got number"],
    ] as const) {
      await expect(node.ledgerInfo(options as object)).rejects.toThrow(words);
    }
    await node.close();
  });

  it("ends when the node closes", async () => {
    const node = await createNode();
    const waiting = node.ledgerInfo({ minLedgerVersion: 1000n, waitMs: LONG_MS });
    const ended = expect(waiting).rejects.toThrow();
    await node.close();
    await ended;
  });
});
