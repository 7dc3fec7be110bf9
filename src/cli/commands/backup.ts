// `sextant backup`: copies a data directory and checks the copy.
import { ConfigError } from "../../base/errors.ts";
import { backupData } from "../../node.ts";
import { command, EXIT_OK } from "../command.ts";
import { interruptible, RESUMES } from "../interrupt.ts";
import { operandsOf } from "../operands.ts";
import { switchOption, textOption, textOptionWithDefault } from "../option.ts";
import { DEFAULT_DATA, directoryOf } from "../store-options.ts";
import { copyWatch } from "./check.ts";
import { alignedLines } from "./info.ts";

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
    const watch = copyWatch();
    const [data, to] = [directoryOf("data", values.data), directoryOf("to", values.to)];
    const manifest = await interruptible((signal) => backupData(data, to, { ...watch, signal }), RESUMES);
    watch.finish();
    if (values.json) context.out(JSON.stringify(manifest));
    else for (const line of alignedLines({ ...manifest })) context.out(line);
    return EXIT_OK;
  },
});
