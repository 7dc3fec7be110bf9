// `sextant raw-item`: one table item's stored bytes.
import { parseOperand } from "../../node.ts";
import { command, EXIT_OK } from "../command.ts";
import { checkOperand, NameFinder } from "../names.ts";
import { operandsOf } from "../operands.ts";
import { switchOption } from "../option.ts";
import { askSource } from "../source/open.ts";
import {
  minVersionOptions,
  readAtExclusions,
  readAtOf,
  readAtOptions,
  sourceExclusions,
  sourceOptions,
} from "../source/options.ts";

export const rawItemCommand = command({
  name: "raw-item",
  operands: "TABLE_HANDLE KEY",
  options: {
    ...sourceOptions,
    ...minVersionOptions,
    ...readAtOptions,
    json: switchOption("Print a JSON object", false),
  },
  exclusions: [...sourceExclusions, ...readAtExclusions],
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
