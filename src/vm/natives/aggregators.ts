// Natives of the aggregators: numbers that many transactions change at once. A run has them to itself, so their values are
// known here, but code of a block sees them only through these natives.
import { toHex } from "../../base/hex.ts";
import { sha3 } from "../../base/sha3.ts";
import type { AbiType } from "../../move/abi.ts";
import { aborted, invariant } from "../errors.ts";
import { encodeValue } from "../layout.ts";
import type { Native, NativeContext, NativeModule } from "../natives.ts";
import {
  asAddress,
  asBig,
  asBytes,
  asRef,
  asStruct,
  byteVec,
  Delayed,
  Ref,
  Struct,
  type Value,
  Vec,
} from "../values.ts";
import { priced } from "./stdlib.ts";

const OVERFLOW = 0x020001;
const UNDERFLOW = 0x020002;
const U64_MAX = (1n << 64n) - 1n;
const U128_MAX = (1n << 128n) - 1n;

/** An aggregator of the older kind: a table item of its own. */
export interface AggregatorState {
  readonly handle: string;
  readonly key: string;
  readonly limit: bigint;
  /** Undefined while only changes are known. */
  base: bigint | undefined;
  delta: bigint;
  isCreated: boolean;
  isDestroyed: boolean;
  /** True once its value was read: it is then written like any item. */
  isRead: boolean;
}

export type Aggregators = Map<string, AggregatorState>;

function aggregatorsOf({ session }: Pick<NativeContext, "session">): Aggregators {
  return session.extension<Aggregators>("aggregators", () => new Map());
}

function aggregatorOf(context: NativeContext, value: Value | undefined): AggregatorState {
  const [handle, key, limit] = asStruct(value).fields;
  const all = aggregatorsOf(context);
  const id = `${asAddress(handle)} ${asAddress(key)}`;
  let known = all.get(id);
  if (known === undefined) {
    known = {
      handle: asAddress(handle),
      key: asAddress(key),
      limit: asBig(limit),
      base: undefined,
      delta: 0n,
      isCreated: false,
      isDestroyed: false,
      isRead: false,
    };
    all.set(id, known);
  }
  return known;
}

function load({ session }: NativeContext, state: AggregatorState): bigint {
  if (state.base === undefined) {
    const { bytes } = session.options.state.tableItem(state.handle, Buffer.from(state.key, "hex"));
    if (bytes?.length !== 16) throw invariant("an aggregator has no value");
    const view = Buffer.from(bytes);
    state.base = view.readBigUInt64LE(0) | (view.readBigUInt64LE(8) << 64n);
  }
  return state.base;
}

function change(context: NativeContext, value: Value | undefined, amount: bigint): readonly Value[] {
  const state = aggregatorOf(context, value);
  const next = load(context, state) + state.delta + amount;
  if (next > state.limit) throw aborted(OVERFLOW);
  if (next < 0n) throw aborted(UNDERFLOW);
  state.delta += amount;
  return [];
}

const aggregator: NativeModule = priced("aptos_framework.aggregator", {
  add: (context, [self, amount]) => change(context, self, asBig(amount)),
  sub: (context, [self, amount]) => change(context, self, -asBig(amount)),
  read: (context, [self]) => {
    const state = aggregatorOf(context, self);
    state.isRead = true;
    return [load(context, state) + state.delta];
  },
  destroy: (context, [self]) => {
    aggregatorOf(context, self).isDestroyed = true;
    return [];
  },
});

const aggregator_factory: NativeModule = {
  new_aggregator: (context, [factory, limit]) => {
    context.meter.chargeNative("aptos_framework.aggregator_factory.new_aggregator");
    const all = aggregatorsOf(context);
    const number = Buffer.alloc(4);
    number.writeUInt32BE(all.size);
    const key = toHex(sha3(Buffer.concat([context.session.options.sessionHash, number])));
    // The factory's only field is a table.
    const handle = asAddress(asStruct(asStruct(factory).fields[0]).fields[0]);
    all.set(`${handle} ${key}`, {
      handle,
      key,
      limit: asBig(limit),
      base: 0n,
      delta: 0n,
      isCreated: true,
      isDestroyed: false,
      isRead: true,
    });
    return [new Struct([handle, key, asBig(limit)])];
  },
};

function maxOf(type: AbiType | undefined, code: number): bigint {
  if (type?.kind === "u64") return U64_MAX;
  if (type?.kind === "u128") return U128_MAX;
  throw aborted(code);
}

const UNSUPPORTED = 0x030007;
const UNSUPPORTED_SNAPSHOT = 0x030005;
const TOO_LONG = 0x030008;
const DEPRECATED = 0x030009;
const MAX_STRING_BYTES = 1024;
const MIN_DERIVED_WIDTH = 22;

function hide({ linker }: NativeContext, value: Value): Value {
  return linker.hasDelayedFields ? new Delayed(value) : value;
}

function shown(value: Value | undefined): Value | undefined {
  return value instanceof Delayed ? value.value : value;
}

