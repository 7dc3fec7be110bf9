import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { fromHex, toPrefixedHex } from "../../src/base/hex.ts";
import { encodeWith } from "../../src/bcs/codec.ts";
import { stateKeyCodec } from "../../src/ledger/formats/state-key.ts";
import { parseAddress } from "../../src/move/address.ts";
import {
  anchoredUpTo,
  COIN,
  createHttpLedger,
  DELETED_KEY,
  EMPTY_KEY,
  LARGE_KEY,
  LARGE_SIZE,
  LATEST,
  TABLE,
  TABLE_KEY,
  TABLE_VALUE,
} from "../support/http-ledger.ts";
import { SIGNING_MESSAGE, startServer } from "../support/http-server.ts";

const { url } = await startServer({
  clock: () => 1_700_000_010_000,
  ledger: await createHttpLedger(anchoredUpTo(LATEST)),
});
const itemUrl = `${url}/v1/tables/${TABLE}/raw_item`;
const encodeUrl = `${url}/v1/transactions/encode_submission`;
const JSON_TYPE = { "content-type": "application/json" };

function post(
  target: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(target, { method: "POST", body, headers: { ...JSON_TYPE, ...headers } });
}

describe("raw table item over HTTP", () => {
  it.each([
    ["an object", JSON.stringify({ key: TABLE_KEY })],
    ["an object with more in it", JSON.stringify({ other: [1], key: TABLE_KEY, more: {} })],
    ["a bare string", JSON.stringify(TABLE_KEY)],
    ["no prefix", JSON.stringify({ key: TABLE_KEY.slice(2) })],
    ["the last of duplicate keys", `{"key":"0xff","key":"${TABLE_KEY}"}`],
    ["an escaped name", `{"\\u006bey":"${TABLE_KEY}"}`],
  ])("takes the key as %s", async (_, body) => {
    const json = await post(itemUrl, body);
    expect([json.status, await json.text()]).toEqual([200, `"${TABLE_VALUE}"`]);
    expect(json.headers.get("content-type")).toBe("application/json");
    const bcs = await post(itemUrl, body, { accept: "application/x-bcs" });
    expect(bcs.headers.get("content-type")).toBe("application/x-bcs");
    expect(Buffer.from(await bcs.arrayBuffer()).toString("hex")).toBe(TABLE_VALUE.slice(2));
    expect(bcs.headers.get("x-node-read-version")).toBe("30");
  });

  it("answers an empty item under an empty key", async () => {
    const body = JSON.stringify({ key: EMPTY_KEY });
    expect(await (await post(itemUrl, body)).text()).toBe('"0x"');
    const bcs = await post(itemUrl, body, { accept: "application/x-bcs" });
    expect([bcs.status, (await bcs.arrayBuffer()).byteLength]).toEqual([200, 0]);
  });

  it("reads at a version", async () => {
    const at = (version: number): Promise<Response> =>
      post(`${itemUrl}?ledger_version=${version}`, JSON.stringify({ key: DELETED_KEY }));
    expect(await (await at(19)).text()).toBe('"0x01"');
    expect((await at(20)).status).toBe(404);
    expect((await at(11)).status).toBe(404);
  });

  it.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["deflate", deflateSync],
  ] as const)("takes a body in %s", async (coding, pack) => {
    const packed = new Uint8Array(pack(JSON.stringify({ key: TABLE_KEY })));
    const response = await post(itemUrl, packed, { "content-encoding": coding });
    expect([response.status, await response.text()]).toEqual([200, `"${TABLE_VALUE}"`]);
  });

  it("takes a chunked body", async () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const character of JSON.stringify({ key: TABLE_KEY }))
          controller.enqueue(Buffer.from(character));
        controller.close();
      },
    });
    const response = await fetch(itemUrl, { method: "POST", body, headers: JSON_TYPE, duplex: "half" });
    expect([response.status, await response.text()]).toEqual([200, `"${TABLE_VALUE}"`]);
  });

  it("compresses large JSON, never BCS", async () => {
    const body = JSON.stringify({ key: LARGE_KEY });
    for (const coding of ["gzip", "br"]) {
      const response = await post(itemUrl, body, { "accept-encoding": coding });
      expect(response.headers.get("content-encoding")).toBe(coding);
      expect(await response.text()).toBe(`"0x${"5a".repeat(LARGE_SIZE)}"`);
    }
    const bcs = await post(itemUrl, body, { accept: "application/x-bcs" });
    expect(bcs.headers.get("content-encoding")).toBeNull();
    expect((await bcs.arrayBuffer()).byteLength).toBe(LARGE_SIZE);
    const small = await post(itemUrl, JSON.stringify({ key: TABLE_KEY }));
    expect(small.headers.get("content-encoding")).toBeNull();
  });
});

