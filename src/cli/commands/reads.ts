// Commands that print what one read of the HTTP interface answers, as JSON.
import { ConfigError } from "../../base/errors.ts";
import { switchOption, textOption } from "../../base/option.ts";
import { paramNames, type Route } from "../../interface/route.ts";
import {
  accountTransactionsRoute,
  blockByHeightRoute,
  blockByVersionRoute,
  gasPriceRoute,
  READ_COMMANDS,
  tableItemRoute,
  transactionByHashRoute,
  transactionByVersionRoute,
  transactionsRoute,
} from "../../interface/routes.ts";
import { parseOperand } from "../../node.ts";
import { NameFinder } from "../names.ts";
import { questionCommand } from "../question-command.ts";
import { minVersionOptions, sourceOptions, stateOptions } from "../source/options.ts";

/** Options of commands that read the history. */
const historyOptions = { ...sourceOptions, ...minVersionOptions };

export const readCommands = Object.entries(READ_COMMANDS).map(
  ([name, { route, operands: words, examples }]) =>
    questionCommand({
      name,
      operands: words,
      options: stateOptions,
      examples,
      answer: async ({ source, operands, at, context: { out } }) => {
        const params = Object.fromEntries(
          paramNames(route.path).map((param, i) => [param, operands[i] ?? ""]),
        );
        const [asked, values] = [route as Route, { ...params, ...at }];
        if (asked.queryNames.includes("start"))
          for await (const line of source.list(asked, values)) out(line);
        else out(await source.read(asked, values));
      },
    }),
);

function parseKey(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`KEY: expected JSON, such as '"0x1"', got ${JSON.stringify(text)}`, error);
  }
}

export const tableItemCommand = questionCommand({
  name: "table-item",
  operands: ["TABLE_HANDLE", "KEY_TYPE", "VALUE_TYPE", "KEY"],
  options: stateOptions,
  examples: ["sextant table-item 0x1b85…fdca address u64 '\"0xcafe\"'"],
  answer: async ({ source, operands, at, context: { out } }) => {
    const [table_handle, key_type, value_type, key] = operands;
    const body = { key_type, value_type, key: parseKey(key) };
    out(await source.read(tableItemRoute, { table_handle, ...at }, body));
  },
});

const DIGITS = /^[0-9]{1,20}$/;

export const transactionCommand = questionCommand({
  name: "transaction",
  operands: ["VERSION_OR_HASH"],
  options: historyOptions,
  examples: ["sextant transaction 0", "sextant transaction 0x88fb…1ca1"],
  answer: async ({ source, operands: [which], context: { out } }) => {
    if (!DIGITS.test(which)) return out(await source.read(transactionByHashRoute, { txn_hash: which }));
    const txn_version = parseOperand("version", "VERSION_OR_HASH", which);
    out(await source.read(transactionByVersionRoute, { txn_version }));
  },
});

export const transactionsCommand = questionCommand({
  name: "transactions",
  operands: [],
  options: {
    ...historyOptions,
    account: textOption("Only transactions that this account sent", "ADDRESS"),
    start: textOption(
      "First version, or with --account first sequence number; the last ones if left out",
      "N",
    ),
    limit: textOption("Most transactions: 25 unless given, at most 100", "N"),
  },
  examples: ["sextant transactions --limit 3", "sextant transactions --account 0xcafe --start 0"],
  answer: async ({ source, values: { account, start, limit }, context: { out } }) => {
    const page = {
      start: start === undefined ? undefined : parseOperand("version", "--start", start),
      limit: limit === undefined ? undefined : parseOperand("version", "--limit", limit),
    };
    if (account === undefined) return out(await source.read(transactionsRoute, page));
    const address = await new NameFinder(source).find("address", "--account", account);
    out(await source.read(accountTransactionsRoute, { address, ...page }));
  },
});

export const blockCommand = questionCommand({
  name: "block",
  operands: [],
  options: {
    ...historyOptions,
    height: textOption("Height of the block", "HEIGHT"),
    version: textOption("A version in the block", "VERSION"),
    "with-transactions": switchOption("Print its transactions too", false),
  },
  examples: ["sextant block --height 0", "sextant block --version 12 --with-transactions"],
  answer: async ({ source, values, context: { out } }) => {
    const { height, version, "with-transactions": with_transactions } = values;
    if ((height === undefined) === (version === undefined)) {
      throw new ConfigError("--height, --version: expected one of them");
    }
    const block =
      height === undefined
        ? source.read(blockByVersionRoute, {
            version: parseOperand("version", "--version", version ?? ""),
            with_transactions,
          })
        : source.read(blockByHeightRoute, {
            block_height: parseOperand("version", "--height", height),
            with_transactions,
          });
    out(await block);
  },
});

export const gasPriceCommand = questionCommand({
  name: "gas-price",
  operands: [],
  options: historyOptions,
  examples: ["sextant gas-price"],
  answer: async ({ source, context: { out } }) => out(await source.read(gasPriceRoute, {})),
});
