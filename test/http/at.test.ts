// Reads at a time, over HTTP: every read, against the blocks of the ledger.
import { describe, expect, it } from "vitest";
import { toPrefixedHex } from "../../src/base/hex.ts";
import { encodeWith } from "../../src/bcs/codec.ts";
import { stateKeyCodec } from "../../src/ledger/formats/state-key.ts";
import { parseAddress } from "../../src/move/address.ts";
import { BookedLedger, ENGINES } from "../support/booked-ledger.ts";
import { COIN, DELETED_KEY, TABLE } from "../support/http-ledger.ts";
import { startServer } from "../support/http-server.ts";

// Its blocks begin with versions 0, 1, 11 and 21, at 1700000000 seconds and each a second later; 11 is the oldest kept.
const { url } = await startServer({ headerBrands: ["NODE", "APTOS"] });
const balanceUrl = `${url}/v1/accounts/0xc1/balance/${COIN}`;
const JSON_TYPE = { "content-type": "application/json" };
const post = (path: string, body: unknown, headers = {}): Promise<Response> =>
  fetch(url + path, { method: "POST", body: JSON.stringify(body), headers: { ...JSON_TYPE, ...headers } });

describe("a balance at a time", () => {
  it.each([
    ["1700000002", "20", "1700000002000000", "100"],
    ["@1700000002", "20", "1700000002000000", "100"],
    ["1700000002.999999", "20", "1700000002000000", "100"],
    ["1700000002.999999999", "20", "1700000002000000", "100"],
    ["1700000003", "30", "1700000003000000", "200000000"],
    ["1700000003.0000009", "30", "1700000003000000", "200000000"],
    ["2023-11-14T22:13:22Z", "20", "1700000002000000", "100"],
    ["2023-11-14t22:13:22.5z", "20", "1700000002000000", "100"],
    ["2023-11-15T00:13:22%2B02:00", "20", "1700000002000000", "100"],
    // As it is pasted: a plus sign that is not escaped is a space.
    ["2023-11-15T00:13:22+02:00", "20", "1700000002000000", "100"],
    ["2023-11-14T14:13:22-08:00", "20", "1700000002000000", "100"],
  ])("%s is version %s", async (at, version, usec, balance) => {
    const response = await fetch(`${balanceUrl}?at=${at}`);
    expect([response.status, await response.text()]).toEqual([200, balance]);
    for (const brand of ["node", "aptos"]) {
      expect(response.headers.get(`x-${brand}-read-version`)).toBe(version);
      expect(response.headers.get(`x-${brand}-read-timestampusec`)).toBe(usec);
      expect(response.headers.get(`x-${brand}-ledger-version`)).toBe("30");
    }
    // The last block may get company of the same time.
    expect(response.headers.get("cache-control")).toBe("no-cache");
  });

  it.each([
    ["1700000003.000001", 404, "version_not_found", "after the latest block"],
    ["2100-01-01T00:00:00Z", 404, "version_not_found", "after the latest block"],
    [
      "1700000001.999999",
      410,
      "version_pruned",
      "before the oldest block that is kept, which begins with version 11",
    ],
    ["0", 410, "version_pruned", "1970-01-01"],
    ["1700000002&ledger_version=20", 400, "web_framework_error", "ledger_version, at: expected one of them"],
    ["2023-11-14", 400, "web_framework_error", "at: expected a time as RFC 3339"],
    ["now", 400, "web_framework_error", 'got "now"'],
    ["-1", 400, "web_framework_error", "at: expected"],
    ["1969-12-31T23:59:59Z", 400, "web_framework_error", "before 1970"],
    ["", 400, "web_framework_error", "at: expected"],
    ["%ff", 400, "web_framework_error", "not UTF-8"],
  ])("at=%s is %i", async (at, status, code, words) => {
    const response = await fetch(`${balanceUrl}?at=${at}`);
    const body = (await response.json()) as { message: string; error_code: string };
    expect([response.status, body.error_code]).toEqual([status, code]);
    expect(body.message).toContain(words);
    expect(response.headers.get("x-node-read-version")).toBeNull();
  });

  it("names the archive on 410, as for a version", async () => {
    const server = await startServer({ archiveUrl: "https://archive.example/v1" });
    const response = await fetch(`${server.url}/v1/accounts/0xc1/balance/${COIN}?at=1`);
    expect(await response.json()).toMatchObject({ archival_endpoint: "https://archive.example/v1" });
  });

  it("tells pages of other origins what they may read", async () => {
    const response = await fetch(`${balanceUrl}?at=1700000002`, { headers: { origin: "https://a.example" } });
    const exposed = response.headers.get("access-control-expose-headers")?.split(", ") ?? [];
    for (const name of ["READ-VERSION", "READ-TIMESTAMPUSEC", "CURSOR"]) {
      for (const brand of ["NODE", "APTOS"]) expect(exposed).toContain(`X-${brand}-${name}`);
    }
  });

  it("is not named where nobody asked for a time", async () => {
    for (const query of ["", "?ledger_version=20"]) {
      expect((await fetch(balanceUrl + query)).headers.get("x-node-read-timestampusec")).toBeNull();
    }
  });
});

