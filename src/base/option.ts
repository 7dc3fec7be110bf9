// Option records: one object per option gives its flag, environment variable, configuration key, name and type in the
// node's options, default and help. Parsing, the checks of `createNode`, `--help`, completion and docs come from them.
import { ConfigError } from "./errors.ts";
import { formatDuration, type NumberSetting, numberFault } from "./settings.ts";

/** What a value of the node's options must be. */
export interface ValueKind {
  /** Completes "expected …". */
  readonly expected: string;
  fits(value: unknown): boolean;
}

function typed(type: string, expected: string): ValueKind {
  return { expected, fits: (value) => typeof value === type };
}

/** A list whose items are all of one kind. */
export function listKind(items: string, { fits }: Pick<ValueKind, "fits">): ValueKind {
  return {
    expected: `a list of ${items}`,
    fits: (value) => Array.isArray(value) && value.every((item) => fits(item)),
  };
}

/** Any of these kinds. */
export function eitherKind(...kinds: readonly ValueKind[]): ValueKind {
  const expected = kinds.map((kind) => kind.expected).join(" or ");
  return { expected, fits: (value) => kinds.some((kind) => kind.fits(value)) };
}

export const TEXT: ValueKind = typed("string", "a text");
export const FLAG: ValueKind = typed("boolean", "true or false");
const NUMBER: ValueKind = typed("number", "a number");
export const BIGINT: ValueKind = typed("bigint", "a bigint");
export const CALLBACK: ValueKind = typed("function", "a function");
export const BYTES: ValueKind = { expected: "bytes", fits: (value) => value instanceof Uint8Array };
export const OBJECT: ValueKind = {
  expected: "an object",
  fits: (value) => typeof value === "object" && value !== null && !Array.isArray(value) && !BYTES.fits(value),
};
export const TEXTS: ValueKind = listKind("texts", TEXT);

/** One option of a command, whose values have type `T`. */
export interface Option<T, Suffix extends string = string> {
  readonly help: string;
  /** Shown in help after the flag, such as PORT; undefined for switches. */
  readonly placeholder: string | undefined;
  readonly repeatable: boolean;
  /** The value in the node's options. Numbers are checked by their settings. */
  readonly kind: ValueKind;
  /** A letter that stands for the flag after one dash. */
  readonly short?: string;
  /** Throws ConfigError that says what was expected. */
  readonly parse: (text: string) => T;
  /** Value when nothing is given; undefined leaves the option out. */
  readonly fallback: T | undefined;
  /** Ends the name in the node's options: `--max-wait`, with suffix `Ms`, is `maxWaitMs`. */
  readonly suffix: Suffix;
  /** Refused as a flag, which every user of the machine can see, and never repeated in a message. */
  readonly isSecret?: boolean;
  /** Smallest and largest number, as a user would type them. */
  readonly range?: readonly [smallest: string, largest: string];
  /** Heading in `--help-all` and docs/cli.md. */
  readonly group?: string;
}

/** Options of a command by their kebab-case name. */
export type OptionRecord = Readonly<Record<string, Option<unknown>>>;

/** The values of an option record. */
export type OptionValues<R extends OptionRecord> = {
  readonly [K in keyof R]: R[K] extends Option<infer T> ? T : never;
};

type CamelCase<S extends string> = S extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : S;
type WithoutPrefix<S extends string, Prefix extends string> = S extends `${Prefix}${infer Rest}` ? Rest : S;

/** The values of an option record under their names in the node's options. */
export type NodeValues<R extends OptionRecord, Prefix extends string = ""> = {
  readonly [K in keyof R &
    string as `${CamelCase<WithoutPrefix<K, Prefix>>}${R[K]["suffix"]}`]: R[K] extends Option<infer T>
    ? T
    : never;
};

/** Name of an option in the node's options. */
export function nodeName(name: string, { suffix }: Option<unknown>, prefix = ""): string {
  const short = name.startsWith(prefix) ? name.slice(prefix.length) : name;
  return short.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()) + suffix;
}

/** Puts the values of the records under their names in the node's options; the prefix is dropped from the names. */
export function toNodeValues<R extends OptionRecord, Prefix extends string = "">(
  records: R,
  values: OptionValues<R>,
  prefix?: Prefix,
): NodeValues<R, Prefix> {
  const entries = Object.entries(records).map(([name, option]) => [
    nodeName(name, option, prefix),
    values[name],
  ]);
  return Object.fromEntries(entries) as NodeValues<R, Prefix>;
}

