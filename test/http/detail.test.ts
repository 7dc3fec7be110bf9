// The parts of balances, over HTTP.
import { describe, expect, it } from "vitest";
import { parseAsset, primaryStoreAddress } from "../../src/ledger/balances/asset.ts";
import { formatAddressLong, parseAddress } from "../../src/move/address.ts";
import { BookedLedger, ENGINES } from "../support/booked-ledger.ts";
import {
  anchoredUpTo,
  BALANCES,
  COIN,
  CORRUPT_OWNERS,
  coinKey,
  createHttpLedger,
  LATEST,
  storeKey,
} from "../support/http-ledger.ts";
import { startServer } from "../support/http-server.ts";

interface Part {
  readonly address: string;
  readonly type: string;
  readonly state_key_hash: string;
  readonly exists: boolean;
  readonly amount: string;
  readonly frozen: boolean | null;
}

interface Detail {
  readonly ledger_version: string;
  readonly timestamp_usec: string;
  readonly balance: string;
  readonly coin: Part | null;
  readonly fungible: Part & {
    readonly metadata: string;
    readonly object_exists: boolean;
    readonly store_amount: string | null;
    readonly concurrent_amount: string | null;
  };
  readonly name?: string;
  readonly symbol?: string;
  readonly decimals?: number;
  readonly display?: string;
}

