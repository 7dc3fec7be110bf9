// A table of options: the flags of one part of a node, its numbers, and what only programs can give. The checks of
// `createNode` and the flags of `start` come from it. A name that no option has would be ignored, and the node would do
// something else than it was told; a value of another type would fail somewhere inside.
import { ConfigError } from "../../base/errors.ts";
import { type NodeValues, nodeName, type OptionRecord, type ValueKind } from "../../base/option.ts";
import { assertNumbers, type NumberSettings } from "../../base/settings.ts";
import { typeName, unknownOption } from "../../http/calls/options.ts";

export interface OptionTable {
  /** Options that a program and the command line can give. */
  readonly flags: OptionRecord;
  /** Dropped from the names of flags, such as `store-`. */
  readonly prefix?: string;
  /** Bounds of all numbers, whether they have a flag or not. */
  readonly numbers: NumberSettings;
  /** Options without a flag, or whose flag takes less than a program can give. */
  readonly others: Readonly<Record<string, ValueKind>>;
}

/** Names that the table has in excess of the options, or that it lacks. */
type Difference<Options, T extends OptionTable> =
  | Exclude<keyof Options, NamesOf<T>>
  | Exclude<NamesOf<T>, keyof Options>;

type NamesOf<T extends OptionTable> =
  | keyof NodeValues<T["flags"], T["prefix"] extends string ? T["prefix"] : "">
  | keyof T["numbers"]
  | keyof T["others"];

/** A table of exactly these options; the compiler names the option that is missing or unknown. */
export function optionTable<Options>(): <const T extends OptionTable>(
  table: [Difference<Options, T>] extends [never] ? T : Difference<Options, T>,
) => T {
  return (table) => table as never;
}

/** What the value of each option must be, by its name in the node's options; numbers are checked by their bounds. */
export function valueKinds({
  flags,
  others,
  numbers,
  prefix,
}: OptionTable): Readonly<Record<string, ValueKind>> {
  const entries = Object.entries(flags).map(
    ([name, option]) => [nodeName(name, option, prefix), option.kind] as const,
  );
  const kinds = entries.filter(([name]) => !Object.hasOwn(numbers, name));
  return { ...Object.fromEntries(kinds), ...others };
}

/** Throws ConfigError for a name that no option has, a value of another type than the option's, and a number out of bounds. */
export function assertOptions(table: OptionTable, part: string, options: object | undefined): void {
  const prefix = part === "" ? "" : `${part}.`;
  const kinds = valueKinds(table);
  for (const [name, value] of Object.entries(options ?? {})) {
    if (value === undefined || Object.hasOwn(table.numbers, name)) continue;
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) {
      const known = [...Object.keys(kinds), ...Object.keys(table.numbers)];
      throw unknownOption(name, known, prefix);
    }
    if (!kind.fits(value))
      throw new ConfigError(`${prefix}${name}: expected ${kind.expected}, got ${typeName(value)}`);
  }
  assertNumbers(part, table.numbers, options);
}
