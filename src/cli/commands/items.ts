// `sextant raw-item`, `raw-items` and `table-items`: stored bytes of table items, one, many, or all of a table.

import { switchOption, textOption } from "../../base/option.ts";
import { rawItemRoute, rawItemsRoute, tableItemCountRoute, tableItemsRoute } from "../../interface/routes.ts";
import { parseOperand } from "../../node.ts";
import { batchOptions, runBatch } from "../batch.ts";
import { command } from "../command.ts";
import { questionCommand } from "../question-command.ts";
import { readAtOptions, sourceOptions, stateExclusions, stateOptions } from "../source/options.ts";
import { PAGE_ROWS } from "../source/source.ts";

export const rawItemCommand = questionCommand({
  name: "raw-item",
  operands: ["TABLE_HANDLE", "KEY"],
  options: { ...stateOptions, json: switchOption("Print a JSON object", false) },
  examples: ["sextant raw-item 0x1b85…fdca 0x0619dc29a0aac8fa", "sextant raw-item 0x1b85…fdca 0x00 --json"],
  prepare: ([, key]) => parseOperand("key", "KEY", key),
  answer: async ({ source, operands: [table_handle, key], at, values: { json }, context: { out } }) => {
    const value = JSON.parse(await source.read(rawItemRoute, { table_handle, ...at }, { key })) as string;
    out(json ? JSON.stringify({ table_handle, key, value }) : value);
  },
});

export const rawItemsCommand = command({
  name: "raw-items",
  operands: "FILE|-",
  options: batchOptions,
  exclusions: stateExclusions,
  examples: ["sextant raw-items keys.txt    # lines such as: 0x1b85…fdca 0x0619dc29a0aac8fa"],
  run: (values, operands, context) =>
    runBatch(values, operands, context, {
      route: rawItemsRoute,
      results: "items",
      value: "value",
      toQuery: async (names, { first, second, place }) => ({
        table_handle: await names.find("table", `${place}, table`, first),
        key: second,
      }),
    }),
});

interface Row {
  readonly key: string;
  readonly value: string | null;
}

export const tableItemsCommand = questionCommand({
  name: "table-items",
  operands: ["TABLE_HANDLE"],
  options: {
    ...sourceOptions,
    ...readAtOptions,
    since: textOption(
      "Print only rows that changed after this version, up to the version read; a row that was deleted since is printed as deleted (null with --json)",
      "VERSION",
    ),
    count: switchOption("Print the number of rows instead", false),
    json: switchOption("Print one JSON object for each row", false),
  },
  exclusions: [{ one: "count", others: ["json"] }],
  examples: [
    "sextant table-items 0xc90662174ea9bb138a86766c054f89c33eb636eb910a05ea69cc888a8cc96815",
    "sextant table-items 0xcafe --ledger-version 1000 --since 900 --json",
    "sextant table-items 0xcafe --count",
  ],
  prepare: (_, { since }) => (since === undefined ? since : parseOperand("version", "--since", since)),
  answer: async ({ source, operands: [table_handle], at, values, prepared: since, context: { out } }) => {
    const asked = { table_handle, since, ...at };
    if (values.count) {
      let total = 0n;
      for await (const page of source.pages(tableItemCountRoute, asked))
        total += BigInt((JSON.parse(page) as { readonly count: string }).count);
      out(`${total}`);
      return;
    }
    for await (const line of source.list(tableItemsRoute, { ...asked, limit: PAGE_ROWS })) {
      const { key, value } = JSON.parse(line) as Row;
      out(values.json ? line : `${key}  ${value ?? "deleted"}`);
    }
  },
});
