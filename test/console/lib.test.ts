// What the console computes without a browser.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { faultyPart, toLiteral } from "../../console/src/lib/arguments.ts";
import { parseExactJson } from "../../console/src/lib/exact-json.ts";
import { amountScale, formatSpan, formatUnits, formatUtc } from "../../console/src/lib/format.ts";
import { encodeKey } from "../../console/src/lib/key-bytes.ts";
import { netOf, type Piece, sentenceOf } from "../../console/src/lib/meaning.ts";
import { operationRates, parseMetrics } from "../../console/src/lib/metrics.ts";
import { decodeBytes, type Structs } from "../../console/src/lib/move-types.ts";
import type { Change, LedgerEvent, Transaction } from "../../console/src/lib/transactions.ts";
import { visibleText } from "../../console/src/lib/visible-text.ts";
import { NATIVE_COIN } from "../../src/cli/asset-texts.ts";
import { feeOf, movedBy } from "../../src/cli/movements.ts";
import { RUNS } from "../support/property.ts";

const NO_STRUCTS: Structs = new Map();
const u256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });

describe("JSON without loss", () => {
  it("keeps every digit of integers, and leaves strings as they are", () => {
    fc.assert(
      fc.property(u256, fc.string({ unit: "binary" }), (number, text) => {
        const parsed = parseExactJson(`{"a":${number},"b":[${JSON.stringify(text)},-${number}]}`);
        const { a, b } = parsed as { a: unknown; b: unknown[] };
        expect(BigInt(a as string)).toBe(number);
        expect(b[0]).toBe(text);
        expect(BigInt(b[1] as string)).toBe(-number);
      }),
      { numRuns: RUNS },
    );
    expect(parseExactJson('["18446744073709551615 \\"1234567890123456789\\"", 1.5e3, 12]')).toEqual([
      '18446744073709551615 "1234567890123456789"',
      1500,
      12,
    ]);
    expect(() => parseExactJson("{")).toThrow(SyntaxError);
  });
});

describe("the scale of a chart", () => {
  it("tells amounts apart that a number of JavaScript does not, and labels that are next to each other", () => {
    const amount = 2n ** 60n;
    const { toPosition, labels } = amountScale([amount, amount + 1n, amount + 2n], 8);
    expect(Number(amount)).toBe(Number(amount + 1n));
    const positions = [amount, amount + 1n, amount + 2n].map(toPosition);
    const { texts, isDistance } = labels(positions);
    expect(new Set(texts).size).toBe(3);
    expect(isDistance).toBe(true);
  });

  it.each([
    [[100_055_112n, 100_055_198n], 2, ["1,000,551.12", "1,000,551.98"], false],
    [[0n, 12_300n], 2, ["0", "123"], false],
    [[10_000_055_112_345n, 10_000_055_112_399n], 8, ["+0.00000045", "+0.00000099"], true],
    [[500n], 0, ["500"], false],
  ])("labels of %s with %i decimals", (amounts, decimals, texts, isDistance) => {
    const { toPosition, labels } = amountScale(amounts, decimals);
    expect(labels(amounts.map(toPosition))).toEqual({ texts, isDistance });
  });
});

describe("amounts and times", () => {
  it("have every digit, and no more zeros than needed", () => {
    fc.assert(
      fc.property(u256, fc.integer({ min: 0, max: 40 }), (amount, decimals) => {
        const [whole = "", fraction = ""] = formatUnits(amount, decimals).replaceAll(",", "").split(".");
        expect(BigInt(whole + fraction.padEnd(decimals, "0"))).toBe(amount);
        expect(fraction.endsWith("0")).toBe(false);
      }),
      { numRuns: RUNS },
    );
    expect(formatUnits(-1_234_567_890n, 8)).toBe("-12.3456789");
    expect(formatUnits(123_456_789_000n, 2)).toBe("1,234,567,890");
    expect(formatUtc("1794785791709123")).toBe("2026-11-15T23:36:31.709123Z");
    expect([0, 59, 61, 3600, 93_784].map(formatSpan)).toEqual(["0 s", "59 s", "1 min 1 s", "1 h", "1 d 2 h"]);
  });
});

