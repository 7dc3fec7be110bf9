// Ranges of transactions and events: their forms, what is refused, and the same in the process.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BcsReader } from "../../src/bcs/reader.ts";
import { createNode, type Node, type RecordBatch } from "../../src/index.ts";
import { PROVEN } from "../../src/ledger/trust.ts";
import type { Ledger } from "../../src/ledger/view.ts";
import { startServer } from "../support/http-server.ts";
import { SmallLedger } from "../support/small-ledger.ts";

type Json = Readonly<Record<string, unknown>>;

let node: Node;
let head: bigint;
beforeAll(async () => {
  node = await createNode({ localChain: { seed: "ranges" }, http: { port: 0, maxWaitMs: 0 } });
  for (let i = 0; i < 30; i++) await node.produceBlock();
  head = (await node.ledgerInfo()).ledger_version;
});
afterAll(() => node.close());

function get(path: string, accept: string, headers: Readonly<Record<string, string>> = {}) {
  return fetch(`${node.url}/${path}`, { headers: { accept, ...headers } });
}

describe("a range", () => {
  it("is whole in JSON, CSV and BCS, and says so", async () => {
    const lines = (await (await get("transactions/stream?start=3&end=9", "application/x-ndjson")).text())
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { event: string; id: string; data: Json });
    const page = (await (await get("transactions?start=3&limit=7", "application/json")).json()) as Json[];
    expect(lines.slice(0, -1).map(({ data: { trust: _, ...data } }) => data)).toEqual(page);
    const last = { event: "heartbeat", id: lines.at(-2)?.id };
    expect(lines.at(-1)).toEqual(last);
    // Also to a client that was cut off behind the last transaction.
    const rest = await get("transactions/stream?start=3&end=9", "application/x-ndjson", {
      "last-event-id": `${last.id}`,
    });
    expect(await rest.json()).toEqual(last);

    const csv = await get("transactions/stream?start=3&end=9", "text/csv");
    const [header, ...rows] = (await csv.text()).trimEnd().split("\r\n");
    expect(header).toMatch(/^version,timestamp,hash,/);
    expect(rows.map((row) => row.split(",").slice(0, 3))).toEqual(
      page.map(({ version, timestamp, hash }) => [version, timestamp ?? "0", hash]),
    );

    const bcs = await get("transactions/stream?start=3&end=9", "application/x-bcs");
    expect(bcs.headers.get("content-type")).toBe("application/x-bcs");
    const records = await get("transactions?start=3&limit=7", "application/x-bcs");
    // A page is a vector, whose length comes first.
    expect(Buffer.from(await bcs.arrayBuffer())).toEqual(
      Buffer.from(await records.arrayBuffer()).subarray(1),
    );
  });

  it("has each event with its version and index in BCS, and its data in one cell of CSV", async () => {
    const query = `events/stream?start=0&end=${head}&event_type=0x1::fungible_asset::Deposit`;
    const lines = (await (await get(query, "application/x-ndjson")).text())
      .trimEnd()
      .split("\n")
      .slice(0, -1);
    const events = lines.map((line) => (JSON.parse(line) as { data: Json }).data);
    expect(events.length).toBeGreaterThan(5);
    const rows = (await (await get(query, "text/csv")).text()).trimEnd().split("\r\n").slice(1);
    expect(rows.map((row) => row.split(",").slice(0, 2).join(":"))).toEqual(
      events.map(({ version, index }) => `${version}:${index}`),
    );
    const data = JSON.stringify(events[0]?.data).replaceAll('"', '""');
    expect(rows[0]).toContain(`,"${data}",`);
    const bytes = new Uint8Array(await (await get(query, "application/x-bcs")).arrayBuffer());
    const first = new BcsReader(bytes);
    expect([`${first.u64()}`, Number(first.u64())]).toEqual([events[0]?.version, events[0]?.index]);
  });

  it.each([
    ["end=3", "application/x-ndjson", 400, "end: expected together with `start`"],
    ["start=4&end=3", "application/x-ndjson", 400, "start: expected at most `end`, 3, got 4"],
    ["start=0&end=100000", "application/x-ndjson", 404, "end: version 100000 is above the latest to send"],
    ["ledger_version=3", "text/csv", 400, "name where to begin by `start`"],
    ["start=0", "text/csv", 400, "end: expected for an answer in CSV"],
    ["start=0", "application/x-bcs", 400, "end: expected for an answer in BCS"],
    ["start=0&end=3&min_trust=proven", "text/csv", 503, "no version has trust level proven yet"],
  ])("refuses %s in %s", async (query, accept, status, message) => {
    for (const kind of ["transactions", "events"]) {
      const response = await get(`${kind}/stream?${query}`, accept);
      expect([response.status, ((await response.json()) as Json).message]).toEqual([
        status,
        expect.stringContaining(message),
      ]);
    }
  });

  it("is refused where it is pruned, or behind an id of another history", async () => {
    const ledger = new SmallLedger();
    await ledger.commit(Array.from({ length: 9 }, () => ({ owner: "0x10", amount: 1n })));
    await ledger.store.prune(6n, 1000);
    const { url } = await startServer({ ledger: ledger.store });
    const ask = async (query: string, id?: string): Promise<unknown[]> => {
      const headers = id === undefined ? {} : { "last-event-id": id };
      const response = await fetch(`${url}/v1/transactions/stream?${query}`, { headers });
      return [response.status, ((await response.json()) as Json).error_code];
    };
    for (const range of ["start=5&end=8", "start=5"]) {
      expect([range, ...(await ask(range))]).toEqual([range, 410, "version_pruned"]);
    }
    expect(await ask("end=8", "4-0123456789abcdef")).toEqual([410, "version_pruned"]);
    expect(await ask("end=8", "4.1-0123456789abcdef")).toEqual([410, "version_pruned"]);
    // In the middle of a version, at the end of the range, and above the head too.
    for (const id of ["7", "7.0", "7.1", "8", "8.0", "9", "9.2"]) {
      expect([id, ...(await ask("end=8", `${id}-0123456789abcdef`))]).toEqual([id, 404, "version_not_found"]);
    }
  });

  it("and a stream are refused to a client that accepts none of their forms", async () => {
    const paths = ["transactions/stream?start=0&end=3", "events/stream", "blocks/stream"];
    for (const path of paths) {
      const response = await get(path, "image/png");
      expect([path, response.status]).toEqual([path, 403]);
      expect(await response.json()).toMatchObject({
        error_code: "api_disabled",
        message: expect.stringMatching(/answers in text\/event-stream.* only: name one in Accept$/),
      });
    }
  });

  it("ends with an error where the ledger goes back behind its end", async () => {
    const views = [4, 2].map(async (count) => {
      const ledger = new SmallLedger();
      await ledger.commit(Array.from({ length: count }, () => ({ owner: "0x10", amount: 1n })));
      return ledger.store;
    });
    const [long, short] = (await Promise.all(views)) as unknown as [Ledger, Ledger];
    let opened = 0;
    const { url } = await startServer({
      ledger: { openView: () => (opened++ === 0 ? long : short).openView() },
    });
    const response = await fetch(`${url}/v1/transactions/stream?start=0&end=3`);
    expect([response.status, await response.json()]).toMatchObject([
      503,
      { message: "the ledger went back behind version 3" },
    ]);
  });

  it("ends with the last version of the level that is asked for", async () => {
    const ledger = new SmallLedger();
    await ledger.commit(Array.from({ length: 4 }, () => ({ owner: "0x10", amount: 1n })));
    await ledger.raise(2n, PROVEN);
    const { url } = await startServer({ ledger: ledger.store });
    const ask = (end: number) => fetch(`${url}/v1/transactions/stream?start=0&end=${end}&min_trust=proven`);
    expect((await (await ask(2)).text()).match(/"trust":"proven"/g)?.length).toBe(3);
    expect((await ask(3)).status).toBe(404);
  });
});

