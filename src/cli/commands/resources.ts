// `sextant resources`: all resources of an account.
import { accountResourcesRoute } from "../../interface/routes.ts";
import { stateReadCommand } from "../read-command.ts";

export const resourcesCommand = stateReadCommand({
  name: "resources",
  operands: ["ADDRESS"],
  examples: ["sextant resources 0xcafe"],
  ask: (source, [address = ""], at) => source.list(accountResourcesRoute, { address, ...at }),
});
