// What every answer says it rests on, and what is not answered because it rests on too little.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { PROVEN, parseTrust, type TrustRange } from "../../src/ledger/trust.ts";
import { createNode } from "../../src/node.ts";
import { EventReader } from "../support/event-client.ts";
import { COIN, createHttpLedger, LATEST, OLDEST, TABLE, TABLE_KEY } from "../support/http-ledger.ts";
import { startServer } from "../support/http-server.ts";
import { SmallLedger } from "../support/small-ledger.ts";
import { until } from "../support/until.ts";

const BALANCE = `/v1/accounts/0xc1/balance/${COIN}`;
const BCS = { accept: "application/x-bcs" };

const range = (first: bigint, level: string): TrustRange => ({ first, level: parseTrust(level)! });
/** Two levels that are stored, and one that is weaker than both in between. */
const RANGES = [range(0n, "anchored"), range(21n, "agreed 2/3"), range(26n, "chained")];

describe.each([
  ["direct lane", true],
  ["node:http", false],
])("the trust header (%s)", (_, isDirect) => {
  it("tells the weakest level of the versions up to the one that was read", async () => {
    const ledger = await createHttpLedger({ trust: RANGES });
    const { url } = await startServer({ isDirect, ledger, headerBrands: ["NODE", "APTOS"] });
    const levelOf = async (path: string, init?: RequestInit): Promise<string | null> => {
      const { headers } = await fetch(url + path, init);
      expect(headers.get("x-aptos-trust")).toBe(headers.get("x-node-trust"));
      return headers.get("x-node-trust");
    };
    expect(await levelOf(BALANCE)).toBe("agreed 2/3");
    expect(await levelOf(BALANCE, { headers: BCS })).toBe("agreed 2/3");
    expect(await levelOf(`${BALANCE}?ledger_version=20`)).toBe("anchored");
    expect(await levelOf(`${BALANCE}?ledger_version=21`)).toBe("agreed 2/3");
    expect(await levelOf(`${BALANCE}?ledger_version=${LATEST}`)).toBe("agreed 2/3");
    expect(await levelOf(`/v1/transactions?start=${OLDEST}`, { headers: BCS })).toBe("agreed 2/3");
    expect(await levelOf("/v1")).toBe("agreed 2/3");
    expect(await levelOf("/v1/info")).toBe("agreed 2/3");
    const body = JSON.stringify({ key: TABLE_KEY });
    const headers = { "content-type": "application/json" };
    expect(await levelOf(`/v1/tables/${TABLE}/raw_item`, { method: "POST", headers, body })).toBe(
      "agreed 2/3",
    );
    // Errors that read the ledger.
    expect(await levelOf(`${BALANCE}?ledger_version=99999`)).toBe("agreed 2/3");
    expect(await levelOf(`${BALANCE}?ledger_version=1`)).toBe("agreed 2/3");
    // No ledger was read.
    expect(await levelOf("/v1/nothing")).toBeNull();
  });

  it("lets caches keep an anchored answer for good, and no other", async () => {
    const ledger = await createHttpLedger({ trust: RANGES });
    const { url } = await startServer({ isDirect, ledger });
    const cachingAt = async (version: bigint): Promise<string | null> =>
      (await fetch(`${url}${BALANCE}?ledger_version=${version}`)).headers.get("cache-control");
    expect(await cachingAt(20n)).toMatch(/immutable/);
    expect(await cachingAt(21n)).toBe("no-cache");
  });

  it("refuses answers below the level that the operator asks for", async () => {
    const ledger = await createHttpLedger({ trust: RANGES });
    const { url } = await startServer({ isDirect, ledger, minTrust: "chained" });
    const refused = await fetch(url + BALANCE);
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({
      error_code: "internal_error",
      message: "the answer would rest on trust level agreed 2/3, and this node answers from chained on",
    });
    expect((await fetch(`${url}${BALANCE}?ledger_version=20`)).status).toBe(200);
    expect((await fetch(`${url}/v1/info`)).status).toBe(200);
    expect((await fetch(`${url}/v1/-/healthy`)).status).toBe(200);
    expect((await fetch(`${url}/v1/-/ready`)).status).toBe(503);
  });

  it("answers nothing that was refuted", async () => {
    const refuted = { firstVersion: 26n, reason: "a waypoint says otherwise" };
    const ledger = await createHttpLedger({ trust: RANGES, refuted });
    const { url } = await startServer({ isDirect, ledger });
    const message = "this node's history from version 26 on is not the network's: a waypoint says otherwise";
    for (const path of [BALANCE, `${BALANCE}?ledger_version=26`, "/v1", "/v1/-/ready"]) {
      const response = await fetch(url + path);
      expect([path, response.status, await response.json()]).toMatchObject([path, 503, { message }]);
    }
    expect((await fetch(`${url}${BALANCE}?ledger_version=25`)).status).toBe(200);
    const records = await fetch(`${url}/v1/transactions?start=24&limit=10`, { headers: BCS });
    expect(new Uint8Array(await records.arrayBuffer())[0]).toBe(2);
  });
});

