import { describe, expect, it } from "vitest";
import type { Source } from "./source/source.ts";
import { parsePeriodEnd, readStatement, type Statement } from "./statement.ts";
import { STATEMENT_FORMS } from "./statement-forms.ts";

const HASH = `0x${"ab".repeat(32)}`;
const QUERY = { address: "0x1", asset: "0xa", fromUsec: 1_000_000n, toUsec: 3_000_000n };

interface Told {
  readonly opening?: string;
  readonly closing?: string;
  readonly changes?: readonly (readonly [version: number, usec: number, before: number, after: number])[];
  readonly about?: Readonly<Record<string, unknown>>;
  readonly trust?: string;
}

/** A node that says what the test wants it to say. */
function tell({
  opening = "5",
  closing = "7",
  changes = [[2, 1_500_000, 5, 7]],
  about,
  trust,
}: Told): Source {
  const source: Pick<Source, "detail" | "history" | "ledger"> = {
    detail: async (_address, _asset, { at }) => {
      const isOpening = at === "1970-01-01T00:00:00.999999Z";
      const [ledger_version, balance] = isOpening ? ["1", opening] : ["3", closing];
      return { text: JSON.stringify({ ledger_version, timestamp_usec: "0", balance, ...about }), trust };
    },
    history: async function* () {
      for (const [version, usec, before, after] of changes) {
        const [from, to] = [`${before}`, `${after}`];
        const texts = { version: `${version}`, timestamp_usec: `${usec}`, before: from, after: to };
        yield JSON.stringify({ ...texts, transaction_hash: HASH });
      }
    },
    ledger: async () => '{"chain_id":4}',
  };
  return source as Source;
}

const textOf = (statement: Statement, format: keyof typeof STATEMENT_FORMS): string =>
  [...STATEMENT_FORMS[format](statement)].join("\n");

describe("a statement", () => {
  it("is made where everything fits", async () => {
    const statement = await readStatement(tell({ trust: "agreed 2/3" }), QUERY);
    expect([statement.received, statement.paid, statement.changes.length]).toEqual(["2", "0", 1]);
    expect(statement.opening.trust).toBe("agreed 2/3");
    expect((await readStatement(tell({}), QUERY)).closing).not.toHaveProperty("trust");
  });

  it.each([
    ["another closing balance", { closing: "8" }, "5 + 2 - 0 is 7, but the closing balance is 8"],
    ["another opening balance", { opening: "4" }, "changes a balance of 5, but it was 4"],
    ["no change at all", { changes: [] }, "5 + 0 - 0 is 5"],
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
    ["a version after the closing one", { changes: [[4, 1_500_000, 5, 7]] }, "after the closing balance"],
  ] as const)("is refused with %s", async (_, told, words) => {
    await expect(readStatement(tell(told as Told), QUERY)).rejects.toThrow(words);
    await expect(readStatement(tell(told as Told), QUERY)).rejects.toThrow("does not add up");
  });

  it("shows names from the ledger without running them", async () => {
    const about = { name: `<script>alert("x")</script>\u202e`, symbol: '=HYPERLINK("a,b")', decimals: 1 };
    const statement = await readStatement(tell({ about, trust: "<b>" }), QUERY);
    const page = textOf(statement, "html");
    expect(page).not.toMatch(/<script|<b>|\u202e/);
    expect(page).toContain("&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;\\u{202e}");
    expect(page).toContain("Content-Security-Policy");
    expect(page).toContain('<td class="n">0.2</td>');
    expect(textOf(statement, "csv")).toContain(`,0.5,0.2,0.7,"'=HYPERLINK(""a,b"")",${HASH},`);
  });

  it("has amounts in the smallest unit where the decimals are not known", async () => {
    const csv = textOf(await readStatement(tell({}), QUERY), "csv");
    expect(csv.split("\n")[2]).toBe(`change,1970-01-01T00:00:01.500000Z,2,5,2,7,smallest unit,${HASH},`);
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
