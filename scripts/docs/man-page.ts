// The manual page, in the man macros of roff, made from the command and option records.

import { environmentName, type OptionRecord } from "../../src/base/option.ts";
import type { Command } from "../../src/cli/command.ts";
import { defaultOf, flagText, optionGroups } from "../../src/cli/help/help.ts";
import { EXIT_CODES } from "./exit-codes.ts";

/** Text as roff shows it: a backslash, a dash, and a dot or a quote at the start of a line mean something there. */
function roff(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("…", "...")
    .replaceAll(/^[.']/gm, (first) => `\\&${first}`);
}

function optionLines(options: OptionRecord): string[] {
  return Object.entries(options).flatMap(([name, option]) => {
    const fallback = defaultOf(option);
    const more = [
      ...(option.repeatable ? ["repeatable"] : []),
      ...(fallback === undefined ? [] : [`default ${fallback}`]),
      ...(option.isSecret === true ? [] : [environmentName(name)]),
    ];
    const flag = option.isSecret === true ? environmentName(name) : flagText(name, option);
    return [
      ".TP",
      `.B ${roff(flag)}`,
      roff(`${option.help}${more.length === 0 ? "" : ` (${more.join(", ")})`}.`),
    ];
  });
}

function commandLines(command: Command): string[] {
  const operands = command.operands === "" ? "" : ` ${command.operands}`;
  const hasOptions = Object.keys(command.options).length > 0;
  const groups = [...optionGroups(command)];
  return [
    `.SS sextant ${roff(command.name)}${roff(operands)}${hasOptions ? " [options]" : ""}`,
    `${roff(command.summary)}.`,
    ...groups.flatMap(([heading, options]) => [
      ...(groups.length === 1 ? [] : [".PP", `${roff(heading)}:`]),
      ...optionLines(options),
    ]),
    ".PP",
    "Examples:",
    ".PP",
    ".RS 4",
    ".nf",
    ...command.examples.map(roff),
    ".fi",
    ".RE",
  ];
}

/** The page for `man sextant`. */
export function manPage(commands: readonly Command[], version: string): string {
  const sections = [
    `.TH SEXTANT 1 "" "sextant ${version}" "Sextant"`,
    ".SH NAME",
    "sextant \\- node for Aptos\\-format ledgers",
    ".SH SYNOPSIS",
    ".B sextant",
    "COMMAND [options]",
    ".SH DESCRIPTION",
    "Sextant serves exact balances and raw table items of an Aptos\\-format ledger at any version that it keeps,",
    "and the bytes to sign for a transaction. It verifies every transaction by hash before storing it.",
    ".PP",
    "An option's value comes from the flag; without a flag, from the environment variable; without that, from the",
    ".B \\-\\-config",
    "file; otherwise it is the default. A TIME is a number with ms, s, m, h or d, or a number of seconds.",
    ".SH COMMANDS",
    ...commands.flatMap(commandLines),
    ".SH EXIT STATUS",
    ...EXIT_CODES.flatMap(([code, meaning]) => [
      ".TP",
      `.B ${code}`,
      `${roff(meaning.replaceAll("`", ""))}.`,
    ]),
    ".SH SEE ALSO",
    "The pages of the folder docs of the package, first\\-ten\\-minutes.md first.",
  ];
  return `${sections.join("\n")}\n`;
}
