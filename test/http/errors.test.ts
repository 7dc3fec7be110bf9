import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { type Condition, ERROR_CATALOGUE } from "../../src/http/error-catalogue.ts";
import type { HttpServerOptions } from "../../src/http/server.ts";
import { LedgerError } from "../../src/ledger/errors.ts";
import { COIN, createHttpLedger, TABLE, TABLE_KEY } from "../support/http-ledger.ts";
import { startServer } from "../support/http-server.ts";
import { until } from "../support/until.ts";

interface Case {
  readonly name: string;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly condition: Condition;
  /** Whether the answer knows the ledger. */
  readonly ledger?: boolean;
  readonly message?: RegExp;
}

const BALANCE = `/v1/accounts/0xc1/balance/${COIN}`;
const ITEM = `/v1/tables/${TABLE}/raw_item`;
const ENCODE = "/v1/transactions/encode_submission";
const KEY = JSON.stringify({ key: TABLE_KEY });
const JSON_TYPE = { "content-type": "application/json" };
const LIMIT = 10_000;

function malformed(name: string, path: string, message: RegExp): Case {
  return { name, path, condition: "malformed_request", message };
}

function badBody(name: string, body: string | Uint8Array<ArrayBuffer>, message: RegExp): Case {
  return {
    name,
    method: "POST",
    path: ITEM,
    headers: JSON_TYPE,
    body,
    condition: "malformed_request",
    message,
  };
}

