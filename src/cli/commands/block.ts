// `sextant block`: one block.
import { ConfigError } from "../../base/errors.ts";
import { blockByHeightRoute, blockByVersionRoute } from "../../interface/routes.ts";
import { parseOperand } from "../../node.ts";
import { switchOption, textOption } from "../option.ts";
import { historyReadCommand } from "../read-command.ts";

export const blockCommand = historyReadCommand({
  name: "block",
  operands: [],
  options: {
    height: textOption("Height of the block", "HEIGHT"),
    version: textOption("A version in the block", "VERSION"),
    "with-transactions": switchOption("Print its transactions too", false),
  },
  examples: ["sextant block --height 0", "sextant block --version 12 --with-transactions"],
  ask: async (source, _, { height, version, "with-transactions": with_transactions }) => {
    if ((height === undefined) === (version === undefined)) {
      throw new ConfigError("--height, --version: expected one of them");
    }
    return height === undefined
      ? source.read(blockByVersionRoute, {
          version: parseOperand("version", "--version", version ?? ""),
          with_transactions,
        })
      : source.read(blockByHeightRoute, {
          block_height: parseOperand("version", "--height", height),
          with_transactions,
        });
  },
});