const hex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString("hex")}`;

async function detailOf(url: string, owner: string, asset: string, query = ""): Promise<Detail> {
  const target = `${url}/v1/accounts/${owner}/balance/${encodeURIComponent(asset)}/detail${query}`;
  const response = await fetch(target);
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
  return (await response.json()) as Detail;
}

const { url } = await startServer({ ledger: await createHttpLedger(anchoredUpTo(LATEST)) });

describe("the parts of a balance", () => {
  it.each(BALANCES)("of %s add up, by coin type and by metadata address", async (owner, coin, fungible) => {
    const whole = await detailOf(url, owner, COIN);
    expect(whole.balance).toBe(`${coin}`);
    expect(BigInt(whole.coin?.amount ?? -1n) + BigInt(whole.fungible.amount)).toBe(coin);
    const part = await detailOf(url, owner, "0xa");
    expect([part.balance, part.coin, part.fungible]).toEqual([`${fungible}`, null, whole.fungible]);
  });

  it("tell where they were looked for", async () => {
    const { coin, fungible } = await detailOf(url, "0xb0", COIN);
    expect(coin).toEqual({
      address: formatAddressLong(parseAddress("0xb0")),
      type: `0x1::coin::CoinStore<${COIN}>`,
      state_key_hash: hex(coinKey("0xb0")),
      exists: true,
      amount: "7",
      frozen: false,
    });
    expect(fungible).toEqual({
      address: formatAddressLong(primaryStoreAddress(parseAddress("0xb0"), parseAsset("0xa").metadata)),
      type: "0x1::object::ObjectGroup",
      state_key_hash: hex(storeKey("0xb0")),
      metadata: formatAddressLong(parseAddress("0xa")),
      object_exists: true,
      exists: true,
      amount: "5",
      store_amount: "5",
      concurrent_amount: null,
      frozen: false,
    });
  });

  it("tell a store that is empty from one that is not there", async () => {
    const empty = await detailOf(url, "0xee", COIN);
    const absent = await detailOf(url, "0x404", COIN);
    const deleted = await detailOf(url, "0xde", COIN);
    expect([empty.balance, absent.balance, deleted.balance]).toEqual(["0", "0", "0"]);
    expect([empty.coin?.exists, absent.coin?.exists, deleted.coin?.exists]).toEqual([true, false, false]);
    expect([empty.fungible.exists, absent.fungible.exists]).toEqual([true, false]);
    expect([empty.fungible.store_amount, absent.fungible.store_amount]).toEqual(["0", null]);
    expect([empty.coin?.frozen, absent.coin?.frozen, absent.fungible.frozen]).toEqual([false, null, null]);
    const before = await detailOf(url, "0xde", COIN, "?ledger_version=19");
    expect([before.balance, before.coin?.exists, before.ledger_version]).toEqual(["9", true, "19"]);
  });

  it("tell frozen stores, concurrent balances and which of both counts", async () => {
    const frozen = await detailOf(url, "0xf0", COIN);
    expect([frozen.coin?.frozen, frozen.fungible.frozen]).toEqual([true, true]);
    const concurrent = await detailOf(url, "0xcc", "0xa");
    expect(concurrent.fungible).toMatchObject({ amount: "99", store_amount: "0", concurrent_amount: "99" });
    const both = await detailOf(url, "0xcd", "0xa");
    expect(both.fungible).toMatchObject({ amount: "3", store_amount: "3", concurrent_amount: "50" });
  });

  it("tell an object without a store in it", async () => {
    const { fungible, balance } = await detailOf(url, "0xbad1", COIN);
    expect([balance, fungible.object_exists, fungible.exists]).toEqual(["6", true, false]);
  });

  it("have neither name nor decimals where the ledger has none", async () => {
    const detail = await detailOf(url, "0xc1", COIN);
    expect(Object.keys(detail)).toEqual(["ledger_version", "timestamp_usec", "balance", "coin", "fungible"]);
  });

  it.each(CORRUPT_OWNERS)("of %s, whose stored bytes do not decode, are a 500", async (owner) => {
    const response = await fetch(`${url}/v1/accounts/${owner}/balance/${COIN}/detail`);
    expect([response.status, await response.json()]).toMatchObject([500, { error_code: "internal_error" }]);
  });

  it.each([
    ["0xc1/balance/0x1::x/detail", "", 400, "web_framework_error"],
    ["0xzz/balance/0xa/detail", "", 400, "web_framework_error"],
    ["0xc1/balance/0xa/detail", "?ledger_version=31", 404, "version_not_found"],
    ["0xc1/balance/0xa/detail", "?ledger_version=10", 410, "version_pruned"],
    ["0xc1/balance/0xa/detail", "?ledger_version=20&at=1700000002", 400, "web_framework_error"],
  ])("refuses %s%s", async (path, query, status, code) => {
    const response = await fetch(`${url}/v1/accounts/${path}${query}`);
    expect([response.status, await response.json()]).toMatchObject([status, { error_code: code }]);
  });

  it("may be kept for good at a named version", async () => {
    const target = `${url}/v1/accounts/0xc1/balance/${COIN}/detail?ledger_version=20`;
    const first = await fetch(target);
    const etag = first.headers.get("etag") ?? "";
    expect(first.headers.get("x-node-read-timestampusec")).toBe("1700000002000000");
    const again = await fetch(target, { headers: { "if-none-match": etag } });
    expect([etag.length, again.status]).toEqual([34, 304]);
  });
});

describe("the parts of every demo account's balances", async () => {
  const ledger = await BookedLedger.create(await ENGINES.lmdb(), 30);
  const server = await startServer({ ledger: ledger.store });
  const { assets } = ledger.chain.items;

  it("are what the books say, with the names of their assets", async () => {
    const last = ledger.blocks.at(-1);
    for (const pair of ledger.pairs) {
      const detail = await detailOf(server.url, pair.address, pair.asset);
      const { title, symbol, decimals } = assets[pair.assetName];
      expect(detail).toMatchObject({ name: title, symbol, decimals, balance: `${last?.booked(pair)}` });
      const { expectedBalances } = ledger.chain;
      expect(detail.fungible.amount).toBe(
        `${expectedBalances.amount(pair.account, pair.assetName, "store")}`,
      );
      if (pair.countsCoin) {
        expect(detail.coin?.amount).toBe(`${expectedBalances.amount(pair.account, pair.assetName, "coin")}`);
      }
      const [whole = "", part = ""] = (detail.display ?? "").split(".");
      expect([part.length, BigInt(whole + part)]).toEqual([decimals, last?.booked(pair)]);
    }
  });
});