const CASES: readonly Case[] = [
  malformed(
    "address with a bad digit",
    `/v1/accounts/0xg1/balance/${COIN}`,
    /^address: expected .* got "0xg1"/,
  ),
  malformed("address with 0X", `/v1/accounts/0X1/balance/${COIN}`, /^address: /),
  malformed("empty address", `/v1/accounts//balance/${COIN}`, /^address: .*at least one/),
  malformed("address of 65 digits", `/v1/accounts/${"1".repeat(65)}/balance/${COIN}`, /^address: .*64/),
  malformed("address that is not UTF-8", `/v1/accounts/%ff/balance/${COIN}`, /^address: .*UTF-8/),
  malformed("address with a null byte", `/v1/accounts/0x1%00/balance/${COIN}`, /^address: /),
  malformed("asset that is neither", "/v1/accounts/0x1/balance/xyz", /^asset_type: expected .* got "xyz"/),
  malformed("empty asset", "/v1/accounts/0x1/balance/", /^asset_type: /),
  malformed("asset u64", "/v1/accounts/0x1/balance/u64", /^asset_type: /),
  malformed("asset with trailing text", `/v1/accounts/0x1/balance/${COIN}x::y`, /^asset_type: /),
  malformed(
    "asset that is too deep",
    `/v1/accounts/0x1/balance/${encodeURIComponent(`0x1::a::B<${"vector<".repeat(8)}u8${">".repeat(8)}>`)}`,
    /^asset_type: .*nesting/,
  ),
  malformed(
    "asset that is too deep once wrapped",
    `/v1/accounts/0x1/balance/${encodeURIComponent(`0x1::a::B<${"vector<".repeat(7)}u8${">".repeat(7)}>`)}`,
    /^asset_type: .*nesting/,
  ),
  ...["", "-1", "1.0", "0x10", "1e3", " 5", "+", "18446744073709551616", "1_000", "%ff"].map((text) =>
    malformed(
      `version ${JSON.stringify(text)}`,
      `${BALANCE}?ledger_version=${text}`,
      /^ledger_version: expected a u64/,
    ),
  ),
  malformed("version +5, which is a space", `${BALANCE}?ledger_version=+5`, /^ledger_version: .*" 5"/),
  malformed(
    "a version given twice",
    `${BALANCE}?ledger_version=12&ledger_version=12`,
    /^ledger_version: expected it once in the query, got it more than once$/,
  ),
  malformed(
    "a parameter given twice, once with its name escaped",
    `${BALANCE}?quoted=true&x=1&%71uoted=true`,
    /^quoted: expected it once/,
  ),
  malformed("a page given twice", "/v1/transactions?limit=1&start=1&limit=", /^limit: expected it once/),
  malformed("quoted=maybe", `${BALANCE}?quoted=maybe`, /^quoted: expected true or false/),
  malformed("duration above u32", "/v1/-/healthy?duration_secs=4294967296", /^duration_secs: expected a u32/),
  {
    ...badBody("handle that is no address", KEY, /^table_handle: /),
    path: "/v1/tables/0xzz/raw_item",
  },
  badBody("no JSON", "invalid json", /^body: .*line 1 column 1/),
  badBody("empty body", "", /^body: /),
  badBody("two values", '"0x01" "0x02"', /^body: /),
  badBody("invalid UTF-8", Uint8Array.of(34, 0xff, 34), /^body: /),
  badBody("a null byte", "\u0000", /^body: /),
  badBody("deep nesting", "[".repeat(5000), /^body: /),
  badBody("an object without the key", "{}", /"key"/),
  badBody("a number", '{"key":1}', /^key: expected a string.*got 1/),
  badBody("an array", "[1,2]", /^key: .*\[1,2\]/),
  badBody("null", "null", /^key: .*null/),
  badBody("an odd number of digits", '{"key":"0x1"}', /^key: .*"0x1"/),
  badBody("a key with 0X", '{"key":"0X01"}', /^key: /),
  {
    ...badBody("broken gzip", "not gzip", /^body: .*gzip/),
    headers: { ...JSON_TYPE, "content-encoding": "gzip" },
  },
  { ...badBody("a request that is no object", '"x"', /object/), path: ENCODE, ledger: true },
  {
    ...badBody("an explanation at a version", "{}", /^ledger_version: explain_submission does not take it/),
    path: "/v1/transactions/explain_submission?ledger_version=1",
  },
  {
    name: "an invalid transaction",
    method: "POST",
    path: ENCODE,
    headers: JSON_TYPE,
    body: '{"invalid":1}',
    condition: "invalid_transaction",
    ledger: true,
  },
  {
    name: "method of the reference that is not served",
    method: "POST",
    path: "/v1/transactions",
    condition: "not_served",
    message: /POST \/v1\/transactions is not served/,
  },
  { name: "unknown path", path: "/v1/nothing", condition: "unknown_path", message: /\/v1\/nothing/ },
  { name: "path in another case", path: "/V1/info", condition: "unknown_path" },
  { name: "trailing slash", path: "/v1/info/", condition: "unknown_path" },
  { name: "extra segment", path: `${BALANCE}/more`, condition: "unknown_path" },
  { name: "escaped slash", path: "/v1%2Finfo", condition: "unknown_path" },
  {
    name: "version above the latest",
    path: `${BALANCE}?ledger_version=31`,
    condition: "version_not_found",
    ledger: true,
    message: /31.*30/,
  },
  {
    name: "item at a version above the latest",
    method: "POST",
    path: `${ITEM}?ledger_version=18446744073709551615`,
    headers: JSON_TYPE,
    body: KEY,
    condition: "version_not_found",
    ledger: true,
  },
  {
    name: "absent item",
    method: "POST",
    path: ITEM,
    headers: JSON_TYPE,
    body: '{"key":"0x99"}',
    condition: "table_item_not_found",
    ledger: true,
    message: /0x7ab1e.*0x99.*30/,
  },
  {
    name: "POST on a GET path",
    method: "POST",
    path: BALANCE,
    condition: "wrong_method",
    message: /GET, HEAD/,
  },
  { name: "GET on a POST path", path: ENCODE, condition: "wrong_method", message: /POST/ },
  { name: "HEAD on a POST path", method: "HEAD", path: ENCODE, condition: "wrong_method" },
  { name: "OPTIONS without an origin", method: "OPTIONS", path: ENCODE, condition: "wrong_method" },
  { name: "DELETE", method: "DELETE", path: "/v1/info", condition: "wrong_method" },
  {
    name: "pruned version",
    path: `${BALANCE}?ledger_version=10`,
    condition: "version_pruned",
    ledger: true,
    message: /10.*11/,
  },
  {
    name: "body over the limit",
    method: "POST",
    path: ITEM,
    headers: JSON_TYPE,
    body: `"${"0".repeat(LIMIT - 1)}"`,
    condition: "body_too_large",
  },
  {
    name: "bomb",
    method: "POST",
    path: ITEM,
    headers: { ...JSON_TYPE, "content-encoding": "gzip" },
    body: new Uint8Array(gzipSync(Buffer.alloc(5_000_000, 32))),
    condition: "body_too_large",
  },
  { name: "long target", path: `/v1/${"a".repeat(16 * 1024)}`, condition: "uri_too_long" },
  {
    name: "wrong content type",
    method: "POST",
    path: ITEM,
    headers: { "content-type": "text/plain" },
    body: KEY,
    condition: "unsupported_media_type",
    message: /^Content-Type: expected application\/json, got "text\/plain"/,
  },
  {
    name: "no content type",
    method: "POST",
    path: ENCODE,
    body: new Uint8Array(1),
    condition: "unsupported_media_type",
  },
  {
    name: "unknown content encoding",
    method: "POST",
    path: ITEM,
    headers: { ...JSON_TYPE, "content-encoding": "zstd" },
    body: KEY,
    condition: "unsupported_media_type",
  },
  {
    name: "preflight for DELETE",
    method: "OPTIONS",
    path: "/v1/info",
    headers: { origin: "https://a.example", "access-control-request-method": "DELETE" },
    condition: "preflight_refused",
  },
  {
    name: "preflight without a method",
    method: "OPTIONS",
    path: "/v1/info",
    headers: { origin: "https://a.example" },
    condition: "preflight_refused",
  },
  {
    name: "stored bytes that do not decode",
    path: `/v1/accounts/0xbad2/balance/${COIN}`,
    condition: "internal",
    ledger: true,
  },
];

