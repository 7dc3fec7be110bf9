// The configuration file: YAML, because it has comments and its parser reports errors by line. Keys are option names;
// values are scalars or lists of scalars.
import { readFileSync } from "node:fs";
import { ConfigError, errorText } from "../base/errors.ts";
import { loadPackage } from "../base/load-package.ts";

/** Option texts by key; several for a list. */
export type ConfigTexts = ReadonlyMap<string, readonly string[]>;

function scalarText(path: string, key: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw new ConfigError(`${path}: ${key}: expected a text, a number, true or false, or a list of these`);
}

/** Reads a configuration file into option texts; the caller checks keys and values. */
export function loadConfigFile(path: string): ConfigTexts {
  let source: string;
  try {
    source = readFileSync(path, "utf8");
  } catch (error) {
    throw new ConfigError(`cannot read the configuration file ${path}: ${errorText(error)}`, error);
  }
  const { parseDocument } = loadPackage("yaml") as typeof import("yaml");
  // Scalars stay text: a password 007 must not become the number 7. The options parse them.
  const document = parseDocument(source, { schema: "failsafe" });
  const fault = document.errors[0];
  if (fault !== undefined)
    throw new ConfigError(`${path}: ${fault.message.split("\n")[0]?.replace(/:$/, "")}`);
  let content: unknown;
  try {
    content = document.toJS({ maxAliasCount: 0 });
  } catch (error) {
    throw new ConfigError(`${path}: ${errorText(error)}`, error);
  }
  if (content === null || content === undefined) return new Map();
  if (typeof content !== "object" || Array.isArray(content)) {
    throw new ConfigError(`${path}: expected keys with values at the top level`);
  }
  const out = new Map<string, readonly string[]>();
  for (const [key, value] of Object.entries(content)) {
    const items = Array.isArray(value) ? value : [value];
    out.set(
      key,
      items.map((item) => scalarText(path, key, item)),
    );
  }
  return out;
}
