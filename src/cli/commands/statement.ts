// `sextant statement`: a balance before and after a period, with every change between.
import { ConfigError } from "../../base/errors.ts";
import { choiceOption, textOption } from "../../base/option.ts";
import { command, EXIT_OK, operandsOf } from "../command.ts";
import { balanceOperands } from "../names.ts";
import { askSource } from "../source/open.ts";
import { sourceExclusions, sourceOptions } from "../source/options.ts";
import { parsePeriodEnd, readStatement } from "../statement.ts";
import { STATEMENT_FORMS } from "../statement-forms.ts";

export const statementCommand = command({
  name: "statement",
  operands: "ADDRESS",
  options: {
    ...sourceOptions,
    asset: textOption("Coin type or metadata address of the asset", "ASSET"),
    from: textOption(
      "First moment of the period: a day (in UTC), RFC 3339, or @ and Unix seconds",
      "TIMESTAMP",
    ),
    to: textOption("First moment after the period", "TIMESTAMP"),
    format: choiceOption(
      "Output format: csv for spreadsheets, json for programs, html for one page to print or keep",
      ["csv", "json", "html"],
      "csv",
    ),
  },
  exclusions: sourceExclusions,
  examples: [
    "sextant statement 0xcafe --asset 0x1::aptos_coin::AptosCoin --from 2026-01-01 --to 2026-02-01",
    "sextant statement 0xcafe --asset 0x1::aptos_coin::AptosCoin --from 2026-01-01 --to 2026-02-01 --format html > january.html",
  ],
  run: async (values, operands, context) => {
    const { asset: symbol, format } = values;
    const [, surplus] = operands;
    if (symbol === undefined && surplus !== undefined) {
      throw new ConfigError(`unexpected ${surplus}: the asset is an option, --asset ${surplus}`);
    }
    const [account] = operandsOf(operands, ["ADDRESS"]);
    if (symbol === undefined) throw new ConfigError("missing --asset");
    const find = balanceOperands({ address: account, asset: symbol }, context, "--asset");
    const fromUsec = parsePeriodEnd("--from", values.from);
    const toUsec = parsePeriodEnd("--to", values.to);
    if (fromUsec >= toUsec)
      throw new ConfigError("--from: expected a time before --to, got one at or after it");
    const statement = await askSource(values, async (source) =>
      readStatement(source, { ...(await find(source)), fromUsec, toUsec }),
    );
    for (const line of STATEMENT_FORMS[format](statement)) context.out(line);
    return EXIT_OK;
  },
});