describe("an event of a stream", () => {
  const streamOf = (url: string): string => `${url}/v1/accounts/0x10/balance/${COIN}/stream`;
  const open = async (url: string, headers: Readonly<Record<string, string>> = {}): Promise<EventReader> => {
    const reader = await EventReader.open(url, headers);
    onTestFinished(() => reader.close());
    return reader;
  };

  it("carries the level that it has when it is told, and waits for the least one", async () => {
    const ledger = new SmallLedger();
    await ledger.commit([{ owner: "0x10", amount: 1n }]);
    await ledger.raise(0n, PROVEN);
    const any = await startServer({ ledger: ledger.store });
    const held = await startServer({ ledger: ledger.store, minTrust: "proven" });
    const [free, balance, blocks] = await Promise.all([
      open(streamOf(any.url)),
      open(streamOf(held.url)),
      open(`${held.url}/v1/blocks/stream`),
    ]);
    await until(() => [free, balance, blocks].every(({ data }) => data.length === 1));
    await ledger.commit([
      { owner: "0x10", amount: 2n },
      { owner: "0x10", amount: 3n },
    ]);
    await until(() => free.data.length === 3);
    expect(free.data.map(({ balance: told, trust }) => [told, trust])).toEqual([
      ["1", "proven"],
      ["2", "trusted"],
      ["3", "trusted"],
    ]);
    expect((await fetch(streamOf(held.url).replace("/stream", ""))).status).toBe(503);
    // A client that comes while the head is too weak is told the last state that is strong enough.
    const late = await open(streamOf(held.url));
    const resumed = await open(streamOf(held.url), { "last-event-id": balance.events[0]?.id ?? "" });
    await until(() => late.data.length === 1);
    expect([late.data[0], late.response.headers.get("x-node-trust")]).toMatchObject([
      { version: "0", balance: "1", trust: "proven" },
      "proven",
    ]);
    expect([balance.data.length, blocks.data.length, resumed.data.length]).toEqual([1, 1, 0]);
    await ledger.raise(1n, PROVEN);
    await until(() => [balance, blocks, late].every(({ data }) => data.length === 2));
    await until(() => resumed.data.length === 1);
    expect(blocks.data[1]).toMatchObject({ last_version: "1", trust: "proven" });
    await ledger.raise(2n, PROVEN);
    await until(() => [balance, blocks, late].every(({ data }) => data.length === 3));
    for (const { data } of [balance, late]) {
      expect(data.map(({ balance: told, trust }) => [told, trust])).toEqual([
        ["1", "proven"],
        ["2", "proven"],
        ["3", "proven"],
      ]);
    }
    await until(() => resumed.data.length === 2);
    await Promise.all([any.close(), held.close()]);
  });

  it("is refused before a stream begins if nothing has the least level", async () => {
    const ledger = await createHttpLedger({ trust: [range(0n, "chained")] });
    const { url } = await startServer({ ledger, minTrust: "proven" });
    const response = await fetch(`${url}/v1/blocks/stream`);
    expect([response.status, await response.json()]).toMatchObject([
      503,
      { message: expect.stringContaining("no version has trust level proven yet") },
    ]);
  });
});

describe("a node", () => {
  it("refuses a level that does not exist", async () => {
    await expect(createNode({ http: { port: 0, minTrust: "certain" } })).rejects.toThrow(
      'http.minTrust: expected proven, anchored, chained, agreed NEEDED/OF, trusted, local or forked, got "certain"',
    );
  });

  it("says the same in a process that only reads its store", async () => {
    const data = mkdtempSync(join(tmpdir(), "sextant-trust-"));
    const writer = await createNode({ data, localChain: { seed: "trust" } });
    await writer.produceBlock();
    const said = await writer.info();
    await writer.close();
    expect(said).toMatchObject({
      trust_level: "local",
      trust_ranges: [{ first_version: 0n, last_version: said.ledger_version, level: "local" }],
    });
    const reader = await createNode({ data, readOnly: true, http: { port: 0 } });
    onTestFinished(() => reader.close());
    const read = await reader.info();
    for (const key of ["trust_level", "trust_ranges", "waypoint"])
      expect([key, read[key]]).toEqual([key, said[key]]);
    expect((await fetch(`${reader.url}`)).headers.get("x-node-trust")).toBe("local");
  });
});
