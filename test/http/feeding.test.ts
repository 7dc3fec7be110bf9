// What one node serves to another: pages of records and raw state values, over real sockets from a real chain.
import { afterAll, describe, expect, it } from "vitest";
import { toPrefixedHex } from "../../src/base/hex.ts";
import { encodeWith } from "../../src/bcs/codec.ts";
import { decodePage } from "../../src/ledger/formats/record.ts";
import { accessPathCodec, stateKeyCodec } from "../../src/ledger/formats/state-key.ts";
import { stateValueData } from "../../src/ledger/formats/state-value.ts";
import { parseAddress } from "../../src/move/address.ts";
import { createNode } from "../../src/node.ts";
import { until } from "../support/until.ts";

const node = await createNode({
  localChain: { seed: "feeding" },
  pruneWindow: "60",
  http: { host: "127.0.0.1", port: 0, maxWaitMs: 0 },
});
for (let i = 0; i < 60; i++) await node.produceBlock();
afterAll(() => node.close());
// The pruner works at its own pace.
await until(async () => BigInt((await node.ledgerInfo()).oldest_ledger_version) > 0n);
const BCS = { accept: "application/x-bcs" };

const head = BigInt((await node.ledgerInfo()).ledger_version);

async function page(query: string, headers: Record<string, string> = BCS) {
  const response = await fetch(`${node.url}/transactions${query}`, { headers });
  const body = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, body };
}

const versionsOf = (body: Uint8Array): bigint[] => decodePage(body).map(({ version }) => version);
const errorOf = (body: Buffer): unknown => JSON.parse(body.toString());

describe("pages of records", () => {
  it("hold 25 unless told, the last ones unless told, and at most 100", async () => {
    const last = await page("");
    expect(last.status).toBe(200);
    expect(last.headers.get("content-type")).toBe("application/x-bcs");
    expect(last.headers.get("x-node-ledger-version")).toBe(`${head}`);
    expect(versionsOf(last.body)).toEqual(Array.from({ length: 25 }, (_, i) => head - 24n + BigInt(i)));
    expect(versionsOf((await page("?limit=3")).body)).toEqual([head - 2n, head - 1n, head]);
    expect(versionsOf((await page(`?start=${head - 1n}&limit=50`)).body)).toEqual([head - 1n, head]);
    const { oldest_ledger_version } = await node.ledgerInfo();
    const most = versionsOf((await page(`?start=${oldest_ledger_version}&limit=65535`)).body);
    expect(most.length).toBeLessThanOrEqual(100);
    expect(most[0]).toBe(BigInt(oldest_ledger_version));
  });

  it("are refused as the reference refuses them", async () => {
    for (const [query, status, code] of [
      ["?limit=0", 400, "invalid_input"],
      [`?start=${head + 1n}`, 400, "invalid_input"],
      ["?start=x", 400, "web_framework_error"],
      ["?limit=65536", 400, "web_framework_error"],
      ["?start=0", 410, "version_pruned"],
    ] as const) {
      const answer = await page(query);
      expect(answer.status, query).toBe(status);
      expect(errorOf(answer.body), query).toMatchObject({ error_code: code });
    }
    // A poller at the head learns from the refusal where the head is.
    expect((await page(`?start=${head + 1n}`)).headers.get("x-node-ledger-version")).toBe(`${head}`);
    // A client that takes anything gets JSON.
    expect((await page("", {})).headers.get("content-type")).toBe("application/json");
  });
});

describe("raw state values", () => {
  const address = parseAddress("0x1");
  const struct = { address, module: "chain_id", name: "ChainId", typeArgs: [] };
  const key = encodeWith(stateKeyCodec, {
    kind: "accessPath",
    address,
    path: encodeWith(accessPathCodec, { kind: "resource", struct }),
  });
  const ask = (body: unknown, query = "", headers: Record<string, string> = BCS) =>
    fetch(`${node.url}/experimental/state_values/raw${query}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });

  it("come whole, with the version they were read at", async () => {
    const response = await ask({ key: toPrefixedHex(key) }, `?ledger_version=${head}`);
    expect(response.status).toBe(200);
    expect(response.headers.get("x-node-read-version")).toBe(`${head}`);
    expect([...stateValueData(Buffer.from(await response.arrayBuffer()))]).toEqual([4]);
  });

  it("are refused when absent, malformed, too new or too old, and in JSON", async () => {
    const absent = encodeWith(stateKeyCodec, { kind: "tableItem", handle: address, key: Uint8Array.of(9) });
    for (const [body, query, status, code] of [
      [{ key: toPrefixedHex(absent) }, "", 404, "state_value_not_found"],
      [{ key: "0x09" }, "", 400, "web_framework_error"],
      [{ key: `${toPrefixedHex(key)}00` }, "", 400, "web_framework_error"],
      [{ key: toPrefixedHex(key) }, `?ledger_version=${head + 1n}`, 404, "version_not_found"],
      [{ key: toPrefixedHex(key) }, "?ledger_version=0", 410, "version_pruned"],
      [{}, "", 400, "web_framework_error"],
    ] as const) {
      const response = await ask(body, query);
      expect(response.status, JSON.stringify(body) + query).toBe(status);
      expect(await response.json()).toMatchObject({ error_code: code });
    }
    expect((await ask({ key: toPrefixedHex(key) }, "", { accept: "application/json" })).status).toBe(403);
  });
});
