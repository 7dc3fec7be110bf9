// Natives of the framework that touch the ledger or the transaction: tables, events, objects, accounts, context.
import { toMapKey } from "../../base/bytes.ts";
import { toHex } from "../../base/hex.ts";
import { sha3Short } from "../../base/keccak.ts";
import type { Pieces } from "../../base/pieces.ts";
import { sha3 } from "../../base/sha3.ts";
import type { AbiType } from "../../move/abi.ts";
import { isIdentifier } from "../../move/identifier.ts";
import { MAX_TAG_NESTING } from "../../move/type-tag.ts";
import { aborted, invariant, STATUS, VmError } from "../errors.ts";
import { decodeInPieces, encodeStoredInPieces, encodeValue, hasDelayed, type Layout } from "../layout.ts";
import { type FunctionInstance, isSpecialAddress, named } from "../linker.ts";
import { Dispatch, type Native, type NativeContext, type NativeModule } from "../natives.ts";
import type { EntryFacts, GlobalSlot } from "../session.ts";
import { formatType, moduleKey, tagNesting, typeKey, typesKey } from "../types.ts";
import {
  abstractSize,
  asAddress,
  asBig,
  asBytes,
  asStruct,
  asVec,
  byteVec,
  equalValues,
  Ref,
  Struct,
  signerOf,
  type Value,
  Vec,
} from "../values.ts";
import { argOf, atOnce, bytesInParts, none, onValue, priced } from "./stdlib.ts";

const ALREADY_EXISTS = 25607;
const NOT_FOUND = 25863;
const NO_CONTEXT = 0x030001;
const KIND_DERIVED = 0xfc;
const KIND_UNIQUE = 0xfb;

/** A Move string. */
export function stringOf(text: string): Struct {
  return new Struct([byteVec(Buffer.from(text))]);
}

function textLength(text: string): number {
  return Buffer.byteLength(text);
}

interface TypeInfo {
  /** Length of the type's text. */
  readonly units: number;
  readonly address: string;
  readonly module: Uint8Array;
  readonly name: Uint8Array;
}

const typeInfos = new WeakMap<AbiType, TypeInfo>();
const NOTHING = new Uint8Array(0);

function typeInfo(type: AbiType): TypeInfo {
  let info = typeInfos.get(type);
  if (info === undefined) {
    const text = formatType(type);
    const units = textLength(text);
    info = { units, address: "", module: NOTHING, name: NOTHING };
    if (type.kind === "struct") {
      const name = Buffer.from(text.slice(text.indexOf("::", text.indexOf("::") + 2) + 2));
      info = { units, address: toHex(type.address), module: Buffer.from(type.module), name };
    }
    typeInfos.set(type, info);
  }
  return info;
}

const type_info: NativeModule = {
  type_of: (context, _, typeArgs) => {
    const type = argOf(typeArgs, 0);
    const { units, address, module, name } = typeInfo(type);
    context.meter.chargeNative("aptos_framework.type_info.type_of", units, "per_abstract_memory_unit");
    if (type.kind !== "struct") throw aborted(1);
    return [new Struct([address, byteVec(module), byteVec(name)])];
  },
  type_name: (context, _, typeArgs) => {
    const text = formatType(argOf(typeArgs, 0));
    context.meter.chargeNative(
      "aptos_framework.type_info.type_name",
      textLength(text),
      "per_abstract_memory_unit",
    );
    return [stringOf(text)];
  },
  chain_id_internal: (context) => {
    context.meter.chargeNative("aptos_framework.type_info.chain_id");
    return [context.session.options.chainId];
  },
};

function* fromBytes(
  context: NativeContext,
  vec: Vec,
  typeArgs: readonly AbiType[],
): Pieces<readonly Value[]> {
  const bytes = yield* bytesInParts(vec);
  const layout = context.linker.layout(argOf(typeArgs, 0));
  context.meter.chargeNative("aptos_framework.util.from_bytes", bytes.length);
  let value: Value | undefined;
  try {
    // Numbers of aggregators are not decoded.
    if (!hasDelayed(layout)) value = yield* decodeInPieces(bytes, layout);
  } catch (error) {
    if (!(error instanceof VmError)) throw error;
  }
  if (value === undefined) throw aborted(0x010001);
  return [value];
}

