// `sextant account`: an account.
import { accountRoute } from "../../interface/routes.ts";
import { stateReadCommand } from "../read-command.ts";

export const accountCommand = stateReadCommand({
  name: "account",
  operands: ["ADDRESS"],
  examples: ["sextant account 0x1", "sextant account ada --ledger-version 7"],
  ask: (source, [address = ""], at) => source.read(accountRoute, { address, ...at }),
});
