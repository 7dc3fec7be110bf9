// `sextant verify-genesis`: proves by computation that a file is a network's genesis.
import { readFile } from "node:fs/promises";
import { ConfigError, errorText } from "../../base/errors.ts";
import { verifyGenesis } from "../../node.ts";
import { command, EXIT_FAILED, EXIT_OK } from "../command.ts";
import { operandsOf } from "../operands.ts";
import { switchOption, textOption } from "../option.ts";
import { alignedLines } from "./info.ts";

export const verifyGenesisCommand = command({
  name: "verify-genesis",
  operands: "FILE",
  options: {
    waypoint: textOption("Published waypoint to compare with", "VERSION:HASH"),
    json: switchOption("Print a JSON object", false),
  },
  examples: [
    "sextant verify-genesis genesis.blob",
    'sextant verify-genesis genesis.blob --waypoint "$(cat waypoint.txt)"',
  ],
  run: async (values, operands, context) => {
    const [file] = operandsOf(operands, ["FILE"]);
    let blob: Uint8Array;
    try {
      blob = await readFile(file);
    } catch (error) {
      throw new ConfigError(`cannot read ${file}: ${errorText(error)}`, error);
    }
    const report = await verifyGenesis(blob, values.waypoint);
    const shown = {
      chain_id: report.chainId,
      items: report.items,
      events: report.events,
      validators: report.validators,
      state_root: report.stateRoot,
      waypoint: report.waypoint,
      ...(report.expectedWaypoint === undefined ? {} : { expected_waypoint: report.expectedWaypoint }),
      verdict: report.verdict,
    };
    if (values.json) context.out(JSON.stringify(shown));
    else for (const line of alignedLines(shown)) context.out(line);
    if (report.verdict === "unproven") {
      context.err("warning: no --waypoint was given, so nothing proves that this is a network's genesis");
    }
    if (report.verdict !== "mismatch") return EXIT_OK;
    context.err(`this file's waypoint is ${report.waypoint}, not ${report.expectedWaypoint}`);
    return EXIT_FAILED;
  },
});