/** The number of an aggregator or snapshot. */
function numberOf(self: Value | undefined): bigint {
  return asBig(shown(asStruct(self).fields[0]));
}

/** Adds an amount if the sum stays in range. */
function tryChange(context: NativeContext, self: Value | undefined, amount: bigint): boolean {
  const ref = asRef(self);
  const { fields } = asStruct(ref);
  const [value, max] = [numberOf(ref), asBig(fields[1])];
  const next = value + amount;
  if (next < 0n || next > max) return false;
  fields[0] = hide(context, next);
  if (ref.root !== undefined) ref.root.hasAggregatorChange = true;
  return true;
}

const STRING_LAYOUT = {
  kind: "struct",
  fields: [{ kind: "vector", item: { kind: "u8" }, itemKind: "u8" }],
} as const;

function stringBytes(value: Value | undefined): Uint8Array {
  return asBytes(asStruct(value).fields[0]);
}

function derivedString(text: Uint8Array, width: number): Struct {
  const string = new Struct([byteVec(text)]);
  const used = encodeValue(string, STRING_LAYOUT).length;
  const padding = Math.max(0, width - used - 1);
  return new Struct([string, new Vec("u8", new Array<Value>(padding).fill(0))]);
}

function lengthOf(bytes: number): number {
  return bytes + (bytes < 128 ? 1 : 2);
}

/** A native for numbers of 64 or 128 bits that gives one value; others abort with the code. */
function checked(
  name: string,
  code: number,
  run: (context: NativeContext, args: readonly Value[]) => Value,
): Native {
  return (context, args, typeArgs) => {
    context.meter.chargeNative(`aptos_framework.aggregator_v2.${name}`);
    maxOf(typeArgs[0], code);
    return [run(context, args)];
  };
}

function deprecated(): never {
  throw aborted(DEPRECATED);
}

const aggregator_v2: NativeModule = {
  create_aggregator: checked(
    "create_aggregator",
    UNSUPPORTED,
    (context, [max]) => new Struct([hide(context, 0n), asBig(max)]),
  ),
  create_unbounded_aggregator: (context, _, typeArgs) => {
    context.meter.chargeNative("aptos_framework.aggregator_v2.create_aggregator");
    return [new Struct([hide(context, 0n), maxOf(typeArgs[0], UNSUPPORTED)])];
  },
  try_add: checked("try_add", UNSUPPORTED, (context, [self, amount]) =>
    tryChange(context, self, asBig(amount)),
  ),
  try_sub: checked("try_sub", UNSUPPORTED, (context, [self, amount]) =>
    tryChange(context, self, -asBig(amount)),
  ),
  is_at_least_impl: checked(
    "is_at_least",
    UNSUPPORTED,
    (_, [self, amount]) => numberOf(self) >= asBig(amount),
  ),
  read: checked("read", UNSUPPORTED, (_, [self]) => numberOf(self)),
  snapshot: checked(
    "snapshot",
    UNSUPPORTED,
    (context, [self]) => new Struct([hide(context, numberOf(self))]),
  ),
  create_snapshot: checked(
    "create_snapshot",
    UNSUPPORTED_SNAPSHOT,
    (context, [value]) => new Struct([hide(context, asBig(value))]),
  ),
  ...priced("aptos_framework.aggregator_v2", { copy_snapshot: deprecated, string_concat: deprecated }),
  read_snapshot: checked("read_snapshot", UNSUPPORTED_SNAPSHOT, (_, [self]) => numberOf(self)),
  read_derived_string: (context, [self]) => {
    context.meter.chargeNative("aptos_framework.aggregator_v2.read_snapshot");
    const derived = self instanceof Ref ? self.get() : self;
    return [new Struct([byteVec(stringBytes(asStruct(shown(derived)).fields[0]))])];
  },
  create_derived_string: (context, [value]) => {
    const text = stringBytes(value);
    context.meter.chargeNative("aptos_framework.aggregator_v2.create_snapshot", text.length);
    if (text.length > MAX_STRING_BYTES) throw aborted(TOO_LONG);
    const width = Math.max(lengthOf(text.length) + 1, MIN_DERIVED_WIDTH);
    return [hide(context, derivedString(text, width))];
  },
  derive_string_concat: (context, [before, snapshot, after], typeArgs) => {
    const [prefix, suffix] = [stringBytes(before), stringBytes(after)];
    context.meter.chargeNative("aptos_framework.aggregator_v2.string_concat", prefix.length + suffix.length);
    maxOf(typeArgs[0], UNSUPPORTED_SNAPSHOT);
    if (prefix.length + suffix.length > MAX_STRING_BYTES) throw aborted(TOO_LONG);
    const digits = typeArgs[0]?.kind === "u64" ? 20 : 39;
    const value = Buffer.from(`${numberOf(snapshot)}`);
    const width = lengthOf(prefix.length + suffix.length + digits) + 1;
    return [hide(context, derivedString(Buffer.concat([prefix, value, suffix]), width))];
  },
};

export const AGGREGATOR_NATIVES: Readonly<Record<string, NativeModule>> = {
  aggregator,
  aggregator_factory,
  aggregator_v2,
};
