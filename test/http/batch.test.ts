// Many balances and table items at one version, over HTTP.
import { describe, expect, it } from "vitest";
import { BcsReader } from "../../src/bcs/reader.ts";
import { BookedLedger, ENGINES } from "../support/booked-ledger.ts";
import {
  BALANCES,
  COIN,
  CORRUPT_OWNERS,
  createHttpLedger,
  DELETED_KEY,
  EMPTY_KEY,
  LARGE_KEY,
  LARGE_SIZE,
  PAIR,
  stateValue,
  TABLE,
  TABLE_KEY,
  TABLE_VALUE,
  tableKey,
  U64_MAX,
} from "../support/http-ledger.ts";
import { startServer } from "../support/http-server.ts";

interface ErrorBody {
  readonly message: string;
  readonly error_code: string;
}

interface Balances {
  readonly ledger_version: string;
  readonly timestamp_usec: string;
  readonly balances: readonly { readonly balance?: string; readonly error?: ErrorBody }[];
  readonly totals?: Readonly<Record<string, string>>;
}

interface Items {
  readonly ledger_version: string;
  readonly timestamp_usec: string;
  readonly items: readonly { readonly value?: string; readonly error?: ErrorBody }[];
}

const { url } = await startServer();
/** Versions that batches are read at while the chain runs. */
const VERSIONS = 12;
const BCS = { accept: "application/x-bcs" };

function post(
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
  base = url,
): Promise<Response> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return fetch(base + path, {
    method: "POST",
    body: text,
    headers: { "content-type": "application/json", ...headers },
  });
}

async function readBalances(body: unknown, path = "/v1/balances", base = url): Promise<Balances> {
  const response = await post(path, body, {}, base);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  return JSON.parse(text) as Balances;
}

/** The documented BCS layout, read back into the JSON one. */
function fromBcs(bytes: Uint8Array, hasTotals: boolean): unknown {
  const reader = new BcsReader(bytes);
  const result = (): unknown =>
    reader.uleb() === 0
      ? hasTotals
        ? { balance: `${reader.u64()}` }
        : { value: `0x${Buffer.from(reader.byteString()).toString("hex")}` }
      : { error: { message: reader.text(), error_code: reader.text() } };
  const head = { ledger_version: `${reader.u64()}`, timestamp_usec: `${reader.u64()}` };
  const results = Array.from({ length: reader.uleb() }, result);
  if (!hasTotals) {
    reader.finish();
    return { ...head, items: results };
  }
  const totals = reader.bool()
    ? Object.fromEntries(Array.from({ length: reader.uleb() }, () => [reader.text(), `${reader.u128()}`]))
    : undefined;
  reader.finish();
  return { ...head, balances: results, ...(totals === undefined ? {} : { totals }) };
}

const queries = BALANCES.flatMap(([address]) => [
  { address, asset_type: COIN },
  { address, asset_type: "0xa" },
]);

