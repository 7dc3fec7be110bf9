// `sextant modules`: all modules of an account.
import { accountModulesRoute } from "../../interface/routes.ts";
import { stateReadCommand } from "../read-command.ts";

export const modulesCommand = stateReadCommand({
  name: "modules",
  operands: ["ADDRESS"],
  examples: ["sextant modules 0x1"],
  ask: (source, [address = ""], at) => source.list(accountModulesRoute, { address, ...at }),
});
