// The statement of `sextant statement`, made in the browser by the same code.

import { readStatement, type Statement } from "../../../src/cli/statement.ts";
import { STATEMENT_FORMS } from "../../../src/cli/statement-forms.ts";
import { ask, askText, path } from "./api.ts";

/** Reads the statement of a period, and checks that it adds up. Throws if it does not. */
export async function statementOf(
  address: string,
  asset: string,
  period: { readonly fromUsec: bigint; readonly toUsec: bigint },
): Promise<Statement> {
  const balance = path("accounts", address, "balance", asset);
  return readStatement(
    {
      async detail(_address, _asset, { at }) {
        const { data, ledger } = await ask<unknown>(`${balance}/detail`, { query: { at } });
        return { text: JSON.stringify(data), trust: ledger.trust };
      },
      async *history(_address, _asset, { from, to }) {
        const { data } = await askText(`${balance}/history`, {
          query: { from, to },
          accept: "application/x-ndjson",
          timeoutMs: 120_000,
        });
        for (const line of data.split("\n")) if (line !== "") yield line;
      },
      ledger: async () => JSON.stringify((await ask<unknown>("")).data),
    },
    { address, asset, ...period },
  );
}

/** The statement as a file. */
export function statementText(statement: Statement, form: keyof typeof STATEMENT_FORMS): string {
  return `${[...STATEMENT_FORMS[form](statement)].join("\n")}\n`;
}
