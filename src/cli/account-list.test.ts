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
        version: "7",
      });
    expect(compare("APT,0x01,1.5\nBTC,0x9,7")).toEqual({ faults: [], signed: 0, skipped: 1, missing: 0 });
    expect(compare("apt,0x1,1.51").faults).toEqual([
      `f, line 2: 0x1 is listed with 1.51, but proven to have 1.50 of ${COIN}`,
    ]);
    expect(compare("APT,0x2,0").faults).toEqual([`f, line 2: the proof has no balance of 0x2 in ${COIN}`]);
    expect(() => compare("APT,0x1,1.5", 0)).toThrow("--decimals sets how many the list has");
  });

  it.each([
    ["no amount", "address,amount\n0x1,", "f, line 2: no amount of 0x1 to compare"],
    ["no header, so no column of amounts", "0x1,150", "f, line 1: no amount of 0x1 to compare"],
    ["an account twice", "address,amount\n0x1,150\n0x01,150", `f, line 3: 0x01 is listed again with ${COIN}`],
    [
      "another height",
      "Snapshot Height,address,amount\n8,0x1,150",
      "f, line 2: listed at 8, but proven at version 7",
    ],
    [
      "a message that nobody signed",
      "address,amount,message\n0x1,150,mine",
      "f, line 2: no signature of the message",
    ],
    [
      "two coins for the one asset",
      "coin,address,amount\nAPT,0x1,150\nBTC,0x2,0",
      "f: the proof has one asset, the list 2 coins: APT, BTC",
    ],
  ])("is not as proven with %s", (_, text, fault) => {
    const proven = new ProvenBalances();
    for (const [address, balance] of [["0x1", 150n] as const, ["0x2", 0n] as const])
      proven.add({ address, authenticationKey: undefined, balances: [{ asset: COIN, balance }] });
    const options = { assets: [], decimals: 0, version: "7" };
    expect(compareList("f", parseAccountList("f", text), proven, options).faults).toEqual([fault]);
    const fair = parseAccountList("f", "coin,Snapshot Height,address,amount\nAPT,7,0x1,150");
    expect(compareList("f", fair, proven, options)).toMatchObject({ faults: [], missing: 1 });
  });
});