describe("keys of tables", () => {
  it.each(["u8", "u16", "u32", "u64", "u128", "u256"])("%s goes to bytes and back", (type) => {
    const max = 2n ** BigInt(type.slice(1)) - 1n;
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max }), (number) => {
        expect(decodeBytes(type, encodeKey(type, `${number}`), NO_STRUCTS)).toBe(`${number}`);
      }),
      { numRuns: RUNS },
    );
    for (const wrong of [`${max + 1n}`, "-1", "1.0", "", "0x1"]) {
      expect(() => encodeKey(type, wrong)).toThrow("expected a whole number");
    }
  });

  it("texts go to bytes and back, and bytes that are no text are not guessed at", () => {
    const string = "0x1::string::String";
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        fc.pre(text.isWellFormed());
        expect(decodeBytes(string, encodeKey(string, text), NO_STRUCTS)).toBe(text);
      }),
      { numRuns: RUNS },
    );
    expect(encodeKey(string, "APT")).toBe("0x03415054");
    for (const wrong of ["0x", "0x01ff", "0x0241", "0x034150", "0x0141ff"]) {
      expect(decodeBytes(string, wrong, NO_STRUCTS)).toBeUndefined();
    }
  });
});

describe("bytes of a known type", () => {
  const structs: Structs = new Map([
    [
      "0x1::m::Order",
      [
        { name: "owner", type: "address" },
        { name: "left", type: "0x1::option::Option<i16>" },
        { name: "tags", type: "vector<0x1::string::String>" },
        { name: "raw", type: "vector<u8>" },
      ],
    ],
  ]);
  const owner = `0x${"ab".repeat(32)}`;
  const hex = `${owner}01ffff020161026263020102`;

  it("are decoded field by field", () => {
    expect(decodeBytes("0x1::m::Order", hex, structs)).toEqual({
      owner,
      left: "-1",
      tags: ["a", "bc"],
      raw: "0x0102",
    });
  });

  it("are not guessed at: every shorter, longer or unknown form is left as it is", () => {
    for (let end = 0; end < hex.length - 2; end += 2) {
      expect(decodeBytes("0x1::m::Order", hex.slice(0, end + 2), structs)).toBeUndefined();
    }
    expect(decodeBytes("0x1::m::Order", `${hex}00`, structs)).toBeUndefined();
    expect(decodeBytes("0x1::m::Unknown", hex, structs)).toBeUndefined();
    // A length in more bytes than it needs, two values in an Option, a bool of 2, a vector longer than its bytes.
    expect(decodeBytes("vector<u8>", "0x8000", structs)).toBeUndefined();
    expect(decodeBytes("0x1::option::Option<u8>", "0x020102", structs)).toBeUndefined();
    expect(decodeBytes("bool", "0x02", structs)).toBeUndefined();
    expect(decodeBytes("vector<u64>", "0xffffffff0f", structs)).toBeUndefined();
  });
});

