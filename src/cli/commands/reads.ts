// Commands that print what one read of the HTTP interface answers, as JSON.
import { ConfigError } from "../../base/errors.ts";
import { type OptionRecord, type OptionValues, switchOption, textOption } from "../../base/option.ts";
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
import { type CommandRecord, command, EXIT_OK, operandsOf } from "../command.ts";
import { checkOperand, type NamedKind, NameFinder } from "../names.ts";
import { askSource } from "../source/open.ts";
import {
  minVersionOptions,
  readAtOf,
  type SourceValues,
  sourceExclusions,
  sourceOptions,
  stateExclusions,
  stateOptions,
} from "../source/options.ts";
import type { Source } from "../source/source.ts";

/** Operands that may be names of a local chain. */
const NAMED_OPERANDS: Readonly<Record<string, NamedKind>> = { ADDRESS: "address", TABLE_HANDLE: "table" };

const sharedOptions = { ...sourceOptions, ...minVersionOptions };

interface Definition {
  readonly name: string;
  readonly operands: readonly string[];
  readonly examples: readonly string[];
}

/** Finds what names among the operands stand for, and prints what the source answers. */
async function print(
  { operands: names }: Definition,
  values: SourceValues,
  given: readonly string[],
  out: (line: string) => void,
  ask: (source: Source, operands: readonly string[]) => Promise<string> | AsyncIterable<string>,
): Promise<number> {
  const operands = operandsOf(given, [...names]);
  for (const [i, name] of names.entries()) {
    const kind = NAMED_OPERANDS[name];
    if (kind !== undefined) checkOperand(kind, name, operands[i] ?? "");
  }
  await askSource(values, async (source) => {
    const finder = new NameFinder(source);
    const found: string[] = [];
    for (const [i, name] of names.entries()) {
      const kind = NAMED_OPERANDS[name];
      const text = operands[i] ?? "";
      found.push(kind === undefined ? text : await finder.find(kind, name, text));
    }
    const answer = ask(source, found);
    if (answer instanceof Promise) out(await answer);
    else for await (const line of answer) out(line);
  });
  return EXIT_OK;
}

/** A command that reads the state, at the latest or a chosen version. */
function stateReadCommand(
  definition: Definition & {
    ask(
      source: Source,
      operands: readonly string[],
      at: { readonly ledger_version: bigint | undefined; readonly at: string | undefined },
    ): Promise<string> | AsyncIterable<string>;
  },
): CommandRecord {
  return command({
    name: definition.name,
    operands: definition.operands.join(" "),
    options: stateOptions,
    exclusions: stateExclusions,
    examples: definition.examples,
    run: (values, given, context) => {
      const { version, at } = readAtOf(values);
      return print(definition, values, given, context.out, (source, operands) =>
        definition.ask(source, operands, { ledger_version: version, at }),
      );
    },
  });
}

/** A command that reads the history. */
function historyReadCommand<R extends OptionRecord>(
  definition: Definition & {
    readonly options: R;
    ask(source: Source, operands: readonly string[], values: OptionValues<R>): Promise<string>;
  },
): CommandRecord {
  return command<R, typeof sharedOptions>({
    name: definition.name,
    operands: definition.operands.join(" "),
    options: { ...sharedOptions, ...definition.options },
    exclusions: [...sourceExclusions],
    examples: definition.examples,
    run: (values, given, context) =>
      print(definition, values, given, context.out, (source, operands) =>
        definition.ask(source, operands, values),
      ),
  });
}

export const readCommands = Object.entries(READ_COMMANDS).map(([name, { route, operands, examples }]) =>
  stateReadCommand({
    name,
    operands,
    examples,
    ask: (source, given, at) => {
      const params = Object.fromEntries(paramNames(route.path).map((param, i) => [param, given[i] ?? ""]));
      const asked = [route as Route, { ...params, ...at }] as const;
      return asked[0].queryNames.includes("start") ? source.list(...asked) : source.read(...asked);
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

export const tableItemCommand = stateReadCommand({
  name: "table-item",
  operands: ["TABLE_HANDLE", "KEY_TYPE", "VALUE_TYPE", "KEY"],
  examples: ["sextant table-item 0x1b85…fdca address u64 '\"0xcafe\"'"],
  ask: (source, [table_handle = "", key_type = "", value_type = "", key = ""], at) =>
    source.read(tableItemRoute, { table_handle, ...at }, { key_type, value_type, key: parseKey(key) }),
});

const DIGITS = /^[0-9]{1,20}$/;

export const transactionCommand = historyReadCommand({
  name: "transaction",
  operands: ["VERSION_OR_HASH"],
  options: {},
  examples: ["sextant transaction 0", "sextant transaction 0x88fb…1ca1"],
  ask: async (source, [which = ""]) =>
    DIGITS.test(which)
      ? source.read(transactionByVersionRoute, {
          txn_version: parseOperand("version", "VERSION_OR_HASH", which),
        })
      : source.read(transactionByHashRoute, { txn_hash: which }),
});

export const transactionsCommand = historyReadCommand({
  name: "transactions",
  operands: [],
  options: {
    account: textOption("Only transactions that this account sent", "ADDRESS"),
    start: textOption(
      "First version, or with --account first sequence number; the last ones if left out",
      "N",
    ),
    limit: textOption("Most transactions: 25 unless given, at most 100", "N"),
  },
  examples: ["sextant transactions --limit 3", "sextant transactions --account 0xcafe --start 0"],
  ask: async (source, _, { account, start, limit }) => {
    const page = {
      start: start === undefined ? undefined : parseOperand("version", "--start", start),
      limit: limit === undefined ? undefined : parseOperand("version", "--limit", limit),
    };
    if (account === undefined) return source.read(transactionsRoute, page);
    const address = await new NameFinder(source).find("address", "--account", account);
    return source.read(accountTransactionsRoute, { address, ...page });
  },
});

export const blockCommand = historyReadCommand({
  name: "block",
  operands: [],
  options: {
    height: textOption("Height of the block", "HEIGHT"),
    version: textOption("A version in the block", "VERSION"),
    "with-transactions": switchOption("Print its transactions too", false),
  },
  examples: ["sextant block --height 0", "sextant block --version 12 --with-transactions"],
  ask: async (source, _, { height, version, "with-transactions": with_transactions }) => {
    if ((height === undefined) === (version === undefined)) {
      throw new ConfigError("--height, --version: expected one of them");
    }
    return height === undefined
      ? source.read(blockByVersionRoute, {
          version: parseOperand("version", "--version", version ?? ""),
          with_transactions,
        })
      : source.read(blockByHeightRoute, {
          block_height: parseOperand("version", "--height", height),
          with_transactions,
        });
  },
});

export const gasPriceCommand = historyReadCommand({
  name: "gas-price",
  operands: [],
  options: {},
  examples: ["sextant gas-price"],
  ask: (source) => source.read(gasPriceRoute, {}),
});
