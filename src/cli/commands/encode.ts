// `sextant encode`: prints the bytes to sign for a JSON transaction request.
import { readFile } from "node:fs/promises";
import { ConfigError, errorText } from "../../base/errors.ts";
import { command, EXIT_OK } from "../command.ts";
import { operandsOf } from "../operands.ts";
import { switchOption } from "../option.ts";
import { askSource } from "../source/open.ts";
import { minVersionOptions, sourceExclusions, sourceOptions } from "../source/options.ts";

export const encodeCommand = command({
  name: "encode",
  operands: "FILE|-",
  options: { ...sourceOptions, ...minVersionOptions, json: switchOption("Print a JSON object", false) },
  exclusions: sourceExclusions,
  examples: ["sextant encode request.json", "sextant encode - < request.json"],
  run: async (values, operands, context) => {
    const [file] = operandsOf(operands, ["FILE"]);
    let request: Uint8Array;
    try {
      request = file === "-" ? await context.readStdin() : await readFile(file);
    } catch (error) {
      throw new ConfigError(`cannot read ${file}: ${errorText(error)}`, error);
    }
    const answer = await askSource(values, (source) => source.encode(request));
    const message = JSON.parse(answer) as string;
    context.out(values.json ? JSON.stringify({ signing_message: message }) : message);
    return EXIT_OK;
  },
});