describe("encode submission over HTTP", () => {
  it("answers hex in JSON and a byte vector in BCS", async () => {
    const json = await post(encodeUrl, "{}");
    expect([json.status, await json.text()]).toEqual([
      200,
      `"0x${Buffer.from(SIGNING_MESSAGE).toString("hex")}"`,
    ]);
    expect(json.headers.get("x-node-ledger-version")).toBe("30");
    const bcs = await post(encodeUrl, "{}", { accept: "application/x-bcs" });
    const bytes = Buffer.from(await bcs.arrayBuffer());
    expect(bytes.subarray(0, 2).toString("hex")).toBe("c801");
    expect(Buffer.compare(bytes.subarray(2), SIGNING_MESSAGE)).toBe(0);
  });
});

describe("the operations around", () => {
  it("info is a flat object, whatever is accepted", async () => {
    const response = await fetch(`${url}/v1/info`, { headers: { accept: "application/x-bcs" } });
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual({
      chain_id: "44",
      node_type: "PublicFullnode",
      latest_version: "30",
    });
    expect(response.headers.get("x-node-chain-id")).toBe("44");
  });

  it.each(["/v1", "/v1/"])("%s is the ledger info", async (path) => {
    const json = await fetch(url + path);
    expect(JSON.parse(await json.text())).toEqual({
      chain_id: 44,
      epoch: "1",
      ledger_version: "30",
      oldest_ledger_version: "11",
      ledger_timestamp: "1700000003000000",
      node_role: "full_node",
      oldest_block_height: "2",
      block_height: "3",
      git_hash: null,
      encryption_key: null,
    });
    const bcs = await fetch(url + path, { headers: { accept: "application/x-bcs" } });
    expect(Buffer.from(await bcs.arrayBuffer()).toString("latin1")).toBe(
      "\x2c\x011\x0230\x0211\x101700000003000000\x01\x012\x013",
    );
  });

  it("health looks at the ledger's age only when asked", async () => {
    const healthy = `${url}/v1/-/healthy`;
    expect(await (await fetch(healthy)).json()).toEqual({ message: "sextant:ok" });
    const bcs = await fetch(healthy, { headers: { accept: "application/x-bcs" } });
    expect(await bcs.text()).toBe("\x0asextant:ok");
    expect((await fetch(`${healthy}?duration_secs=7`)).status).toBe(200);
    expect((await fetch(`${healthy}?duration_secs=4294967295`)).status).toBe(200);
    const old = await fetch(`${healthy}?duration_secs=6`);
    expect([old.status, ((await old.json()) as { error_code: string }).error_code]).toEqual([
      503,
      "health_check_failed",
    ]);
    expect(old.headers.get("x-node-ledger-version")).toBe("30");
  });

  it("the spec is the same as JSON and as YAML", async () => {
    const json: unknown = await (await fetch(`${url}/v1/spec.json`)).json();
    const yaml = await fetch(`${url}/v1/spec.yaml`);
    expect(yaml.headers.get("content-type")).toBe("application/yaml");
    expect(parse(await yaml.text())).toEqual(json);
  });

  it.each(["/", "/v1/spec"])("%s is a page that loads nothing", async (path) => {
    const response = await fetch(url + path);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    const page = await response.text();
    expect(page).toContain("/v1/spec.json");
    expect(page).not.toMatch(/<script|src=|<link|@import|url\(/);
  });

  it("HEAD is GET without the body", async () => {
    const target = `${url}/v1/accounts/0xc1/balance/${COIN}`;
    const head = await fetch(target, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "9", ""]);
    expect(head.headers.get("x-node-read-version")).toBe("30");
  });
});