describe("many balances", () => {
  it("are those of the single reads, in order, with version and block time", async () => {
    const response = await post("/v1/balances", { queries });
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("x-node-read-version")).toBe("30");
    expect(response.headers.get("x-node-read-timestampusec")).toBe("1700000003000000");
    expect(response.headers.get("cache-control")).toBe("no-cache");
    expect(await response.json()).toEqual({
      ledger_version: "30",
      timestamp_usec: "1700000003000000",
      balances: BALANCES.flatMap(([, coin, fungible]) => [
        { balance: `${coin}` },
        { balance: `${fungible}` },
      ]),
    });
  });

  it.each([
    ["in the body", "/v1/balances", { ledger_version: "12" }, "12", "1700000002000000"],
    ["in the query", "/v1/balances?ledger_version=12", {}, "12", "1700000002000000"],
    ["by time in the body", "/v1/balances", { at: "1700000002.5" }, "20", "1700000002000000"],
    ["by time in the query", "/v1/balances?at=2023-11-14T22:13:22Z", {}, "20", "1700000002000000"],
  ])("at a version or time %s", async (_, path, more, version, usec) => {
    const found = await readBalances({ queries: [{ address: "0xc1", asset_type: COIN }], ...more }, path);
    expect(found).toEqual({ ledger_version: version, timestamp_usec: usec, balances: [{ balance: "100" }] });
  });

  it("are those of the single reads where a text is that of the query before, its beginning, or it with escapes", async () => {
    const [[first = ""] = [], [second = ""] = []] = BALANCES;
    const escaped = (text: string): string => `"\\u0030${JSON.stringify(text).slice(2)}`;
    const pairs = [
      [first, COIN],
      [first, COIN],
      [second, COIN.slice(0, -1)],
      [second, COIN],
      [first, `${COIN}s`],
      [`${first}0`, COIN],
      [first, "0xa"],
      [first, "0xa"],
      [second, "0x"],
      [first, "0xa"],
    ] as const;
    const single = async ([address, asset]: readonly [string, string]): Promise<unknown> => {
      const response = await fetch(`${url}/v1/accounts/${address}/balance/${asset}`);
      return response.ok ? { balance: await response.text() } : { error: await response.json() };
    };
    const singles = [];
    for (const pair of pairs) singles.push(await single(pair));
    for (const spell of [JSON.stringify, escaped]) {
      const list = pairs.map(
        ([address, asset], i) =>
          `{"address":${i % 2 === 0 ? spell(address) : JSON.stringify(address)},"asset_type":${i % 3 === 0 ? spell(asset) : JSON.stringify(asset)}}`,
      );
      const { balances } = await readBalances(`{"queries":[${list.join(",")}]}`);
      expect(balances).toEqual(singles);
    }
  });

  it("take no type that is longer than any chain has", async () => {
    const asset_type = `0x1::a::B<${"u8, ".repeat(5000)}u8>`;
    const { balances } = await readBalances({ queries: [{ address: "0xc1", asset_type }] });
    expect(balances[0]?.error?.message).toContain("at most 16384 are taken");
  });

  it("have their errors in their places", async () => {
    const asked = [
      { address: "0xc1", asset_type: COIN },
      { address: "0xzz", asset_type: COIN },
      { address: "0xc1", asset_type: "0x1::x" },
      { address: "", asset_type: "" },
      ...CORRUPT_OWNERS.map((address) => ({ address, asset_type: COIN })),
      { address: "0xc1", asset_type: PAIR },
    ];
    const { balances } = await readBalances({ queries: asked });
    expect(balances[0]).toEqual({ balance: "200000000" });
    expect(balances.at(-1)).toEqual({ balance: "1235" });
    expect(balances[1]?.error).toMatchObject({ error_code: "web_framework_error" });
    expect(balances[1]?.error?.message).toContain(
      'address: expected 1 to 64 hex digits, with or without 0x, got "0xzz"',
    );
    expect(balances[2]?.error?.message).toContain("asset_type: expected a hex address or a struct tag");
    expect(balances[3]?.error?.message).toContain("address: expected");
    for (const { error } of balances.slice(4, -1)) {
      expect(Object.keys(error ?? {})).toEqual(["message", "error_code"]);
      expect(error?.error_code).toBe("internal_error");
    }
  });

  it("are added up by asset, beyond 64 bits and however the asset is written", async () => {
    const long = `0x${"1".padStart(64, "0")}::aptos_coin::AptosCoin`;
    const { totals } = await readBalances({
      totals: true,
      queries: [
        { address: "0xff", asset_type: COIN },
        { address: "0xff", asset_type: long },
        { address: "0xff", asset_type: "0xa" },
        { address: "0xbad2", asset_type: COIN },
        { address: "0xc1", asset_type: COIN },
        { address: "0xb0", asset_type: "0x0a" },
        { address: "0x1", asset_type: PAIR },
        { address: "0x1", asset_type: "not one" },
      ],
    });
    expect(totals).toEqual({ [COIN]: `${2n * U64_MAX + 200000000n}`, "0xa": `${U64_MAX + 5n}`, [PAIR]: "0" });
    expect((await readBalances({ queries, totals: false })).totals).toBeUndefined();
  });

  it("in BCS say the same", async () => {
    const asked = [...queries, { address: "x", asset_type: "y" }, { address: "0xbad2", asset_type: COIN }];
    for (const more of [{}, { totals: true }, { totals: true, ledger_version: "20" }]) {
      const json = await readBalances({ queries: asked, ...more });
      const response = await post("/v1/balances", { queries: asked, ...more }, BCS);
      expect(response.headers.get("content-type")).toBe("application/x-bcs");
      expect(fromBcs(Buffer.from(await response.arrayBuffer()), true)).toEqual(json);
    }
  });

  it("are at most a thousand", async () => {
    const one = { address: "0xc1", asset_type: COIN };
    const { balances } = await readBalances({ queries: Array(1000).fill(one) });
    expect(balances).toEqual(Array(1000).fill({ balance: "200000000" }));
  });

  const one = { address: "0x1", asset_type: COIN };
  it.each([
    ["no JSON", "{", 400, "web_framework_error", "body"],
    ["no object", "[]", 400, "web_framework_error", "body: expected an object with queries"],
    [
      "no queries",
      {},
      400,
      "web_framework_error",
      "queries: expected an array of 1 to 1000 queries, got nothing",
    ],
    ["none", { queries: [] }, 400, "web_framework_error", "got none"],
    ["too many", { queries: Array(1001).fill(one) }, 400, "web_framework_error", "got more"],
    ["queries that are no list", { queries: one }, 400, "web_framework_error", "queries: expected an array"],
    [
      "a query that is no object",
      { queries: [one, 5] },
      400,
      "web_framework_error",
      "queries[1]: expected an object with address, asset_type, got 5",
    ],
    [
      "a query without its asset",
      { queries: [{ address: "0x1" }] },
      400,
      "web_framework_error",
      "queries[0].asset_type: expected a string, got nothing",
    ],
    [
      "a number for an address",
      { queries: [{ address: 1, asset_type: COIN }] },
      400,
      "web_framework_error",
      "queries[0].address: expected a string, got 1",
    ],
    [
      "a misspelt member",
      { queries: [one], ledger_versoin: "1" },
      400,
      "web_framework_error",
      'got "ledger_versoin"',
    ],
    [
      "a misspelt member of a query",
      { queries: [{ ...one, asset: "" }] },
      400,
      "web_framework_error",
      'queries[0]: expected an object with address, asset_type, got "asset"',
    ],
    [
      "totals that are no flag",
      { queries: [one], totals: "yes" },
      400,
      "web_framework_error",
      "totals: expected true or false",
    ],
    [
      "a version that is none",
      { queries: [one], ledger_version: "x" },
      400,
      "web_framework_error",
      "ledger_version: expected a u64",
    ],
    [
      "a version that is a number",
      { queries: [one], ledger_version: 5 },
      400,
      "web_framework_error",
      "ledger_version: expected a string, got 5",
    ],
    [
      "a time that is none",
      { queries: [one], at: "noon" },
      400,
      "web_framework_error",
      "at: expected a time",
    ],
    [
      "version and time",
      { queries: [one], at: "1700000002", ledger_version: "20" },
      400,
      "web_framework_error",
      "expected one of them",
    ],
    ["a version above the latest", { queries: [one], ledger_version: "31" }, 404, "version_not_found", "31"],
    [
      "a time after the latest",
      { queries: [one], at: "1700000004" },
      404,
      "version_not_found",
      "after the latest block",
    ],
    ["a version that is gone", { queries: [one], ledger_version: "10" }, 410, "version_pruned", "10"],
    ["a time that is gone", { queries: [one], at: "1700000001" }, 410, "version_pruned", "oldest block"],
    [
      "a version that is gone, and nothing to read",
      { queries: [{ address: "x", asset_type: "y" }], ledger_version: "10" },
      410,
      "version_pruned",
      "10",
    ],
  ] as const)("refuse %s", async (_, body, status, code, words) => {
    const response = await post("/v1/balances", body);
    const error = (await response.json()) as ErrorBody;
    expect([response.status, error.error_code]).toEqual([status, code]);
    expect(error.message).toContain(words);
  });

  it("refuse a version in both places, a GET, and bodies that are no JSON", async () => {
    const twice = await post("/v1/balances?ledger_version=12", { queries: [one], ledger_version: "12" });
    expect([twice.status, ((await twice.json()) as ErrorBody).message]).toEqual([
      400,
      "ledger_version: expected it in the query or in the body, got both",
    ]);
    const get = await fetch(`${url}/v1/balances`);
    expect([get.status, get.headers.get("allow")]).toEqual([405, "POST"]);
    expect((await post("/v1/balances", "x", { "content-type": "text/plain" })).status).toBe(415);
    const small = await startServer({ bodyLimitBytes: 100 });
    expect((await post("/v1/balances", { queries }, {}, small.url)).status).toBe(413);
    const long = await post("/v1/balances", {
      queries: [{ address: "0x1", asset_type: "a".repeat(2 ** 20) }],
    });
    expect([long.status, ((await long.json()) as ErrorBody).message]).toEqual([
      413,
      expect.stringContaining("expected at most 1048576 bytes of queries"),
    ]);
  });
});