const fromBytesNative: Native = (context, [bytes], typeArgs) => {
  const vec = asVec(bytes);
  return atOnce(vec.items.length, fromBytes(context, vec, typeArgs));
};

const nothing: Native = () => [];

/** True for types whose values are the same if they are equal; closures with other masks may be equal. */
function isFlat(layout: Layout): boolean {
  if (layout.kind === "struct") return layout.fields.every(isFlat);
  return layout.kind === "vector"
    ? layout.itemKind !== "other"
    : layout.kind !== "enum" && layout.kind !== "function";
}

function tableSlot(
  context: NativeContext,
  key: string,
  table: Value | undefined,
  item: Value,
  typeArgs: readonly AbiType[],
): GlobalSlot {
  const { session, meter, linker } = context;
  const type = argOf(typeArgs, 0);
  const last = session.lastKey;
  const layout = linker.layout(type);
  const isLast = last?.type === type && isFlat(layout) && equalValues(last.key, item);
  const bytes = isLast ? last.bytes : encodeValue(item, layout);
  const name = isLast ? last.name : toMapKey(bytes);
  session.lastKey = { key: item, type, bytes, name };
  context.meter.chargeNative(key, bytes.length, "per_byte_serialized");
  const charge = (read: number | undefined): void => meter.charge(meter.tableReadPrice(read));
  return session.tableItem(asAddress(asStruct(table).fields[0]), bytes, argOf(typeArgs, 2), charge, name);
}

function borrowBox(
  context: NativeContext,
  [table, item]: readonly Value[],
  typeArgs: readonly AbiType[],
): readonly Value[] {
  const slot = tableSlot(context, "table.borrow_box", table, item as Value, typeArgs);
  if (!slot.exists) throw aborted(NOT_FOUND);
  return [new Ref(slot.place, 0, slot)];
}

const table: NativeModule = {
  new_table_handle: (context) => {
    context.meter.chargeNative("table.new_table_handle");
    const { session } = context;
    const state = session.extension("table", () => ({ created: 0 }));
    const number = Buffer.alloc(4);
    number.writeUInt32BE(state.created++);
    return [toHex(sha3(Buffer.concat([session.options.sessionHash, number])))];
  },
  add_box: (context, [target, item, value], typeArgs) => {
    const slot = tableSlot(context, "table.add_box", target, item as Value, typeArgs);
    if (slot.exists) throw aborted(ALREADY_EXISTS);
    slot.put(value as Value);
    return [];
  },
  borrow_box: borrowBox,
  borrow_box_mut: borrowBox,
  contains_box: (context, [target, item], typeArgs) => [
    tableSlot(context, "table.contains_box", target, item as Value, typeArgs).exists,
  ],
  remove_box: (context, [target, item], typeArgs) => {
    const slot = tableSlot(context, "table.remove_box", target, item as Value, typeArgs);
    if (!slot.exists) throw aborted(NOT_FOUND);
    return [slot.take() as Value];
  },
  ...priced("table", { destroy_empty_box: nothing, drop_unchecked_box: nothing }),
};

const CANNOT_CREATE_EVENT = 1;

function* writeEvent(
  context: NativeContext,
  guid: Uint8Array | undefined,
  sequenceNumber: bigint,
  message: Value,
  type: AbiType,
): Pieces<readonly Value[]> {
  const { linker, session } = context;
  const size = abstractSize(message);
  context.meter.chargeNative("aptos_framework.event.write_to_event_store", size, "per_abstract_memory_unit");
  if (guid === undefined) {
    const [, emitter] = context.callers();
    const isOwn =
      type.kind === "struct" &&
      emitter !== undefined &&
      emitter.key === `${toHex(type.address)}::${type.module}`;
    if (!isOwn) throw new VmError(STATUS.eventTypeMismatch, "a module emits events of its own types only");
  } else if (guid.length !== 40) throw new VmError(2010, "the guid of an event does not decode");
  const data = yield* encodeStoredInPieces(message, linker.layout(type));
  if (tagNesting(type) > MAX_TAG_NESTING) throw aborted(CANNOT_CREATE_EVENT);
  session.events.push({ guid, sequenceNumber, type, data });
  return [];
}

