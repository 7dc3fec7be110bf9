// `sextant history`: the changes of a balance.
import { ConfigError } from "../../base/errors.ts";
import { choiceOption, integerOption, textOption } from "../../base/option.ts";
import { formatTime } from "../../base/texts/time-text.ts";
import { isReversed, parseOperand } from "../../node.ts";
import { questionCommand } from "../question-command.ts";
import { minVersionOptions, sourceOptions } from "../source/options.ts";
import type { ChangeText } from "../source/source.ts";

const COLUMNS = ["version", "timestamp_usec", "before", "after", "transaction_hash"] as const;

function toText({ version, timestamp_usec, before, after, transaction_hash }: ChangeText): string {
  const difference = BigInt(after) - BigInt(before);
  const sign = difference < 0n ? "" : "+";
  return `${version}  ${formatTime(BigInt(timestamp_usec))}  ${sign}${difference}  ${after}  ${transaction_hash}`;
}

export const historyCommand = questionCommand({
  name: "history",
  operands: ["ADDRESS", "ASSET"],
  options: {
    ...sourceOptions,
    ...minVersionOptions,
    from: textOption(
      "First version or time to include; a time is RFC 3339, or @ and Unix seconds (default the oldest kept change)",
      "VERSION|TIMESTAMP",
    ),
    to: textOption("Last version or time to include (default the latest)", "VERSION|TIMESTAMP"),
    points: integerOption(
      "Print only about this many changes, for a chart: the first, last, lowest and highest of each of equal time spans",
      "COUNT",
      { min: 4, max: 4000, fallback: undefined },
    ),
    format: choiceOption(
      "Output format; text has version, time, difference, new balance and transaction; json has one object per line",
      ["text", "csv", "json"],
      "text",
    ),
  },
  examples: [
    "sextant history 0xcafe 0x1::aptos_coin::AptosCoin",
    "sextant history 0xcafe 0x1::aptos_coin::AptosCoin --from 2026-01-01T00:00:00Z --to 2026-01-31T23:59:59Z --format csv",
  ],
  prepare: (_, { from, to }) => {
    const first = from === undefined ? undefined : parseOperand("from", "--from", from);
    const last = to === undefined ? undefined : parseOperand("to", "--to", to);
    if (isReversed(first, last)) throw new ConfigError("--from: expected at most --to, got more");
  },
  answer: async ({ source, operands, values, context: { out } }) => {
    const { from, to, points, format } = values;
    let isFirst = true;
    // Not before the first response: a refusal prints no header.
    const printHeader = (): void => {
      if (format === "csv" && isFirst) out(COLUMNS.join(","));
      isFirst = false;
    };
    for await (const line of source.history(...operands, { from, to, points })) {
      printHeader();
      const change = JSON.parse(line) as ChangeText;
      if (format === "json") out(line);
      else out(format === "csv" ? COLUMNS.map((name) => change[name]).join(",") : toText(change));
    }
    printHeader();
  },
});
