// Option records: one object per option gives its flag, environment variable, configuration key, type,
// default and help. Parsing, `--help` and the reference page all come from these records.
import { type DurationName, durationFault } from "../base/durations.ts";
import { ConfigError } from "../base/errors.ts";

/** One option of a command. `parse` turns text into the value or throws what was expected. */
export interface Option<T> {
  readonly help: string;
  /** Shown in help behind the flag, such as PORT; absent for switches. */
  readonly placeholder: string | undefined;
  readonly repeatable: boolean;
  readonly parse: (text: string) => T;
  /** Value when nothing is given; undefined leaves the option out. */
  readonly fallback: T | undefined;
  /** Never on the command line, where every user of the machine can see it, and never repeated in a message. */
  readonly isSecret?: boolean;
}

/** Options of a command by their kebab-case name. */
export type OptionRecord = Readonly<Record<string, Option<unknown>>>;

/** The values of an option record. */
export type OptionValues<R extends OptionRecord> = {
  readonly [K in keyof R]: R[K] extends Option<infer T> ? T : never;
};

/** An option, or only some of its values, where it excludes others or is excluded. */
export type ExclusionSide<Name extends string> = Name | readonly [Name, (value: unknown) => boolean];

/** An option that cannot stand with any of the others. Given with unlike precedence, the weaker one is ignored. */
export interface Exclusion<Name extends string = string> {
  readonly one: ExclusionSide<Name>;
  readonly others: readonly ExclusionSide<Name>[];
}

/** Free text, checked by `check` where given (returns what was expected, or undefined when fine). */
export function textOption(
  help: string,
  placeholder: string,
  check: (text: string) => string | undefined = () => undefined,
): Option<string | undefined> {
  const parse = (text: string): string => {
    const expected = text === "" ? "some text" : check(text);
    if (expected !== undefined) throw new ConfigError(`expected ${expected}`);
    return text;
  };
  return { help, placeholder, repeatable: false, parse, fallback: undefined };
}

/** Text with a default. */
export function textOptionWithDefault(help: string, placeholder: string, fallback: string): Option<string> {
  const { parse } = textOption(help, placeholder);
  return { help, placeholder, repeatable: false, parse: parse as (text: string) => string, fallback };
}

/** Text that only the environment and the configuration file may hold. */
export function secretOption(help: string): Option<string | undefined> {
  return { ...textOption(help, "TEXT"), isSecret: true };
}

/** One of a few words. */
export function choiceOption<const C extends string>(
  help: string,
  choices: readonly C[],
  fallback: C,
): Option<C> {
  const parse = (text: string): C => {
    const found = choices.find((choice) => choice === text);
    if (found === undefined) throw new ConfigError(`expected one of ${choices.join(", ")}`);
    return found;
  };
  return { help, placeholder: choices.join("|"), repeatable: false, parse, fallback };
}

/** Texts: the flag may stand several times; in the environment they are separated by commas. */
export function listOption(help: string, placeholder: string): Option<readonly string[]> {
  const parse = (text: string): readonly string[] => {
    const parts = text.split(",").map((part) => part.trim());
    if (parts.some((part) => part === "")) throw new ConfigError("expected texts separated by commas");
    return parts;
  };
  return { help, placeholder, repeatable: true, parse, fallback: [] };
}

/** A switch: `--name`, `--no-name`, and true or false elsewhere. */
export function switchOption(help: string, fallback: boolean): Option<boolean> {
  const parse = (text: string): boolean => {
    // YAML has these spellings.
    if (["true", "True", "TRUE"].includes(text)) return true;
    if (["false", "False", "FALSE"].includes(text)) return false;
    throw new ConfigError("expected true or false");
  };
  return { help, placeholder: undefined, repeatable: false, parse, fallback };
}

function parseInteger(text: string, min: number, max: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number.parseInt(text, 10) : Number.NaN;
  if (!(value >= min && value <= max)) throw new ConfigError(`expected a whole number from ${min} to ${max}`);
  return value;
}

/** A whole number within bounds. */
export function integerOption(
  help: string,
  placeholder: string,
  bounds: { min: number; max: number; fallback: number },
): Option<number> {
  const parse = (text: string): number => parseInteger(text, bounds.min, bounds.max);
  return { help, placeholder, repeatable: false, parse, fallback: bounds.fallback };
}

/** A whole number within bounds that may be left out. */
export function optionalIntegerOption(
  help: string,
  placeholder: string,
  bounds: { min: number; max: number },
): Option<number | undefined> {
  const parse = (text: string): number => parseInteger(text, bounds.min, bounds.max);
  return { help, placeholder, repeatable: false, parse, fallback: undefined };
}

/**
 * A time such as `500ms`, `1s`, `5m` or a bare number of seconds, within the bounds of its name; the value is in
 * milliseconds.
 */
export function durationOption(name: DurationName, help: string, fallbackMs: number): Option<number> {
  const parse = (text: string): number => {
    const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)?$/.exec(text);
    if (match === null) throw new ConfigError("expected a time such as 500ms, 1s, 5m or 1h");
    const unit = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[match[2] ?? "s"] ?? 1000;
    const ms = Math.round(Number.parseFloat(match[1] ?? "0") * unit);
    const expected = durationFault(name, ms);
    if (expected !== undefined) throw new ConfigError(expected);
    return ms;
  };
  return { help, placeholder: "TIME", repeatable: false, parse, fallback: fallbackMs };
}

/** Environment variable of an option. */
export function environmentName(option: string): string {
  return `SEXTANT_${option.toUpperCase().replaceAll("-", "_")}`;
}