describe("many table items", () => {
  const read = async (body: unknown, path = "/v1/tables/raw_items"): Promise<Items> => {
    const response = await post(path, body);
    expect(response.status).toBe(200);
    return (await response.json()) as Items;
  };

  const asked = [
    { table_handle: TABLE, key: TABLE_KEY },
    { table_handle: TABLE, key: TABLE_KEY.slice(2) },
    { table_handle: TABLE, key: EMPTY_KEY },
    { table_handle: TABLE, key: DELETED_KEY },
    { table_handle: "0x1", key: TABLE_KEY },
    { table_handle: "x", key: TABLE_KEY },
    { table_handle: TABLE, key: "0x0" },
    { table_handle: TABLE, key: LARGE_KEY },
  ];

  it("are those of the single reads, with their errors in their places", async () => {
    const found = await read({ queries: asked });
    expect([found.ledger_version, found.timestamp_usec]).toEqual(["30", "1700000003000000"]);
    for (const [i, { table_handle, key }] of asked.entries()) {
      const single = await post(`/v1/tables/${table_handle}/raw_item`, { key });
      const body = (await single.json()) as unknown;
      expect(found.items[i]).toEqual(single.status === 200 ? { value: body } : { error: body });
    }
    expect(found.items.filter(({ value }) => value !== undefined)).toHaveLength(4);
    expect(found.items[0]).toEqual({ value: TABLE_VALUE });
  });

  it("at a version or a time", async () => {
    const deleted = { queries: [{ table_handle: TABLE, key: DELETED_KEY }] };
    expect(await read({ ...deleted, ledger_version: "19" })).toEqual({
      ledger_version: "19",
      timestamp_usec: "1700000002000000",
      items: [{ value: "0x01" }],
    });
    const later = await read(deleted, "/v1/tables/raw_items?at=1700000002");
    expect([later.ledger_version, later.items[0]?.error?.error_code]).toEqual(["20", "table_item_not_found"]);
  });

  it("in BCS say the same", async () => {
    const response = await post("/v1/tables/raw_items", { queries: asked }, BCS);
    expect(fromBcs(Buffer.from(await response.arrayBuffer()), false)).toEqual(await read({ queries: asked }));
  });

  it("are at most 8 MiB: what does not fit says so", async () => {
    const store = await createHttpLedger();
    const view = await store.openView();
    const { position } = view;
    view.release();
    const size = 1024 * 1024;
    await store.commit({
      previous: position.version,
      position: { ...position, version: 31n },
      writes: [{ version: 31n, keyHash: tableKey("0xbb"), value: stateValue(Buffer.alloc(size, 7)) }],
      blocks: [],
      records: [],
      treeNodes: [],
    });
    const server = await startServer({ ledger: store });
    const many = { queries: Array(100).fill({ table_handle: TABLE, key: "0xbb" }) };
    const response = await post("/v1/tables/raw_items", many, {}, server.url);
    const { items } = (await response.json()) as Items;
    expect(items.filter(({ value }) => value?.length === 2 + 2 * size)).toHaveLength(8);
    const rest = items.slice(8);
    expect(rest).toHaveLength(92);
    for (const { error } of rest) expect(error?.error_code).toBe("invalid_input");
  });

  it.each([
    [
      "totals",
      { queries: [asked[0]], totals: true },
      "body: expected an object with queries, ledger_version, at, got",
    ],
    [
      "a key that is no text",
      { queries: [{ table_handle: TABLE, key: 1 }] },
      "queries[0].key: expected a string",
    ],
  ])("refuse %s", async (_, body, words) => {
    const response = await post("/v1/tables/raw_items", body);
    expect([response.status, ((await response.json()) as ErrorBody).message]).toEqual([
      400,
      expect.stringContaining(words),
    ]);
    expect(LARGE_SIZE).toBeLessThan(8 * 1024 * 1024);
  });
});

