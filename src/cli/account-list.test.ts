import { describe, expect, it } from "vitest";
import { compareList, ProvenBalances, parseAccountList, parseNamedAsset } from "./account-list.ts";

const COIN = "0x1::aptos_coin::AptosCoin";

describe("a list of accounts", () => {
  it("is a line an account, or CSV with a column address; lines count as editors count them", () => {
    const plain = parseAccountList("f", "# ours\n0x1\n\n0x2\r\n");
    expect(plain.map(({ line, address }) => [line, address])).toEqual([
      [2, "0x1"],
      [4, "0x2"],
    ]);
    const csv = parseAccountList(
      "f",
      'Coin,Address,Message,Amount\nAPT,0x1,"two\nlines, ""quoted""",5\nAPT,0x2,,6',
    );
    expect(csv).toMatchObject([
      { line: 2, coin: "APT", address: "0x1", message: 'two\nlines, "quoted"', amount: "5" },
      { line: 4, address: "0x2", message: undefined, amount: "6" },
    ]);
  });

  it.each([
    ["a quote that does not close", 'address\n"0x1', "f, line 2: expected cells with closed quotes"],
    ["text behind a quote", 'address\n0x1\n"0x2"x', "f, line 3: expected cells with closed quotes"],
    ["a line without an address", "coin,address\nAPT,", "f, line 2: expected an address"],
    ["no line", "address\n", "f: expected at least one line"],
  ])("is refused with %s", (_, text, reason) => {
    expect(() => parseAccountList("f", text)).toThrow(reason);
  });

  it("is compared line by line, in its own unit", () => {
    const proven = new ProvenBalances();
    proven.add({ address: "0x1", authenticationKey: undefined, balances: [{ asset: COIN, balance: 150n }] });
    const compare = (rows: string, decimals = 2) =>
      compareList("f", parseAccountList("f", `coin,address,amount\n${rows}`), proven, {
        assets: [parseNamedAsset(`APT=${COIN}`)],
        decimals,
      });
    expect(compare("APT,0x01,1.5\nBTC,0x9,7")).toEqual({ faults: [], signed: 0, skipped: 1 });
    expect(compare("apt,0x1,1.51").faults).toEqual([
      `f, line 2: 0x1 is listed with 1.51, but proven to have 1.50 of ${COIN}`,
    ]);
    expect(compare("APT,0x2,0").faults).toEqual([`f, line 2: the proof has no balance of 0x2 in ${COIN}`]);
    expect(() => compare("APT,0x1,1.5", 0)).toThrow("--decimals sets how many the list has");
  });
});
