// `--help` texts, printed from the option records; docs/cli.md is made from the same.
import type { Command } from "./command.ts";
import { environmentName, type Option } from "./option.ts";

function flagText(name: string, option: Option<unknown>): string {
  if (option.isSecret === true) return environmentName(name);
  if (option.placeholder === undefined) return option.fallback === true ? `--no-${name}` : `--${name}`;
  return `--${name} ${option.placeholder}`;
}

function defaultText(option: Option<unknown>): string {
  const { fallback } = option;
  if (fallback === undefined || typeof fallback === "boolean") return "";
  if (Array.isArray(fallback)) return "";
  return option.placeholder === "TIME" ? ` (default ${fallback}ms)` : ` (default ${String(fallback)})`;
}

/** Lines describing each option of a command. */
function optionLines(command: Command): string[] {
  const entries = Object.entries(command.options);
  const width = Math.max(0, ...entries.map(([name, option]) => flagText(name, option).length));
  return entries.map(([name, option]) => {
    const repeat = option.repeatable ? " (repeatable)" : "";
    return `  ${flagText(name, option).padEnd(width)}  ${option.help}${repeat}${defaultText(option)}`;
  });
}

/** The help of one command. */
export function commandHelp(command: Command): string {
  const lines = [
    command.summary,
    "",
    `Usage: sextant ${command.name}${command.operands === "" ? "" : ` ${command.operands}`} [options]`,
    "",
    "Options:",
    ...optionLines(command),
    "",
    `Every option can also be set by the environment (${environmentName("option-name")})${
      "config" in command.options ? " or as a key of the --config file" : ""
    }.`,
    "",
    "Examples:",
    ...command.examples.map((example) => `  ${example}`),
  ];
  return lines.join("\n");
}

/** The help of the program. */
export function programHelp(commands: readonly Command[]): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  return [
    "Sextant: a small, fast, honest node for Aptos-format ledgers.",
    "",
    "Usage: sextant COMMAND [options]",
    "",
    "Commands:",
    ...commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`),
    "",
    "Exit codes: 0 done; 1 the answer is no (a check failed, an item is absent, a node refused);",
    "2 the command or configuration was not understood, nothing was touched.",
    "",
    "sextant COMMAND --help shows options and examples.",
  ].join("\n");
}