describe("other reads at a time", () => {
  it("a table item, there until version 20", async () => {
    const path = `/v1/tables/${TABLE}/raw_item`;
    const there = await post(`${path}?at=1700000002`, { key: DELETED_KEY });
    expect([there.status, there.headers.get("x-node-read-version")]).toEqual([404, null]);
    expect(await there.json()).toMatchObject({ error_code: "table_item_not_found" });
    const table = await post(`${path}?at=1700000003`, { key: "0x0102" }, { accept: "application/x-bcs" });
    expect(table.headers.get("x-node-read-timestampusec")).toBe("1700000003000000");
    expect((await post(`${path}?at=1700000001`, { key: DELETED_KEY })).status).toBe(410);
    expect((await post(`${path}?at=1700000002&ledger_version=20`, { key: DELETED_KEY })).status).toBe(400);
  });

  it("a state value", async () => {
    const key = encodeWith(stateKeyCodec, {
      kind: "tableItem",
      handle: parseAddress(TABLE),
      key: Buffer.from("0102", "hex"),
    });
    const path = "/v1/experimental/state_values/raw";
    const accept = { accept: "application/x-bcs" };
    const response = await post(`${path}?at=1700000002`, { key: toPrefixedHex(key) }, accept);
    expect([response.status, response.headers.get("x-node-read-version")]).toEqual([200, "20"]);
    expect((await post(`${path}?at=1700000004`, { key: toPrefixedHex(key) }, accept)).status).toBe(404);
  });

  it("the parts of a balance", async () => {
    const response = await fetch(`${balanceUrl}/detail?at=1700000002.25`);
    expect(await response.json()).toMatchObject({
      ledger_version: "20",
      timestamp_usec: "1700000002000000",
      balance: "100",
    });
    expect(response.headers.get("x-node-read-timestampusec")).toBe("1700000002000000");
    expect((await fetch(`${balanceUrl}/detail?at=1`)).status).toBe(410);
  });
});

describe.each(["memory", "lmdb"] as const)("times of a local chain, on %s", async (engine) => {
  const ledger = await BookedLedger.create(await ENGINES[engine](), 30);
  const server = await startServer({ ledger: ledger.store });

  it("lead to the last version of the last block that is not after them", async () => {
    const oldest = ledger.blocks[8];
    await ledger.prune(oldest?.firstVersion ?? 0n);
    const { timestampUsec: latest } = await ledger.run.position();
    const pair = ledger.pairs.find(({ account }) => account === "clio");
    if (pair === undefined) throw new Error("clio is gone");
    const start = (ledger.blocks[1]?.timestampUsec ?? 0n) - 2_000_000n;
    for (let usec = start; usec <= latest + 1_000_000n; usec += 333_333n) {
      const at = `${usec / 1_000_000n}.${`${usec % 1_000_000n}`.padStart(6, "0")}`;
      const target = `${server.url}/v1/accounts/${pair.address}/balance/${pair.asset}?quoted=true&at=${at}`;
      const response = await fetch(target);
      const block = ledger.blocks.findLast(({ timestampUsec }) => timestampUsec <= usec);
      if (usec > latest) expect([at, response.status]).toEqual([at, 404]);
      else if (usec < (oldest?.timestampUsec ?? 0n)) expect([at, response.status]).toEqual([at, 410]);
      else {
        expect([at, await response.json()]).toEqual([at, `${block?.booked(pair)}`]);
        expect(response.headers.get("x-node-read-version")).toBe(`${block?.lastVersion}`);
      }
    }
  });
});
