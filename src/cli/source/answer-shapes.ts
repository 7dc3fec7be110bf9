// Shapes of a node's answers, by route: an answer of another shape is not printed, and the field at fault is named.
import { fromHex } from "../../base/hex.ts";
import { U64_MAX } from "../../base/numbers.ts";
import type { Route } from "../../interface/route.ts";
import {
  accountModuleRoute,
  accountModulesRoute,
  accountResourceRoute,
  accountResourcesRoute,
  accountRoute,
  accountTransactionsRoute,
  balanceRoute,
  balanceStreamRoute,
  balancesRoute,
  blockByHeightRoute,
  blockByVersionRoute,
  blockStreamRoute,
  detailRoute,
  encodeRoute,
  explainRoute,
  gasPriceRoute,
  historyRoute,
  holdingsRoute,
  infoRoute,
  ledgerInfoRoute,
  rawItemRoute,
  rawItemsRoute,
  tableItemCountRoute,
  tableItemsRoute,
  traceByVersionRoute,
  traceRoute,
  transactionByHashRoute,
  transactionByVersionRoute,
  transactionsRoute,
  viewRoute,
} from "../../interface/routes.ts";

/** The last moment that a date can name, in microseconds. */
const MAX_TIME_USEC = 8_640_000_000_000_000_000n;
/** Calls of a chain are less deep. */
const MAX_DEPTH = 1024;
/** A u8 on chain. */
const MAX_DECIMALS = 255;

/** The path of the first field that is none of its kind; undefined if all are. The value itself has an empty path. */
export type Shape = (value: unknown) => string | undefined;

function is(isOne: (value: unknown) => boolean): Shape {
  return (value) => (isOne(value) ? undefined : "");
}

function isU64(value: unknown): boolean {
  return typeof value === "string" && /^\d{1,20}$/.test(value) && BigInt(value) <= U64_MAX;
}

function upTo(most: number): Shape {
  return is((value) => Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most);
}

const text = is((value) => typeof value === "string");
const count = upTo(Number.MAX_SAFE_INTEGER);
const u64 = is(isU64);
const time = is((value) => isU64(value) && BigInt(value as string) <= MAX_TIME_USEC);
const hex = is(
  (value) => typeof value === "string" && value.startsWith("0x") && fromHex(value.slice(2)) !== undefined,
);
const anything = is((value) => value !== undefined);

function join(name: string, inner: string): string {
  return inner === "" ? name : `${name}.${inner}`;
}

function fields(shapes: Readonly<Record<string, Shape>>): Shape {
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return "";
    for (const [name, shape] of Object.entries(shapes)) {
      const fault = shape(Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined);
      if (fault !== undefined) return join(name, fault);
    }
    return undefined;
  };
}

function list(shape: Shape, length?: number): Shape {
  return (value) => {
    if (!Array.isArray(value) || (length !== undefined && value.length !== length)) return "";
    for (const [i, item] of value.entries()) {
      const fault = shape(item);
      if (fault !== undefined) return join(`${i}`, fault);
    }
    return undefined;
  };
}

function optional(shape: Shape): Shape {
  return (value) => (value === undefined || value === null ? undefined : shape(value));
}

/** One shape for values that have a member, another for those that have not. */
function having(member: string, shape: Shape, other: Shape): Shape {
  return (value) => (value instanceof Object && member in value ? shape : other)(value);
}

