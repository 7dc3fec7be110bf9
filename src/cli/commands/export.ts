// `sextant export`: writes a ledger as plain files, in the layout of backups.
import { ConfigError } from "../../base/errors.ts";
import { choiceOption, grouped, switchOption, textOption, textOptionWithDefault } from "../../base/option.ts";
import { exportData, parseOperand } from "../../node.ts";
import { command, EXIT_OK, operandsOf } from "../command.ts";
import { interruptible, RESUMES } from "../interrupt.ts";
import { createLogger } from "../log.ts";
import { startParts } from "../progress.ts";
import {
  CLUSTER_NAMES,
  clusterOf,
  clusterOptions,
  clusterRules,
  DEFAULT_DATA,
  directoryOf,
} from "../store-options.ts";
import { printFields } from "./info.ts";

export const exportCommand = command({
  name: "export",
  operands: "",
  options: {
    data: textOptionWithDefault("Data directory to export; a node may be writing to it", "DIR", DEFAULT_DATA),
    "store-url": textOption(
      "Export the ledger in this cluster instead: cassandra://HOST[:PORT][,HOST…]/KEYSPACE[/LEDGER]",
      "URL",
    ),
    layout: choiceOption("Layout of the files: that of a network's backups", ["backup"], "backup"),
    out: textOption("Folder for the files: new, or with an earlier export, which gets what it lacks", "DIR"),
    from: textOption("First version to write (default the oldest, or where the folder ends)", "VERSION"),
    to: textOption("Last version to write (default the latest that is signed)", "VERSION"),
    "state-at": choiceOption(
      "Which end of an epoch to write the state at: the newest, or the oldest that is kept, so that a node that starts from it has all kept history since",
      ["newest", "oldest"],
      "newest",
    ),
    json: switchOption("Print a JSON object", false),
    ...grouped("Cluster", clusterOptions),
  },
  exclusions: [{ one: "store-url", others: ["data"] }, ...clusterRules.exclusions],
  requirements: [
    { options: CLUSTER_NAMES, isMet: (values) => values["store-url"] !== undefined, needs: "--store-url" },
    ...clusterRules.requirements,
  ],
  examples: [
    "sextant export --out ./archive",
    "sextant export --out ./archive --state-at oldest",
    "sextant export --data /var/lib/sextant --out /srv/archive --to 5000000 --json",
  ],
  run: async (values, operands, context) => {
    operandsOf(operands, []);
    const { "store-url": url, out, from, to } = values;
    if (out === undefined) throw new ConfigError("--out: expected a folder for the files");
    const store =
      url === undefined
        ? ({ engine: "lmdb", path: directoryOf("data", values.data) } as const)
        : clusterOf(url, values);
    const versionOf = (name: string, text: string | undefined): bigint | undefined =>
      text === undefined ? undefined : parseOperand("version", name, text);
    const progress = startParts();
    const report = await interruptible(
      (signal) =>
        exportData({
          store,
          out: directoryOf("out", out),
          from: versionOf("--from", from),
          to: versionOf("--to", to),
          stateAt: values["state-at"],
          onProgress: (part, done, total) => progress.update(part, done, total),
          logger: createLogger("warn", process.stderr.isTTY ? "text" : "json"),
          signal,
        }),
      RESUMES,
    ).finally(() => progress.finish());
    const fields = {
      epochs_written: report.epochs,
      state_version: report.stateVersion === undefined ? "none" : `${report.stateVersion}`,
      items_written: report.items,
      versions_written: report.versions,
      last_version: `${report.lastVersion}`,
      bytes_written: report.bytes,
    };
    printFields(fields, values.json, context);
    return EXIT_OK;
  },
});
