import { describe, expect, it } from "vitest";
import {
  parsePeriod,
  parsePeriodEnd,
  readStatements,
  type Statement,
  type StatementSource,
} from "./statement.ts";
import { STATEMENT_FORMS } from "./statement-forms.ts";

const HASH = `0x${"ab".repeat(32)}`;
const ACCOUNT = `0x${"1".padStart(64, "0")}`;
const SHOP = `0x${"2".padStart(64, "0")}`;
const METADATA = `0x${"a".padStart(64, "0")}`;
const COIN = "0x1::aptos_coin::AptosCoin";
const QUERY = { address: "0x1", asset: "0xa", fromUsec: 1_000_000n, toUsec: 3_000_000n, node: "http://node" };
const INFO = { sextant_version: "1.0", waypoint: "9:cd" };
const LEDGER = { chain_id: 4, ledger_version: "9", ledger_timestamp: "8000000" };

interface Told {
  readonly opening?: string;
  readonly closing?: string;
  readonly changes?: readonly (readonly [version: number, usec: number, before: number, after: number])[];
  readonly about?: Readonly<Record<string, unknown>>;
  readonly trust?: string;
  readonly transaction?: Readonly<Record<string, unknown>>;
  readonly held?: readonly string[];
}

/** A node that says what the test wants it to say. */
function tell({
  opening = "5",
  closing = "7",
  changes = [[2, 1_500_000, 5, 7]],
  about,
  trust,
  transaction,
  held = [],
}: Told): StatementSource {
  return {
    detail: async (_address, _asset, { at }) => {
      const isOpening = at === "1970-01-01T00:00:00.999999Z";
      const [ledger_version, balance] = isOpening ? ["1", opening] : ["3", closing];
      const fungible = { metadata: METADATA };
      return {
        text: JSON.stringify({ ledger_version, timestamp_usec: "0", balance, fungible, ...about }),
        trust,
      };
    },
    history: async function* () {
      for (const [version, usec, before, after] of changes) {
        const [from, to] = [`${before}`, `${after}`];
        const texts = { version: `${version}`, timestamp_usec: `${usec}`, before: from, after: to };
        yield JSON.stringify({ ...texts, transaction_hash: HASH });
      }
    },
    holdings: async function* () {
      for (const asset_type of held) yield JSON.stringify({ asset_type, balance: "1" });
    },
    info: async () => JSON.stringify(INFO),
    ledger: async () => JSON.stringify(LEDGER),
    transaction: async () => JSON.stringify({ hash: HASH, ...transaction }),
  };
}

/** A transaction of the account that moves coins and costs 3. */
function moving(
  ...amounts: readonly (readonly [account: string, amount: number])[]
): Told["transaction"] & object {
  const events = amounts.map(([account, amount]) => ({
    type: `0x1::coin::Coin${amount < 0 ? "Withdraw" : "Deposit"}`,
    data: { account, coin_type: COIN, amount: `${Math.abs(amount)}` },
  }));
  return { sender: "0x1", gas_used: "3", gas_unit_price: "1", events };
}

async function readOne(told: Told, query: Partial<typeof QUERY> = {}): Promise<Statement> {
  const [statement] = await readStatements(tell(told), { ...QUERY, ...query });
  if (statement === undefined) throw new Error("no statement");
  return statement;
}

const textOf = (statement: Statement, format: keyof typeof STATEMENT_FORMS): string =>
  [...STATEMENT_FORMS[format]([statement])].join("\n");

