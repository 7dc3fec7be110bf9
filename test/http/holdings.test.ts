// All balances of an account, compared with single balances and with the chain's own book-keeping at every version.
import { describe, expect, it } from "vitest";
import { toHoldingAnswer } from "../../src/http/operations/get-holdings.ts";
import { parseAsset } from "../../src/ledger/balances/asset.ts";
import { readBalance } from "../../src/ledger/balances/balance.ts";
import { readBalanceDetail } from "../../src/ledger/balances/balance-detail.ts";
import { readHoldings } from "../../src/ledger/balances/holdings.ts";
import { formatAddressLong, parseAddress } from "../../src/move/address.ts";
import { createNode } from "../../src/node.ts";
import { BookedLedger, ENGINES, type Pair } from "../support/booked-ledger.ts";
import { startServer } from "../support/http-server.ts";
import { hasShared, sharedBytes, sharedJson } from "../support/shared.ts";

interface Held {
  readonly asset_type: string;
  readonly balance: string;
  readonly symbol?: string;
  readonly decimals?: number;
}

/** All holdings of an account, page by page. */
async function list(root: string, address: string, query: string, limit: number): Promise<Held[]> {
  const held: Held[] = [];
  for (let start: string | null = "", isFirst = true; isFirst || start !== null; isFirst = false) {
    const at = isFirst ? query : `${query}&start=${start}`;
    const response = await fetch(`${root}/accounts/${address}/balances?limit=${limit}${at}`);
    const text = await response.text();
    expect(response.status, text).toBe(200);
    const page = JSON.parse(text) as Held[];
    expect(page.length).toBeLessThanOrEqual(limit);
    held.push(...page);
    start = response.headers.get("x-node-cursor");
  }
  return held;
}

describe.each(["memory", "lmdb"] as const)("holdings on the local chain (%s)", (engine) => {
  it("are the single balances of exactly the stores that exist, and add up to the books, at every kept version", async () => {
    const ledger = await BookedLedger.create(await ENGINES[engine](), 12);
    const { url } = await startServer({ ledger: ledger.store });
    const root = `${url}/v1`;
    const addresses = [...new Set(ledger.pairs.map(({ address }) => address))];
    // One pair for each asset: a coin's with the paired fungible asset.
    const assets = ledger.pairs.filter(({ countsCoin, account, assetName }) => {
      const isSame = (one: Pair) => one.account === account && one.assetName === assetName;
      return countsCoin || !ledger.pairs.some((one) => isSame(one) && one.countsCoin);
    });
    let compared = 0;
    const compare = async (version: bigint): Promise<void> => {
      const block = ledger.blockOf(version);
      const view = await ledger.store.openView();
      for (const address of addresses) {
        const account = parseAddress(address);
        const query = { account, version, after: undefined, limit: 100 };
        const held = (await readHoldings(view, query)).holdings.map(toHoldingAnswer);
        for (const { asset_type, balance } of held) {
          expect(`${await readBalance(view, account, parseAsset(asset_type), version)}`).toBe(balance);
          compared++;
        }
        // Every asset whose stores exist is there, once, under its coin type where there is a CoinStore.
        const own = assets.filter((pair) => pair.address === address);
        const expected: string[] = [];
        for (const { asset } of own) {
          const { coin, fungible } = await readBalanceDetail(view, account, parseAsset(asset), version);
          if (coin?.exists === true) expected.push(asset);
          else if (fungible.exists) expected.push(formatAddressLong(fungible.metadata));
        }
        expect(held.map(({ asset_type }) => asset_type).sort()).toEqual(expected.sort());
        if (version !== block.lastVersion) continue;
        const total = held.reduce((sum, { balance }) => sum + BigInt(balance), 0n);
        expect(total, `${address} at ${version}`).toBe(
          own.reduce((sum, pair) => sum + block.booked(pair), 0n),
        );
        const limit = version % 2n === 0n ? 1 : 100;
        expect(await list(root, address, `&ledger_version=${version}`, limit)).toEqual(held);
      }
      view.release();
    };
    const { lastVersion: head } = ledger.blocks.at(-1)!;
    // Every version in memory; every third one where reads take longer.
    const step = engine === "memory" ? 1n : 3n;
    for (let version = 0n; version <= head; version += step) await compare(version);
    const { firstVersion: floor } = ledger.blocks[9]!;
    await ledger.prune(floor);
    for (let version = floor; version <= head; version += step) await compare(version);
    expect(compared).toBeGreaterThan(300);
    const pruned = await fetch(`${root}/accounts/0x1/balances?ledger_version=${floor - 1n}`);
    expect(pruned.status).toBe(410);
    await ledger.store.close();
  });
});

