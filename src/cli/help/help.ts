// `--help` texts, made from the option records like docs/cli.md.

import { environmentName, type Option, type OptionRecord } from "../../base/option.ts";
import { formatDuration } from "../../base/settings.ts";
import type { Command } from "../command.ts";

export function flagText(name: string, option: Option<unknown>): string {
  if (option.isSecret === true) return environmentName(name);
  if (option.placeholder === undefined) return option.fallback === true ? `--no-${name}` : `--${name}`;
  const short = option.short === undefined ? "" : `, -${option.short}`;
  return `--${name}${short} ${option.placeholder}`;
}

/** The default as a user would type it; undefined for switches and options without one. */
export function defaultOf({ fallback, placeholder }: Option<unknown>): string | undefined {
  if (fallback === undefined || typeof fallback === "boolean") return undefined;
  if (Array.isArray(fallback)) return fallback.length === 0 ? undefined : fallback.join(",");
  return placeholder === "TIME" ? formatDuration(Number(fallback)) : String(fallback);
}

function optionLines(options: OptionRecord, width: number): string[] {
  return Object.entries(options).map(([name, option]) => {
    const repeat = option.repeatable ? " (repeatable)" : "";
    const fallback = defaultOf(option);
    const shown = fallback === undefined ? "" : ` (default ${fallback})`;
    return `  ${flagText(name, option).padEnd(width)}  ${option.help}${repeat}${shown}`;
  });
}

/** The options of a command by heading, in the order of its headings and then of the records. */
export function optionGroups({ options, headings = [] }: Command): ReadonlyMap<string, OptionRecord> {
  const groups = new Map<string, OptionRecord>(headings.map((heading) => [heading, {}]));
  for (const [name, option] of Object.entries(options)) {
    const { group = "Options" } = option;
    groups.set(group, { ...groups.get(group), [name]: option });
  }
  return groups;
}

function mainSections({ options, mainOptions = [] }: Command): ReadonlyMap<string, OptionRecord> {
  const entries = mainOptions.flatMap((name) => {
    const option = options[name];
    return option === undefined ? [] : [[name, option] as const];
  });
  return new Map([["Main options", Object.fromEntries(entries)]]);
}

const TIME_HELP = "TIME is a number with ms, s, m, h or d, such as 500ms; without a unit, it is in seconds.";

/** One option with its environment variable, as an example for all of them. */
function exampleVariable({ options, mainOptions }: Command): string {
  const name = mainOptions?.[0] ?? Object.keys(options)[0] ?? "";
  return `--${name} is ${environmentName(name)}`;
}

/** How to call a command. */
export function usageOf({ name, operands, options }: Command): string {
  const hasOptions = Object.keys(options).length > 0;
  return ["sextant", name, operands, hasOptions ? "[options]" : ""].filter((part) => part !== "").join(" ");
}

/** The help of one command: its main options, or all of them by group. */
export function commandHelp(command: Command, isAll: boolean): string {
  const groups = optionGroups(command);
  const hasMore = !isAll && command.mainOptions !== undefined;
  const sections = hasMore ? mainSections(command) : groups;
  const shown = [...sections.values()].flatMap((options) => Object.entries(options));
  const width = Math.max(0, ...shown.map(([name, option]) => flagText(name, option).length));
  const count = Object.keys(command.options).length;
  const more = `--help-all shows all ${count} options: ${[...groups.keys()].join(", ")}.`;
  return [
    command.summary,
    "",
    `Usage: ${usageOf(command)}`,
    "",
    ...[...sections].flatMap(([heading, options]) => [`${heading}:`, ...optionLines(options, width), ""]),
    ...(hasMore ? [more] : []),
    ...(shown.some(([, option]) => option.placeholder === "TIME") ? [TIME_HELP] : []),
    ...(count === 0
      ? []
      : [
          `Every option can also be set in the environment (${exampleVariable(command)})${
            "config" in command.options ? " or as a key of the --config file" : ""
          }.`,
          "",
        ]),
    "Examples:",
    ...command.examples.map((example) => `  ${example}`),
  ].join("\n");
}

/** What `sextant` alone shows. */
export function nextSteps(version: string): string {
  return [
    `Sextant ${version}: a small, fast, honest node for Aptos-format ledgers.`,
    "",
    "  sextant start                 Run a local chain with demo accounts",
    "  sextant balance anna APT       Read a balance from it, in another terminal",
    "  sextant start --upstream URL  Follow a full node, and check what it serves",
    "  sextant help                  List all commands",
    "  sextant start --help          Show the options of a command",
    "",
    "The first ten minutes, step by step: docs/first-ten-minutes.md",
  ].join("\n");
}

/** The help of the program. */
export function programHelp(summaries: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.keys(summaries).map((name) => name.length));
  return [
    "Sextant: a small, fast, honest node for Aptos-format ledgers.",
    "",
    "Usage: sextant COMMAND [options]",
    "",
    "Commands:",
    ...Object.entries(summaries).map(([name, summary]) => `  ${name.padEnd(width)}  ${summary}`),
    "",
    "Exit codes: 0 success; 1 doubt or fault: damage found, item absent, or request refused;",
    "2 invalid command or configuration, or the store is missing: nothing was changed;",
    "75 try again: port taken, store locked, node or cluster out of reach, or a write given up by lmdb.",
    "",
    "sextant COMMAND --help shows options and examples.",
  ].join("\n");
}
