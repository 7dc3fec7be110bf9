// Shapes of the answers that commands print as they are, or read a field of.

import type { Route } from "../../interface/route.ts";
import {
  accountModuleRoute,
  accountModulesRoute,
  accountResourceRoute,
  accountResourcesRoute,
  accountRoute,
  accountTransactionsRoute,
  blockByHeightRoute,
  blockByVersionRoute,
  explainRoute,
  gasPriceRoute,
  transactionByHashRoute,
  transactionByVersionRoute,
  transactionsRoute,
  viewRoute,
} from "../../interface/routes.ts";
import { isHexString, isJson, isU64, parsed, type Shape } from "./response-shapes.ts";

/** The path of the first field that is none of its kind; undefined if all are. */
type Check = (value: unknown) => string | undefined;

function is(isOne: (value: unknown) => boolean): Check {
  return (value) => (isOne(value) ? undefined : "");
}

const text = is((value) => typeof value === "string");
const count = is((value) => Number.isSafeInteger(value) && (value as number) >= 0);
const u64 = is(isU64);
const hex = is((value) => isHexString(JSON.stringify(value) ?? ""));
const anything = is((value) => value !== undefined);

function join(name: string, inner: string): string {
  return inner === "" ? name : `${name}.${inner}`;
}

function fields(checks: Readonly<Record<string, Check>>): Check {
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return "";
    for (const [name, check] of Object.entries(checks)) {
      const fault = check(Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined);
      if (fault !== undefined) return join(name, fault);
    }
    return undefined;
  };
}

function list(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return "";
    for (const [i, item] of value.entries()) {
      const fault = check(item);
      if (fault !== undefined) return join(`${i}`, fault);
    }
    return undefined;
  };
}

function optional(check: Check): Check {
  return (value) => (value === undefined || value === null ? undefined : check(value));
}

const FUNCTION = fields({ name: text, params: list(text) });
const MODULE = fields({ bytecode: hex, abi: optional(fields({ exposed_functions: list(FUNCTION) })) });
const RESOURCE = fields({ type: text, data: anything });
/** One that waits has no version. */
const TRANSACTION = fields({ type: text, hash: hex, version: optional(u64) });
const BLOCK = fields({
  block_height: u64,
  block_hash: hex,
  block_timestamp: u64,
  first_version: u64,
  last_version: u64,
  transactions: optional(list(TRANSACTION)),
});
const ARGUMENTS = list(fields({ name: optional(text), type: optional(text), bytes: optional(text) }));
const CALL = fields({ type: text, type_arguments: list(text), arguments: ARGUMENTS });
const MULTISIG = fields({
  multisig_address: text,
  type_arguments: optional(list(text)),
  arguments: optional(ARGUMENTS),
  transaction_payload: optional(CALL),
});
/** A multisig account may run a call that it stores; every other payload is a call. */
const PAYLOAD: Check = (value) =>
  (value as { readonly type?: unknown } | undefined)?.type === "multisig_payload"
    ? MULTISIG(value)
    : CALL(value);
const EXPLANATION = fields({
  kind: text,
  sender: text,
  payload: PAYLOAD,
  max_gas_amount: text,
  gas_unit_price: text,
  max_fee: text,
  secondary_signers: optional(list(text)),
  fee_payer: optional(text),
  replay_protection: fields({ type: text }),
  warnings: list(fields({ code: text, message: text })),
});

const CHECKS: ReadonlyMap<Route, Check> = new Map<Route, Check>([
  [accountRoute, fields({ sequence_number: u64, authentication_key: hex })],
  [accountResourceRoute, RESOURCE],
  [accountResourcesRoute, list(RESOURCE)],
  [accountModuleRoute, MODULE],
  [accountModulesRoute, list(MODULE)],
  [transactionByVersionRoute, TRANSACTION],
  [transactionByHashRoute, TRANSACTION],
  [transactionsRoute, list(TRANSACTION)],
  [accountTransactionsRoute, list(TRANSACTION)],
  [blockByHeightRoute, BLOCK],
  [blockByVersionRoute, BLOCK],
  [gasPriceRoute, fields({ gas_estimate: count })],
  [viewRoute, list(anything)],
  [explainRoute, EXPLANATION],
]);

/** The shape of a route's answer, which names the field at fault. */
export function readShape(route: Route): Shape {
  const check = CHECKS.get(route);
  if (check === undefined) return isJson;
  return (answer) => {
    const json = parsed(answer);
    const fault = json === undefined ? "" : check(json.value);
    return fault === undefined || (fault !== "" && fault);
  };
}
