// `sextant transaction`: one transaction.

import { transactionByHashRoute, transactionByVersionRoute } from "../../interface/routes.ts";
import { parseOperand } from "../../node.ts";
import { historyReadCommand } from "../read-command.ts";

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