const event: NativeModule = {
  write_to_event_store: (context, [guid, count, message], typeArgs) =>
    onValue(message as Value, (value) =>
      writeEvent(context, asBytes(guid), asBig(count), value, argOf(typeArgs, 0)),
    ),
  write_module_event_to_store: (context, [message], typeArgs) =>
    onValue(message as Value, (value) => writeEvent(context, undefined, 0n, value, argOf(typeArgs, 0))),
};

function makeSigner(context: NativeContext, [address]: readonly Value[]): readonly Value[] {
  context.meter.chargeNative("aptos_framework.account.create_signer");
  return [signerOf(asAddress(address))];
}

const EXISTS_AT = "aptos_framework.object.exists_at";
const EXISTS_AT_LOADED = `${EXISTS_AT}.per_item_loaded`;
const EXISTS_AT_BYTE = `${EXISTS_AT}.per_byte_loaded`;

const object: NativeModule = {
  exists_at: (context, [address], typeArgs) => {
    context.meter.chargeNative(EXISTS_AT);
    const { session, meter } = context;
    const type = argOf(typeArgs, 0);
    if (type.kind !== "struct") throw invariant("a resource is a struct");
    const slot = session.resource(asAddress(address), type, typeKey(type), (bytes) => {
      meter.charge(meter.price(EXISTS_AT_LOADED) + meter.price(EXISTS_AT_BYTE) * bytes);
    });
    return [slot.exists];
  },
  create_user_derived_object_address_impl: (context, [source, from]) => {
    context.meter.chargeNative("aptos_framework.object.user_derived_address");
    return [derivedAddress(asAddress(source), asAddress(from))];
  },
};

/** The last one: code derives the address of a primary store several times in a row. */
let derived = { one: "", other: "", address: "" };

function derivedAddress(one: string, other: string): string {
  if (derived.one !== one || derived.other !== other) {
    const hash = sha3Short(Buffer.from(one + other, "hex"), Uint8Array.of(KIND_DERIVED));
    derived = { one, other, address: toHex(hash) };
  }
  return derived.address;
}

function contextValue(
  name: string,
  read: (
    facts: NonNullable<NativeContext["session"]["options"]["facts"]>,
    context: NativeContext,
  ) => readonly Value[],
): NativeModule[string] {
  const key = `aptos_framework.transaction_context.${name}`;
  return (context) => {
    context.meter.chargeNative(key);
    const { facts } = context.session.options;
    if (facts === undefined) throw aborted(NO_CONTEXT);
    return read(facts, context);
  };
}

function entryPayload({ address, module, name, typeArgs, args }: EntryFacts): Struct {
  return new Struct([
    address,
    stringOf(module),
    stringOf(name),
    new Vec(
      "other",
      typeArgs.map((one) => stringOf(one)),
    ),
    new Vec(
      "other",
      args.map((one) => byteVec(one)),
    ),
  ]);
}

function payloadUnits({ address, module, name, typeArgs, args }: EntryFacts): number {
  const texts = typeArgs.reduce((sum, one) => sum + textLength(one), 0);
  const bytes = args.reduce((sum, one) => sum + one.length, 0);
  return address.length / 2 + textLength(module) + textLength(name) + texts + bytes;
}

