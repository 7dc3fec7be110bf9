// Watch lists: what they tell, against the balances themselves.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Slices } from "../../src/base/wait.ts";
import { watchList } from "../../src/http/operations/watch-list.ts";
import { createNode, type Node } from "../../src/index.ts";
import { EventReader } from "../support/event-client.ts";
import { startServer } from "../support/http-server.ts";
import { longestTurnMs, slowness } from "../support/loop-meter.ts";
import { SmallLedger } from "../support/small-ledger.ts";
import { until } from "../support/until.ts";

const APT = "0x1::aptos_coin::AptosCoin";

interface Movement {
  readonly version: string;
  readonly type: "deposit" | "withdrawal";
  readonly address: string;
  readonly asset_type: string;
  readonly amount: string;
  readonly balance: string;
  readonly counterparty?: string;
  readonly transaction_hash: string;
  readonly trust: string;
}
interface Line {
  readonly event: string;
  readonly id: string;
  readonly data: Movement;
}

let node: Node;
let head: bigint;
let accounts: readonly string[];
let assets: readonly string[];
beforeAll(async () => {
  node = await createNode({ localChain: { seed: "watch" }, http: { port: 0, maxWaitMs: 0 } });
  for (let i = 0; i < 40; i++) await node.produceBlock();
  head = (await node.ledgerInfo()).ledger_version;
  accounts = (node.guide()?.accounts ?? []).map(({ address }) => address.replace(/^0x0+/, "0x"));
  const info = (await (await fetch(`${node.url}/info`)).json()) as { demo_assets: Record<string, string> };
  assets = Object.values(info.demo_assets);
});
afterAll(() => node.close());

