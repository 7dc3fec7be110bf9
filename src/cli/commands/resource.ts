// `sextant resource`: one resource of an account.
import { accountResourceRoute } from "../../interface/routes.ts";
import { stateReadCommand } from "../read-command.ts";

export const resourceCommand = stateReadCommand({
  name: "resource",
  operands: ["ADDRESS", "TYPE"],
  examples: ["sextant resource 0x1 0x1::chain_id::ChainId"],
  ask: (source, [address = "", resource_type = ""], at) =>
    source.read(accountResourceRoute, { address, resource_type, ...at }),
});