describe.each(["memory", "lmdb"] as const)(
  "batches while the chain runs and prunes, on %s",
  async (engine) => {
    const ledger = await BookedLedger.create(await ENGINES[engine](), 20);
    const server = await startServer({ ledger: ledger.store });
    const body = {
      queries: ledger.pairs.map(({ address, asset }) => ({ address, asset_type: asset })),
      totals: true,
    };

    it("equal their single reads at that version, and the books", async () => {
      let isRunning = true;
      const versions = new Set<string>();
      const runChain = async (): Promise<void> => {
        // In the same process: a turn for the server after each block.
        for (let i = 0; i < 2000 && versions.size < VERSIONS; i++) {
          await ledger.steps(1);
          const oldest = ledger.blocks.at(-40);
          if (oldest !== undefined) await ledger.prune(oldest.firstVersion);
          await new Promise((resolve) => setImmediate(resolve));
        }
        isRunning = false;
      };
      const statuses = new Map<number, number>();
      const ask = async (): Promise<void> => {
        while (isRunning) {
          const found = await readBalances(body, "/v1/balances", server.url);
          versions.add(found.ledger_version);
          const block = ledger.blocks.find(({ lastVersion }) => `${lastVersion}` === found.ledger_version);
          const sums = new Map<string, bigint>();
          for (const [i, pair] of ledger.pairs.entries()) {
            const balance = found.balances[i]?.balance ?? "none";
            sums.set(pair.asset, (sums.get(pair.asset) ?? 0n) + BigInt(balance));
            // The block may be committed and not noted yet.
            if (block !== undefined) expect(balance).toBe(`${block.booked(pair)}`);
            if (i % 7 !== 0) continue;
            const path = `/v1/accounts/${pair.address}/balance/${encodeURIComponent(pair.asset)}`;
            const single = await fetch(
              `${server.url}${path}?quoted=true&ledger_version=${found.ledger_version}`,
            );
            statuses.set(single.status, (statuses.get(single.status) ?? 0) + 1);
            if (single.status === 200) expect(await single.json()).toBe(balance);
            else
              expect([single.status, await single.json()]).toMatchObject([
                410,
                { error_code: "version_pruned" },
              ]);
          }
          for (const [asset, sum] of sums) expect(found.totals?.[asset]).toBe(`${sum}`);
        }
      };
      await Promise.all([runChain(), ask(), ask()]);
      expect(versions.size).toBeGreaterThanOrEqual(VERSIONS);
      expect(statuses.get(200) ?? 0).toBeGreaterThan(20);
    });
  },
);