const transaction_context: NativeModule = {
  ...priced("aptos_framework.transaction_context", {
    get_txn_hash: ({ session }) => [byteVec(session.options.sessionHash)],
    get_script_hash: ({ session }) => [byteVec(session.options.scriptHash)],
    generate_unique_address: ({ session }) => {
      const state = session.extension("unique address", () => ({ counter: 0n }));
      const number = Buffer.alloc(8);
      number.writeBigUInt64LE(++state.counter);
      return [toHex(sha3(Buffer.concat([session.options.sessionHash, number, Buffer.of(KIND_UNIQUE)])))];
    },
  }),
  sender_internal: contextValue("sender", ({ sender }) => [sender]),
  secondary_signers_internal: (context) => {
    const { meter, session } = context;
    const key = "aptos_framework.transaction_context.secondary_signers";
    meter.charge(meter.price(`${key}.base`));
    const { facts } = session.options;
    if (facts === undefined) throw aborted(NO_CONTEXT);
    meter.charge(meter.price(`${key}.per_signer`) * facts.secondarySigners.length);
    return [new Vec("address", [...facts.secondarySigners])];
  },
  gas_payer_internal: contextValue("fee_payer", ({ gasPayer }) => [gasPayer]),
  max_gas_amount_internal: contextValue("max_gas_amount", ({ maxGasAmount }) => [maxGasAmount]),
  gas_unit_price_internal: contextValue("gas_unit_price", ({ gasUnitPrice }) => [gasUnitPrice]),
  chain_id_internal: contextValue("chain_id", (_, { session }) => [session.options.chainId]),
  entry_function_payload_internal: contextValue("entry_function_payload", ({ entry, multisig }, context) => {
    if (entry === undefined || multisig !== undefined) return [none()];
    const { meter } = context;
    meter.charge(
      meter.price("aptos_framework.transaction_context.entry_function_payload.per_abstract_memory_unit") *
        payloadUnits(entry),
    );
    return [new Struct([entryPayload(entry)], 1)];
  }),
  multisig_payload_internal: contextValue("multisig_payload", ({ entry, multisig }, context) => {
    if (multisig === undefined) return [none()];
    const { meter } = context;
    const units = (entry === undefined ? 0 : payloadUnits(entry)) + 32;
    meter.charge(
      meter.price("aptos_framework.transaction_context.multisig_payload.per_abstract_memory_unit") * units,
    );
    const inner = entry === undefined ? none() : new Struct([entryPayload(entry)], 1);
    return [new Struct([new Struct([multisig, inner])], 1)];
  }),
  monotonically_increasing_counter_internal: (context, [timestamp]) => {
    context.meter.chargeNative("aptos_framework.transaction_context.monotonically_increasing_counter");
    const { facts } = context.session.options;
    if (facts === undefined) throw aborted(NO_CONTEXT);
    if (facts.transactionIndex === undefined) throw aborted(0x030005);
    const { transactionIndex, sessionCounter } = facts;
    const local = nextLocalCounter(context);
    return [
      (asBig(timestamp) << 56n) | (BigInt(transactionIndex) << 24n) | (BigInt(sessionCounter) << 16n) | local,
    ];
  },
  // Framework code that is compiled for tests calls this one, and the chain has it too.
  monotonically_increasing_counter_internal_for_test_only: (context) => {
    context.meter.chargeNative("aptos_framework.transaction_context.monotonically_increasing_counter");
    return [nextLocalCounter(context)];
  },
};

/** Counts uses of the counter in a session, from 1. */
function nextLocalCounter({ session }: NativeContext): bigint {
  const state = session.extension<{ counter: number }>("monotonic counter", () => ({ counter: 0 }));
  if (state.counter === 0xffff) throw aborted(0x030002);
  return BigInt(++state.counter);
}

const NOT_LOADED = 4;
const UNRESOLVED = 2;

/** A function and its module. */
type NamedFunction = Pick<FunctionInstance, "module" | "definition">;

/** What a `FunctionInfo` names. */
function functionInfo(info: Value | undefined): {
  readonly address: string;
  readonly module: string;
  readonly name: string;
} {
  const [address, module, name] = asStruct(info).fields;
  const text = (one: Value | undefined): string => Buffer.from(asBytes(asStruct(one).fields[0])).toString();
  return { address: asAddress(address), module: text(module), name: text(name) };
}

function isSameList(a: readonly AbiType[], b: readonly AbiType[]): boolean {
  return typesKey(a) === typesKey(b);
}

