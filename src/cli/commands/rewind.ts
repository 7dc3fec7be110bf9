// `sextant rewind`: removes everything above an earlier version from a store.
import { ConfigError } from "../../base/errors.ts";
import { U64_MAX } from "../../base/numbers.ts";
import { choiceOption, switchOption, textOption } from "../../base/option.ts";
import { type RewindReport, rewindData } from "../../node.ts";
import { command, EXIT_OK, operandsOf } from "../command.ts";
import { interruptible, RESUMES } from "../interrupt.ts";
import { createLogger, LOG_LEVELS } from "../log.ts";
import { startParts } from "../progress.ts";
import { storeOf, storeOptions, storeRules } from "../store-options.ts";
import { printFields } from "./info.ts";

function versionOf(text: string | undefined): bigint {
  const version = text !== undefined && /^(0|[1-9]\d{0,19})$/.test(text) ? BigInt(text) : undefined;
  if (version !== undefined && version <= U64_MAX) return version;
  const got = text === undefined ? "" : `, got ${JSON.stringify(text)}`;
  throw new ConfigError(`--to: expected the last version of a block${got}`);
}

function reportFields(report: RewindReport): Readonly<Record<string, unknown>> {
  return {
    chain_id: report.chainId,
    ledger_version: `${report.version}`,
    block_height: `${report.blockHeight}`,
    versions_removed: `${report.from - report.version}`,
    ...(report.cleared === undefined ? {} : { refutation_cleared: report.cleared }),
  };
}

export const rewindCommand = command({
  name: "rewind",
  operands: "",
  options: {
    to: textOption(
      "Version that becomes the latest: the last one of a block, below the version that the waypoint refuted; the same command again finishes an interrupted rewind",
      "VERSION",
    ),
    json: switchOption("Print a JSON object", false),
    ...storeOptions,
    "log-level": choiceOption("Least severe level to log", LOG_LEVELS, "warn"),
    config: textOption("YAML file with any of these options as keys, without the dashes", "FILE"),
  },
  ...storeRules,
  examples: ["sextant rewind --to 120456", "sextant rewind --data /var/lib/sextant --to 120456 --json"],
  run: async (values, operands, context) => {
    operandsOf(operands, []);
    const to = versionOf(values.to);
    const store = storeOf(values);
    const logger = createLogger(values["log-level"], process.stderr.isTTY ? "text" : "json");
    const progress = startParts();
    const onProgress = (done: number, total: number): void => progress.update("versions", done, total);
    const report = await interruptible(
      (signal) => rewindData({ store, to, onProgress, logger, signal }),
      RESUMES,
    );
    progress.finish();
    const fields = reportFields(report);
    printFields(fields, values.json, context);
    return EXIT_OK;
  },
});
