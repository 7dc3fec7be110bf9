// The statement of `sextant statement`, made in the browser by the same code.

import { readStatements, type Statement } from "../../../src/cli/statement.ts";
import { historyCsv, STATEMENT_FORMS } from "../../../src/cli/statement-forms.ts";
import { type Answer, ask, askText, path } from "./api.ts";

/** Longest wait for a whole history. */
const HISTORY_TIMEOUT_MS = 120_000;

/** The changes of a balance, one JSON object each. */
async function* historyOf(
  balance: string,
  query: { readonly from: string | undefined; readonly to: string | undefined },
): AsyncGenerator<string> {
  const accept = "application/x-ndjson";
  const { data } = await askText(`${balance}/history`, { query, accept, timeoutMs: HISTORY_TIMEOUT_MS });
  for (const line of data.split("\n")) if (line !== "") yield line;
}

async function jsonOf(relative: string): Promise<string> {
  return JSON.stringify((await ask<unknown>(relative)).data);
}

/** Reads the statement of a period, and checks that it adds up. Throws if it does not. */
export function statementOf(
  address: string,
  asset: string,
  period: { readonly fromUsec: bigint; readonly toUsec: bigint },
): Promise<readonly Statement[]> {
  const balance = path("accounts", address, "balance", asset);
  return readStatements(
    {
      async detail(_address, _asset, { at }) {
        const { data, ledger } = await ask<unknown>(`${balance}/detail`, { query: { at } });
        return { text: JSON.stringify(data), trust: ledger.trust };
      },
      history: (_address, _asset, { from, to }) => historyOf(balance, { from, to }),
      // Of one asset, which is named.
      async *holdings() {},
      info: () => jsonOf("info"),
      ledger: () => jsonOf(""),
      transaction: (version) => jsonOf(path("transactions", "by_version", version)),
    },
    { address, asset, ...period, node: location.origin },
  );
}

/** Statements as a file. */
export function statementText(statements: readonly Statement[], form: keyof typeof STATEMENT_FORMS): string {
  return `${[...STATEMENT_FORMS[form](statements)].join("\n")}\n`;
}

/** The changes of a balance as CSV, in the unit that statements have. */
export async function historyText(
  address: string,
  asset: string,
  range: { readonly from: string | undefined; readonly to: string | undefined },
  unit: Parameters<typeof historyCsv>[1],
): Promise<string> {
  const changes: Answer<"get_balance_history">[number][] = [];
  for await (const line of historyOf(path("accounts", address, "balance", asset), range)) {
    changes.push(JSON.parse(line) as (typeof changes)[number]);
  }
  return `${[...historyCsv(changes, unit)].join("\n")}\n`;
}
