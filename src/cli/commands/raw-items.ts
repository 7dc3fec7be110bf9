// `sextant raw-items`: many table items' stored bytes at one version.
import { askAll, type ItemError, readPairs } from "../batch.ts";
import { command, EXIT_FAILED, EXIT_OK } from "../command.ts";
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

type Result = ItemError & { readonly value?: string };

export const rawItemsCommand = command({
  name: "raw-items",
  summary: "Print many table items' stored bytes, as hex, all at one version",
  operands: "FILE|-",
  options: {
    ...sourceOptions,
    ...minVersionOptions,
    ...readAtOptions,
    json: switchOption("Print one JSON object", false),
  },
  exclusions: [...sourceExclusions, ...readAtExclusions],
  examples: ["sextant raw-items keys.txt    # lines such as: 0x1b85…fdca 0x0619dc29a0aac8fa"],
  run: async (values, operands, context) => {
    const [file] = operandsOf(operands, ["FILE"]);
    const when = readAtOf(values);
    const pairs = await readPairs(file, context);
    const queries = pairs.map(([table_handle, key]) => ({ table_handle, key }));
    const { results, ...read } = await askSource(values, (source) =>
      askAll<(typeof queries)[number], Result>(queries, when, "items", (some, at) =>
        source.rawItems(some, at),
      ),
    );
    if (values.json) context.out(JSON.stringify({ ...read, items: results }));
    else {
      for (const [i, { value, error }] of results.entries()) {
        const pair = pairs[i]?.join(" ");
        if (value !== undefined) context.out(`${pair} ${value}`);
        else context.err(`sextant: ${pair}: ${error?.message}`);
      }
    }
    return results.every(({ error }) => error === undefined) ? EXIT_OK : EXIT_FAILED;
  },
});
