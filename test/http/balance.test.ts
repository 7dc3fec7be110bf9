import { describe, expect, it } from "vitest";
import { BALANCES, COIN, CORRUPT_OWNERS, LATEST, PAIR, TIMESTAMP_USEC } from "../support/http-ledger.ts";
import { startServer } from "../support/http-server.ts";

const { url } = await startServer();
const path = (owner: string, asset: string): string => `${url}/v1/accounts/${owner}/balance/${asset}`;
const BCS = { headers: { accept: "application/x-bcs" } };

describe("balance over HTTP", () => {
  it.each(BALANCES)("of %s in every form", async (owner, coin, fungible) => {
    for (const [asset, expected] of [
      [COIN, coin],
      ["0xa", fungible],
    ] as const) {
      const json = await fetch(path(owner, asset));
      expect(json.status).toBe(200);
      expect(json.headers.get("content-type")).toBe("application/json");
      expect(await json.text()).toBe(expected.toString());
      const quoted = await fetch(`${path(owner, asset)}?quoted=true`);
      expect(await quoted.text()).toBe(`"${expected}"`);
      const bcs = await fetch(path(owner, asset), BCS);
      expect(bcs.headers.get("content-type")).toBe("application/x-bcs");
      const bytes = Buffer.from(await bcs.arrayBuffer());
      expect(bytes.length).toBe(8);
      expect(bytes.readBigUInt64LE()).toBe(expected);
    }
  });

  it("keeps every digit of the largest balance", async () => {
    expect(await (await fetch(path("0xff", COIN))).text()).toBe("18446744073709551615");
  });

  it("carries the ledger headers and the version read", async () => {
    const latest = await fetch(path("0xc1", COIN));
    expect(Object.fromEntries([...latest.headers].filter(([name]) => name.startsWith("x-node")))).toEqual({
      "x-node-chain-id": "44",
      "x-node-ledger-version": "30",
      "x-node-ledger-oldest-version": "11",
      "x-node-ledger-timestampusec": String(TIMESTAMP_USEC),
      "x-node-epoch": "1",
      "x-node-block-height": "3",
      "x-node-oldest-block-height": "2",
      "x-node-read-version": "30",
      "x-node-trust": "trusted",
    });
    const old = await fetch(`${path("0xc1", COIN)}?ledger_version=12`);
    expect(old.headers.get("x-node-ledger-version")).toBe("30");
    expect(old.headers.get("x-node-read-version")).toBe("12");
  });

  it.each([
    ["11", "2"],
    ["12", "100"],
    ["29", "100"],
    ["30", "200000000"],
    ["0030", "200000000"],
    ["%2B12", "100"],
    ["%2531%2532", "100"],
  ])("at version %s", async (version, expected) => {
    const response = await fetch(`${path("0xc1", COIN)}?ledger_version=${version}`);
    expect([response.status, await response.text()]).toEqual([200, expected]);
  });

  it.each([
    ["?ledgerVersion=12", 400, "get_account_balance has no such parameter (did you mean ledger_version?)"],
    ["?LEDGER-VERSION=12", 400, "did you mean ledger_version?"],
    // As an official client asks.
    ["?accountAddress=0xc1&asset=coin", 200, "200000000"],
    ["/detail?limit=3", 400, "get_balance_detail has no such parameter"],
    ["/detail?&", 200, "fungible"],
  ])("ignores no parameter that a client may take for heeded: %s", async (query, status, text) => {
    const response = await fetch(`${path("0xc1", COIN)}${query}`);
    expect(response.status).toBe(status);
    expect(await response.text()).toContain(text);
  });

  it("sees an account that was deleted as long as it was there", async () => {
    expect(await (await fetch(`${path("0xde", COIN)}?ledger_version=19`)).text()).toBe("9");
    expect(await (await fetch(`${path("0xde", COIN)}?ledger_version=20`)).text()).toBe("0");
  });

  it.each([
    ["spaces and escapes", encodeURIComponent(PAIR)],
    ["no spaces", encodeURIComponent(PAIR.replaceAll(" ", ""))],
    ["escaped twice", encodeURIComponent(encodeURIComponent(PAIR))],
    ["raw angle brackets", PAIR.replaceAll(" ", "")],
    ["blanks everywhere", encodeURIComponent(PAIR.replace(/(::|<|>|,)/g, " $1 "))],
    ["long addresses", encodeURIComponent(PAIR.replaceAll("0x1::", `0x${"1".padStart(64, "0")}::`))],
  ])("reads a generic coin type with %s", async (_, asset) => {
    const response = await fetch(path("0xc1", asset));
    expect([response.status, await response.text()]).toEqual([200, "1235"]);
  });

  it("reads asset types of well over 2,000 characters", async () => {
    const long = `0x1::coin::C<${Array(60)
      .fill(`0x${"ab".repeat(32)}::module::Name`)
      .join(", ")}>`;
    expect(long.length).toBeGreaterThan(4000);
    const response = await fetch(path("0xc1", encodeURIComponent(long)));
    expect([response.status, await response.text()]).toEqual([200, "0"]);
  });

  it.each(["0xC1", "c1", "0xc1", `0x${"c1".padStart(64, "0")}`, "c1".padStart(64, "0")])(
    "takes the address as %s",
    async (owner) => expect(await (await fetch(path(owner, COIN))).text()).toBe("200000000"),
  );

  it.each(CORRUPT_OWNERS)("fails with 500 on stored bytes of %s that do not decode", async (owner) => {
    const response = await fetch(path(owner, COIN));
    expect(response.status).toBe(500);
    const body = (await response.json()) as Record<string, unknown>;
    expect(Object.keys(body)).toEqual(["message", "error_code"]);
    expect(body.error_code).toBe("internal_error");
    expect(body.message).not.toMatch(/\/|\bat /);
    expect(response.headers.get("x-node-ledger-version")).toBe(String(LATEST));
  });
});
