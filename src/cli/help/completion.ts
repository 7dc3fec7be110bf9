// Shell completion, generated from the command and option records: commands, options with their help, and the words of
// options that take one of a few.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the shells expand these, not this program
import { ConfigError } from "../../base/errors.ts";
import { didYouMean } from "../../base/texts/nearest.ts";
import { type Command, type CommandRecord, command, EXIT_OK, operandsOf } from "../command.ts";
import { flagText } from "./help.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** What completes the value of an option: words, files, directories, or nothing. */
type ValueKind = readonly string[] | "file" | "directory" | "other" | undefined;

interface Flag {
  readonly flag: string;
  readonly help: string;
  /** Undefined for a switch. */
  readonly value: ValueKind;
}

function valueKindOf(placeholder: string | undefined): ValueKind {
  if (placeholder === undefined) return undefined;
  if (placeholder.includes("|") && /^[a-z0-9|]+$/.test(placeholder)) return placeholder.split("|");
  if (/\bFILE\b/.test(placeholder)) return "file";
  return placeholder === "DIR" ? "directory" : "other";
}

/** The first part of a help text: completion shows one short line. */
function shortHelp(help: string): string {
  return help.split(/[;:(]/)[0]?.trim() ?? "";
}

function flagsOf({ options, mainOptions }: Command): Flag[] {
  const flags = Object.entries(options)
    .filter(([, option]) => option.isSecret !== true)
    .map(([name, option]) => ({
      flag: flagText(name, option).split(" ")[0] ?? "",
      help: shortHelp(option.help),
      value: valueKindOf(option.placeholder),
    }));
  const all = { flag: "--help-all", help: "Show all options", value: undefined };
  return [
    ...flags,
    { flag: "--help", help: "Show options and examples", value: undefined },
    ...(mainOptions === undefined ? [] : [all]),
  ];
}

function bashScript(commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name).join(" ");
  const cases = commands.flatMap((command) => {
    const flags = flagsOf(command);
    const valued = flags.filter(({ value }) => value !== undefined);
    const values = valued.map(({ flag, value }) => `        ${flag}) ${bashReply(value)}; return ;;`);
    return [
      `    ${command.name})`,
      ...(values.length === 0 ? [] : ['      case "$before" in', ...values, "      esac"]),
      `      if [[ "$word" == -* ]]; then COMPREPLY=($(compgen -W "${flags.map(({ flag }) => flag).join(" ")}" -- "$word"))`,
      `      else ${bashReply(valueKindOf(command.operands))}; fi ;;`,
    ];
  });
  return [
    "# bash completion of sextant; load it with: source <(sextant completion bash)",
    "_sextant() {",
    '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"',
    "  COMPREPLY=()",
    "  if ((COMP_CWORD == 1)); then",
    `    COMPREPLY=($(compgen -W "${names} help version" -- "$word"))`,
    "    return",
    "  fi",
    '  case "${COMP_WORDS[1]}" in',
    `    help) COMPREPLY=($(compgen -W "${names}" -- "$word")) ;;`,
    ...cases,
    "  esac",
    "}",
    "complete -o filenames -F _sextant sextant",
  ].join("\n");
}

function bashReply(value: ValueKind): string {
  if (value === "file") return 'COMPREPLY=($(compgen -f -- "$word"))';
  if (value === "directory") return 'COMPREPLY=($(compgen -d -- "$word"))';
  if (value === "other" || value === undefined) return ":";
  return `COMPREPLY=($(compgen -W "${value.join(" ")}" -- "$word"))`;
}

/** A text inside single quotes of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A description inside brackets of zsh's _arguments. */
function zshDescription(text: string): string {
  return text.replaceAll(/[[\]\\:]/g, "\\$&");
}

function zshAction(value: ValueKind): string {
  if (value === undefined) return "";
  if (value === "file") return ":file:_files";
  if (value === "directory") return ":directory:_files -/";
  return value === "other" ? ":value: " : `:value:(${value.join(" ")})`;
}

