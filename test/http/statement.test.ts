// Statements over random periods of a local chain: opening and closing balances are those of the books, the changes are
// those found by reading every version, and every form says the same.
import { cpSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { formatTime } from "../../src/base/texts/time-text.ts";
import { openSource } from "../../src/cli/source/open.ts";
import {
  readStatements,
  type Statement,
  type StatementQuery,
  type StatementSource,
} from "../../src/cli/statement.ts";
import { STATEMENT_FORMS } from "../../src/cli/statement-forms.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { BookedLedger, type Change, type Pair } from "../support/booked-ledger.ts";
import { startServer } from "../support/http-server.ts";
import { temporaryFolder } from "../support/temporary.ts";

const PERIODS = Number(process.env.SEXTANT_PERIODS ?? 200);
const BLOCKS = 40;

/** The figures of a statement, in smallest units, as one form has them. */
interface Figures {
  readonly opening: bigint;
  readonly changes: readonly (readonly [
    time: string,
    before: bigint,
    change: bigint,
    after: bigint,
    hash: string,
  ])[];
  readonly sum: readonly [before: bigint, change: bigint, after: bigint];
  readonly closing: bigint;
}

function textOf(statement: Statement, format: keyof typeof STATEMENT_FORMS): string {
  return [...STATEMENT_FORMS[format]([statement])].join("\n");
}

async function readStatement(
  source: StatementSource,
  query: Omit<StatementQuery, "node">,
): Promise<Statement> {
  const [statement] = await readStatements(source, { ...query, node: "a node" });
  if (statement === undefined) throw new Error("no statement");
  return statement;
}

/** Figures of a table whose rows are: entry, time, before, change, after, transaction. */
function figuresOf(rows: readonly (readonly string[])[], decimals: number): Figures {
  const pattern = decimals === 0 ? /^-?\d+$/ : new RegExp(`^-?\\d+\\.\\d{${decimals}}$`);
  const amount = (text = ""): bigint => {
    if (!pattern.test(text)) throw new Error(`no amount with ${decimals} decimals: ${text}`);
    return BigInt(text.replace(".", ""));
  };
  const entries = rows.map(([entry]) => entry?.split(" ")[0]?.toLowerCase());
  expect(entries).toEqual(["opening", ...Array(rows.length - 3).fill("change"), "sum", "closing"]);
  const sum = rows.at(-2) ?? [];
  return {
    opening: amount(rows[0]?.[4]),
    changes: rows
      .slice(1, -2)
      .map((row) => [row[1] ?? "", amount(row[2]), amount(row[3]), amount(row[4]), row[5] ?? ""]),
    sum: [amount(sum[2]), amount(sum[3]), amount(sum[4])],
    closing: amount(rows.at(-1)?.[4]),
  };
}

function fromCsv(text: string, decimals: number): Figures {
  const [names, ...lines] = text.split("\n");
  expect(names).toMatch(
    /^entry,time,version,before,change,after,unit,kind,fee,counterparty,transaction_hash,/,
  );
  const rows = lines.map((line) => {
    const [entry = "", time = "", , before = "", change = "", after = "", , , , , hash = ""] =
      line.split(",");
    return [entry, time, before, change, after, hash];
  });
  return figuresOf(rows, decimals);
}

function fromHtml(text: string, decimals: number): Figures {
  const body = text.slice(text.indexOf("<tbody>"), text.indexOf("</tbody>"));
  const rows = body
    .split("<tr")
    .slice(1)
    .map((row) => {
      const cells = [...row.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell = ""]) => cell);
      const [kind = "", shown = "", , before = "", change = "", , after = "", , hash = ""] = cells;
      const entry = /^(Paid|Received|Fee|Other)$/.test(kind) ? "change" : kind;
      const time = /datetime="([^"]*)"/.exec(shown)?.[1] ?? "";
      return [entry, time, ...[before, change, after].map((amount) => amount.replaceAll(",", "")), hash];
    });
  return figuresOf(rows, decimals);
}

function fromJson(text: string): Figures {
  const { opening, closing, changes, received, paid, fees, adds_up } = JSON.parse(text) as Statement & {
    adds_up: boolean;
  };
  expect(adds_up).toBe(true);
  const start = BigInt(opening.balance);
  const sum = BigInt(received) - BigInt(paid) - BigInt(fees);
  return {
    opening: start,
    changes: changes.map(({ timestamp_usec, before, after, transaction_hash }) => [
      formatTime(BigInt(timestamp_usec)),
      BigInt(before),
      BigInt(after) - BigInt(before),
      BigInt(after),
      transaction_hash,
    ]),
    sum: [start, sum, start + sum],
    closing: BigInt(closing.balance),
  };
}

