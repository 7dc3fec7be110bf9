// Rows of tables: lists, pages, counts and changes, compared with the replayed records of every version.
import { describe, expect, it } from "vitest";
import { toPrefixedHex } from "../../src/base/hex.ts";
import { decodeWith } from "../../src/bcs/codec.ts";
import { struct } from "../../src/bcs/records.ts";
import { byteString } from "../../src/bcs/scalars.ts";
import { option, vector } from "../../src/bcs/sequences.ts";
import { readTableRows } from "../../src/ledger/items/owned-items.ts";
import { parseAddress } from "../../src/move/address.ts";
import { createNode } from "../../src/node.ts";
import { BookedLedger, ENGINES } from "../support/booked-ledger.ts";
import { startServer } from "../support/http-server.ts";
import { toRowAnswer } from "../support/row-answer.ts";
import { hasShared, sharedBytes } from "../support/shared.ts";
import { type Row, TableModel } from "../support/table-model.ts";

const BCS = { accept: "application/x-bcs" };
const rowsCodec = vector(struct({ key: byteString, value: option(byteString) }));

async function get(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers });
  const bytes = Buffer.from(await response.arrayBuffer());
  const cursor = response.headers.get("x-node-cursor") ?? undefined;
  return { status: response.status, bytes, cursor, headers: response.headers };
}

/** All rows of a table, page by page, in JSON or BCS. */
async function list(table: string, query: string, form: "json" | "bcs", limit = 1000): Promise<Row[]> {
  const rows: Row[] = [];
  for (let start: string | undefined, isFirst = true; isFirst || start !== undefined; isFirst = false) {
    const at = start === undefined ? query : `${query}&start=${start}`;
    const page = await get(`${table}/items?limit=${limit}${at}`, form === "bcs" ? BCS : {});
    expect(page.status, page.bytes.toString()).toBe(200);
    if (form === "json") rows.push(...(JSON.parse(page.bytes.toString()) as Row[]));
    else {
      for (const { key, value } of decodeWith(rowsCodec, page.bytes)) {
        rows.push({ key: toPrefixedHex(key), value: value === undefined ? null : toPrefixedHex(value) });
      }
    }
    start = page.cursor;
  }
  return rows;
}

/** All rows of a table, in pages of a few, without HTTP. */
async function readAll({ store }: BookedLedger, handle: string, version: bigint): Promise<Row[]> {
  const view = await store.openView();
  const rows: Row[] = [];
  for (let after: Uint8Array | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const query = { handle: parseAddress(handle), version, since: undefined, after, limit: 9 };
    const page = await readTableRows(view, query);
    rows.push(...page.rows.map(toRowAnswer));
    after = page.next;
  }
  view.release();
  return rows;
}

async function modelOf(ledger: Pick<BookedLedger, "store">): Promise<TableModel> {
  const model = new TableModel();
  const view = await ledger.store.openView();
  const { version } = view.position;
  for (let at = 0n; at <= version; ) {
    for (const { bytes } of await view.getRecords(at, 1000, 2 ** 30)) {
      model.add(bytes);
      at++;
    }
  }
  view.release();
  return model;
}

describe.each(["memory", "lmdb"] as const)("rows of tables of the local chain (%s)", (engine) => {
  it("are those of the records at every kept version, before and after pruning, with counts and changes", async () => {
    const ledger = await BookedLedger.create(await ENGINES[engine](), 40);
    const model = await modelOf(ledger);
    const { url } = await startServer({ ledger: ledger.store });
    const seen = { rows: 0, deleted: 0, changed: 0 };
    const compare = async (version: bigint, oldest: bigint): Promise<void> => {
      const since = oldest + (version - oldest) / 2n;
      for (const handle of model.handles) {
        const table = `${url}/v1/tables/${handle}`;
        const expected = model.rowsAt(handle, version);
        seen.rows += expected.length;
        expect(await readAll(ledger, handle, version), `${handle} at ${version}`).toEqual(expected);
        if (version % 7n !== 0n) continue;
        const form = version % 2n === 0n ? "json" : "bcs";
        const rows = await list(table, `&ledger_version=${version}`, form, version % 3n === 0n ? 5 : 1000);
        expect(rows, `${handle} at ${version}`).toEqual(expected);
        const count = await get(`${table}/items/count?ledger_version=${version}`);
        expect(JSON.parse(count.bytes.toString())).toMatchObject({
          ledger_version: `${version}`,
          count: `${expected.length}`,
          is_complete: true,
        });
        const changes = model.rowsSince(handle, since, version);
        seen.changed += changes.length;
        seen.deleted += changes.filter(({ value }) => value === null).length;
        const asked = `&ledger_version=${version}&since=${since}`;
        expect(await list(table, asked, form, 2), `${handle} since ${since} at ${version}`).toEqual(changes);
      }
    };
    const { lastVersion: head } = ledger.blocks.at(-1)!;
    // Every version in memory; every third one where reads take longer.
    const step = engine === "memory" ? 1n : 3n;
    for (let version = 0n; version <= head; version += step) await compare(version, 0n);
    const { firstVersion: floor } = ledger.blocks[15]!;
    await ledger.prune(floor);
    for (let version = floor; version <= head; version += step) await compare(version, floor);
    expect(model.handles.length).toBeGreaterThan(3);
    expect(seen.rows).toBeGreaterThan(1000);
    expect(seen.changed).toBeGreaterThan(20);
    expect(seen.deleted).toBeGreaterThan(0);
    const pruned = await get(`${url}/v1/tables/${model.handles[0]}/items?since=${floor - 1n}`);
    expect([pruned.status, JSON.parse(pruned.bytes.toString()).error_code]).toEqual([410, "version_pruned"]);
    await ledger.store.close();
  });

  it("keep the version of their first page while the chain moves on, and end with 410 when it is pruned", async () => {
    const ledger = await BookedLedger.create(await ENGINES[engine](), 8);
    const { url } = await startServer({ ledger: ledger.store });
    const model = await modelOf(ledger);
    const { lastVersion: version } = ledger.blocks.at(-1)!;
    const handle = model.handles.find((one) => model.rowsAt(one, version).length > 4)!;
    const table = `${url}/v1/tables/${handle}/items`;
    const first = await get(`${table}?limit=2`);
    expect(first.headers.get("x-node-read-version")).toBe(`${version}`);
    await ledger.steps(5);
    const second = await get(`${table}?limit=1000&start=${first.cursor}`);
    expect(second.headers.get("x-node-read-version")).toBe(`${version}`);
    const rows = [first, second].flatMap(({ bytes }) => JSON.parse(bytes.toString()) as Row[]);
    expect(rows).toEqual(model.rowsAt(handle, version));
    await ledger.prune(ledger.blocks.at(-1)!.firstVersion);
    expect((await get(`${table}?start=${first.cursor}`)).status).toBe(410);
    await ledger.store.close();
  });
});

