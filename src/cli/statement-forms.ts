// The forms of a statement: JSON, CSV, and one HTML page without scripts that can be printed. Names and symbols come from
// the ledger, where anybody can write them.
import { formatAmount } from "../base/amount-text.ts";
import { formatTime } from "../base/time-text.ts";
import type { Statement } from "./statement.ts";

/** One row of the table that CSV and HTML show. */
interface Row {
  readonly entry: "opening" | "change" | "sum" | "closing";
  readonly time: string;
  readonly version: string;
  readonly before: string;
  readonly change: string;
  readonly after: string;
  readonly transaction: string;
}

/** Text without characters that control a terminal or the reading direction. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}

function unitOf({ symbol, decimals }: Statement): string {
  return symbol === undefined || decimals === undefined ? "smallest unit" : visible(symbol);
}

/** Amounts with their decimal point where the decimals are known, all digits included. */
function amountFormatter({ symbol, decimals }: Statement): (amount: bigint) => string {
  if (symbol === undefined || decimals === undefined) return (amount) => `${amount}`;
  return (amount) => (amount < 0n ? `-${formatAmount(-amount, decimals)}` : formatAmount(amount, decimals));
}

function* rowsOf(statement: Statement): Generator<Row> {
  const { opening, changes, received, paid } = statement;
  const format = amountFormatter(statement);
  const empty = { before: "", change: "", after: "", transaction: "" };
  const end = (entry: "opening" | "closing", time: string): Row => {
    const { ledger_version: version, balance } = statement[entry];
    return { ...empty, entry, time, version, after: format(BigInt(balance)) };
  };
  yield end("opening", statement.from);
  for (const { version, timestamp_usec, before, after, transaction_hash: transaction } of changes) {
    yield {
      entry: "change",
      time: formatTime(BigInt(timestamp_usec)),
      version,
      before: format(BigInt(before)),
      change: format(BigInt(after) - BigInt(before)),
      after: format(BigInt(after)),
      transaction,
    };
  }
  const sum = BigInt(received) - BigInt(paid);
  yield {
    ...empty,
    entry: "sum",
    time: "",
    version: "",
    before: format(BigInt(opening.balance)),
    change: format(sum),
    after: format(BigInt(opening.balance) + sum),
  };
  yield end("closing", statement.to);
}

/** One JSON object; amounts in the smallest unit. `adds_up` is true, because a statement that does not is refused. */
function* jsonLines(statement: Statement): Generator<string> {
  yield JSON.stringify({ ...statement, adds_up: true });
}

/** A cell of CSV. A text that a spreadsheet would run as a formula gets an apostrophe in front. */
function textCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function* csvLines(statement: Statement): Generator<string> {
  yield "entry,time,version,before,change,after,unit,transaction_hash,trust";
  const unit = textCell(unitOf(statement));
  for (const { entry, time, version, before, change, after, transaction } of rowsOf(statement)) {
    const trust = entry === "opening" || entry === "closing" ? statement[entry].trust : undefined;
    yield [entry, time, version, before, change, after, unit, transaction, textCell(trust ?? "")].join(",");
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

const STYLE = `body{font:14px/1.45 system-ui,sans-serif;color:#111;background:#fff;margin:2em auto;max-width:76em;padding:0 1em}
h1{font-size:1.5em}dl{display:grid;grid-template-columns:max-content 1fr;gap:.2em 1.5em}dt{color:#555}dd{margin:0;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;margin:1.5em 0}th,td{padding:.3em .6em;border-bottom:1px solid #ccc;text-align:left;vertical-align:top}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}.h{font:11px/1.45 ui-monospace,monospace;overflow-wrap:anywhere}
.opening,.sum,.closing{font-weight:600;background:#f4f4f4}
@media print{@page{margin:14mm}body{margin:0;max-width:none;font-size:10px}thead{display:table-header-group}tr{break-inside:avoid}.h{font-size:7px}}`;

const ENTRY_NAMES: Readonly<Record<Row["entry"], string>> = {
  opening: "Opening balance",
  change: "Change",
  sum: "Sum of the changes",
  closing: "Closing balance",
};

function* htmlLines(statement: Statement): Generator<string> {
  const { address, asset_type, name, left_out, opening, closing, changes, chain_id } = statement;
  const format = amountFormatter(statement);
  const unit = unitOf(statement);
  const title = `Statement of ${name ?? asset_type} from ${statement.from} to ${statement.to}`;
  const facts: readonly (readonly [string, string])[] = [
    ["Account", address],
    ["Asset", name === undefined ? asset_type : `${name} (${unit}), ${asset_type}`],
    ...(left_out === undefined ? [] : [["Left out", left_out] as const]),
    ["Unit", unit],
    ["Chain", `${chain_id}`],
    ["Period", `from ${statement.from}, until before ${statement.to}`],
    ["Opening balance", `${format(BigInt(opening.balance))}, after version ${opening.ledger_version}`],
    ["Received", format(BigInt(statement.received))],
    ["Paid", format(BigInt(statement.paid))],
    ["Closing balance", `${format(BigInt(closing.balance))}, after version ${closing.ledger_version}`],
    ["Changes", `${changes.length}`],
    ["Trust", trustText(statement)],
    [
      "Check",
      "opening balance + received - paid = closing balance, and each change begins where the last ended",
    ],
  ];
  yield "<!doctype html>";
  yield '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">';
  yield `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`;
  yield `<title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body><h1>Statement of account</h1><dl>`;
  for (const [term, text] of facts) yield `<dt>${term}</dt><dd>${escapeHtml(text)}</dd>`;
  yield `</dl><table><thead><tr><th>Entry</th><th>Time</th><th class="n">Version</th><th class="n">Before</th><th class="n">Change</th><th class="n">After</th><th>Transaction</th></tr></thead><tbody>`;
  for (const { entry, time, version, before, change, after, transaction } of rowsOf(statement)) {
    yield `<tr class="${entry}"><td>${ENTRY_NAMES[entry]}</td><td>${escapeHtml(time)}</td><td class="n">${escapeHtml(version)}</td><td class="n">${before}</td><td class="n">${change}</td><td class="n">${after}</td><td class="h">${escapeHtml(transaction)}</td></tr>`;
  }
  yield "</tbody></table></body></html>";
}

function trustText({ opening, closing }: Statement): string {
  const [first, last] = [opening.trust ?? "not stated", closing.trust ?? "not stated"];
  return first === last ? first : `opening balance ${first}, closing balance ${last}`;
}

/** The lines of a statement in each form. */
export const STATEMENT_FORMS = { csv: csvLines, json: jsonLines, html: htmlLines } as const;