const ANY_OBJECT = fields({});
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
/** A multisig account may run a call that it stores; every other payload is a call. */
const PAYLOAD = having(
  "multisig_address",
  fields({
    multisig_address: text,
    type_arguments: optional(list(text)),
    arguments: optional(ARGUMENTS),
    transaction_payload: optional(CALL),
  }),
  CALL,
);
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
const LEDGER = fields({
  chain_id: count,
  ledger_version: u64,
  oldest_ledger_version: u64,
  block_height: u64,
  epoch: u64,
  ledger_timestamp: time,
});
const DETAIL = fields({
  ledger_version: u64,
  timestamp_usec: u64,
  balance: u64,
  name: optional(text),
  symbol: optional(text),
  decimals: optional(upTo(MAX_DECIMALS)),
});
const BALANCE_EVENT = { version: u64, timestamp_usec: u64, balance: u64 };
const TRACED_VALUE = having(
  "omitted",
  fields({ type: text, omitted: is((value) => value === true) }),
  having("value", fields({ type: text, value: anything }), fields({ type: text, bytes: anything })),
);
const TRACED_FAULT = fields({ status: text, description: text });
const TRACED_ITEMS = list(fields({ owner: text, key: text }));
const TRACE = fields({
  vm_status: text,
  gas_used: u64,
  gas_scaling: u64,
  omitted_calls: u64,
  calls: list(
    fields({
      function: text,
      depth: upTo(MAX_DEPTH),
      gas_used: u64,
      omitted: optional(u64),
      type_arguments: list(text),
      arguments: list(TRACED_VALUE),
      events: list(TRACED_VALUE),
      reads: TRACED_ITEMS,
      writes: TRACED_ITEMS,
    }),
  ),
  fault: (value) => (value === undefined ? undefined : TRACED_FAULT(value)),
});

const SHAPES: ReadonlyMap<Route, Shape> = new Map<Route, Shape>([
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
  [encodeRoute, hex],
  [detailRoute, DETAIL],
  [
    historyRoute,
    list(fields({ version: u64, timestamp_usec: u64, before: u64, after: u64, transaction_hash: hex })),
  ],
  [holdingsRoute, list(fields({ asset_type: text, balance: u64, symbol: optional(text) }))],
  [rawItemRoute, hex],
  [tableItemsRoute, list(fields({ key: hex, value: optional(hex) }))],
  [tableItemCountRoute, fields({ count: u64 })],
  [traceRoute, TRACE],
  [traceByVersionRoute, TRACE],
  [infoRoute, ANY_OBJECT],
  [ledgerInfoRoute, LEDGER],
  [
    balanceStreamRoute,
    having("before", fields({ ...BALANCE_EVENT, before: u64, transaction_hash: hex }), fields(BALANCE_EVENT)),
  ],
  [
    blockStreamRoute,
    fields({ height: u64, first_version: u64, last_version: u64, timestamp_usec: u64, epoch: u64 }),
  ],
]);

/** Batches: the list of results, and what each has that is no error. */
const BATCHES: ReadonlyMap<Route, readonly [results: string, shape: Shape]> = new Map<
  Route,
  readonly [string, Shape]
>([
  [balancesRoute, ["balances", fields({ balance: u64 })]],
  [rawItemsRoute, ["items", fields({ value: hex })]],
]);

/** A proof is checked as a whole. */
function otherShape({ path }: Route): Shape {
  return path.endsWith("/proof") ? ANY_OBJECT : anything;
}

/** What is wrong with the answer of a route: the path of a field, or nothing of it fits. Undefined if it is right. */
export function faultOf(route: Route, answer: string, queries?: number): string | undefined {
  // The digits of a balance may have no exact number.
  if (route === balanceRoute) return u64(answer);
  const json = parsed(answer);
  if (json === undefined) return "";
  const batch = BATCHES.get(route);
  if (batch === undefined) return (SHAPES.get(route) ?? otherShape(route))(json.value);
  const [results, shape] = batch;
  const error = fields({ error: fields({ message: text, error_code: text }) });
  return fields({
    ledger_version: u64,
    timestamp_usec: u64,
    [results]: list(having("error", error, shape), queries),
  })(json.value);
}

/** The value of a JSON text; undefined for a text that is none. */
function parsed(answer: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(answer) };
  } catch {
    return undefined;
  }
}

export function toObject(answer: string): Readonly<Record<string, unknown>> | undefined {
  const value = parsed(answer)?.value;
  return ANY_OBJECT(value) === undefined ? (value as Readonly<Record<string, unknown>>) : undefined;
}

export function* listLines(answer: string): Generator<string> {
  const value = parsed(answer)?.value;
  if (Array.isArray(value)) for (const item of value) yield JSON.stringify(item);
}
