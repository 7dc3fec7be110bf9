// `sextant raw-item`: one table item's stored bytes.
import { parseOperand } from "../../node.ts";
import { command, EXIT_OK } from "../command.ts";
import { switchOption } from "../option.ts";
import {
  askSource,
  minVersionOptions,
  operandsOf,
  readAtExclusions,
  readAtOf,
  readAtOptions,
  sourceExclusions,
  sourceOptions,
} from "../source.ts";

export const rawItemCommand = command({
  name: "raw-item",
  summary: "Print the stored bytes of one table item as hex",
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
    const [handle, key] = operandsOf(operands, ["TABLE_HANDLE", "KEY"]);
    parseOperand("table", "TABLE_HANDLE", handle);
    parseOperand("key", "KEY", key);
    const at = readAtOf(values);
    const answer = await askSource(values, (source) => source.rawItem(handle, key, at));
    const value = JSON.parse(answer) as string;
    context.out(values.json ? JSON.stringify({ table_handle: handle, key, value }) : value);
    return EXIT_OK;
  },
});