/** The records with these names. */
export function pickOptions<R extends OptionRecord, K extends keyof R & string>(
  records: R,
  names: readonly K[],
): Pick<R, K> {
  const isPicked = ([name]: readonly [string, unknown]): boolean => names.some((one) => one === name);
  return Object.fromEntries(Object.entries(records).filter(isPicked)) as Pick<R, K>;
}

/** The values of records of which none is given. */
export function defaultsOf<R extends OptionRecord>(records: R): OptionValues<R> {
  const entries = Object.entries(records).map(([name, { fallback }]) => [name, fallback]);
  return Object.fromEntries(entries) as OptionValues<R>;
}

/** Puts records under a heading. */
export function grouped<R extends OptionRecord>(group: string, records: R): R {
  const entries = Object.entries(records).map(([name, option]) => [name, { ...option, group }]);
  return Object.fromEntries(entries) as R;
}

/** One side of an exclusion: an option, or an option with some of its values. */
export type ExclusionSide<Name extends string> = Name | readonly [Name, (value: unknown) => boolean];

/** An option that excludes each of the others: one that was given with less precedence is ignored, else it is refused. */
export interface Exclusion<Name extends string = string> {
  readonly one: ExclusionSide<Name>;
  readonly others: readonly ExclusionSide<Name>[];
  /** Follows the name of the other option where both are refused. */
  readonly refusal?: string;
}

/** Options that make sense only if the values of others fulfil a condition. */
export interface Requirement<Name extends string = string> {
  readonly options: readonly Name[];
  isMet(values: Readonly<Record<string, unknown>>): boolean;
  /** Follows "needs". */
  readonly needs: string;
}

/** What holds between the options of a command. */
export interface OptionRules<Name extends string = string> {
  readonly exclusions?: readonly Exclusion<Name>[];
  readonly requirements?: readonly Requirement<Name>[];
}

/** The rules between options of these records; those of other options are left out. */
export function rulesAmong<R extends OptionRecord>(
  records: R,
  { exclusions = [], requirements = [] }: OptionRules,
): OptionRules<keyof R & string> {
  const isName = (name: string): name is keyof R & string => Object.hasOwn(records, name);
  const isAmong = (side: ExclusionSide<string>): side is ExclusionSide<keyof R & string> =>
    isName(typeof side === "string" ? side : side[0]);
  return {
    exclusions: exclusions.flatMap(({ one, others, ...rest }) =>
      isAmong(one) ? [{ one, others: others.filter(isAmong), ...rest }] : [],
    ),
    requirements: requirements.map((rule) => ({ ...rule, options: rule.options.filter(isName) })),
  };
}

/** Returns what was expected, or undefined for a good text. */
type TextCheck = (text: string) => string | undefined;

/** Free text. */
export function textOption(
  help: string,
  placeholder: string,
  check: TextCheck = () => undefined,
): Option<string | undefined, ""> {
  const parse = (text: string): string => {
    const expected = text === "" ? "some text" : check(text);
    if (expected !== undefined) throw new ConfigError(`expected ${expected}`);
    return text;
  };
  return { help, placeholder, repeatable: false, kind: TEXT, parse, fallback: undefined, suffix: "" };
}

/** Text with a default. */
export function textOptionWithDefault(
  help: string,
  placeholder: string,
  fallback: string,
): Option<string, ""> {
  const { parse } = textOption(help, placeholder);
  return {
    help,
    placeholder,
    repeatable: false,
    kind: TEXT,
    parse: parse as (text: string) => string,
    fallback,
    suffix: "",
  };
}

/** Text that only the environment and the configuration file may hold. */
export function secretOption(help: string): Option<string | undefined, ""> {
  return { ...textOption(help, "TEXT"), isSecret: true };
}

/** One of a few words. */
export function choiceOption<const C extends string>(
  help: string,
  choices: readonly C[],
  fallback: C,
): Option<C, ""> {
  const parse = (text: string): C => {
    const found = choices.find((choice) => choice === text);
    if (found === undefined) throw new ConfigError(`expected one of ${choices.join(", ")}`);
    return found;
  };
  return { help, placeholder: choices.join("|"), repeatable: false, kind: TEXT, parse, fallback, suffix: "" };
}

