// `sextant info`: facts about a node.

import { switchOption } from "../../base/option.ts";
import type { CommandContext } from "../command.ts";
import { questionCommand } from "../question-command.ts";
import { sourceOptions } from "../source/options.ts";

/** Prints a flat object as aligned lines. */
export function alignedLines(object: Readonly<Record<string, unknown>>): string[] {
  const width = Math.max(0, ...Object.keys(object).map((key) => key.length));
  return Object.entries(object).map(
    ([key, value]) => `${key.padEnd(width)}  ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
}

/** Prints fields as a JSON object, or as aligned lines. */
export function printFields(
  fields: Readonly<Record<string, unknown>>,
  isJson: boolean,
  { out }: CommandContext,
): void {
  if (isJson) out(JSON.stringify(fields));
  else for (const line of alignedLines(fields)) out(line);
}

/** Prints a JSON answer as it is, or as aligned lines. */
export function printAnswer(text: string, isJson: boolean, context: CommandContext): void {
  if (isJson) context.out(text);
  else printFields(flatten(JSON.parse(text) as Record<string, unknown>), false, context);
}

/** Members of objects under names of their own, such as `demo_accounts.anna`. */
function flatten(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const flat: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(object)) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) flat[name] = value;
    else {
      const inner = flatten(value as Record<string, unknown>);
      for (const [part, one] of Object.entries(inner)) flat[`${name}.${part}`] = one;
    }
  }
  return flat;
}

export const infoCommand = questionCommand({
  name: "info",
  operands: [],
  options: { ...sourceOptions, json: switchOption("Print the JSON response", false) },
  examples: ["sextant info", "sextant info --url http://127.0.0.1:8080 --json"],
  answer: async ({ source, values, context }) => printAnswer(await source.info(), values.json, context),
});
