// `sextant backup` copies a data directory and checks the copy; `sextant restore` checks a backup and restores it.
import { ConfigError } from "../../base/errors.ts";
import { switchOption, textOption, textOptionWithDefault } from "../../base/option.ts";
import { backupData, type CopyWatch, restoreData } from "../../node.ts";
import { command, EXIT_OK, operandsOf } from "../command.ts";
import { interruptible, RESUMES } from "../interrupt.ts";
import { startParts } from "../progress.ts";
import { DEFAULT_DATA, directoryOf } from "../store-options.ts";
import { printFields } from "./info.ts";

/** Copies and checks with progress: of the copy in bytes, then of the check in rows. */
async function watched<T>(work: (watch: CopyWatch) => Promise<T>): Promise<T> {
  const progress = startParts();
  const result = await interruptible(
    (signal) =>
      work({
        onCopy: (done, total) => progress.update("bytes", done, total),
        onCheck: (done, total) => progress.update("rows", done, total),
        signal,
      }),
    RESUMES,
  );
  progress.finish();
  return result;
}

export const backupCommand = command({
  name: "backup",
  operands: "",
  options: {
    data: textOptionWithDefault(
      "Data directory to back up; a node may be writing to it",
      "DIR",
      DEFAULT_DATA,
    ),
    to: textOption(
      "Directory for the backup: new, empty, or with an unfinished backup, which the command resumes",
      "DIR",
    ),
    json: switchOption("Print a JSON object", false),
  },
  examples: [
    "sextant backup --to ./backup-1",
    "sextant backup --data /var/lib/sextant --to /backup/today --json",
  ],
  run: async (values, operands, context) => {
    operandsOf(operands, []);
    if (values.to === undefined) throw new ConfigError("--to: expected a directory for the copy");
    const [data, to] = [directoryOf("data", values.data), directoryOf("to", values.to)];
    const manifest = await watched((watch) => backupData(data, to, watch));
    printFields({ ...manifest }, values.json, context);
    return EXIT_OK;
  },
});

export const restoreCommand = command({
  name: "restore",
  operands: "",
  options: {
    from: textOption("Directory that `sextant backup` made", "DIR"),
    data: textOptionWithDefault("Data directory to restore into: new or empty", "DIR", DEFAULT_DATA),
    json: switchOption("Print a JSON object", false),
  },
  examples: ["sextant restore --from ./backup-1 --data ./data"],
  run: async (values, operands, context) => {
    operandsOf(operands, []);
    if (values.from === undefined) throw new ConfigError("--from: expected the directory of a backup");
    const [from, data] = [values.from, directoryOf("data", values.data)];
    const manifest = await watched((watch) => restoreData(from, data, watch));
    printFields({ ...manifest }, values.json, context);
    return EXIT_OK;
  },
});
