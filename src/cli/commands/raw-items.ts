// `sextant raw-items`: many table items' stored bytes at one version.
import { batchExclusions, batchOptions, runBatch } from "../batch.ts";
import { command } from "../command.ts";

export const rawItemsCommand = command({
  name: "raw-items",
  operands: "FILE|-",
  options: batchOptions,
  exclusions: batchExclusions,
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