/** True if a function may run in place of a dispatching one, which takes one more parameter: what to run. */
function canReplace(dispatching: NamedFunction, target: NamedFunction): boolean {
  const [one, other] = [dispatching.definition, target.definition];
  return (
    JSON.stringify(one.typeParams) === JSON.stringify(other.typeParams) &&
    isSameList(one.returns, other.returns) &&
    isSameList(one.params.slice(0, -1), other.params) &&
    other.visibility === "public" &&
    other.body !== undefined &&
    dispatching.module.key !== target.module.key
  );
}

const function_info: NativeModule = {
  is_identifier: (context, [ref]) => {
    const bytes = asBytes(ref);
    context.meter.chargeNative("aptos_framework.function_info.is_identifier", bytes.length);
    return [isIdentifier(Buffer.from(bytes).toString("latin1"))];
  },
  check_dispatch_type_compatibility_impl: (context, [one, other]) => {
    context.meter.chargeNative("aptos_framework.function_info.check_dispatch_type_compatibility_impl");
    const target = unbound(context, other);
    const dispatching = unbound(context, one);
    if (dispatching.definition.params.length === 0) throw aborted(UNRESOLVED);
    return [canReplace(dispatching, target)];
  },
  load_function_impl: (context, [info]) => {
    context.meter.chargeNative("aptos_framework.function_info.load_function");
    const { address, module } = functionInfo(info);
    // A module of the chain itself is looked for only when its function is.
    if (!isSpecialAddress(address)) context.linker.module(address, module);
    return [];
  },
};

/** A function by its name alone, in a module that was used before. */
function unbound({ linker }: NativeContext, info: Value | undefined): NamedFunction {
  const { address, module, name } = functionInfo(info);
  const found = linker.isVisited({ key: moduleKey(address, module), address })
    ? linker.peek(address, module)
    : undefined;
  const definition = found && named(found.program.functions, name);
  if (found === undefined || definition === undefined) throw aborted(UNRESOLVED);
  return { module: found, definition };
}

function dispatchNative(name: string): Native {
  const key = `aptos_framework.${name}.dispatch`;
  return (context, args, typeArgs) => {
    context.meter.chargeNative(key);
    const info = args.at(-1);
    const { address, module, name } = functionInfo(info);
    const { linker } = context;
    if (!linker.isVisited({ key: moduleKey(address, module), address })) throw aborted(NOT_LOADED);
    const target = linker.functionIn(linker.module(address, module), name, typeArgs);
    if (!canReplace(context.self, target))
      throw new VmError(STATUS.runtimeDispatchError, "the function cannot be dispatched to");
    return new Dispatch(target, args.slice(0, -1));
  };
}

const state_storage: NativeModule = {
  get_state_storage_usage_only_at_epoch_beginning: (context) => {
    context.meter.chargeNative("aptos_framework.state_storage.get_usage");
    const { items, bytes } = context.session.options.usage ?? { items: 0n, bytes: 0n };
    return [new Struct([items, bytes])];
  },
};

const randomness: NativeModule = {
  fetch_and_increment_txn_counter: (context) => {
    const { session, meter } = context;
    meter.charge(meter.price("aptos_framework.randomness.fetch_and_inc_counter"));
    if (!session.isUnbiasable) throw aborted(1);
    const state = session.extension<{ counter: bigint }>("randomness", () => ({ counter: 0n }));
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(state.counter++);
    return [byteVec(bytes)];
  },
  is_unbiasable: ({ session }) => [session.isUnbiasable],
};

const FEATURE_PERMISSIONED_SIGNER = 84;

/** A permissioned signer is the second variant: the account, and the address of its permissions. */
const permissioned_signer: NativeModule = {
  is_permissioned_signer_impl: (_, [ref]) => [asStruct(ref).tag === 1],
  permission_address: ({ session }, [ref]) => {
    if (!session.options.features.has(FEATURE_PERMISSIONED_SIGNER)) throw aborted(9);
    const { tag, fields } = asStruct(ref);
    if (tag !== 1) throw aborted(3);
    return [asAddress(fields[1])];
  },
  signer_from_permissioned_handle_impl: ({ session }, [master, permission]) => {
    if (!session.options.features.has(FEATURE_PERMISSIONED_SIGNER)) throw aborted(9);
    return [new Struct([asAddress(master), asAddress(permission)], 1)];
  },
};