/** Splits at commas, but not between `<` and `>`: a type has commas of its own. */
function splitList(text: string): readonly string[] {
  const parts: string[] = [];
  let open = 0;
  for (const part of text.split(",")) {
    if (open > 0) parts.push(`${parts.pop()},${part}`);
    else parts.push(part);
    open += part.split("<").length - part.split(">").length;
  }
  return parts.map((part) => part.trim());
}

/** Texts: the flag may be repeated; in the environment commas separate them. */
export function listOption(
  help: string,
  placeholder: string,
  { fallback = [], check }: { readonly fallback?: readonly string[]; readonly check?: TextCheck } = {},
): Option<readonly string[], "s"> {
  const parse = (text: string): readonly string[] => {
    const parts = splitList(text);
    if (parts.some((part) => part === "")) throw new ConfigError("expected texts separated by commas");
    for (const part of parts) {
      const expected = check?.(part);
      if (expected !== undefined) throw new ConfigError(`expected ${expected}`);
    }
    return parts;
  };
  return { help, placeholder, repeatable: true, kind: TEXTS, parse, fallback, suffix: "s" };
}

/** A switch: `--name`, `--no-name`, and true or false elsewhere. */
export function switchOption(help: string, fallback: boolean): Option<boolean, ""> {
  const parse = (text: string): boolean => {
    // YAML has these spellings.
    if (["true", "True", "TRUE"].includes(text)) return true;
    if (["false", "False", "FALSE"].includes(text)) return false;
    throw new ConfigError("expected true or false");
  };
  return { help, placeholder: undefined, repeatable: false, kind: FLAG, parse, fallback, suffix: "" };
}

/** A setting whose default has type `F`. */
type Setting<F> = NumberSetting & { readonly fallback: F };
/** Type of the values of a setting. */
type NumberOf<F> = F extends number ? number : number | undefined;

function numberOption<F extends number | undefined, const S extends string>(
  help: string,
  placeholder: string,
  { setting, suffix, toNumber }: { setting: Setting<F>; suffix: S; toNumber: (text: string) => number },
): Option<NumberOf<F>, S> {
  const parse = (text: string): NumberOf<F> => {
    const value = toNumber(text);
    const fault = numberFault(value, setting, suffix === "Ms" ? "time" : "number");
    if (fault !== undefined) throw new ConfigError(fault);
    return value as NumberOf<F>;
  };
  const typed = suffix === "Ms" ? formatDuration : String;
  const range = [typed(setting.min), typed(setting.max)] as const;
  const fallback = setting.fallback as NumberOf<F>;
  return { help, placeholder, repeatable: false, kind: NUMBER, parse, fallback, suffix, range };
}

function toInteger(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number.parseInt(text, 10) : Number.NaN;
}

/** A whole number within the bounds of its setting. */
export function integerOption<F extends number | undefined>(
  help: string,
  placeholder: string,
  setting: Setting<F>,
): Option<NumberOf<F>, ""> {
  return numberOption(help, placeholder, { setting, suffix: "", toNumber: toInteger });
}

/** A number of bytes within the bounds of its setting. */
export function bytesOption<F extends number | undefined>(
  help: string,
  setting: Setting<F>,
): Option<NumberOf<F>, "Bytes"> {
  return numberOption(help, "BYTES", { setting, suffix: "Bytes", toNumber: toInteger });
}

function toMs(text: string): number {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)?$/.exec(text);
  if (match === null) throw new ConfigError("expected a time such as 500ms, 1s, 5m, 1h or 2d");
  const unit = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[match[2] ?? "s"] ?? 1000;
  return Math.round(Number.parseFloat(match[1] ?? "0") * unit);
}

/** A time such as `500ms`, `1s`, `5m` or a bare number of seconds; the value is in milliseconds. */
export function durationOption<F extends number | undefined>(
  help: string,
  setting: Setting<F>,
): Option<NumberOf<F>, "Ms"> {
  return numberOption(help, "TIME", { setting, suffix: "Ms", toNumber: toMs });
}

/** Environment variable of an option. */
export function environmentName(option: string): string {
  return `SEXTANT_${option.toUpperCase().replaceAll("-", "_")}`;
}
