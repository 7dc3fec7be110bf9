// `sextant verify-proof`: checks a proof without a network, a node or a store.
import { readFile } from "node:fs/promises";
import { ConfigError, errorText } from "../../base/errors.ts";
import { checkProof } from "../../node.ts";
import { command, EXIT_FAILED, EXIT_OK } from "../command.ts";
import { operandsOf } from "../operands.ts";
import { switchOption, textOption } from "../option.ts";
import { alignedLines } from "./info.ts";

export const verifyProofCommand = command({
  name: "verify-proof",
  operands: "FILE|-",
  options: {
    waypoint: textOption("Waypoint that you trust; the proof must begin at it", "VERSION:HASH"),
    json: switchOption("Print a JSON object", false),
  },
  examples: ['sextant verify-proof proof.json --waypoint "$(cat waypoint.txt)"'],
  run: async (values, operands, context) => {
    const [file] = operandsOf(operands, ["FILE"]);
    const { waypoint, json } = values;
    if (waypoint === undefined) {
      throw new ConfigError(
        "--waypoint: expected the waypoint that you trust; without one nothing is proven",
      );
    }
    let proof: Uint8Array;
    try {
      proof = file === "-" ? await context.readStdin() : await readFile(file);
    } catch (error) {
      throw new ConfigError(`cannot read ${file}: ${errorText(error)}`, error);
    }
    const { verdict, reason, shown } = checkProof(proof, waypoint);
    const report = { verdict, ...(reason === undefined ? {} : { reason }), ...shown };
    if (json) context.out(JSON.stringify(report));
    else if (reason === undefined) for (const line of alignedLines(report)) context.out(line);
    if (reason === undefined) return EXIT_OK;
    context.err(`${file} proves nothing: ${reason}`);
    return EXIT_FAILED;
  },
});
