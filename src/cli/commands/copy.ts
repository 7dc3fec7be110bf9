// `sextant copy`: copies a ledger from a data directory into another directory or a cluster.
import { ConfigError } from "../../base/errors.ts";
import { choiceOption, grouped, type OptionValues, switchOption, textOption } from "../../base/option.ts";
import { type CopyOptions, type CopyReport, copyData, type StoreOptions } from "../../node.ts";
import { type CommandContext, command, EXIT_FAILED, EXIT_OK, operandsOf } from "../command.ts";
import { interruptible, RESUMES } from "../interrupt.ts";
import { createLogger, LOG_LEVELS } from "../log.ts";
import { startParts } from "../progress.ts";
import { CLUSTER_NAMES, clusterOf, clusterOptions, clusterRules } from "../store-options.ts";
import { alignedLines } from "./info.ts";

/** `--compare sample` compares one in this many versions and keys. */
const SAMPLE = 64;

const options = {
  from: textOption("Data directory to copy from; a node may be writing to it", "lmdb:DIR"),
  to: textOption(
    "Data directory or cluster to copy into: empty, or with an unfinished or older copy of the same ledger",
    "lmdb:DIR|URL",
  ),
  compare: choiceOption(
    `Compare one in ${SAMPLE} versions and keys (sample) or every one (all) at the end`,
    ["sample", "all"],
    "sample",
  ),
  json: switchOption("Print a JSON object", false),
  ...grouped("Cluster", clusterOptions),
  "log-level": choiceOption("Least severe level to log", LOG_LEVELS, "warn"),
  config: textOption("YAML file with any of these options as keys, without the dashes", "FILE"),
};

const LMDB = "lmdb:";

/** The store that `lmdb:DIR` names; undefined for the URL of a cluster. */
function directoryStore(name: string, text: string | undefined): StoreOptions | undefined {
  if (text?.startsWith("cassandra:") === true) return undefined;
  if (text?.startsWith(LMDB) === true && text.length > LMDB.length) {
    return { engine: "lmdb", path: text.slice(LMDB.length) };
  }
  throw new ConfigError(
    `--${name}: expected ${LMDB}DIR${text === undefined ? "" : `, got ${JSON.stringify(text)}`}`,
  );
}

function sourceOf({ from }: OptionValues<typeof options>): StoreOptions {
  const store = directoryStore("from", from);
  if (store !== undefined) return store;
  throw new ConfigError(`--from: copy reads stores of engine lmdb, not cassandra: expected ${LMDB}DIR`);
}

function targetOf(values: OptionValues<typeof options>): StoreOptions {
  return directoryStore("to", values.to) ?? clusterOf(values.to ?? "", values);
}

/** How often the command says that it still opens the target; a loaded cluster takes minutes to create tables. */
const OPENING_INTERVAL_MS = 10_000;

/** Shows the progress of each part. */
function partProgress(err: CommandContext["err"]): {
  readonly onProgress: CopyOptions["onProgress"];
  readonly finish: () => void;
} {
  const progress = startParts({ isSteady: true });
  const startedMs = performance.now();
  const opening = setInterval(() => {
    err(`opening the target, ${Math.round((performance.now() - startedMs) / 1000)} s`);
  }, OPENING_INTERVAL_MS).unref();
  return {
    onProgress: (part, done, total) => {
      clearInterval(opening);
      progress.update(part, done, total);
    },
    finish: () => {
      clearInterval(opening);
      progress.finish();
    },
  };
}

function reportFields({ check, ...report }: CopyReport): Readonly<Record<string, unknown>> {
  return {
    chain_id: report.chainId,
    ledger_version: `${report.version}`,
    oldest_ledger_version: `${report.oldestVersion}`,
    base_keys_copied: report.baseKeys,
    versions_copied: report.versions,
    records_compared: check.records,
    blocks_compared: check.blocks,
    items_compared: check.items,
    differences: check.faults,
  };
}

export const copyCommand = command({
  name: "copy",
  operands: "",
  options,
  exclusions: [
    {
      one: ["to", (to) => String(to).startsWith(LMDB)],
      others: CLUSTER_NAMES,
      refusal: " needs --to with the URL of a cluster",
    },
    ...clusterRules.exclusions,
  ],
  requirements: clusterRules.requirements,
  examples: [
    "sextant copy --from lmdb:./data --to cassandra://10.0.0.1,10.0.0.2,10.0.0.3/sextant",
    "sextant copy --from lmdb:./data --to lmdb:./other --compare all",
  ],
  run: async (values, operands, context) => {
    operandsOf(operands, []);
    const from = sourceOf(values);
    const to = targetOf(values);
    context.err(`copying ${values.from} to ${values.to}`);
    const { onProgress, finish } = partProgress(context.err);
    const logger = createLogger(values["log-level"], process.stderr.isTTY ? "text" : "json");
    const share = values.compare === "all" ? 1 : SAMPLE;
    const report = await interruptible(
      (signal) => copyData({ from, to, share, onProgress, logger, signal }),
      RESUMES,
    ).finally(finish);
    const fields = reportFields(report);
    if (values.json) context.out(JSON.stringify({ ...fields, findings: report.check.findings }));
    else for (const line of alignedLines(fields)) context.out(line);
    for (const finding of report.check.findings) context.err(`differs: ${finding}`);
    return report.check.faults === 0 ? EXIT_OK : EXIT_FAILED;
  },
});
