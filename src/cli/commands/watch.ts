// `sextant watch`: a balance or the blocks, as they change.
import { ConfigError } from "../../base/errors.ts";
import { integerOption, switchOption, textOption } from "../../base/option.ts";
import { formatTime } from "../../base/texts/time-text.ts";
import { parseOperand } from "../../node.ts";
import { type CommandContext, command, EXIT_OK } from "../command.ts";
import { findOperands } from "../names.ts";
import { askSource } from "../source/open.ts";
import { minVersionOptions, sourceExclusions, sourceOptions } from "../source/options.ts";
import type { Source, WatchQuery } from "../source/source.ts";

type Event = Readonly<Record<string, string>>;

function toText(event: Event): string {
  const { timestamp_usec = "0", height, first_version, last_version } = event;
  const time = formatTime(BigInt(timestamp_usec));
  if (height !== undefined) return `${last_version}  ${time}  block ${height} from version ${first_version}`;
  const { version, balance = "0", before, transaction_hash } = event;
  if (before === undefined) return `${version}  ${time}  ${balance}`;
  const difference = BigInt(balance) - BigInt(before);
  return `${version}  ${time}  ${balance}  ${difference < 0n ? "" : "+"}${difference}  ${transaction_hash}`;
}

/** Checks the operands; the function returned finds what they stand for. */
function queryOf(
  operands: readonly string[],
  after: bigint | undefined,
  context: CommandContext,
): (source: Source) => Promise<WatchQuery> {
  if (operands.length === 0) return async () => ({ balance: undefined, after });
  const find = findOperands(operands, ["ADDRESS", "ASSET"], context);
  return async (source) => {
    const [address, asset_type] = await find(source);
    return { balance: { address, asset_type }, after };
  };
}

export const watchCommand = command({
  name: "watch",
  operands: "[ADDRESS ASSET]",
  options: {
    ...sourceOptions,
    ...minVersionOptions,
    after: textOption(
      "Begin with the changes after this version, instead of the current balance or block",
      "VERSION",
    ),
    count: integerOption("Stop after this many lines (default never)", "COUNT", {
      fallback: undefined,
      min: 1,
      max: 1_000_000_000,
    }),
    json: switchOption("Print a JSON object on each line", false),
  },
  exclusions: sourceExclusions,
  examples: [
    "sextant watch 0xcafe 0x1::aptos_coin::AptosCoin",
    "sextant watch --json",
    "sextant watch 0xcafe 0x1::aptos_coin::AptosCoin --after 1200 --count 5",
  ],
  run: async (values, operands, context) => {
    const { after, count, json } = values;
    const find = queryOf(
      operands,
      after === undefined ? undefined : parseOperand("version", "--after", after),
      context,
    );
    await askSource(values, async (source) => {
      const query = await find(source);
      let printed = 0;
      const notes = (note: string): void => context.err(`sextant: ${note}`);
      for await (const line of source.watch(query, notes)) {
        context.out(json ? line : toText(JSON.parse(line) as Event));
        if (++printed === count) return;
      }
      throw new ConfigError("the sequence of events ended");
    });
    return EXIT_OK;
  },
});