function post(body: unknown, query = "", headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(`${node.url}/watch${query}`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/x-ndjson", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

async function linesOf(response: Response): Promise<Line[]> {
  const lines = (await response.text()).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Line).filter(({ event }) => event !== "heartbeat");
}

/** The range without those that version 0 made, which has no transaction that somebody sent. */
const whole = (): string => `?start=0&end=${head}`;

describe("a watch list", () => {
  it("tells every change of every balance, once and in order", async () => {
    const told = await linesOf(await post({ accounts, assets }, whole()));
    const expected: string[] = [];
    for (const address of accounts) {
      for (const asset of assets) {
        for await (const { version, before, after } of node.balanceHistory(address, asset)) {
          const [type, amount] =
            after > before ? ["deposit", after - before] : ["withdrawal", before - after];
          expected.push(`${version} ${type} ${address} ${asset} ${amount} ${after}`);
        }
      }
    }
    const found = told.map(
      ({ data }) =>
        `${data.version} ${data.type} ${data.address} ${data.asset_type} ${data.amount} ${data.balance}`,
    );
    expect(found.length).toBeGreaterThan(50);
    expect(found.toSorted()).toEqual(expected.toSorted());
    const versions = told.map(({ data }) => BigInt(data.version));
    expect(versions).toEqual(versions.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
    expect(new Set(told.map(({ id }) => id)).size).toBe(told.length);
  });

  it("names the counterparty of a transfer on both sides, and goes on behind any id", async () => {
    const told = await linesOf(await post({ accounts, assets: [APT] }, whole()));
    const transfers = told.filter(({ data }) => data.counterparty !== undefined);
    expect(transfers.length).toBeGreaterThan(10);
    for (const { data } of transfers.slice(0, 20)) {
      const { transaction } = (await node.transaction(BigInt(data.version))) ?? {};
      const { sender, payload } = transaction as { sender: string; payload: { arguments: unknown[] } };
      const parties = [sender, ...payload.arguments.map(String)];
      expect(parties).toContain(data.counterparty);
      expect(parties).toContain(data.address);
    }
    const middle = Math.floor(told.length / 2);
    const id = told[middle]?.id ?? "";
    const rest = await linesOf(
      await post({ accounts, assets: [APT] }, `?end=${head}`, { "last-event-id": id }),
    );
    expect(rest).toEqual(told.slice(middle + 1));
  });

  it("tells only of its own accounts and assets, and is CSV too", async () => {
    const [only = ""] = accounts;
    const told = await linesOf(await post({ accounts: [only], assets: [APT] }, whole()));
    expect(new Set(told.map(({ data }) => `${data.address} ${data.asset_type}`))).toEqual(
      new Set([`${only} ${APT}`]),
    );
    const csv = await post({ accounts: [only], assets: [APT] }, whole(), { accept: "text/csv" });
    const [header, ...rows] = (await csv.text()).trimEnd().split("\r\n");
    expect(header).toBe(
      "version,timestamp,transaction_hash,type,address,asset_type,amount,balance,counterparty,trust",
    );
    expect(rows.map((row) => row.split(",")[0])).toEqual(told.map(({ data }) => data.version));
    const nobody = await linesOf(await post({ accounts: ["0x404"], assets: [APT] }, whole()));
    expect(nobody).toEqual([]);
  });

  it("goes on live, as server-sent events", async () => {
    const stop = new AbortController();
    const response = await fetch(`${node.url}/watch`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ accounts, assets: [APT] }),
      signal: stop.signal,
    });
    const reader = new EventReader(response, stop);
    await until(() => reader.events[0]?.event === "start");
    await until(async () => {
      await node.produceBlock();
      return reader.events.some(({ event }) => event === "movement");
    });
    const { data } = reader.events.find(({ event }) => event === "movement") ?? {};
    const at = { ledgerVersion: BigInt(data?.version ?? "0") };
    expect(`${await node.balance(data?.address ?? "", APT, at)}`).toBe(data?.balance);
    expect(data?.trust).toBe("local");
    reader.close();
  });

  it("begins behind the oldest version, whose change is not known", async () => {
    const ledger = new SmallLedger();
    await ledger.commit(Array.from({ length: 9 }, (_, i) => ({ owner: "0x10", amount: BigInt(i + 1) })));
    await ledger.store.prune(6n, 1000);
    const { url } = await startServer({ ledger: ledger.store });
    const ask = async (query: string, id = ""): Promise<[number, string]> => {
      const response = await fetch(`${url}/v1/watch?${query}`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/x-ndjson",
          "last-event-id": id,
        },
        body: JSON.stringify({ accounts: ["0x10"], assets: [APT] }),
      });
      const stream = response.body?.pipeThrough(new TextDecoderStream());
      for await (const text of stream ?? []) return [response.status, text];
      return [response.status, ""];
    };
    expect(await ask("start=5&end=8")).toEqual([410, expect.stringContaining("below the oldest kept")]);
    expect(await ask("start=6&end=8")).toEqual([410, expect.stringContaining("ask from 7")]);
    expect((await ask("start=7&end=8"))[0]).toBe(200);
    // In the middle of it, what else it changed is not known either.
    const [inside, behind] = ["6.0-0000000000000000", "6-0000000000000000"];
    expect(await ask("end=8", inside)).toEqual([410, expect.stringContaining("below the oldest kept")]);
    expect(await ask("end=8", behind)).toEqual([200, expect.stringContaining('"version":"7"')]);
    expect(await ask("", inside)).toEqual([200, expect.stringContaining('{"event":"gap"')]);
    expect(await ask("", behind)).toEqual([200, expect.stringContaining('"version":"7"')]);
  });

  it.each([
    ["{", "body"],
    [{}, "accounts: expected an array"],
    [{ accounts: ["0x1"], assets: [] }, "assets: expected an array of 1 to 1000 strings, got none"],
    [{ accounts: ["0x1"], asset: [APT] }, "body: expected an object with accounts, assets"],
    [{ accounts: [1], assets: [APT] }, "accounts[0]: expected a string"],
    [{ accounts: ["0xzz"], assets: [APT] }, "accounts: expected"],
    [{ accounts: ["0x1"], assets: ["APT"] }, "assets: expected"],
    [{ accounts: ["0x1"], assets: [`${APT} `] }, "has spaces around it"],
    [
      { accounts: ["0x1"], assets: Array.from({ length: 1001 }, (_, i) => `0x1::a::B${i}`) },
      "assets: expected at most 1000, got more",
    ],
    [{ accounts: ["0x1"], assets: [APT, "0xa"] }, `assets: 0xa counts the same stores as ${APT}: name one`],
    [
      { accounts: Array.from({ length: 25_001 }, (_, i) => `0x${i.toString(16)}`), assets: [APT, "0xb"] },
      "accounts times assets: expected at most 50000, got more",
    ],
  ])("refuses a body %#", async (body, message) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    if (body !== "{") expect(await response.text()).toContain(message);
  });

  it("is parsed only as long as its client stays", async () => {
    const left = new Error("the client left");
    class Leaving extends Slices {
      override pause(): Promise<void> {
        return Promise.reject(left);
      }
    }
    const context = { slices: new Leaving() } as unknown as Parameters<typeof watchList.handle>[1];
    const body = Buffer.from(JSON.stringify({ accounts: ["0x1"], assets: [APT] }));
    const args = { start: undefined, end: undefined, min_trust: undefined };
    // By its slices alone: nothing else of the context is there.
    await expect(async () => watchList.handle({ body, ...args }, context)).rejects.toBe(left);
  });

  it("of 50,000 balances finds those that change, and takes 51 places of its client's share", async () => {
    const many = [
      ...accounts,
      ...Array.from({ length: 50_000 - accounts.length }, (_, i) => `0x${(i + 0xabc0000).toString(16)}`),
    ];
    const told = await linesOf(await post({ accounts: many, assets: [APT] }, whole()));
    expect(told).toEqual(await linesOf(await post({ accounts, assets: [APT] }, whole())));
    const ledger = new SmallLedger();
    await ledger.commit([{ owner: "0x10", amount: 1n }]);
    const { url } = await startServer({ ledger: ledger.store, maxStreams: 50 });
    const ask = (list: readonly string[]): Promise<Response> =>
      fetch(`${url}/v1/watch?start=0&end=0`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ accounts: list, assets: [APT] }),
      });
    expect((await ask(many)).status).toBe(503);
    expect((await ask(many.slice(0, 40_000))).status).toBe(200);
  });

  it("tells of thousands of balances that one transaction changed, in pieces", async () => {
    const ledger = new SmallLedger();
    const [owner = "", ...others] = Array.from({ length: 1500 }, (_, i) => `0x${(4096 + i).toString(16)}`);
    await ledger.commit([{ owner: "0x10", amount: 1n }]);
    await ledger.commit([{ owner, others, amount: 7n }]);
    const { url } = await startServer({ ledger: ledger.store });
    const body = JSON.stringify({ accounts: [owner, ...others], assets: [APT] });
    const headers = { "content-type": "application/json", accept: "application/x-ndjson" };
    let told: Line[] = [];
    const heldMs = await longestTurnMs(async () => {
      const query = { method: "POST", headers, body };
      told = await linesOf(await fetch(`${url}/v1/watch?start=1&end=1`, query));
    });
    expect(told.map(({ data }) => data.address)).toEqual([owner, ...others]);
    // It took seconds where each balance compared itself with all others.
    expect(heldMs).toBeLessThan(300 * slowness());
  });

  it("takes a place of its client's share before it is read", async () => {
    const ledger = new SmallLedger();
    await ledger.commit([{ owner: "0x10", amount: 1n }]);
    const { url } = await startServer({ ledger: ledger.store, maxStreams: 2 });
    const ask = (body: string | ReadableStream): Promise<Response> =>
      fetch(`${url}/v1/watch?start=0&end=0`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
        duplex: "half",
      });
    const text = JSON.stringify({ accounts: ["0x10"], assets: [APT] });
    let rest!: ReadableStreamDefaultController;
    const slow = ask(
      new ReadableStream({
        start: (controller) => {
          rest = controller;
          controller.enqueue(Buffer.from(text.slice(0, 10)));
        },
      }),
    );
    await until(async () => (await ask(text)).status === 503);
    rest.enqueue(Buffer.from(text.slice(10)));
    rest.close();
    expect((await slow).status).toBe(200);
    await (await slow).text();
    await until(async () => (await ask(text)).status === 200);
  });
});
