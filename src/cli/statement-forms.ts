// The forms of statements: JSON, CSV, one HTML page without scripts that can be printed, and the columns of two tax tools.
// Names and symbols come from the ledger, where anybody can write them.
import { formatAmount } from "../base/texts/text.ts";
import { formatTime } from "../base/texts/time-text.ts";
import type { ChangeText } from "./source/source.ts";
import { amountOf, type Statement, type StatementChange } from "./statement.ts";

/** One row of the table that CSV and HTML show; amounts in the smallest unit. */
interface Row {
  readonly entry: "opening" | "change" | "sum" | "closing";
  readonly time?: string;
  readonly version?: string;
  readonly before?: bigint;
  readonly change?: bigint;
  readonly after: bigint;
  readonly why?: StatementChange;
}

/** An asset's unit, where the ledger says it. */
interface Unit {
  readonly symbol?: string;
  readonly decimals?: number;
}

/** Text without characters that control a terminal or the reading direction. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}

function unitOf({ symbol, decimals }: Unit): string {
  return symbol === undefined || decimals === undefined ? "smallest unit" : visible(symbol);
}

/** Amounts with their decimal point where the decimals are known, all digits included. */
function amountFormatter({ symbol, decimals }: Unit): (amount: bigint | undefined) => string {
  const places = symbol === undefined || decimals === undefined ? 0 : decimals;
  return (amount) => {
    if (amount === undefined) return "";
    return amount < 0n ? `-${formatAmount(-amount, places)}` : formatAmount(amount, places);
  };
}

function* rowsOf({ opening, changes, closing, from, to }: Statement): Generator<Row> {
  const [start, end] = [BigInt(opening.balance), BigInt(closing.balance)];
  yield { entry: "opening", time: from, version: opening.ledger_version, after: start };
  for (const why of changes) {
    const [before, after] = [BigInt(why.before), BigInt(why.after)];
    const time = formatTime(BigInt(why.timestamp_usec));
    yield { entry: "change", time, version: why.version, before, change: after - before, after, why };
  }
  yield { entry: "sum", before: start, change: end - start, after: end };
  yield { entry: "closing", time: to, version: closing.ledger_version, after: end };
}

/** One JSON object for each asset; amounts in the smallest unit. `adds_up` is true, because a statement that does not is refused. */
function* jsonLines(statements: readonly Statement[]): Generator<string> {
  for (const statement of statements) yield JSON.stringify({ ...statement, adds_up: true });
}

/**
 * A text that a spreadsheet would run as a formula gets an apostrophe in front; and behind what some of them split cells
 * at, unless a word follows.
 */
function safeText(text: string): string {
  const led = text.replace(/^[=+\-@\t\r]/, "'$&");
  return led.replace(/([;\t\r\n])( [^\w;\t\r\n]|[^\w; \t\r\n])/g, "$1'$2");
}

function quoted(text: string): string {
  return `"${safeText(text).replaceAll('"', '""')}"`;
}