describe("statements", async () => {
  const folder = temporaryFolder();
  const ledger = await BookedLedger.create(await openLmdbStore({ path: folder }), BLOCKS);
  const model = new Map<Pair, readonly Change[]>();
  for (const pair of ledger.pairs) model.set(pair, await ledger.changesOf(pair));
  await ledger.store.close();
  // A process opens a directory once.
  const copy = temporaryFolder();
  cpSync(folder, copy, { recursive: true });
  const served = await openLmdbStore({ path: copy, readOnly: true });
  const { url } = await startServer({ ledger: served });
  const sources = {
    url: await openSource({ url, data: undefined }),
    data: await openSource({ url: undefined, data: folder }),
  };
  // The periods overlap: each transaction is printed once.
  const printed = new Map<string, Promise<string>>();
  const print = sources.data.transaction.bind(sources.data);
  sources.data.transaction = (version) => {
    const text = printed.get(version) ?? print(version);
    printed.set(version, text);
    return text;
  };
  afterAll(async () => {
    await sources.data.close();
    await served.close();
  });
  const latest = ledger.blocks.at(-1)?.timestampUsec ?? 0n;
  const first = ledger.blocks[1]?.timestampUsec ?? 0n;

  /** The same on every run. */
  let state = 1;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return Math.floor((state / 0x8000_0000) * below);
  };
  /** A moment; every third is the time of a block. The end of a period is at most one behind the latest block. */
  const moment = (): bigint => {
    if (random(3) === 0) return ledger.blocks[1 + random(BLOCKS)]?.timestampUsec ?? first;
    return first - 2_000_000n + BigInt(random(Number(latest - first) + 2_000_002));
  };

  it(`add up for ${PERIODS} periods, in each form`, async () => {
    let changed = 0;
    const kinds = new Map<string, number>();
    for (let i = 0; i < PERIODS; i++) {
      const [one, other] = [moment(), moment()];
      const [fromUsec, toUsec] = one < other ? [one, other] : [other, one === other ? one + 1n : one];
      const pair = ledger.pairs[random(ledger.pairs.length)] as Pair;
      const booked = (usec: bigint): bigint =>
        ledger.blocks.findLast(({ timestampUsec }) => timestampUsec < usec)?.booked(pair) ?? 0n;
      const inside = (model.get(pair) ?? []).filter(
        ({ timestamp_usec: time }) => BigInt(time) >= fromUsec && BigInt(time) < toUsec,
      );
      const expected: Figures = {
        opening: booked(fromUsec),
        changes: inside.map(({ timestamp_usec, before, after, transaction_hash }) => [
          formatTime(BigInt(timestamp_usec)),
          BigInt(before),
          BigInt(after) - BigInt(before),
          BigInt(after),
          transaction_hash,
        ]),
        sum: [booked(fromUsec), booked(toUsec) - booked(fromUsec), booked(toUsec)],
        closing: booked(toUsec),
      };
      const { address, asset, assetName } = pair;
      const query = { address, asset, fromUsec, toUsec };
      const statement = await readStatement(sources.data, query);
      // A request costs ten times as much.
      if (i % 20 === 0) {
        expect({ ...(await readStatement(sources.url, query)), made: statement.made }).toEqual(statement);
      }
      const { decimals } = ledger.chain.items.assets[assetName];
      expect(fromJson(textOf(statement, "json"))).toEqual(expected);
      expect(fromCsv(textOf(statement, "csv"), decimals)).toEqual(expected);
      expect(fromHtml(textOf(statement, "html"), decimals)).toEqual(expected);
      changed += inside.length;
      for (const { kind } of statement.changes) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    expect(changed).toBeGreaterThan(PERIODS);
    expect([...kinds.keys()].sort()).toEqual(["fee", "other", "paid", "received"]);
    // Only stores that the chain deletes with an account change without an event.
    expect(kinds.get("other")).toBeLessThan(changed / 20);
  });

  it("of two periods in a row have every change once", async () => {
    const [pair, changes] = [...model].sort(([, a], [, b]) => b.length - a.length)[0] ?? [];
    const { address = "", asset = "" } = pair ?? {};
    const middle = ledger.blocks[20]?.timestampUsec ?? 0n;
    const read = (fromUsec: bigint, toUsec: bigint): Promise<Statement> =>
      readStatement(sources.url, { address, asset, fromUsec, toUsec });
    const [before, after] = [await read(1n, middle), await read(middle, latest + 1n)];
    expect(after.opening).toEqual(before.closing);
    expect(after.closing.trust).toMatch(/^(local|trusted|chained)$/);
    expect([...before.changes, ...after.changes]).toMatchObject(
      changes?.filter(({ version }) => version !== "0") ?? [],
    );
  });

  it("of a period that is not over are refused", async () => {
    const { address, asset } = ledger.pairs[0] as Pair;
    await expect(
      readStatement(sources.url, { address, asset, fromUsec: 1n, toUsec: latest + 2n }),
    ).rejects.toThrow("after the latest block");
  });
});