function zshScript(commands: readonly Command[]): string {
  const described = (names: readonly Command[]): string[] =>
    names.map(({ name, summary }) => `    ${quoted(`${name}:${zshDescription(shortHelp(summary))}`)}`);
  const cases = commands.flatMap((command) => {
    const { flags, operand } = { flags: flagsOf(command), operand: valueKindOf(command.operands) };
    const specs = flags.map(
      ({ flag, help, value }) =>
        `        ${quoted(`*${value === undefined ? flag : `${flag}=`}[${zshDescription(help)}]${zshAction(value)}`)}`,
    );
    const rest =
      operand === "other"
        ? []
        : [`        ${quoted(`*:operand${zshAction(operand).slice(zshAction(operand).lastIndexOf(":"))}`)}`];
    return [`      ${command.name}) _arguments \\`, [...specs, ...rest].join(" \\\n"), "        ;;"];
  });
  return [
    "#compdef sextant",
    "# zsh completion of sextant; put it into a folder of $fpath as _sextant, or: source <(sextant completion zsh)",
    "_sextant() {",
    "  local -a names",
    "  names=(",
    ...described(commands),
    "    'help:Show the help of a command'",
    "    'version:Print the version'",
    "  )",
    "  if ((CURRENT == 2)); then",
    "    _describe command names",
    "  elif ((CURRENT > 2)); then",
    "    local name=${words[2]}",
    "    shift words",
    "    ((CURRENT--))",
    "    case $name in",
    "      help) _describe command names ;;",
    ...cases,
    "    esac",
    "  fi",
    "}",
    'if [[ "${funcstack[1]}" == _sextant ]]; then _sextant "$@"; else compdef _sextant sextant; fi',
  ].join("\n");
}

function fishScript(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => {
    const seen = `-n ${quoted(`__fish_seen_subcommand_from ${command.name}`)}`;
    const operand = valueKindOf(command.operands);
    return [
      `complete -c sextant -n __fish_use_subcommand -a ${command.name} -d ${quoted(shortHelp(command.summary))}`,
      ...(operand === "file" ? [`complete -c sextant ${seen} -F`] : []),
      ...(typeof operand === "object" ? [`complete -c sextant ${seen} -a ${quoted(operand.join(" "))}`] : []),
      ...flagsOf(command).map(
        ({ flag, help, value }) =>
          `complete -c sextant ${seen} -l ${flag.slice(2)}${fishValue(value)} -d ${quoted(help)}`,
      ),
    ];
  });
  const names = commands.map(({ name }) => name).join(" ");
  return [
    "# fish completion of sextant; load it with: sextant completion fish | source",
    "complete -c sextant -f",
    "complete -c sextant -n __fish_use_subcommand -a help -d 'Show the help of a command'",
    "complete -c sextant -n __fish_use_subcommand -a version -d 'Print the version'",
    `complete -c sextant -n '__fish_seen_subcommand_from help' -a ${quoted(names)}`,
    ...lines,
  ].join("\n");
}

function fishValue(value: ValueKind): string {
  if (value === undefined) return "";
  if (value === "file") return " -r -F";
  if (value === "directory") return " -x -a '(__fish_complete_directories)'";
  return value === "other" ? " -x" : ` -x -a ${quoted(value.join(" "))}`;
}

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** The script that teaches a shell to complete the commands. */
export function completionScript(shell: Shell, commands: readonly Command[]): string {
  return SCRIPTS[shell](commands);
}

/** The command; it completes itself too, so it loads all commands when it runs. */
export function completionCommand(loadAll: () => Promise<readonly Command[]>): CommandRecord {
  return command({
    name: "completion",
    operands: SHELLS.join("|"),
    options: {},
    examples: [
      "source <(sextant completion bash)",
      "source <(sextant completion zsh)",
      "sextant completion fish | source",
    ],
    run: async (_, operands, context) => {
      const [given] = operandsOf(operands, ["SHELL"]);
      const shell = SHELLS.find((one) => one === given);
      if (shell === undefined) {
        throw new ConfigError(
          `SHELL: expected one of ${SHELLS.join(", ")}, got ${JSON.stringify(given)}${didYouMean(given, SHELLS)}`,
        );
      }
      context.out(completionScript(shell, await loadAll()));
      return EXIT_OK;
    },
  });
}
