// Shapes of a node's responses: a response of another shape is not printed.
import { fromHex } from "../../base/hex.ts";
import { U64_MAX } from "../../base/numbers.ts";

/** A u8 on chain. */
const MAX_DECIMALS = 255;
/** The last moment that a date can name, in microseconds. */
const MAX_TIME_USEC = 8_640_000_000_000_000_000n;

/** True for a response of the expected shape; else false, or the field that is at fault. */
export type Shape = (text: string) => boolean | string;

export const isU64 = (text: unknown): boolean =>
  typeof text === "string" && /^\d{1,20}$/.test(text) && BigInt(text) <= U64_MAX;

export const isHexString = (text: string): boolean => {
  const inner = text.startsWith('"0x') && text.endsWith('"') ? text.slice(3, -1) : undefined;
  return inner !== undefined && fromHex(inner) !== undefined;
};

/** The value of a JSON text; undefined for a text that is none. */
export function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

export function toObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parsed(text)?.value;
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

export const isJson: Shape = (text) => parsed(text) !== undefined;

export const isObject: Shape = (text) => toObject(text) !== undefined;

const LEDGER_NUMBERS = [
  "ledger_version",
  "oldest_ledger_version",
  "block_height",
  "epoch",
  "ledger_timestamp",
];

export const isLedger: Shape = (text) => {
  const ledger = toObject(text);
  return (
    typeof ledger?.chain_id === "number" &&
    LEDGER_NUMBERS.every((name) => isU64(ledger[name])) &&
    BigInt(ledger.ledger_timestamp as string) <= MAX_TIME_USEC
  );
};

export const isDetail: Shape = (text) => {
  const detail = toObject(text);
  const isTextOrAbsent = (name: string): boolean => ["string", "undefined"].includes(typeof detail?.[name]);
  const { decimals = 0 } = detail ?? {};
  return (
    ["ledger_version", "timestamp_usec", "balance"].every((name) => isU64(detail?.[name])) &&
    ["name", "symbol"].every(isTextOrAbsent) &&
    Number.isInteger(decimals) &&
    (decimals as number) >= 0 &&
    (decimals as number) <= MAX_DECIMALS
  );
};

function toList(text: string): readonly unknown[] | undefined {
  const value = parsed(text)?.value;
  return Array.isArray(value) ? value : undefined;
}

export function isListOf(isItem: (item: Readonly<Record<string, unknown>>) => boolean): Shape {
  return (text) =>
    toList(text)?.every(
      (item) => typeof item === "object" && item !== null && isItem(item as Record<string, unknown>),
    ) ?? false;
}

export function* listLines(text: string): Generator<string> {
  for (const item of toList(text) ?? []) yield JSON.stringify(item);
}

export const isHolding = ({ asset_type, balance, symbol }: Readonly<Record<string, unknown>>): boolean =>
  typeof asset_type === "string" && isU64(balance) && (symbol === undefined || typeof symbol === "string");

export const isRow = ({ key, value }: Readonly<Record<string, unknown>>): boolean =>
  isHexString(JSON.stringify(key) ?? "") && (value === null || isHexString(JSON.stringify(value) ?? ""));

export const isChange = (change: Readonly<Record<string, unknown>>): boolean =>
  ["version", "timestamp_usec", "before", "after"].every((name) => isU64(change[name])) &&
  isHexString(JSON.stringify(change.transaction_hash) ?? "");

export const isBalanceEvent: Shape = (text) => {
  const event = toObject(text);
  const hasBefore = event?.before !== undefined;
  return (
    ["version", "timestamp_usec", "balance"].every((name) => isU64(event?.[name])) &&
    (!hasBefore || isU64(event.before)) &&
    (!hasBefore || isHexString(JSON.stringify(event.transaction_hash) ?? ""))
  );
};

const BLOCK_NUMBERS = ["height", "first_version", "last_version", "timestamp_usec", "epoch"];

export const isBlock: Shape = (text) => {
  const block = toObject(text);
  return BLOCK_NUMBERS.every((name) => isU64(block?.[name]));
};

/** Calls of a chain are less deep. */
const MAX_DEPTH = 1024;

type Members = Readonly<Record<string, unknown>>;

function hasTexts(members: Members, ...names: readonly string[]): boolean {
  return names.every((name) => typeof members[name] === "string");
}

function isListIn(list: unknown, isItem: (item: Members) => boolean): boolean {
  return (
    Array.isArray(list) && list.every((item: unknown) => item instanceof Object && isItem(item as Members))
  );
}

const isTracedValue = (value: Members): boolean =>
  hasTexts(value, "type") && (value.omitted === true || (value.value ?? value.bytes) !== undefined);

const isTracedCall = (call: Members): boolean =>
  hasTexts(call, "function") &&
  Number.isInteger(call.depth) &&
  (call.depth as number) >= 0 &&
  (call.depth as number) <= MAX_DEPTH &&
  isU64(call.gas_used) &&
  (call.omitted === undefined || isU64(call.omitted)) &&
  Array.isArray(call.type_arguments) &&
  call.type_arguments.every((type) => typeof type === "string") &&
  [call.arguments, call.events].every((list) => isListIn(list, isTracedValue)) &&
  [call.reads, call.writes].every((list) => isListIn(list, (item) => hasTexts(item, "owner", "key")));

export const isTrace: Shape = (text) => {
  const trace = toObject(text);
  return (
    trace !== undefined &&
    hasTexts(trace, "vm_status") &&
    [trace.gas_used, trace.gas_scaling, trace.omitted_calls].every(isU64) &&
    isListIn(trace.calls, isTracedCall) &&
    (trace.fault === undefined ||
      isListIn([trace.fault], (fault) => hasTexts(fault, "status", "description")))
  );
};

/** Shape of the results of a batch: as many as there were queries, each a value or an error. */
export function batchShape(member: string, count: number, isResult: (result: object) => boolean): Shape {
  return (text) => {
    const batch = toObject(text);
    const results = batch?.[member];
    if (!isU64(batch?.ledger_version) || !isU64(batch?.timestamp_usec)) return false;
    if (!Array.isArray(results) || results.length !== count) return false;
    return results.every((one: unknown) => {
      if (typeof one !== "object" || one === null) return false;
      if (!("error" in one)) return isResult(one);
      const { message, error_code: code } = (one.error ?? {}) as Readonly<Record<string, unknown>>;
      return typeof message === "string" && typeof code === "string";
    });
  };
}
