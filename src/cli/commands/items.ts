// `sextant raw-item`, `raw-items` and `table-items`: stored bytes of table items, one, many, or all of a table.

import { switchOption, textOption } from "../../base/option.ts";
import { parseOperand } from "../../node.ts";
import { batchOptions, runBatch } from "../batch.ts";
import { command, EXIT_OK, operandsOf } from "../command.ts";
import { checkOperand, NameFinder } from "../names.ts";
import { askSource } from "../source/open.ts";
import { readAtOf, readAtOptions, sourceOptions, stateExclusions, stateOptions } from "../source/options.ts";

export const rawItemCommand = command({
  name: "raw-item",
  operands: "TABLE_HANDLE KEY",
  options: { ...stateOptions, json: switchOption("Print a JSON object", false) },
  exclusions: stateExclusions,
  examples: ["sextant raw-item 0x1b85…fdca 0x0619dc29a0aac8fa", "sextant raw-item 0x1b85…fdca 0x00 --json"],
  run: async (values, operands, context) => {
    const [table, key] = operandsOf(operands, ["TABLE_HANDLE", "KEY"]);
    checkOperand("table", "TABLE_HANDLE", table);
    parseOperand("key", "KEY", key);
    const at = readAtOf(values);
    await askSource(values, async (source) => {
      const handle = await new NameFinder(source).find("table", "TABLE_HANDLE", table);
      const value = JSON.parse(await source.rawItem(handle, key, at)) as string;
      context.out(values.json ? JSON.stringify({ table_handle: handle, key, value }) : value);
    });
    return EXIT_OK;
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
      results: "items",
      value: "value",
      toQuery: async (names, { first, second, place }) => ({
        table_handle: await names.find("table", `${place}, table`, first),
        key: second,
      }),
      ask: (source, queries, at) => source.rawItems(queries, at),
    }),
});

interface Row {
  readonly key: string;
  readonly value: string | null;
}

export const tableItemsCommand = command({
  name: "table-items",
  operands: "TABLE_HANDLE",
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
  exclusions: [...stateExclusions, { one: "count", others: ["json"] }],
  examples: [
    "sextant table-items 0xc90662174ea9bb138a86766c054f89c33eb636eb910a05ea69cc888a8cc96815",
    "sextant table-items 0xcafe --ledger-version 1000 --since 900 --json",
    "sextant table-items 0xcafe --count",
  ],
  run: async (values, operands, context) => {
    const [table] = operandsOf(operands, ["TABLE_HANDLE"]);
    checkOperand("table", "TABLE_HANDLE", table);
    const when = {
      ...readAtOf(values),
      since: values.since === undefined ? undefined : parseOperand("version", "--since", values.since),
    };
    await askSource(values, async (source) => {
      const handle = await new NameFinder(source).find("table", "TABLE_HANDLE", table);
      if (values.count) {
        context.out(`${await source.countTableItems(handle, when)}`);
        return;
      }
      for await (const line of source.tableItems(handle, when)) {
        const { key, value } = JSON.parse(line) as Row;
        context.out(values.json ? line : `${key}  ${value ?? "deleted"}`);
      }
    });
    return EXIT_OK;
  },
});
