// `sextant restore`: restores a backup into a new data directory, after checking it.
import { ConfigError } from "../../base/errors.ts";
import { restoreData } from "../../node.ts";
import { command, EXIT_OK } from "../command.ts";
import { interruptible, RESUMES } from "../interrupt.ts";
import { operandsOf } from "../operands.ts";
import { switchOption, textOption, textOptionWithDefault } from "../option.ts";
import { DEFAULT_DATA, directoryOf } from "../store-options.ts";
import { copyWatch } from "./check.ts";
import { alignedLines } from "./info.ts";

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
    const watch = copyWatch();
    const [from, data] = [values.from, directoryOf("data", values.data)];
    const manifest = await interruptible((signal) => restoreData(from, data, { ...watch, signal }), RESUMES);
    watch.finish();
    if (values.json) context.out(JSON.stringify(manifest));
    else for (const line of alignedLines({ ...manifest })) context.out(line);
    return EXIT_OK;
  },
});