describe("a statement", () => {
  it("is made where everything fits", async () => {
    const statement = await readOne({ trust: "agreed 2/3" });
    expect([statement.received, statement.paid, statement.changes.length]).toEqual(["2", "0", 1]);
    expect(statement.opening.trust).toBe("agreed 2/3");
    expect((await readOne({})).closing).not.toHaveProperty("trust");
  });

  it.each([
    ["another closing balance", { closing: "8" }, "5 + 2 - 0 - 0 is 7, but the closing balance is 8"],
    ["another opening balance", { opening: "4" }, "changes a balance of 5, but it was 4"],
    ["no change at all", { changes: [] }, "5 + 0 - 0 - 0 is 5"],
    [
      "a gap",
      {
        changes: [
          [2, 1_500_000, 5, 6],
          [3, 1_600_000, 5, 6],
        ],
      },
      "version 3 changes a balance of 5, but it was 6",
    ],
    ["a change before the period", { changes: [[2, 999_999, 5, 7]] }, "outside of the period"],
    ["a change at its end", { changes: [[2, 3_000_000, 5, 7]] }, "outside of the period"],
    [
      "versions in the wrong order",
      {
        changes: [
          [3, 1_500_000, 5, 6],
          [2, 1_600_000, 6, 7],
        ],
      },
      "version 2 comes after version 3",
    ],
    ["another transaction", { transaction: { hash: "0xcd" } }, "the transaction of version 2 is not"],
    ["events of no form", { transaction: { events: 5 } }, "has no form that is known"],
    ["a version after the closing one", { changes: [[4, 1_500_000, 5, 7]] }, "after the closing balance"],
  ] as const)("is refused with %s", async (_, told, words) => {
    await expect(readOne(told as Told)).rejects.toThrow(words);
    await expect(readOne(told as Told)).rejects.toThrow("does not add up");
  });

  it("shows names from the ledger without running them", async () => {
    const about = {
      name: `<script>alert("x")</script>\u202e`,
      symbol: '=HYPERLINK("a,b");@c;"+d; e;; =f',
      decimals: 1,
    };
    const statement = await readOne({ about, trust: "<b>" });
    const page = textOf(statement, "html");
    expect(page).not.toMatch(/<script|<b>|\u202e/);
    expect(page).toContain("&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;\\u{202e}");
    expect(page).toContain("Content-Security-Policy");
    expect(page).toContain('<td class="n">0.2</td>');
    const unit = `"'=HYPERLINK(""a,b"");'@c;'""+d; e;;' =f"`;
    expect(textOf(statement, "csv")).toContain(`,0.5,0.2,0.7,${unit},other,0.0,,${HASH},<b>,`);
    expect(textOf(statement, "koinly")).toContain(`,0.2,${unit},`);
    expect(textOf(statement, "cointracking")).toContain(`"Deposit","0.2",${unit},`);
  });

  it("has amounts in the smallest unit where the decimals are not known", async () => {
    const csv = textOf(await readOne({}), "csv");
    expect(csv.split("\n")[2]).toMatch(
      `change,1970-01-01T00:00:01.500000Z,2,5,2,7,smallest unit,other,0,,${HASH},,`,
    );
  });

  it("says in every row of CSV whose it is, and when and where it was made", async () => {
    const [names = "", ...rows] = textOf(await readOne({ trust: "chained" }), "csv").split("\n");
    const times = ["1970-01-01T00:00:01.000000Z", "1970-01-01T00:00:03.000000Z"];
    const whose = [
      "chained",
      ACCOUNT,
      "0xa",
      "4",
      ...times,
      "http://node",
      "1970-01-01T00:00:08.000000Z",
      "9:cd",
    ];
    expect(names.split(",").slice(-9)).toEqual(
      "trust,account,asset_type,chain_id,period_from,period_to,node,made_at,waypoint".split(","),
    );
    expect(rows).toHaveLength(4);
    for (const row of rows) expect(row.split(",").slice(-9)).toEqual(whose);
  });

  it.each([
    ["a fee alone", [], 2, { kind: "fee", fee: "-3", counterparties: [] }],
    [
      "a payment and the fee",
      [
        [ACCOUNT, -2],
        [SHOP, 2],
      ],
      0,
      { kind: "paid", fee: "-3", counterparties: [SHOP] },
    ],
    [
      "a receipt and the fee",
      [
        [SHOP, -9],
        [ACCOUNT, 9],
      ],
      11,
      { kind: "received", fee: "-3", counterparties: [SHOP] },
    ],
    [
      "a receipt that another pays for",
      [[ACCOUNT, 9]],
      14,
      { kind: "received", fee: "0", counterparties: [] },
    ],
    ["what no event explains", [[ACCOUNT, 9]], 90, { kind: "other", fee: "0", counterparties: [] }],
  ] as const)("tells %s by the transaction", async (_, moved, after, expected) => {
    const told = {
      changes: [[2, 1_500_000, 5, after]],
      closing: `${after}`,
      transaction: moving(...moved),
    } as const;
    const { changes, received, paid, fees } = await readOne(told, { asset: "0x01::aptos_coin::AptosCoin" });
    expect(changes[0]).toMatchObject(expected);
    expect(5n + BigInt(received) - BigInt(paid) - BigInt(fees)).toBe(BigInt(after));
  });

  it("has the columns of two tax tools, with a swap as one row", async () => {
    const about = { symbol: "APT", decimals: 1 };
    const paid = { ...moving([ACCOUNT, -2], [SHOP, 2]) };
    const told = { about, transaction: paid, closing: "0", changes: [[2, 1_500_000, 5, 0]] } as const;
    const sent = await readOne(told, { asset: COIN });
    const [change] = sent.changes;
    if (change === undefined) throw new Error("no change");
    const got = { ...change, before: "0", after: "8", fee: "0", kind: "received" } as const;
    const gold: Statement = { ...sent, symbol: "GOLD", decimals: 0, changes: [got] };
    const rows = (format: "koinly" | "cointracking", ...all: Statement[]): string[] =>
      [...STATEMENT_FORMS[format](all)].slice(1);
    const time = "1970-01-01 00:00:01";
    expect(rows("koinly", sent)).toEqual([`${time} UTC,0.2,APT,,,0.3,APT,,,,paid to ${SHOP},${HASH}`]);
    expect(rows("koinly", sent, gold)).toEqual([
      `${time} UTC,0.2,APT,8,GOLD,0.3,APT,,,,paid to ${SHOP}; received from ${SHOP},${HASH}`,
    ]);
    expect(rows("cointracking", sent, gold)).toEqual([
      `"Trade","8","GOLD","0.2","APT","","","${ACCOUNT}","","paid to ${SHOP}; received from ${SHOP}","${time}","${HASH}"`,
      `"Other Fee","","","0.3","APT","","","${ACCOUNT}","","fee","${time}","${HASH}"`,
    ]);
    const cost = await readOne(
      { ...told, closing: "2", changes: [[2, 1_500_000, 5, 2]], transaction: moving() },
      { asset: COIN },
    );
    expect(rows("koinly", cost)).toEqual([`${time} UTC,0.3,APT,,,,,,,cost,fee,${HASH}`]);
  });

  it("of all assets has each once: a coin counts the asset that it is paired with", async () => {
    const all = await readStatements(tell({ held: [METADATA, SHOP, COIN] }), { ...QUERY, asset: undefined });
    expect(all.map(({ asset_type }) => asset_type)).toEqual([COIN]);
    await expect(readStatements(tell({}), { ...QUERY, asset: undefined })).rejects.toThrow("has no asset");
  });

  it("of a page groups digits and names the zone", async () => {
    const about = { name: "Aptos Coin", symbol: "APT", decimals: 2 };
    const big = {
      about,
      opening: "123456789",
      closing: "123456791",
      changes: [[2, 1_500_000, 123_456_789, 123_456_791]],
    } as const;
    const page = textOf(await readOne(big), "html");
    expect(page).toContain('<td class="n">1,234,567.91</td>');
    expect(page).toContain('<time datetime="1970-01-01T00:00:01.500000Z">1970-01-01 00:00:01.5 UTC</time>');
    expect(page).toMatch(/Made at<\/dt><dd><time [^>]*>1970-01-01 00:00:08 UTC<\/time>, .*, version 9</);
    expect(page).toContain("9:cd");
  });

  it("takes months and quarters, and ends with the latest block", async () => {
    const named = (name: string, text: string) =>
      parsePeriod({ from: undefined, to: undefined, month: undefined, quarter: undefined, [name]: text });
    const days = (from: string, to: string) => ({
      fromUsec: parsePeriodEnd("--from", from),
      toUsec: parsePeriodEnd("--to", to),
    });
    expect(named("month", "2026-10")).toEqual(days("2026-10-01", "2026-11-01"));
    expect(named("month", "2026-12")).toEqual(days("2026-12-01", "2027-01-01"));
    expect(named("quarter", "2026-Q3")).toEqual(days("2026-07-01", "2026-10-01"));
    expect(named("quarter", "2026-q4")).toEqual(days("2026-10-01", "2027-01-01"));
    for (const text of ["2026", "2026-13", "2026-00", "2026-1", "october"]) {
      expect(() => named("month", text)).toThrow("--month: expected a month (2026-10)");
    }
    for (const text of ["2026-Q5", "Q3", "2026-3"]) expect(() => named("quarter", text)).toThrow("--quarter");
    const [open] = await readStatements(tell({}), { ...QUERY, toUsec: undefined });
    expect(open?.to).toBe("1970-01-01T00:00:08.000001Z");
    await expect(readOne({}, { toUsec: 8_000_002n })).rejects.toThrow("with --to now");
    await expect(
      readStatements(tell({}), { ...QUERY, fromUsec: 9_000_000n, toUsec: undefined }),
    ).rejects.toThrow("begins after the latest block");
  });

  it("takes days, times and seconds", () => {
    const usec = 1_767_225_600_000_000n;
    for (const text of ["2026-01-01", "2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00", "@1767225600"]) {
      expect(parsePeriodEnd("--from", text)).toBe(usec);
    }
    for (const text of [
      "2026",
      "1767225600",
      "2026-02-30",
      "2026-1-1",
      "noon",
      "@0",
      "1970-01-01",
      undefined,
    ]) {
      expect(() => parsePeriodEnd("--from", text)).toThrow("--from");
    }
  });
});