/** A cell of CSV. */
export function textCell(text: string): string {
  return /[",\r\n]/.test(text) ? quoted(text) : safeText(text);
}

/** Every row says whose it is: spreadsheets sort and join rows, and have no comments. */
const CSV_COLUMNS =
  "entry,time,version,before,change,after,unit,kind,fee,counterparty,transaction_hash,trust,account,asset_type,chain_id,period_from,period_to,node,made_at,waypoint";

function* csvLines(statements: readonly Statement[]): Generator<string> {
  yield CSV_COLUMNS;
  for (const statement of statements) {
    const { address, asset_type, chain_id, from, to, made } = statement;
    const format = amountFormatter(statement);
    const unit = textCell(unitOf(statement));
    const whose = [address, asset_type, `${chain_id}`, from, to, made.node, made.at, made.waypoint ?? ""].map(
      textCell,
    );
    for (const { entry, time = "", version = "", before, change, after, why } of rowsOf(statement)) {
      // A level counts for every version up to its own, so the closing one counts for the changes.
      const { trust = "" } = entry === "opening" ? statement.opening : statement.closing;
      const amounts = [before, change, after].map(format);
      const reason =
        why === undefined
          ? ["", "", "", ""]
          : [why.kind, format(BigInt(why.fee)), textCell(why.counterparties.join(" ")), why.transaction_hash];
      yield [entry, time, version, ...amounts, unit, ...reason, textCell(trust), ...whose].join(",");
    }
  }
}

/** The changes of one balance without a period, in the unit of a statement. */
export function* historyCsv(changes: readonly ChangeText[], asset: Unit): Generator<string> {
  const format = amountFormatter(asset);
  const unit = textCell(unitOf(asset));
  yield "time,version,before,change,after,unit,transaction_hash";
  for (const { version, timestamp_usec, before, after, transaction_hash: hash } of changes) {
    const amounts = [BigInt(before), BigInt(after) - BigInt(before), BigInt(after)].map(format);
    yield [formatTime(BigInt(timestamp_usec)), version, ...amounts, unit, hash].join(",");
  }
}

/** An amount of an asset in a transaction. */
interface Leg {
  readonly amount: string;
  readonly currency: string;
}

/** What a tax tool calls a transaction. */
interface TaxRow {
  readonly usec: bigint;
  readonly account: string;
  readonly hash: string;
  readonly sent?: Leg | undefined;
  readonly received?: Leg | undefined;
  readonly fee?: Leg | undefined;
  readonly note: string;
}

const NOTES: Readonly<Record<StatementChange["kind"], string>> = {
  paid: "paid to",
  received: "received from",
  fee: "fee",
  other: "not explained by the events of the transaction",
};

/** One row for each transaction, oldest first. One that moves several assets in one direction has a row for each of them. */
function taxRows(statements: readonly Statement[]): TaxRow[] {
  const byVersion = new Map<string, TaxRow[]>();
  for (const statement of statements) {
    const format = amountFormatter(statement);
    const currency = statement.symbol === undefined ? statement.asset_type : unitOf(statement);
    const leg = (amount: bigint): Leg | undefined =>
      amount > 0n ? { amount: format(amount), currency } : undefined;
    for (const change of statement.changes) {
      const amount = amountOf(change);
      const fee = BigInt(change.fee);
      const row: TaxRow = {
        usec: BigInt(change.timestamp_usec),
        account: statement.address,
        hash: change.transaction_hash,
        sent: leg(-amount),
        // More paid back for storage than the fee was.
        received: leg(amount) ?? leg(fee),
        fee: leg(-fee),
        note: `${NOTES[change.kind]} ${change.counterparties.join(" ")}`.trim(),
      };
      byVersion.set(change.version, joinRows(byVersion.get(change.version) ?? [], row));
    }
  }
  return [...byVersion]
    .sort(([one], [other]) => (BigInt(one) < BigInt(other) ? -1 : 1))
    .flatMap(([, rows]) => rows);
}

/** Adds a row to those of the same transaction: to the first in which its legs are free. */
function joinRows(rows: readonly TaxRow[], row: TaxRow): TaxRow[] {
  const at = rows.findIndex((one) =>
    (["sent", "received", "fee"] as const).every((leg) => one[leg] === undefined || row[leg] === undefined),
  );
  const found = rows[at];
  if (found === undefined) return [...rows, row];
  const joined = {
    ...found,
    sent: found.sent ?? row.sent,
    received: found.received ?? row.received,
    fee: found.fee ?? row.fee,
    note: [found.note, row.note].filter((note) => note !== NOTES.fee).join("; "),
  };
  return rows.with(at, joined);
}

/** `2026-01-31 12:00:00`, in UTC. */
function secondsText(usec: bigint): string {
  return formatTime(usec).slice(0, 19).replace("T", " ");
}

/** The universal template of Koinly, with the fee beside what was sent and not in it. */
function* koinlyLines(statements: readonly Statement[]): Generator<string> {
  yield "Date,Sent Amount,Sent Currency,Received Amount,Received Currency,Fee Amount,Fee Currency,Net Worth Amount,Net Worth Currency,Label,Description,TxHash";
  for (const { usec, sent, received, fee, note, hash } of taxRows(statements)) {
    // As something sent with a label, because the template describes what was sent or received.
    const isFee = sent === undefined && received === undefined;
    const legs = (isFee ? [fee, undefined, undefined] : [sent, received, fee]).flatMap((leg) => [
      leg?.amount ?? "",
      textCell(leg?.currency ?? ""),
    ]);
    yield [`${secondsText(usec)} UTC`, ...legs, "", "", isFee ? "cost" : "", textCell(note), hash].join(",");
  }
}

/** The CSV import of CoinTracking. Fees have rows of their own, so that no reading of the fee column counts one twice. */
function* coinTrackingLines(statements: readonly Statement[]): Generator<string> {
  const line = (cells: readonly string[]): string => cells.map(quoted).join(",");
  yield line([
    "Type",
    "Buy Amount",
    "Buy Currency",
    "Sell Amount",
    "Sell Currency",
    "Fee",
    "Fee Currency",
    "Exchange",
    "Trade-Group",
    "Comment",
    "Date",
    "Tx-ID",
  ]);
  for (const { usec, account, sent, received, fee, note, hash } of taxRows(statements)) {
    const row = (type: string, bought: Leg | undefined, sold: Leg | undefined, comment: string): string =>
      line([
        type,
        bought?.amount ?? "",
        bought?.currency ?? "",
        sold?.amount ?? "",
        sold?.currency ?? "",
        "",
        "",
        account,
        "",
        comment,
        secondsText(usec),
        hash,
      ]);
    if (sent !== undefined && received !== undefined) yield row("Trade", received, sent, note);
    else if (received !== undefined) yield row("Deposit", received, undefined, note);
    else if (sent !== undefined) yield row("Withdrawal", undefined, sent, note);
    if (fee !== undefined) yield row("Other Fee", undefined, fee, NOTES.fee);
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "");
}

const STYLE = `:root{color-scheme:light}body{font:14px/1.45 system-ui,sans-serif;color:#111;background:#fff;margin:2em auto;max-width:96em;padding:0 1em}
h1{font-size:1.5em}h2{font-size:1.2em;margin-top:2em}dl{display:grid;grid-template-columns:minmax(6em,max-content) 1fr;gap:.2em 1.5em}dt{color:#555}dd{margin:0;overflow-wrap:anywhere}
.w{overflow-x:auto}table{border-collapse:collapse;width:100%;margin:1.5em 0}th,td{padding:.3em .6em;border-bottom:1px solid #ccc;text-align:left;vertical-align:top}
time,.n{white-space:nowrap}.n{text-align:right;font-variant-numeric:tabular-nums}.h{font:11px/1.45 ui-monospace,monospace;overflow-wrap:anywhere;min-width:14em}
.opening,.sum,.closing{font-weight:600;background:#f4f4f4}
@media(max-width:30em){dl{display:block}dd{margin-bottom:.4em}}
@media print{@page{size:A4 landscape;margin:14mm;@bottom-right{content:"Page " counter(page) " of " counter(pages);font:9px system-ui,sans-serif}}body{margin:0;max-width:none;font-size:10px}h2{break-after:avoid}.w{overflow:visible}thead{display:table-header-group}tr{break-inside:avoid}.h{font-size:7px;min-width:0}}`;

const ENTRY_NAMES: Readonly<Record<Row["entry"] | StatementChange["kind"], string>> = {
  opening: "Opening balance",
  change: "Change",
  paid: "Paid",
  received: "Received",
  fee: "Fee",
  other: "Other",
  sum: "Sum of the changes",
  closing: "Closing balance",
};

/** `2026-01-31 12:00:00.250 UTC`, on one line. */
function timeHtml(text: string): string {
  const [day = "", clock = ""] = text.split("T");
  if (!clock.endsWith("Z")) return escapeHtml(text);
  const [time, fraction = "0"] = clock.slice(0, -1).split(".");
  const decimals = `${Number(`0.${fraction}`)}`.slice(1);
  return `<time datetime="${escapeHtml(text)}">${escapeHtml(`${day} ${time}${decimals} UTC`)}</time>`;
}

/** 1234567.50 as 1,234,567.50. */
function grouped(amount: string): string {
  const sign = amount.startsWith("-") ? "-" : "";
  const [whole = "", ...rest] = amount.slice(sign.length).split(".");
  return [`${sign}${BigInt(whole).toLocaleString("en-US")}`, ...rest].join(".");
}

function factsHtml(facts: readonly (readonly [term: string, html: string] | undefined)[]): string {
  const lines = facts.map((fact) => (fact === undefined ? "" : `<dt>${fact[0]}</dt><dd>${fact[1]}</dd>`));
  return `<dl>${lines.join("")}</dl>`;
}

function* htmlLines(statements: readonly Statement[]): Generator<string> {
  const [first] = statements;
  if (first === undefined) return;
  const { address, chain_id, from, to, made } = first;
  yield "<!doctype html>";
  yield '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">';
  yield `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`;
  yield `<title>${escapeHtml(`Statement of ${address} from ${from} to ${to}`)}</title><style>${STYLE}</style></head><body><h1>Statement of account</h1>`;
  yield factsHtml([
    ["Account", escapeHtml(address)],
    ["Chain", `${chain_id}`],
    ["Period", `from ${timeHtml(from)}, until before ${timeHtml(to)}`],
    [
      "Made at",
      `${timeHtml(made.at)}, the time of the latest block, version ${escapeHtml(made.ledger_version)}`,
    ],
    made.waypoint === undefined ? undefined : ["Waypoint", escapeHtml(made.waypoint)],
    ["Node", `${escapeHtml(made.node)}, Sextant ${escapeHtml(made.sextant_version)}`],
    [
      "Check",
      "opening balance + received - paid - fees = closing balance, and each change begins where the last ended",
    ],
  ]);
  for (const statement of statements) yield* assetLines(statement);
  yield "</body></html>";
}

function* assetLines(statement: Statement): Generator<string> {
  const { asset_type, name, left_out, opening, closing, changes, received, paid, fees } = statement;
  const format = amountFormatter(statement);
  const amount = (value: bigint | undefined): string => grouped(format(value));
  const unit = escapeHtml(unitOf(statement));
  const point = ({ balance, ledger_version: version, trust = "not stated" }: Statement["opening"]): string =>
    `${amount(BigInt(balance))} ${unit}, after version ${escapeHtml(version)}, trust ${escapeHtml(trust)}`;
  yield `<h2>${escapeHtml(name ?? asset_type)}</h2>`;
  yield factsHtml([
    ["Asset", escapeHtml(asset_type)],
    left_out === undefined ? undefined : ["Left out", escapeHtml(left_out)],
    ["Unit", unit],
    ["Opening balance", point(opening)],
    ["Received", `${amount(BigInt(received))} ${unit}`],
    ["Paid", `${amount(BigInt(paid))} ${unit}`],
    ["Fees", `${amount(BigInt(fees))} ${unit}`],
    ["Closing balance", point(closing)],
    ["Changes", `${changes.length}`],
  ]);
  yield `<div class="w"><table><thead><tr><th>Entry</th><th>Time</th><th class="n">Version</th><th class="n">Before</th><th class="n">Change</th><th class="n">Of it fee</th><th class="n">After</th><th>Other side</th><th>Transaction</th></tr></thead><tbody>`;
  for (const { entry, time = "", version = "", before, change, after, why } of rowsOf(statement)) {
    const fee = why === undefined || why.fee === "0" ? undefined : BigInt(why.fee);
    const numbers = [before, change, fee, after].map((value) => `<td class="n">${amount(value)}</td>`);
    const [others, hash] = [why?.counterparties.join(" ") ?? "", why?.transaction_hash ?? ""];
    yield `<tr class="${entry}"><td>${ENTRY_NAMES[why?.kind ?? entry]}</td><td>${timeHtml(time)}</td><td class="n">${escapeHtml(version)}</td>${numbers.join("")}<td class="h">${escapeHtml(others)}</td><td class="h">${escapeHtml(hash)}</td></tr>`;
  }
  yield "</tbody></table></div>";
}

/** The lines of statements in each form. */
export const STATEMENT_FORMS = {
  csv: csvLines,
  json: jsonLines,
  html: htmlLines,
  koinly: koinlyLines,
  cointracking: coinTrackingLines,
} as const;
