// Turns command line, environment and configuration file into option values. Precedence: flag, environment,
// configuration file, default; it also decides between options that exclude each other. An unknown name is refused with
// the nearest known one.
import { readFileSync } from "node:fs";
import { ConfigError, errorText } from "../base/errors.ts";
import { loadPackage } from "../base/load-package.ts";
import {
  type Exclusion,
  type ExclusionSide,
  environmentName,
  type Option,
  type OptionRecord,
  type OptionRules,
  type OptionValues,
  type Requirement,
} from "../base/option.ts";
import { didYouMean } from "../base/texts/nearest.ts";

export interface ParsedCommand<R extends OptionRecord> {
  readonly values: OptionValues<R>;
  readonly operands: readonly string[];
  /** One sentence for each option that was given but is ignored. */
  readonly ignored: readonly string[];
}

/** The source of a value; the greater one wins. */
const [FROM_FILE, FROM_ENVIRONMENT, FROM_FLAG] = [1, 2, 3];

/** A value that is not the default. */
interface Given {
  readonly value: unknown;
  readonly precedence: number;
  /** Its name where it was given, for messages. */
  readonly shown: string;
}

interface Split {
  readonly flags: ReadonlyMap<string, readonly string[]>;
  readonly operands: readonly string[];
}

/** A flag of one letter by its name; anything else as it is. */
function inFull(arg: string, options: OptionRecord): string {
  if (!/^-[A-Za-z]$/.test(arg)) return arg;
  const found = Object.entries(options).find(([, { short }]) => short === arg[1]);
  return found === undefined ? arg : `--${found[0]}`;
}

/** Separates flags from operands. `--` ends the flags. */
function splitArguments(args: readonly string[], options: OptionRecord): Split {
  const flags = new Map<string, string[]>();
  const operands: string[] = [];
  const add = (name: string, text: string): void => {
    flags.set(name, [...(flags.get(name) ?? []), text]);
  };
  for (let i = 0; i < args.length; i++) {
    const arg = inFull(args[i] ?? "", options);
    if (arg === "--") {
      operands.push(...args.slice(i + 1));
      break;
    }
    if (!arg.startsWith("--")) {
      if (arg.startsWith("-") && arg.length > 1) {
        const hint = arg.length > 2 ? didYouMean(arg.slice(1), Object.keys(options), "--") : "";
        throw new ConfigError(`unknown option ${arg}: options are written --name${hint}`);
      }
      operands.push(arg);
      continue;
    }
    const equals = arg.indexOf("=");
    const name = arg.slice(2, equals < 0 ? undefined : equals);
    const negated = name.startsWith("no-") && Object.hasOwn(options, name.slice(3));
    const option = optionNamed(options, negated ? name.slice(3) : name, `--${name}`, "--");
    if (option.isSecret === true) {
      throw new ConfigError(
        `--${name}: flags can be seen by every user of the machine; use ${environmentName(name)} or the configuration file`,
      );
    }
    if (option.placeholder === undefined) {
      if (negated && equals >= 0) throw new ConfigError(`--${name} takes no value`);
      add(negated ? name.slice(3) : name, negated ? "false" : equals < 0 ? "true" : arg.slice(equals + 1));
      continue;
    }
    if (negated) throw new ConfigError(`unknown option --${name}: --${name.slice(3)} is not a switch`);
    const value = equals < 0 ? args[++i] : arg.slice(equals + 1);
    if (value === undefined || (equals < 0 && value.startsWith("--"))) {
      throw new ConfigError(`--${name} needs a value (${option.placeholder})`);
    }
    if (!option.repeatable && flags.has(name)) throw new ConfigError(`--${name} is given twice`);
    add(name, value);
  }
  return { flags, operands };
}

function optionNamed(options: OptionRecord, name: string, shown: string, prefix: string): Option<unknown> {
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (option === undefined) {
    const hint = didYouMean(name, Object.keys(options), prefix) || " (--help lists the options)";
    throw new ConfigError(`unknown option ${shown}${hint}`);
  }
  return option;
}

function parseTexts(option: Option<unknown>, texts: readonly string[], shown: string): unknown {
  try {
    const values = texts.map((text) => option.parse(text));
    return option.repeatable ? values.flat() : values.at(-1);
  } catch (error) {
    const got = option.isSecret === true ? "" : `, got ${JSON.stringify(texts.join(","))}`;
    throw new ConfigError(`${shown}: ${errorText(error)}${got}`, error);
  }
}

function isOn(value: unknown): boolean {
  return value !== false && !(Array.isArray(value) && value.length === 0);
}