async function expectError(base: string, one: Case): Promise<Record<string, unknown>> {
  const response = await fetch(base + one.path, {
    method: one.method ?? "GET",
    ...(one.headers === undefined ? {} : { headers: one.headers }),
    ...(one.body === undefined ? {} : { body: one.body }),
  });
  const { status, errorCode } = ERROR_CATALOGUE[one.condition];
  expect(response.status).toBe(status);
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(response.headers.get("x-node-ledger-version")).toBe(one.ledger === true ? "30" : null);
  if (one.method === "HEAD") return {};
  const body = (await response.json()) as Record<string, unknown>;
  expect(body.error_code).toBe(errorCode);
  expect(typeof body.message).toBe("string");
  if (one.message !== undefined) expect(body.message).toMatch(one.message);
  expect(body).not.toHaveProperty("vm_error_code");
  if (status === 405) expect(response.headers.get("allow")).toMatch(/^(GET, HEAD|POST)$/);
  if (one.condition === "overloaded") expect(response.headers.get("retry-after")).toBe("1");
  return body;
}

describe("every row of the error table", async () => {
  const { url } = await startServer({ bodyLimitBytes: LIMIT });
  it.each(CASES)("$name", async (one) => {
    await expectError(url, one);
  });

  it("takes a body of exactly the limit", async () => {
    const response = await fetch(url + ITEM, {
      method: "POST",
      headers: JSON_TYPE,
      body: `"${"0".repeat(LIMIT - 2)}"`,
    });
    expect(response.status).toBe(404);
  });

  it("410 names the archive where one is configured", async () => {
    const archive = "https://archive.example/v1";
    const server = await startServer({ archiveUrl: archive });
    const pruned: Case = {
      name: "",
      path: `${BALANCE}?ledger_version=0`,
      condition: "version_pruned",
      ledger: true,
    };
    expect((await expectError(server.url, pruned)).archival_endpoint).toBe(archive);
    expect(await expectError(url, pruned)).not.toHaveProperty("archival_endpoint");
  });
});

describe("switches", () => {
  const post = { method: "POST", headers: JSON_TYPE };
  const bcs = { accept: "application/x-bcs" };
  const rows: [string, HttpServerOptions, Case[], string[]][] = [
    [
      "encode",
      { encode: false },
      [{ name: "encode", ...post, path: ENCODE, body: "{}", condition: "disabled" }],
      [BALANCE],
    ],
    [
      "JSON",
      { jsonOutput: false },
      [
        { name: "balance", path: BALANCE, condition: "disabled" },
        { name: "index", path: "/v1", condition: "disabled" },
        { name: "item", ...post, path: ITEM, body: KEY, condition: "disabled" },
        { name: "encode", ...post, path: ENCODE, body: "{}", condition: "disabled" },
      ],
      ["/v1/info", "/v1/-/healthy", "/v1/spec.json"],
    ],
    [
      "BCS",
      { bcsOutput: false },
      [
        { name: "balance", path: BALANCE, headers: bcs, condition: "disabled" },
        { name: "index", path: "/v1", headers: bcs, condition: "disabled" },
        {
          name: "item",
          method: "POST",
          headers: { ...JSON_TYPE, ...bcs },
          path: ITEM,
          body: KEY,
          condition: "disabled",
        },
      ],
      [BALANCE, "/v1"],
    ],
  ];
  it.each(rows)("%s can be switched off", async (_, switches, refused, served) => {
    const { url } = await startServer(switches);
    for (const one of refused) await expectError(url, one);
    for (const path of served) expect((await fetch(url + path)).status).toBe(200);
  });
});

