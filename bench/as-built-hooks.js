// Module hooks of as-built.js.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { transform } from "rolldown/utils";
import { importedGlobals } from "../build.globals.js";

export async function load(url, context, nextLoad) {
  if (!/\.m?ts$/.test(url)) return nextLoad(url, context);
  const file = fileURLToPath(url);
  const { code, errors } = await transform(file, await readFile(file, "utf8"), { inject: importedGlobals });
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  return { format: "module", source: code, shortCircuit: true };
}