describe("arguments", () => {
  it.each([
    ["u64", "18446744073709551615", '"18446744073709551615"'],
    ["u8", "007", "7"],
    ["u8", "abc", '"abc"'],
    ["bool", "", "false"],
    ["0x1::string::String", ' a"b ', '" a\\"b "'],
    ["0x1::option::Option<u64>", "5", '{"vec": ["5"]}'],
    ["vector<vector<u64>>", '[["9007199254740993"]]', '[["9007199254740993"]]'],
    // Without quotes, as everybody writes numbers.
    ["vector<vector<u64>>", "[[1, 18446744073709551615], []]", '[["1", "18446744073709551615"], []]'],
    ["vector<vector<u8>>", '["0x01", [1, "2"]]', '["0x01", [1, 2]]'],
    ["vector<u64>", "1, 18446744073709551615", '["1", "18446744073709551615"]'],
    ["vector<u64>", '[1, "2"]', '["1", "2"]'],
    ["vector<u16>", "1,2,", "[1, 2]"],
    ["vector<u64>", "", "[]"],
    ["vector<address>", "0x1\nbasil", '["0x1", "0xb2"]'],
    ["0x1::m::Line", '{"ends": [{"x": 1}], "name": "5"}', '{"ends": [{"x": "1"}], "name": "5"}'],
  ])("%s: %s", (type, text, json) => {
    const structs = new Map([
      ["0x1::m::Point", [{ name: "x", type: "u64" }]],
      [
        "0x1::m::Line",
        [
          { name: "ends", type: "vector<0x1::m::Point>" },
          { name: "name", type: "0x1::string::String" },
        ],
      ],
    ]);
    const addressOf = (name: string): string => (name === "basil" ? "0xb2" : name);
    // A struct inside of a list is typed as JSON.
    const [given, prefix, suffix] =
      type === "0x1::m::Line" ? [`vector<${type}>`, "[", "]"] : ([type, "", ""] as const);
    expect(
      toLiteral(given, { text: `${prefix}${text}${suffix}`, none: false }, { structs, addressOf }),
    ).toEqual({ json: `${prefix}${json}${suffix}` });
  });

  it("makes a struct of its fields, and names the one that is wrong", () => {
    const structs = new Map([
      [
        "0x1::m::Point",
        [
          { name: "x", type: "u64" },
          { name: "y", type: "i8" },
          { name: "tags", type: "vector<0x1::string::String>" },
        ],
      ],
    ]);
    const meanings = { structs, addressOf: (text: string) => text };
    const plain = (text: string) => ({ text, none: false });
    const fields = { x: plain("5"), y: plain("-1"), tags: plain('["a"]') };
    const typed = { ...plain(""), fields };
    expect(toLiteral("0x1::m::Point", typed, meanings)).toEqual({
      json: '{"x": "5", "y": -1, "tags": ["a"]}',
    });
    const wrong = { ...plain(""), fields: { ...fields, tags: plain("[") } };
    expect(toLiteral("0x1::option::Option<0x1::m::Point>", wrong, meanings)).toEqual({
      error: expect.stringMatching(/^tags: that is not JSON/),
    });
  });

  it("names the part that a message is about", () => {
    expect(faultyPart("payload.arguments[1]: expected digits")).toBe("payload.arguments[1]");
    expect(faultyPart("sequence_number is missing: expected")).toBe("sequence_number");
    expect(faultyPart("Something else went wrong")).toBeUndefined();
  });
});

describe("metrics", () => {
  const page = (count: number, sum: number): string => `# HELP x
sextant_http_request_duration_seconds_bucket{le="0.001",operation="info",status="200"} ${count - 1}
sextant_http_request_duration_seconds_bucket{le="+Inf",operation="info",status="200"} ${count}
sextant_http_request_duration_seconds_sum{operation="info",status="200"} ${sum}
sextant_http_request_duration_seconds_count{operation="info",status="200"} ${count}
sextant_http_request_duration_seconds_count{operation="info",status="404"} 2
`;

  it("gives rates between two readings, and begins at zero with a node that restarted", () => {
    const first = parseMetrics(page(10, 1), 0);
    const second = parseMetrics(page(30, 2), 4000);
    expect(operationRates(first, second)[0]).toMatchObject({
      operation: "info",
      perSecond: 5,
      total: 32,
      errors: 2,
      mean: 0.05,
    });
    expect(operationRates(second, parseMetrics(page(4, 1), 8000))[0]).toMatchObject({ perSecond: 1.5 });
  });
});