describe("503", () => {
  const balance: Case = { name: "", path: BALANCE, condition: "unavailable" };
  const health: Case = { name: "", path: "/v1/-/healthy", condition: "unhealthy" };

  it.each([
    ["no ledger yet", new LedgerError("no_ledger", "nothing is committed yet"), /no ledger/, true],
    ["storage out of reach", new LedgerError("unavailable", "no replica of /secret/path"), /storage/, true],
    ["storage at fault", new Error("EIO /secret/path"), /storage/, false],
  ])("%s", async (_, error, message, isHealthy) => {
    const { url } = await startServer({ ledger: { openView: () => Promise.reject(error) } });
    const body = await expectError(url, { ...balance, message });
    expect(body.message).not.toContain("secret");
    await expectError(url, { ...health, path: "/v1/-/ready" });
    if (isHealthy) expect((await fetch(`${url}/v1/-/healthy`)).status).toBe(200);
    else await expectError(url, health);
    await expectError(url, { ...health, path: "/v1/-/healthy?duration_secs=4294967295" });
    const info = await fetch(`${url}/v1/info`);
    expect([info.status, info.headers.get("x-node-chain-id")]).toEqual([200, null]);
  });

  it("a node too far behind", async () => {
    const { url } = await startServer({ maxLagMs: 5000, clock: () => 1_700_000_008_001 });
    await expectError(url, {
      ...balance,
      ledger: true,
      message: /the latest block is 6s old, more than the max-lag of 5s/,
    });
    await expectError(url, { ...health, path: "/v1/-/ready", ledger: true });
    expect((await fetch(`${url}/v1/-/healthy`)).status).toBe(200);
    const near = await startServer({ maxLagMs: 5000, clock: () => 1_700_000_008_000 });
    expect((await fetch(near.url + BALANCE)).status).toBe(200);
  });

  it("overload is shed with Retry-After and passes", async () => {
    const ledger = await createHttpLedger();
    let open = (): void => {};
    const admission = new Promise<void>((resolve) => {
      open = resolve;
    });
    let asked = 0;
    const { url } = await startServer({
      maxInFlight: 2,
      ledger: {
        openView: async () => {
          asked++;
          await admission;
          return ledger.openView();
        },
      },
    });
    const waiting = [fetch(url + BALANCE), fetch(url + BALANCE)];
    await until(() => asked === 2);
    await expectError(url, { ...balance, condition: "overloaded" });
    open();
    for (const response of await Promise.all(waiting)) expect(response.status).toBe(200);
    expect((await fetch(url + BALANCE)).status).toBe(200);
  });

  it("bodies in flight share one budget", async () => {
    const { url } = await startServer({ bodyBudgetBytes: 10 });
    // Small bodies get through in any case; this one is not small.
    await expectError(url, {
      name: "",
      method: "POST",
      headers: JSON_TYPE,
      path: ITEM,
      body: KEY + " ".repeat(20_000),
      condition: "overloaded",
    });
    const small = await fetch(url + ITEM, { method: "POST", headers: JSON_TYPE, body: '"0x0102"' });
    expect(small.status).toBe(200);
  });
});

describe("unforeseen errors", () => {
  it("are a 500 that tells nothing and a log line that tells all", async () => {
    const lines: [Record<string, unknown>, string][] = [];
    const error = new Error("secret /etc/path");
    const ledger = await createHttpLedger();
    const { url } = await startServer({
      ledger: {
        openView: async () => {
          const view = await ledger.openView();
          return {
            position: view.position,
            getItems: () => Promise.reject(error),
            getHistory: () => Promise.reject(error),
            getOwnedKeys: () => Promise.reject(error),
            getIndexedTo: () => Promise.reject(error),
            getBlockByHeight: () => Promise.reject(error),
            getBlockByVersion: () => Promise.reject(error),
            getBlockAtTime: () => Promise.reject(error),
            getRecords: () => Promise.reject(error),
            release: () => view.release(),
          };
        },
      },
      logger: {
        debug: () => {},
        info: () => {},
        warn: () => {},
        error: (fields, message) => lines.push([fields, message]),
      },
    });
    const body = await expectError(url, { name: "", path: BALANCE, condition: "internal", ledger: true });
    expect(JSON.stringify(body)).not.toContain("secret");
    expect(lines).toEqual([
      [
        { operation: "get_account_balance", status: 500, requestId: expect.any(String), err: error },
        "request failed",
      ],
    ]);
  });
});
