// `sextant history`: the changes of a balance.
import { ConfigError } from "../../base/errors.ts";
import { formatTime } from "../../base/time-text.ts";
import { isReversed, parseOperand } from "../../node.ts";
import { command, EXIT_OK } from "../command.ts";
import { choiceOption, integerOption, textOption } from "../option.ts";
import { askSource, minVersionOptions, operandsOf, sourceExclusions, sourceOptions } from "../source.ts";

interface Change {
  readonly version: string;
  readonly timestamp_usec: string;
  readonly before: string;
  readonly after: string;
  readonly transaction_hash: string;
}

const COLUMNS = ["version", "timestamp_usec", "before", "after", "transaction_hash"] as const;

function toText({ version, timestamp_usec, before, after, transaction_hash }: Change): string {
  const difference = BigInt(after) - BigInt(before);
  const sign = difference < 0n ? "" : "+";
  return `${version}  ${formatTime(BigInt(timestamp_usec))}  ${sign}${difference}  ${after}  ${transaction_hash}`;
}

export const historyCommand = command({
  name: "history",
  summary: "Print every change of an account's balance between two versions or times",
  operands: "ADDRESS ASSET",
  options: {
    ...sourceOptions,
    ...minVersionOptions,
    from: textOption(
      "First version, or first moment (RFC 3339, or Unix seconds behind an @; default the oldest change kept)",
      "VERSION|TIME",
    ),
    to: textOption("Last version, or last moment (default the latest)", "VERSION|TIME"),
    points: integerOption(
      "For charts: about this many changes, the first, last, lowest and highest of equal spans of time",
      "COUNT",
      { min: 4, max: 4000, fallback: undefined },
    ),
    format: choiceOption(
      "text: version, time, difference, balance after, transaction; json: one object on each line",
      ["text", "csv", "json"],
      "text",
    ),
  },
  exclusions: sourceExclusions,
  examples: [
    "sextant history 0xcafe 0x1::aptos_coin::AptosCoin",
    "sextant history 0xcafe 0xa --from 2026-01-01T00:00:00Z --to 2026-01-31T23:59:59Z --format csv",
  ],
  run: async (values, operands, context) => {
    const [address, asset] = operandsOf(operands, ["ADDRESS", "ASSET"]);
    parseOperand("address", "ADDRESS", address);
    parseOperand("asset", "ASSET", asset);
    const { from, to, points, format } = values;
    const first = from === undefined ? undefined : parseOperand("from", "--from", from);
    const last = to === undefined ? undefined : parseOperand("to", "--to", to);
    if (isReversed(first, last)) throw new ConfigError("--from: expected at most --to, got more");
    await askSource(values, async (source) => {
      if (format === "csv") context.out(COLUMNS.join(","));
      for await (const line of source.history(address, asset, { from, to, points })) {
        const change = JSON.parse(line) as Change;
        if (format === "json") context.out(line);
        else context.out(format === "csv" ? COLUMNS.map((name) => change[name]).join(",") : toText(change));
      }
    });
    return EXIT_OK;
  },
});
