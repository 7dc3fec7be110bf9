// `sextant transactions`: transactions of a range, or of an account.
import { accountTransactionsRoute, transactionsRoute } from "../../interface/routes.ts";
import { parseOperand } from "../../node.ts";
import { NameFinder } from "../names.ts";
import { textOption } from "../option.ts";
import { historyReadCommand } from "../read-command.ts";

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
