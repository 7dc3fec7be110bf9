import { describe, expect, it } from "vitest";
import {
  AccountList,
  compareList,
  listCsv,
  ProvenBalances,
  parseDecimals,
  parseNamedAsset,
} from "./account-list.ts";

const parseAccountList = (file: string, text: string): AccountList =>
  new AccountList(file, new TextEncoder().encode(text));

const COIN = "0x1::aptos_coin::AptosCoin";

describe("a list of accounts", () => {
  it("is a line an account, or CSV with a column address; lines count as editors count them", () => {
    const plain = parseAccountList("f", "# ours\n0x1\n\n0x2\r\n");
    expect(Array.from(plain, ({ line, address }) => [line, address])).toEqual([
      [2, "0x1"],
      [4, "0x2"],
    ]);
    const csv = parseAccountList(
      "f",
      'Coin,Address,Message,Amount\nAPT,0x1,"two\nlines, ""quoted""",5\nAPT,0x2,,6',
    );
    expect([...csv]).toMatchObject([
      { line: 2, coin: "APT", address: "0x1", message: 'two\nlines, "quoted"', amount: "5" },
      { line: 4, address: "0x2", message: undefined, amount: "6" },
    ]);
  });

  it("reads the same wherever its bytes are cut", () => {
    const row = (i: number): string => `APT,0x${i.toString(16)},"élève\n""${i}"", über",${i}\r\n`;
    for (const shift of [0, 1, 2, 3, 5, 7, 11]) {
      // More than one piece of 64 kB, each cut at another place of a row.
      const rows = Array.from({ length: 4000 }, (_, i) => row(i + 1));
      const list = parseAccountList(
        "f",
        `${"x".repeat(shift)},coin,address,message,amount\n,${rows.join(",")}`,
      );
      expect(list.size).toBe(4000);
      let [i, line] = [0, 2];
      for (const found of list) {
        i++;
        const message = `élève\n"${i}", über`;
        expect(found).toMatchObject({ line, address: `0x${i.toString(16)}`, message, amount: `${i}` });
        line += 2;
      }
    }
  });

  it.each([
    ["a quote that does not close", 'address\n"0x1', "f, line 2: expected cells with closed quotes"],
    ["text behind a quote", 'address\n0x1\n"0x2"x', "f, line 3: expected cells with closed quotes"],
    ["a line without an address", "coin,address\nAPT,", "f, line 2: expected an address"],
    ["no line", "address\n", "f: expected at least one line"],
    [
      "semicolons between the columns",
      "coin;address\nAPT;0x1",
      "f, line 1: expected commas between the columns",
    ],
  ])("is refused with %s", (_, text, reason) => {
    expect(() => parseAccountList("f", text)).toThrow(reason);
  });

  it("is compared line by line, in its own unit", () => {
    const proven = new ProvenBalances();
    proven.add({ address: "0x1", authenticationKey: undefined, balances: [{ asset: COIN, balance: 150n }] });
    const compare = (rows: string, decimals = 2) =>
      compareList(parseAccountList("f", `coin,address,amount\n${rows}`), proven, {
        assets: [parseNamedAsset(`APT=${COIN}`)],
        decimals,
        version: "7",
      });
    expect(compare("APT,0x01,1.5\nBTC,0x9,7")).toEqual({
      faults: [],
      notes: [],
      signed: 0,
      skipped: 1,
      missing: 0,
    });
    expect(compare("apt,0x1,1.51").faults).toEqual([
      `f, line 2: 0x1 is listed with 1.51, but proven to have 1.50 of ${COIN}`,
    ]);
    expect(compare("APT,0x2,0").faults).toEqual([`f, line 2: the proof has no balance of 0x2 in ${COIN}`]);
    expect(() => compare("APT,0x1,1.5", 0)).toThrow("--decimals sets how many the list has");
    expect(() => compare('APT,0x1,"24,99337.5"')).toThrow("expected an amount such as 1234.5");
    expect(() => parseAccountList("f", "address,amount,balance\n0x1,3,5")).toThrow(
      "f, line 2: expected one amount, got two columns that differ",
    );
    expect(() => compare("APT,0x1,-1.5")).toThrow("expected an amount such as 1234.5 or 1,234.5, got -1.5");
    expect(compare("BTC,0x1,1.5").faults).toEqual(["f: no line is about an asset of the proof"]);
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
      `f: ${COIN} is listed under 2 names: APT, BTC`,
    ],
    [
      "the name of another coin",
      "coin,address,amount\nBTC,0x1,150",
      `f: APT is the name of ${COIN} alone, but ${COIN} is listed as BTC`,
    ],
    [
      "two networks",
      "Network,address,amount\nAptos,0x1,150\nAptos testnet,0x2,0",
      "f: the proof is of one network, the list names 2: Aptos, Aptos testnet",
    ],
    [
      "no line of this network",
      "Network,address,amount\nEthereum,0x1,150",
      "f: no line is about an asset of the proof",
    ],
    [
      "another authentication key",
      "address,amount,authentication_key\n0x1,150,0x1234",
      "f, line 2: listed with the authentication key 0x1234, but the proof has none",
    ],
    [
      "a signature without what it signs, in a column of another name",
      "address,amount,sig,Public Key,message\n0x1,150,00,00,mine",
      "f, line 2: the proof has no authentication key to check the signature with",
    ],
  ])("is not as proven with %s", (_, text, fault) => {
    const proven = new ProvenBalances();
    for (const [address, balance] of [["0x1", 150n] as const, ["0x2", 0n] as const])
      proven.add({ address, authenticationKey: undefined, balances: [{ asset: COIN, balance }] });
    const options = { assets: [], decimals: 0, version: "7" };
    expect(compareList(parseAccountList("f", text), proven, options).faults).toEqual([fault]);
    const fair = parseAccountList("f", "coin,Snapshot Height,address,amount\nAPT,7,0x1,150");
    expect(compareList(fair, proven, options)).toMatchObject({ faults: [], missing: 1 });
  });

  const PAIR = "0x2::demo::Pair<0x2::demo::Gold, u64>";
  const several = () => {
    const proven = new ProvenBalances();
    const balances = [
      { asset: COIN, balance: 150n },
      { asset: PAIR, balance: 7n },
    ];
    proven.add({ address: "0x1", authenticationKey: undefined, balances });
    return { proven, assets: [COIN, `GOLD=${PAIR}`].map(parseNamedAsset), version: "7" };
  };

  it("of several assets has decimals for each, in what is published and in what is compared", () => {
    const { proven, ...told } = several();
    const named = { ...told, assets: [`APT=${COIN}`, `GOLD=${PAIR}`].map(parseNamedAsset), chainId: 1 };
    const rows = parseAccountList("f", "0x01");
    const decimals = parseDecimals(["apt=2", "GOLD=0"]);
    const text = [...listCsv(rows, proven, { ...named, decimals })].join("\n");
    expect(
      text
        .split("\n")
        .slice(1)
        .map((line) => line.split(",").slice(0, 5)),
    ).toEqual([
      ["APT", "Aptos", "7", `0x${"1".padStart(64, "0")}`, "1.50"],
      ["GOLD", "Aptos", "7", `0x${"1".padStart(64, "0")}`, "7"],
    ]);
    const published = parseAccountList("f", text);
    expect(compareList(published, proven, { ...named, decimals })).toMatchObject({
      faults: [],
      missing: 0,
    });
    const refused = (texts: string[]) => () =>
      compareList(published, proven, { ...named, decimals: parseDecimals(texts) });
    expect(refused(["8"])).toThrow("--decimals: expected COIN=8 for each coin, because there are 2 assets");
    expect(refused(["APT=2"])).toThrow("--decimals: expected those of GOLD too, as GOLD=NUMBER");
    for (const texts of [["x"], ["39"], ["APT="], ["2", "APT=2"]])
      expect(refused(texts)).toThrow("--decimals: expected a number up to 38, or COIN=NUMBER");
  });

  it("says which names no proof tells, and refuses one that --asset gives to another asset", () => {
    const { proven, ...told } = several();
    const compare = (text: string, assets: string[]) =>
      compareList(parseAccountList("f", `coin,Network,address,amount,asset_type\n${text}`), proven, {
        ...told,
        assets: assets.map(parseNamedAsset),
        decimals: 0,
      });
    expect(compare(`Gold,Aptos,0x1,7,"${PAIR}"`, []).notes).toEqual([
      "f calls the network Aptos; no proof names it: it is that of your waypoint",
      `f calls ${PAIR} GOLD; no proof names it: --asset GOLD=TYPE says what you take it for`,
    ]);
    expect(compare(`Gold,,0x1,7,"${PAIR}"`, [`GOLD=${COIN}`]).faults).toEqual([
      `f, line 2: listed as Gold, but ${PAIR} is not the ${COIN} of --asset`,
    ]);
  });

  it("is published once for each account, with the chain's number on any chain but mainnet", () => {
    const { proven, ...told } = several();
    const rows = parseAccountList("f", "Network,address\nAptos,0x1\nAptos,0x01\nBitcoin,0x1");
    const lines = [...listCsv(rows, proven, { ...told, decimals: 0, chainId: 4 })];
    expect(lines.slice(1).map((line) => line.split(",")[1])).toEqual(["Aptos chain 4", "Aptos chain 4"]);
  });
});