export interface PublishRequest {
  readonly destination: string;
  readonly expectedModules: readonly string[];
  readonly bundle: readonly Uint8Array[];
  /** Modules that the package may use; undefined for any. */
  readonly allowed: readonly { readonly address: string; readonly name: string }[] | undefined;
}

const ADDRESS_BYTES = 32;

function requestPublish(
  context: NativeContext,
  args: readonly Value[],
  hasAllowed: boolean,
): readonly Value[] {
  const { session } = context;
  const names = (args[1] as Vec).items.map((one) => Buffer.from(asBytes(asStruct(one).fields[0])).toString());
  const allowedArg = hasAllowed ? (args[2] as Vec).items.map(asStruct) : undefined;
  const bundle = (args[hasAllowed ? 3 : 2] as Vec).items.map(asBytes);
  const allowed = allowedArg?.map(({ fields }) => ({
    address: asAddress(fields[0]),
    name: Buffer.from(asBytes(asStruct(fields[1]).fields[0])).toString(),
  }));
  const size =
    bundle.reduce((sum, one) => sum + one.length, 0) +
    names.reduce((sum, one) => sum + textLength(one), 0) +
    (allowed ?? []).reduce((sum, one) => sum + textLength(one.name), 0) +
    ADDRESS_BYTES * new Set(allowed?.map(({ address }) => address)).size;
  context.meter.chargeNative("aptos_framework.code.request_publish", size);
  if (session.extensions.has("publish")) throw aborted(0x030000);
  const destination = asAddress(args[0]);
  const request: PublishRequest = {
    destination,
    expectedModules: names,
    bundle,
    // Modules of a package may use each other.
    allowed: allowed && [...allowed, ...names.map((name) => ({ address: destination, name }))],
  };
  session.extensions.set("publish", request);
  return [];
}

const code: NativeModule = {
  request_publish: (context, args) => requestPublish(context, args, false),
  request_publish_with_allowed_deps: (context, args) => requestPublish(context, args, true),
};

export const FRAMEWORK_NATIVES: Readonly<Record<string, NativeModule>> = {
  type_info,
  from_bcs: { from_bytes: fromBytesNative },
  util: { from_bytes: fromBytesNative },
  table,
  event,
  create_signer: { create_signer: makeSigner },
  account: {
    create_signer: makeSigner,
    create_address: (context, [bytes]) => {
      context.meter.chargeNative("aptos_framework.account.create_address");
      const address = asBytes(bytes);
      if (address.length !== 32) throw aborted(2);
      return [toHex(address)];
    },
  },
  genesis: { create_signer: makeSigner },
  object,
  transaction_context,
  function_info,
  state_storage,
  randomness,
  code,
  debug: {
    native_print: nothing,
    native_stack_trace: () => [stringOf("")],
    print: nothing,
    print_stack_trace: nothing,
  },
  permissioned_signer,
  dispatchable_fungible_asset: {
    dispatchable_withdraw: dispatchNative("dispatchable_fungible_asset"),
    dispatchable_deposit: dispatchNative("dispatchable_fungible_asset"),
    dispatchable_derived_balance: dispatchNative("dispatchable_fungible_asset"),
    dispatchable_derived_supply: dispatchNative("dispatchable_fungible_asset"),
  },
  account_abstraction: { dispatchable_authenticate: dispatchNative("dispatchable_authenticate") },
  consensus_config: {
    validator_txn_enabled_internal: (_, [bytes]) => [isValidatorTransactionEnabled(asBytes(bytes))],
  },
};

/** Config V2 and later say whether validators may send transactions: the last part, an enum that is not 0. */
function isValidatorTransactionEnabled(config: Uint8Array): boolean {
  return config.length > 0 && (config[0] ?? 0) >= 2 && config.at(-1) !== 0;
}