describe("in the process", () => {
  const SENDERS = { filter: { eventType: "0x1::transaction_fee::FeeStatement" } };

  async function all(batches: AsyncIterable<RecordBatch>): Promise<RecordBatch[]> {
    const found: RecordBatch[] = [];
    for await (const batch of batches) found.push(batch);
    return found;
  }

  const keysOf = (batches: readonly RecordBatch[]): string[] =>
    batches.flatMap(({ items }) => items.map(({ version, index }) => `${version}:${index}`));

  it("a range comes in batches, and the rest behind any cursor", async () => {
    const batches = await all(node.events({ from: 0n, to: head, ...SENDERS }));
    const response = await get(
      `events/stream?start=0&end=${head}&event_type=${SENDERS.filter.eventType}`,
      "text/csv",
    );
    const rows = (await response.text()).trimEnd().split("\r\n").slice(1);
    expect(keysOf(batches)).toEqual(rows.map((row) => row.split(",").slice(0, 2).join(":")));
    expect(batches.length).toBeGreaterThan(1);
    const rest = await all(node.events({ after: batches[0]?.cursor, to: head, ...SENDERS }));
    expect(keysOf(rest)).toEqual(keysOf(batches.slice(1)));
  });

  it("batches go on with new versions, until the signal or the node's end", async () => {
    const other = await createNode({ localChain: { seed: "live" } });
    const stop = new AbortController();
    const seen: bigint[] = [];
    const live = other.transactions({ from: 0n, signal: stop.signal });
    const reading = (async () => {
      for await (const { items } of live) {
        seen.push(...items.map(({ version }) => version));
        if (seen.length > 3) stop.abort();
        else await other.produceBlock();
      }
    })();
    await reading;
    expect(seen.slice(0, 4)).toEqual([0n, 1n, 2n, 3n]);
    const idle = other.transactions()[Symbol.asyncIterator]().next();
    const refused = expect(idle).rejects.toMatchObject({ code: "unavailable" });
    await other.close();
    await refused;
  });

  it("a cursor that the ledger does not have is refused", async () => {
    const other = await createNode({ localChain: { seed: "back" } });
    const [first] = await all(other.transactions({ from: 0n, to: 0n }));
    const snapshot = await other.snapshot();
    const { ledger_version: last } = await other.produceBlock();
    const [batch] = await all(other.transactions({ from: last, to: last }));
    await other.revert(snapshot);
    await other.advanceTime(60);
    while ((await other.ledgerInfo()).ledger_version < last + 1n) await other.produceBlock();
    const inside = batch?.cursor.replace("-", ".0-");
    for (const after of [batch?.cursor, inside]) {
      for (const to of [last, last + 1n]) {
        await expect(all(other.transactions({ after, to }))).rejects.toMatchObject({
          code: "version_not_found",
        });
      }
    }
    expect(keysOf(await all(other.transactions({ after: first?.cursor, to: 1n })))).toEqual(["1:0"]);
    await other.close();
  });

  it.each([
    [{ from: 3n, to: 2n }, "from: expected at most `to`, got more"],
    [{ from: 0n, to: 1n, minTrust: "sure" }, "minTrust: expected proven"],
    [{ minTrust: "proven" }, "no version has trust level proven yet"],
    [{ from: 0n, to: 1n, filter: { sender: "0xzz" } }, "filter.sender: expected"],
    [{ after: "yesterday" }, "after: expected the id of an event"],
  ])("refuses %o", async (options, message) => {
    await expect(all(node.transactions(options))).rejects.toThrow(message);
  });

  it("wait for a level that no version has yet where they are told where to begin", async () => {
    const stop = new AbortController();
    const batches = all(node.transactions({ from: 0n, to: 1n, minTrust: "proven", signal: stop.signal }));
    await expect(Promise.race([batches, node.produceBlock().then(() => "held back")])).resolves.toBe(
      "held back",
    );
    stop.abort();
    expect(await batches).toEqual([]);
  });
});
