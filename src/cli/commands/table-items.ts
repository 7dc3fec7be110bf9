// `sextant table-items`: the rows of a table, or how many there are.
import { parseOperand } from "../../node.ts";
import { command, EXIT_OK } from "../command.ts";
import { checkOperand, NameFinder } from "../names.ts";
import { operandsOf } from "../operands.ts";
import { switchOption, textOption } from "../option.ts";
import { askSource } from "../source/open.ts";
import {
  readAtExclusions,
  readAtOf,
  readAtOptions,
  sourceExclusions,
  sourceOptions,
} from "../source/options.ts";

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
  exclusions: [...sourceExclusions, ...readAtExclusions, { one: "count", others: ["json"] }],
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
