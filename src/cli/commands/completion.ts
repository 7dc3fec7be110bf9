// `sextant completion`: the script that teaches a shell to complete commands and options.
import { ConfigError } from "../../base/errors.ts";
import { didYouMean } from "../../base/nearest.ts";
import { type Command, command, EXIT_OK } from "../command.ts";
import { completionScript, SHELLS } from "../completion.ts";
import { operandsOf } from "../operands.ts";

/** The command; it completes itself too, so it loads all commands when it runs. */
export function completionCommand(loadAll: () => Promise<readonly Command[]>): Command {
  return command({
    name: "completion",
    operands: SHELLS.join("|"),
    options: {},
    examples: [
      "source <(sextant completion bash)",
      "source <(sextant completion zsh)",
      "sextant completion fish | source",
    ],
    run: async (_, operands, context) => {
      const [given] = operandsOf(operands, ["SHELL"]);
      const shell = SHELLS.find((one) => one === given);
      if (shell === undefined) {
        throw new ConfigError(
          `SHELL: expected one of ${SHELLS.join(", ")}, got ${JSON.stringify(given)}${didYouMean(given, SHELLS)}`,
        );
      }
      context.out(completionScript(shell, await loadAll()));
      return EXIT_OK;
    },
  });
}