function findSide(given: ReadonlyMap<string, Given>, side: ExclusionSide<string>): Given | undefined {
  const [name, applies] = typeof side === "string" ? [side, isOn] : side;
  const found = given.get(name);
  return found !== undefined && applies(found.value) ? found : undefined;
}

/**
 * Removes options that an option of greater precedence excludes. Flags go first, so that an option they remove excludes
 * nothing itself. Throws ConfigError for options of the same precedence that exclude each other.
 */
function dropExcluded(given: Map<string, Given>, exclusions: readonly Exclusion[]): string[] {
  const ignored: string[] = [];
  const pairs = exclusions.flatMap(({ one, others }) =>
    others.flatMap((other) => [[one, other] as const, [other, one] as const]),
  );
  for (const precedence of [FROM_FLAG, FROM_ENVIRONMENT]) {
    for (const [winning, losing] of pairs) {
      const winner = findSide(given, winning);
      const loser = findSide(given, losing);
      if (winner?.precedence !== precedence || loser === undefined || loser.precedence >= precedence)
        continue;
      given.delete(typeof losing === "string" ? losing : losing[0]);
      ignored.push(`${loser.shown} is ignored: ${winner.shown} excludes it`);
    }
  }
  for (const { one, others, refusal } of exclusions) {
    const [first, second] = [findSide(given, one), others.map((side) => findSide(given, side)).find(Boolean)];
    if (first === undefined || second === undefined) continue;
    throw new ConfigError(
      refusal === undefined
        ? `${first.shown} and ${second.shown} exclude each other`
        : `${second.shown}${refusal}`,
    );
  }
  return ignored;
}

/** Throws ConfigError for an option that was given without what it needs. */
function assertRequirements(
  given: ReadonlyMap<string, Given>,
  values: Readonly<Record<string, unknown>>,
  requirements: readonly Requirement[],
): void {
  for (const { options, isMet, needs } of requirements) {
    const name = options.find((one) => findSide(given, one) !== undefined);
    if (name !== undefined && !isMet(values))
      throw new ConfigError(`${given.get(name)?.shown} needs ${needs}`);
  }
}

/** Parses a command's arguments together with its environment and configuration file. */
export function parseCommand<R extends OptionRecord>(
  args: readonly string[],
  options: R,
  environment: Readonly<Record<string, string | undefined>>,
  { exclusions = [], requirements = [] }: OptionRules = {},
  otherConfigKeys: readonly string[] = [],
): ParsedCommand<R> {
  const { flags, operands } = splitArguments(args, options);
  const configPath = Object.hasOwn(options, "config")
    ? (flags.get("config")?.at(-1) ?? environment[environmentName("config")])
    : undefined;
  const config = configPath === undefined ? new Map<string, readonly string[]>() : loadConfigFile(configPath);
  for (const key of config.keys()) {
    const known = [...Object.keys(options), ...otherConfigKeys].filter((name) => name !== "config");
    if (!known.includes(key)) {
      throw new ConfigError(`${configPath}: unknown key ${key}${didYouMean(key, known)}`);
    }
  }
  const given = new Map<string, Given>();
  for (const [name, option] of Object.entries(options)) {
    const flagTexts = flags.get(name);
    const environmentText = environment[environmentName(name)];
    const configTexts = config.get(name);
    const add = (texts: readonly string[], shown: string, precedence: number): void => {
      given.set(name, { value: parseTexts(option, texts, shown), precedence, shown });
    };
    if (flagTexts !== undefined) add(flagTexts, `--${name}`, FROM_FLAG);
    else if (environmentText !== undefined) add([environmentText], environmentName(name), FROM_ENVIRONMENT);
    else if (configTexts !== undefined) {
      if (configTexts.length !== 1 && !option.repeatable) {
        throw new ConfigError(`${configPath}: ${name} takes one value, not a list`);
      }
      add(configTexts, `${configPath}: ${name}`, FROM_FILE);
    }
  }
  const ignored = dropExcluded(given, exclusions);
  const values = Object.fromEntries(
    Object.entries(options).map(([name, { fallback }]) => [
      name,
      given.has(name) ? given.get(name)?.value : fallback,
    ]),
  ) as OptionValues<R>;
  assertRequirements(given, values, requirements);
  return { values, operands, ignored };
}

/** Option texts by key; several for a list. */
type ConfigTexts = ReadonlyMap<string, readonly string[]>;

function scalarText(path: string, key: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw new ConfigError(`${path}: ${key}: expected a text, a number, true or false, or a list of these`);
}

/**
 * Reads a configuration file into option texts; the caller checks keys and values. YAML, because it has comments and its
 * parser reports errors by line. Keys are option names; values are scalars or lists of scalars.
 */
function loadConfigFile(path: string): ConfigTexts {
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
