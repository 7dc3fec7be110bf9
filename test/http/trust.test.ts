// What every answer says it rests on, and what is not answered because it rests on too little.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseTrust, type TrustRange } from "../../src/ledger/trust.ts";
import { createNode } from "../../src/node.ts";
import { COIN, createHttpLedger, LATEST, OLDEST, TABLE, TABLE_KEY } from "../support/http-ledger.ts";
import { startServer } from "../support/http-server.ts";

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
