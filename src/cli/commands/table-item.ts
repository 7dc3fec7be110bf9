// `sextant table-item`: one table item, decoded.
import { ConfigError } from "../../base/errors.ts";
import { tableItemRoute } from "../../interface/routes.ts";
import { stateReadCommand } from "../read-command.ts";

function parseKey(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`KEY: expected JSON, such as '"0x1"', got ${JSON.stringify(text)}`, error);
  }
}

export const tableItemCommand = stateReadCommand({
  name: "table-item",
  operands: ["TABLE_HANDLE", "KEY_TYPE", "VALUE_TYPE", "KEY"],
  examples: ["sextant table-item 0x1b85…fdca address u64 '\"0xcafe\"'"],
  ask: (source, [table_handle = "", key_type = "", value_type = "", key = ""], at) =>
    source.read(tableItemRoute, { table_handle, ...at }, { key_type, value_type, key: parseKey(key) }),
});
