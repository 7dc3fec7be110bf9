// Query parameters that choose transactions and events.
import { toMapKey } from "../../base/bytes.ts";
import { parseTrust, TRUST_LEVELS, type TrustLevel } from "../../ledger/trust.ts";
import { assetKeys, type RecordFilter } from "../../ledger/watch/record-filter.ts";
import { formatAddress, parseAddress } from "../../move/address.ts";
import { isIdentifier } from "../../move/identifier.ts";
import { toText } from "../calls/operands.ts";
import { knownOptions } from "../calls/options.ts";
import { HttpError } from "../errors.ts";
import { type Field, parseField, repeatable } from "../field.ts";
import { addressField } from "./address.ts";
import { assetTypeField } from "./asset-type.ts";
import { successField } from "./flag.ts";
import { resourceTypeField } from "./move-type.ts";
import { FUNCTION_PATTERN, MODULE_PATTERN } from "./patterns.ts";

/** Values of one parameter. */
const MAX_VALUES = 100;

/** An address and names behind it, each after `::`. */
function parsePath(text: string, names: number): string {
  const [address = "", ...rest] = text.split("::");
  if (rest.length !== names || !rest.every(isIdentifier)) {
    throw new HttpError("malformed_request", `it is not an address and ${names} Move identifiers`);
  }
  return [formatAddress(parseAddress(address)), ...rest].join("::");
}

const pathField = (what: string, names: number, pattern: string, example: string): Field<string> => ({
  schema: { type: "string", pattern },
  description: "",
  example,
  expected: `a ${what} such as ${example}`,
  parse: (text) => parsePath(text, names),
});

const functionField = pathField("function", 2, FUNCTION_PATTERN, "0x1::coin::transfer");
const moduleField = pathField("module", 1, MODULE_PATTERN, "0x1::coin");

/** What records are looked up by, for each value of a parameter. */
type Keys = string | readonly string[];

const many = <T>(field: Field<T>, keysOf: (value: T) => Keys, description: string): Field<readonly Keys[]> =>
  repeatable(
    { ...field, parse: (text) => keysOf(field.parse(text)) },
    MAX_VALUES,
    `${description} Given more than once, one of the values must fit.`,
  );

/** What a client may ask of transactions; `module` differs for events. */
export const filterFields = (module: string) => ({
  sender: many(addressField, toMapKey, "Only transactions that this account sent."),
  function: many(functionField, String, "Only transactions that call this entry function."),
  module: many(moduleField, String, module),
  event_type: many(
    { ...resourceTypeField, expected: "a struct type such as 0x1::fungible_asset::Deposit" },
    ({ text }) => text,
    "Only events of this type, or transactions that emitted one. Without type arguments, it stands for all of them.",
  ),
  account: many(
    addressField,
    toMapKey,
    "Only transactions that touch this account: that it sent, or that write an item at its address or an object that it owns.",
  ),
  asset_type: many(assetTypeField, assetKeys, "Only transactions that write a store of this asset."),
  success: successField,
});

/** The parameters by the names that they have in the process. */
const NAMES = {
  sender: "sender",
  function: "function",
  module: "module",
  eventType: "event_type",
  account: "account",
  assetType: "asset_type",
} as const;

type FilterArgs = { readonly [Name in (typeof NAMES)[keyof typeof NAMES]]: readonly Keys[] | undefined } & {
  readonly success: boolean | undefined;
};

export function filterOf({ success, ...args }: FilterArgs): RecordFilter {
  const sets = Object.values(NAMES).map((name) => [name, args[name] && new Set(args[name].flat())]);
  return { ...Object.fromEntries(sets), success };
}

/** A filter of a call in the process: each value a text, or several of which one must fit. */
export type FilterOptions = {
  readonly [Name in keyof typeof NAMES]?: string | readonly string[] | undefined;
} & { readonly success?: boolean | undefined };

export function filterFromOptions(options: FilterOptions): RecordFilter {
  const { success, ...given } = knownOptions({ ...NAMES, success: "success" }, options, "filter");
  const fields = filterFields("");
  const parse = (name: keyof typeof NAMES, text: unknown): readonly Keys[] =>
    parseField(`filter.${name}`, fields[NAMES[name]], toText(`filter.${name}`, text));
  const args = (Object.keys(NAMES) as (keyof typeof NAMES)[]).map((name) => {
    const texts = given[name] === undefined ? undefined : [given[name]].flat();
    return [NAMES[name], texts?.flatMap((text) => parse(name, text))];
  });
  return filterOf({ success, ...Object.fromEntries(args) });
}

/** The least level of what a stream sends. */
export const minTrustField: Field<TrustLevel> = {
  schema: { type: "string" },
  description: `Holds each event back until it has this trust level: ${TRUST_LEVELS}. A level below that of the node (\`--min-trust\`) changes nothing.`,
  example: "proven",
  omitExample: true,
  expected: TRUST_LEVELS,
  parse(text) {
    const level = parseTrust(text);
    if (level === undefined) throw new HttpError("malformed_request", "there is no such level");
    return level;
  },
};