describe("caching", () => {
  const target = `${url}/v1/accounts/0xc1/balance/${COIN}`;

  it("a GET at a named version that cannot change may be kept, the latest may not", async () => {
    const latest = await fetch(target);
    expect([latest.headers.get("cache-control"), latest.headers.get("etag")]).toEqual(["no-cache", null]);
    const unrelated = await fetch(`${target}?x=ledger_version`);
    expect(unrelated.headers.get("cache-control")).toBe("no-cache");
    const pinned = await fetch(`${target}?ledger_version=30`);
    expect(pinned.headers.get("cache-control")).toContain("immutable");
    const etag = pinned.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    const again = await fetch(`${target}?ledger_version=30`, {
      headers: { "if-none-match": `"x", ${etag}` },
    });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    const other = await fetch(`${target}?ledger_version=12`, { headers: { "if-none-match": etag } });
    expect([other.status, await other.text()]).toEqual([200, "100"]);
    const bcs = await fetch(`${target}?ledger_version=30`, { headers: { accept: "application/x-bcs" } });
    expect(bcs.headers.get("etag")).not.toBe(etag);
  });

  it("a POST is never kept", async () => {
    const response = await post(`${itemUrl}?ledger_version=30`, JSON.stringify({ key: TABLE_KEY }));
    expect([response.headers.get("cache-control"), response.headers.get("etag")]).toEqual(["no-cache", null]);
  });

  it("Vary names what an answer depends on", async () => {
    expect((await fetch(target)).headers.get("vary")).toBe("Accept, Accept-Encoding, Origin");
  });
});

describe("cross-origin requests", () => {
  const origin = "https://wallet.example";

  it("any origin may read, ledger headers included", async () => {
    const response = await fetch(`${url}/v1/info`, { headers: { origin } });
    expect(response.headers.get("access-control-allow-origin")).toBe(origin);
    expect(response.headers.get("access-control-allow-credentials")).toBe("true");
    const exposed = response.headers.get("access-control-expose-headers") ?? "";
    for (const [name] of response.headers) {
      if (name.startsWith("x-node-")) expect(exposed.toLowerCase().split(", ")).toContain(name);
    }
    const error = await fetch(`${url}/v1/nothing`, { headers: { origin } });
    expect(error.headers.get("access-control-allow-origin")).toBe(origin);
    expect(error.headers.get("content-type")).toBe("application/json");
  });

  it("a preflight for GET and POST is answered on any path", async () => {
    for (const [path, method] of [
      ["/v1/info", "GET"],
      ["/v1/transactions/encode_submission", "POST"],
      ["/elsewhere", "POST"],
    ] as const) {
      const response = await fetch(url + path, {
        method: "OPTIONS",
        headers: {
          origin,
          "access-control-request-method": method,
          "access-control-request-headers": "content-type,x-aptos-client",
        },
      });
      expect(response.status).toBe(200);
      expect(response.headers.get("access-control-allow-methods")).toContain(method);
      expect(response.headers.get("access-control-allow-headers")).toBe("content-type,x-aptos-client");
      expect(response.headers.get("access-control-allow-origin")).toBe(origin);
    }
  });

  it("echoes a request id that is one", async () => {
    const response = await fetch(`${url}/v1/info`, { headers: { "x-request-id": "abc-1" } });
    expect(response.headers.get("x-request-id")).toBe("abc-1");
  });
});

describe("header brands", () => {
  it("several brands are sent at once", async () => {
    const server = await startServer({ headerBrands: ["NODE", "APTOS"] });
    const response = await fetch(`${server.url}/v1`);
    expect(response.headers.get("x-node-chain-id")).toBe("44");
    expect(response.headers.get("x-aptos-chain-id")).toBe("44");
    expect(response.headers.get("x-aptos-oldest-block-height")).toBe("2");
  });
});

describe("an operation in BCS only", () => {
  it.each([
    ["*/*", 200],
    ["application/json, application/x-bcs;q=0.1", 200],
    ["application/*", 200],
    ["application/json", 403],
    ["application/json, application/x-bcs;q=0", 403],
  ])("answers a client that accepts %s with %i", async (accept, status) => {
    const key = toPrefixedHex(
      encodeWith(stateKeyCodec, {
        kind: "tableItem",
        handle: parseAddress(TABLE),
        key: fromHex(TABLE_KEY.slice(2)) ?? new Uint8Array(),
      }),
    );
    const response = await fetch(`${url}/v1/experimental/state_values/raw`, {
      method: "POST",
      headers: { accept, "content-type": "application/json" },
      body: JSON.stringify({ key }),
    });
    const type = status === 200 ? "application/x-bcs" : "application/json";
    expect([response.status, response.headers.get("content-type")]).toEqual([status, type]);
  });
});
