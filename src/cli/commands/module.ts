// `sextant module`: one module of an account.
import { accountModuleRoute } from "../../interface/routes.ts";
import { stateReadCommand } from "../read-command.ts";

export const moduleCommand = stateReadCommand({
  name: "module",
  operands: ["ADDRESS", "NAME"],
  examples: ["sextant module 0x1 coin"],
  ask: (source, [address = "", module_name = ""], at) =>
    source.read(accountModuleRoute, { address, module_name, ...at }),
});