describe("holdings of a node", () => {
  it("are the same in the process and over HTTP, with symbols and decimals", async () => {
    const node = await createNode({ pruneWindow: "off", http: { port: 0, maxWaitMs: 0 } });
    for (let i = 0; i < 6; i++) await node.produceBlock();
    let named = 0;
    for (const { address, assets } of node.guide()?.accounts ?? []) {
      const held: Held[] = [];
      for await (const holding of node.holdings(address, { ledgerVersion: 9n })) held.push(holding);
      expect(held).toEqual(await list(node.url ?? "", address, "&ledger_version=9", 100));
      const latest = await list(node.url ?? "", address, "", 100);
      for (const { symbol } of assets) if (latest.some((one) => one.symbol === symbol)) named++;
      for (const { decimals } of latest) expect(decimals).toBeTypeOf("number");
    }
    expect(named).toBeGreaterThan(5);
    const wrong = node.holdings("0xg")[Symbol.asyncIterator]();
    await expect(wrong.next()).rejects.toThrow("hex digit");
    await node.close();
  });

  it("are refused with 403 on a node without an index, and tell so", async () => {
    const node = await createNode({ index: false, http: { port: 0, maxWaitMs: 0 } });
    for (const path of ["/accounts/0x1/balances", "/tables/0x1/items", "/tables/0x1/items/count"]) {
      const response = await fetch(`${node.url}${path}`);
      const body = JSON.parse(await response.text());
      expect([response.status, body.error_code]).toEqual([403, "api_disabled"]);
      expect(body.message).toContain("switched off");
    }
    await expect(node.countTableItems("0x1")).rejects.toMatchObject({ code: "not_indexed" });
    expect(await node.info()).toMatchObject({ index: "off" });
    await node.close();
  });
});

describe.skipIf(!hasShared)("holdings on real networks", () => {
  it.each(["mainnet", "devnet"])("%s: every account of the vectors", async (network) => {
    const node = await createNode({ genesis: sharedBytes(`networks/${network}/genesis.blob`) });
    interface Entry {
      readonly network: string;
      readonly address: string;
      readonly asset: string;
      readonly expected_balance: string;
    }
    const { entries } = sharedJson<{ entries: Entry[] }>("vectors/genesis-balances.json");
    let listed = 0;
    for (const { address, asset, expected_balance } of entries.filter((one) => one.network === network)) {
      const held = new Map<string, string>();
      for await (const { asset_type, balance } of node.holdings(address)) {
        held.set(asset_type, balance);
        expect(`${await node.balance(address, asset_type)}`).toBe(balance);
      }
      // A fungible asset may be listed under the coin that it is paired with, and the other way round.
      const balance = held.get(asset) ?? held.get(formatAddressLong(parseAsset(asset).metadata));
      if (balance !== undefined) listed++;
      if (asset.includes(":")) expect(balance ?? "0").toBe(expected_balance);
      else if (expected_balance !== "0") expect(held.size).toBeGreaterThan(0);
    }
    expect(listed).toBeGreaterThan(0);
    await node.close();
  });
});
