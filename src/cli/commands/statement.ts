// `sextant statement`: balances before and after a period, with every change between.
import { ConfigError } from "../../base/errors.ts";
import { choiceOption, textOption } from "../../base/option.ts";
import { parseOperand } from "../../node.ts";
import { command, EXIT_OK } from "../command.ts";
import { findOperands } from "../names.ts";
import { proveStatements } from "../proofs/statement-proofs.ts";
import { writeWhole } from "../proofs/whole-file.ts";
import { askSource } from "../source/open.ts";
import { DEFAULT_URL, sourceExclusions, sourceOptions } from "../source/options.ts";
import { parsePeriod, readStatements } from "../statement.ts";
import { STATEMENT_FORMS } from "../statement-forms.ts";

export const statementCommand = command({
  name: "statement",
  operands: "ADDRESS",
  options: {
    ...sourceOptions,
    asset: textOption(
      "Coin type or metadata address of the asset (default every asset of the account)",
      "ASSET",
    ),
    from: textOption(
      "First moment of the period: a day (in UTC), RFC 3339, or @ and Unix seconds",
      "TIMESTAMP",
    ),
    to: textOption("First moment after the period; now for the end of the latest block", "TIMESTAMP|now"),
    month: textOption("The period is this month, in UTC, such as 2026-10", "MONTH"),
    quarter: textOption("The period is this quarter, in UTC, such as 2026-Q3", "QUARTER"),
    format: choiceOption(
      "Output format: csv for spreadsheets, json for programs (one object per asset), html for one page to print or keep, koinly and cointracking for the imports of these tax tools",
      ["csv", "json", "html", "koinly", "cointracking"],
      "csv",
    ),
    proofs: textOption(
      "Also write a file that proves the statement: opening balance, a receipt for each change, closing balance; sextant verify-proof checks it",
      "FILE",
    ),
    "from-waypoint": textOption(
      "With --proofs: waypoint of an epoch's end that the proofs begin at (default the end of the epoch before the period)",
      "VERSION:HASH",
    ),
  },
  exclusions: [
    ...sourceExclusions,
    { one: "month", others: ["quarter", "from", "to"] },
    { one: "quarter", others: ["from", "to"] },
  ],
  requirements: [
    { options: ["from-waypoint"], isMet: ({ proofs }) => proofs !== undefined, needs: "--proofs" },
  ],
  examples: [
    "sextant statement 0xcafe --month 2026-01",
    "sextant statement 0xcafe --quarter 2026-Q1 --format koinly > koinly.csv",
    "sextant statement 0xcafe --month 2026-01 --proofs january.json",
    "sextant statement 0xcafe --asset 0x1::aptos_coin::AptosCoin --from 2026-01-01 --to now --format html > statement.html",
  ],
  run: async (values, operands, context) => {
    const { asset: given, format, data, url = DEFAULT_URL, proofs, "from-waypoint": from } = values;
    const [, surplus] = operands;
    if (given === undefined && surplus !== undefined) {
      throw new ConfigError(`unexpected ${surplus}: the asset is an option, --asset ${surplus}`);
    }
    const findAddress = findOperands(operands, ["ADDRESS"], context);
    const findAsset = given === undefined ? undefined : findOperands([given], ["--asset"], context);
    const period = parsePeriod(values);
    const node = data === undefined ? url : `data directory ${data}`;
    if (from !== undefined) parseOperand("waypoint", "--from-waypoint", from);
    const statements = await askSource(values, async (source) => {
      const [address] = await findAddress(source);
      const [asset] = (await findAsset?.(source)) ?? [];
      const read = await readStatements(source, { address, asset, ...period, node });
      if (proofs === undefined) return read;
      const waypoint = await writeWhole("--proofs", proofs, (put) =>
        proveStatements(source, read, from, put),
      );
      context.err(`note: verify it with: sextant verify-proof ${proofs} --waypoint ${waypoint}`);
      return read;
    });
    for (const line of STATEMENT_FORMS[format](statements)) context.out(line);
    return EXIT_OK;
  },
});