describe("bad requests for rows", () => {
  it("get a 4xx that says what to change", async () => {
    const ledger = await BookedLedger.create(await ENGINES.memory(), 3);
    const { url } = await startServer({ ledger: ledger.store });
    const { lastVersion: head } = ledger.blocks.at(-1)!;
    const place = "ab".repeat(32);
    const cases: [path: string, status: number, text: string][] = [
      ["/tables/0xg/items", 400, "table_handle: expected 1 to 64 hex digits"],
      ["/tables/0x1/items?limit=0", 400, "limit: expected a whole number from 1 to 1000"],
      ["/tables/0x1/items?limit=1001", 400, "limit: expected a whole number from 1 to 1000"],
      ["/tables/0x1/items?start=5", 400, "start: expected a cursor of an earlier page"],
      [`/tables/0x1/items?start=1-${place}0`, 400, "start: expected a cursor of an earlier page"],
      [`/tables/0x1/items?start=1-${place}&ledger_version=2`, 400, "with ledger_version=1"],
      [`/tables/0x1/items?start=1-${place}&at=0`, 400, "start: expected the cursor alone"],
      [`/tables/0x1/items?start=${head + 9n}-${place}`, 404, "above the latest"],
      ["/tables/0x1/items?ledger_version=1&at=0", 400, "expected one of them"],
      [`/tables/0x1/items?ledger_version=${head + 1n}`, 404, "above the latest"],
      ["/tables/0x1/items?ledger_version=2&since=3", 400, "since: expected at most the version"],
      ["/tables/0x1/items?since=x", 400, "since: expected a u64"],
      ["/tables/0x1/items/count?ledger_version=2&since=3", 400, "since: expected at most the version"],
      ["/accounts/0xg/balances", 400, "address: expected 1 to 64 hex digits"],
      ["/accounts/0x1/balances?limit=0", 400, "limit: expected a whole number from 1 to 1000"],
      ["/accounts/0x1/balances?start=abc", 400, "start: expected a cursor of an earlier page"],
      [`/accounts/0x1/balances?ledger_version=${head + 1n}`, 404, "above the latest"],
    ];
    for (const [path, status, text] of cases) {
      const answer = await get(`${url}/v1${path}`);
      expect([path, answer.status], answer.bytes.toString()).toEqual([path, status]);
      expect(JSON.parse(answer.bytes.toString()).message).toContain(text);
    }
    for (const path of ["/tables/0xdead/items", "/accounts/0xdead/balances"]) {
      const answer = await get(`${url}/v1${path}`);
      expect([answer.status, answer.bytes.toString(), answer.cursor]).toEqual([200, "[]", undefined]);
    }
  });
});

describe.skipIf(!hasShared)("rows of the tables of real networks", () => {
  it.each(["mainnet", "devnet"])("%s: every table of the genesis", async (network) => {
    const node = await createNode({
      genesis: sharedBytes(`networks/${network}/genesis.blob`),
      http: { port: 0, maxWaitMs: 0 },
    });
    const model = new TableModel();
    const page = await get(`${node.url}/transactions?start=0&limit=1`, BCS);
    // A page is a vector of records.
    model.add(page.bytes.subarray(1));
    expect(model.handles.length).toBeGreaterThan(0);
    for (const handle of model.handles) {
      const expected = model.rowsAt(handle, 0n);
      const table = `${node.url}/tables/${handle}`;
      expect(await list(table, "", "json", 2)).toEqual(expected);
      expect(await list(table, "", "bcs")).toEqual(expected);
      expect(await node.countTableItems(handle)).toBe(BigInt(expected.length));
      const items = await node.rawItems(expected.map(({ key }) => ({ handle, key })));
      expect(items.answers.map((value) => toPrefixedHex(value as Uint8Array))).toEqual(
        expected.map(({ value }) => value),
      );
    }
    await node.close();
  });
});
