// `sextant verify-genesis` and `verify-proof`: checks by computation, without a network, a node or a store.
import { readFile } from "node:fs/promises";
import { ConfigError, errorText } from "../../base/errors.ts";
import { switchOption, textOption } from "../../base/option.ts";
import { checkProof, verifyGenesis } from "../../node.ts";
import { command, EXIT_FAILED, EXIT_OK, operandsOf, readInput } from "../command.ts";
import { printFields } from "./info.ts";

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
    printFields(shown, values.json, context);
    if (report.verdict === "unproven") {
      context.err("warning: no --waypoint was given, so nothing proves that this is a network's genesis");
    }
    if (report.verdict !== "mismatch") return EXIT_OK;
    context.err(`this file's waypoint is ${report.waypoint}, not ${report.expectedWaypoint}`);
    return EXIT_FAILED;
  },
});

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
    const proof = await readInput(file, context);
    const { verdict, reason, shown } = checkProof(proof, waypoint);
    const report = { verdict, ...(reason === undefined ? {} : { reason }), ...shown };
    if (json || reason === undefined) printFields(report, json, context);
    if (reason === undefined) return EXIT_OK;
    context.err(`${file} proves nothing: ${reason}`);
    return EXIT_FAILED;
  },
});