describe("visible text", () => {
  it("has no character that hides or turns, whatever comes in", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(visibleText(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      }),
      { numRuns: RUNS },
    );
  });
});

describe("the meaning of a transaction", () => {
  const [anna, basil, pool] = ["a1", "b2", "c3"].map((digits) => `0x${digits.padStart(64, "0")}`) as [
    string,
    string,
    string,
  ];
  const ASSETS = {
    [NATIVE_COIN]: { id: "0xa", symbol: "APT", decimals: 8 },
    "0xa": { id: "0xa", symbol: "APT", decimals: 8 },
    "0xf1": { id: "0xf1", symbol: "GOLD", decimals: 2 },
  };
  const knownAssets = Object.fromEntries(
    Object.entries(ASSETS).map(([asset, facts]) => [
      asset.includes("::") ? asset : `0x${asset.slice(2).padStart(64, "0")}`,
      facts,
    ]),
  );
  /** The primary store of an account: its events name the store alone. */
  const storeOf = (owner: string, asset: string): string => `0x5${owner.slice(-4)}${asset.slice(2)}`;
  const storeChanges = (owner: string, asset: string): Change[] =>
    [
      ["0x1::object::ObjectCore", { owner: owner.replace(/^0x0+/, "0x") }],
      ["0x1::fungible_asset::FungibleStore", { metadata: { inner: asset }, balance: "0" }],
    ].map(([type, data]) => ({
      type: "write_resource",
      address: storeOf(owner, asset),
      data: { type: type as string, data },
    }));
  const assetEvent = (kind: string, owner: string, asset: string, amount: string): LedgerEvent => ({
    type: `0x1::fungible_asset::${kind}`,
    data: { store: storeOf(owner, asset), amount },
  });
  const coinStore = (account: string): Change => ({
    type: "write_resource",
    address: account,
    data: {
      type: `0x1::coin::CoinStore<${NATIVE_COIN}>`,
      data: {
        deposit_events: { guid: { id: { creation_num: "2", addr: account } } },
        withdraw_events: { guid: { id: { creation_num: "3", addr: account } } },
      },
    },
  });
  const coinEvent = (kind: "Withdraw" | "Deposit", account: string, amount: string): LedgerEvent => ({
    type: `0x1::coin::${kind}Event`,
    guid: { account_address: account, creation_number: kind === "Deposit" ? "2" : "3" },
    data: { amount },
  });
  const transactionOf = (events: readonly LedgerEvent[], changes: readonly Change[]): Transaction => ({
    type: "user_transaction",
    hash: "0x1",
    success: true,
    sender: anna,
    gas_used: "10",
    gas_unit_price: "100",
    payload: { type: "entry_function_payload", function: "0x1::m::run" },
    events,
    changes,
  });
  const names: Readonly<Record<string, string>> = { [anna]: "anna", [basil]: "basil", [pool]: "pool" };
  const textOf = (pieces: readonly Piece[]): string =>
    pieces
      .map((piece) => {
        if (typeof piece === "string") return piece;
        if ("account" in piece) return names[piece.account];
        if ("ledgerText" in piece) return piece.ledgerText;
        return `${piece.amount} ${knownAssets[piece.asset]?.symbol}`;
      })
      .join("");
  const said = (transaction: Transaction): string =>
    textOf(sentenceOf(transaction, movedBy(transaction), knownAssets));
  const gold = (kind: string, owner: string, amount: string): LedgerEvent =>
    assetEvent(kind, owner, "0xf1", amount);
  const goldStores = [anna, basil, pool].flatMap((owner) => storeChanges(owner, "0xf1"));

  it.each<[string, readonly LedgerEvent[], readonly Change[]]>([
    [
      "anna pays 5 APT to basil",
      [coinEvent("Withdraw", anna, "5"), coinEvent("Deposit", basil, "5")],
      [coinStore(anna), coinStore(basil)],
    ],
    [
      // From a coin store into the store of the fungible asset that the coin is paired with.
      "anna pays 5 APT to basil",
      [coinEvent("Withdraw", anna, "5"), assetEvent("Deposit", basil, "0xa", "5")],
      [coinStore(anna), ...storeChanges(basil, "0xa")],
    ],
    [
      // Both forms of the same two moves.
      "anna pays 5 APT to basil",
      [
        coinEvent("Withdraw", anna, "5"),
        { type: "0x1::coin::CoinWithdraw", data: { account: anna, coin_type: NATIVE_COIN, amount: "5" } },
        coinEvent("Deposit", basil, "5"),
        { type: "0x1::coin::CoinDeposit", data: { account: basil, coin_type: NATIVE_COIN, amount: "5" } },
      ],
      [coinStore(anna), coinStore(basil)],
    ],
    [
      "anna pays 5 APT to basil",
      [
        { type: "0x1::coin::CoinWithdraw", data: { account: anna, coin_type: NATIVE_COIN, amount: "5" } },
        { type: "0x1::coin::CoinDeposit", data: { account: basil, coin_type: NATIVE_COIN, amount: "5" } },
      ],
      [],
    ],
    [
      "anna swaps 5 APT for 7 GOLD with pool",
      [
        coinEvent("Withdraw", anna, "5"),
        coinEvent("Deposit", pool, "5"),
        gold("Withdraw", pool, "7"),
        gold("Deposit", anna, "7"),
      ],
      [coinStore(anna), coinStore(pool), ...goldStores],
    ],
    [
      "anna pays 3 GOLD to basil and 4 GOLD to pool",
      [gold("Withdraw", anna, "7"), gold("Deposit", basil, "3"), gold("Deposit", pool, "4")],
      goldStores,
    ],
    [
      "anna pays 3 GOLD to basil and gives up 4 GOLD",
      [gold("Withdraw", anna, "7"), gold("Deposit", basil, "3")],
      goldStores,
    ],
    ["anna calls m::run: basil receives 9 GOLD", [gold("Deposit", basil, "9")], goldStores],
    [
      "anna calls m::run: basil pays 9 GOLD to pool",
      [gold("Withdraw", basil, "9"), gold("Deposit", pool, "9")],
      goldStores,
    ],
    // What comes back is no payment.
    ["anna calls m::run", [gold("Withdraw", anna, "9"), gold("Deposit", anna, "9")], goldStores],
  ])("%s", (sentence, events, changes) => {
    expect(said(transactionOf(events, changes))).toBe(sentence);
  });

  it("says why a call failed, and counts what no change describes", () => {
    const failed = {
      ...transactionOf([], []),
      success: false,
      vm_status: "Move abort in 0x1::coin: EINSUFFICIENT_BALANCE(0x10006): Not enough coins",
    };
    expect(said(failed)).toBe("anna calls m::run, which fails: Not enough coins");
    const deleted = transactionOf([gold("Withdraw", anna, "9"), gold("Deposit", basil, "9")], []);
    expect(movedBy(deleted)).toEqual({ changes: [], unknown: 2 });
  });

  it("nets the changes of an account, and keeps the fee apart", () => {
    const transaction: Transaction = {
      ...transactionOf(
        [
          coinEvent("Withdraw", anna, "18446744073709551615"),
          coinEvent("Deposit", anna, "1"),
          {
            type: "0x1::transaction_fee::FeeStatement",
            data: { storage_fee_refund_octas: "300" },
          },
        ],
        [coinStore(anna)],
      ),
      signature: { type: "fee_payer_signature", fee_payer_address: pool },
    };
    expect(netOf(movedBy(transaction).changes, knownAssets)).toEqual([
      { account: anna, asset: NATIVE_COIN, amount: -18446744073709551614n },
    ]);
    expect(feeOf(transaction)).toEqual({ account: pool, asset: NATIVE_COIN, amount: -700n });
  });
});
