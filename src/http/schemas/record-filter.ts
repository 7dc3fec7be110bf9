// Query parameters that choose transactions and events.

import { toMapKey } from "../../base/bytes.ts";
import { parseTrust, TRUST_LEVELS, type TrustLevel } from "../../ledger/trust.ts";
import { assetKeys, type RecordFilter } from "../../ledger/watch/record-filter.ts";
import { formatAddress, parseAddress } from "../../move/address.ts";
import { isIdentifier } from "../../move/identifier.ts";
import { formatStructTag } from "../../move/type-tag.ts";
import { parseStructTag } from "../../move/type-text.ts";
import { toText } from "../calls/operands.ts";
import { knownOptions, type OptionNames } from "../calls/options.ts";
import { HttpError } from "../errors.ts";
import { type Field, parseField, repeatable } from "../field.ts";
import type { Args } from "../operation.ts";
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

const eventTypeField: Field<string> = {
  ...resourceTypeField,
  expected: "a struct type such as 0x1::fungible_asset::Deposit",
  parse: (text) => formatStructTag(parseStructTag(text)),
};

const many = <T>(field: Field<T>, description: string): Field<readonly T[]> =>
  repeatable(field, MAX_VALUES, `${description} Given more than once, one of the values must fit.`);

/** What a client may ask of transactions; `module` differs for events. */
export const filterFields = (module: string) => ({
  sender: many(addressField, "Only transactions that this account sent."),
  function: many(functionField, "Only transactions that call this entry function."),
  module: many(moduleField, module),
  event_type: many(
    eventTypeField,
    "Only events of this type, or transactions that emitted one. Without type arguments, it stands for all of them.",
  ),
  account: many(
    addressField,
    "Only transactions that touch this account: that it sent, or that write an item at its address or an object that it owns.",
  ),
  asset_type: many(assetTypeField, "Only transactions that write a store of this asset."),
  success: successField,
});

type FilterArgs = Args<Readonly<Record<never, Field<unknown>>>, ReturnType<typeof filterFields>, undefined>;

export function filterOf(args: Omit<FilterArgs, "body">): RecordFilter {
  const addresses = (list: FilterArgs["sender"]) => list && new Set(list.map(toMapKey));
  return {
    sender: addresses(args.sender),
    function: args.function && new Set(args.function),
    module: args.module && new Set(args.module),
    eventType: args.event_type && new Set(args.event_type),
    account: addresses(args.account),
    asset: args.asset_type && new Set(args.asset_type.flatMap(assetKeys)),
    success: args.success,
  };
}

/** A filter of a call in the process: each value a text, or several of which one must fit. */
export interface FilterOptions {
  readonly sender?: string | readonly string[] | undefined;
  readonly function?: string | readonly string[] | undefined;
  readonly module?: string | readonly string[] | undefined;
  readonly eventType?: string | readonly string[] | undefined;
  readonly account?: string | readonly string[] | undefined;
  readonly assetType?: string | readonly string[] | undefined;
  readonly success?: boolean | undefined;
}

const FILTER_NAMES: OptionNames<FilterOptions> = {
  sender: true,
  function: true,
  module: true,
  eventType: true,
  account: true,
  assetType: true,
  success: true,
};

export function filterFromOptions(options: FilterOptions): RecordFilter {
  const { eventType, assetType, success, ...given } = knownOptions(FILTER_NAMES, options, "filter");
  const fields = filterFields("");
  const all = <T>(
    name: string,
    field: Field<readonly T[]>,
    texts?: string | readonly string[],
  ): readonly T[] | undefined =>
    texts === undefined
      ? undefined
      : [texts].flat().flatMap((text) => parseField(`filter.${name}`, field, toText(`filter.${name}`, text)));
  return filterOf({
    sender: all("sender", fields.sender, given.sender),
    function: all("function", fields.function, given.function),
    module: all("module", fields.module, given.module),
    event_type: all("eventType", fields.event_type, eventType),
    account: all("account", fields.account, given.account),
    asset_type: all("assetType", fields.asset_type, assetType),
    success,
  });
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
