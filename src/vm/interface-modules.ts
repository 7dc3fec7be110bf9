// Modules of the local chain: the framework's interfaces, whose functions have no code. Those that read balances, supplies
// and names are natives of the machine, written here as the framework defines them.
import { toHex } from "../base/hex.ts";
import { pairedMetadata, primaryStoreAddress } from "../ledger/asset.ts";
import type { AbiStructType, AbiType } from "../move/abi.ts";
import { addressFromBytes } from "../move/address.ts";
import type { FunctionBody, FunctionDefinition } from "../move/bytecode/program.ts";
import type { AbortInfo } from "./abort-info.ts";
import { aborted, invariant, STATUS, VmError } from "./errors.ts";
import type { LoadedModule } from "./linker.ts";
import { findNative } from "./machine.ts";
import type { Native, NativeContext } from "./natives.ts";
import { structTagOf } from "./state.ts";
import { structType } from "./types.ts";
import { asBig, asStruct, asVec, copyValue, type ItemKind, Struct, type Value, Vec } from "./values.ts";

const FRAMEWORK = `${"0".repeat(63)}1`;
const LOAD_U64 = 0x06;
const ABORT = 0x27;
/** Codes of `0x1::object`. */
const NO_OBJECT = 0x60002;
const NO_RESOURCE = 0x60007;

function isEmptyBody(body: FunctionBody | undefined): boolean {
  return (
    body?.opcodes.length === 2 &&
    body.opcodes[0] === LOAD_U64 &&
    body.operands[0] === 0n &&
    body.opcodes[1] === ABORT
  );
}

/** A function that the framework has and its interface leaves out. */
function added(module: LoadedModule, name: string, parameter: AbiType, result: AbiType): FunctionDefinition {
  return {
    module: { address: addressFromBytes(Buffer.from(module.address, "hex")), name: module.name },
    name,
    params: [parameter],
    returns: [result],
    typeParams: [[]],
    isPersistent: false,
    isModuleLock: false,
    index: module.program.functions.length,
    visibility: "public",
    isEntry: false,
    body: undefined,
  };
}

const T0: AbiType = { kind: "parameter", index: 0 };
/** Functions that make arguments. */
const ADDED: Readonly<Record<string, (module: LoadedModule) => FunctionDefinition>> = {
  [`${FRAMEWORK}::object`]: (module) =>
    added(module, "address_to_object", { kind: "address" }, structType(FRAMEWORK, "object", "Object", [T0])),
  [`${FRAMEWORK}::option`]: (module) =>
    added(module, "from_vec", { kind: "vector", item: T0 }, structType(FRAMEWORK, "option", "Option", [T0])),
};

/** A module of a chain whose framework has no code. Functions whose bodies only abort with code 0 become natives. */
export function withoutBodies(module: LoadedModule): LoadedModule {
  const { functions } = module.program;
  if (!functions.every(({ body }) => isEmptyBody(body))) return module;
  const natives = functions.map((one) => ({ ...one, body: undefined }));
  const more = ADDED[module.key]?.(module);
  return {
    ...module,
    program: { ...module.program, functions: more === undefined ? natives : [...natives, more] },
  };
}

type Run = (context: NativeContext, args: readonly Value[], typeArgs: readonly AbiType[]) => Value;

function addressOf(value: Value | undefined): string {
  if (typeof value !== "string") throw invariant("an argument is no address");
  return value;
}

/** The address of an object, which is a struct around it. */
function objectAddress(value: Value | undefined): string {
  return addressOf(asStruct(value as Value).fields[0]);
}

function bytesOf(address: string): ReturnType<typeof addressFromBytes> {
  return addressFromBytes(Buffer.from(address, "hex"));
}

/** The fields of a resource of the framework; undefined if the address has none. */
function fieldsOf(
  { session }: NativeContext,
  address: string,
  type: AbiStructType,
): readonly Value[] | undefined {
  const slot = session.resource(address, type);
  return slot.exists ? asStruct(slot.place[0] as Value).fields : undefined;
}

const asset = (name: string): AbiStructType => structType(FRAMEWORK, "fungible_asset", name);
const METADATA = asset("Metadata");
const STORE = asset("FungibleStore");
const CONCURRENT_BALANCE = asset("ConcurrentFungibleBalance");
const SUPPLY = asset("Supply");
const CONCURRENT_SUPPLY = asset("ConcurrentSupply");
const ACCOUNT = structType(FRAMEWORK, "account", "Account");
const OBJECT_CORE = structType(FRAMEWORK, "object", "ObjectCore");

function missing(address: string, { module, name }: AbiStructType): VmError {
  return new VmError(STATUS.missingData, `0x${address} has no ${module}::${name}`);
}

function requiredFields(context: NativeContext, address: string, type: AbiStructType): readonly Value[] {
  const fields = fieldsOf(context, address, type);
  if (fields === undefined) throw missing(address, type);
  return fields;
}

function field(fields: readonly Value[], index: number): Value {
  const value = fields[index];
  if (value === undefined) throw invariant("a resource has other fields");
  return copyValue(value);
}

function option(kind: ItemKind, value: Value | undefined): Struct {
  return new Struct([new Vec(kind, value === undefined ? [] : [value])]);
}

/** The value of an option. */
function inside(value: Value): Value | undefined {
  return asVec(asStruct(value).fields[0] as Value).items[0];
}

/** The first field of a struct that is the first field of another: the amount of an aggregator. */
function amountInside(fields: readonly Value[]): bigint {
  return asBig(asStruct(field(fields, 0)).fields[0] as Value);
}

function storeBalance(context: NativeContext, store: string): bigint {
  const fields = fieldsOf(context, store, STORE);
  if (fields === undefined) return 0n;
  const balance = asBig(field(fields, 1));
  const concurrent = balance === 0n ? fieldsOf(context, store, CONCURRENT_BALANCE) : undefined;
  return concurrent === undefined ? balance : amountInside(concurrent);
}

function primaryStore(owner: string, metadata: string): string {
  return toHex(primaryStoreAddress(bytesOf(owner), bytesOf(metadata)));
}

function coinOf(typeArgs: readonly AbiType[]): AbiStructType {
  const [type] = typeArgs;
  if (type?.kind !== "struct") throw new VmError(STATUS.typeResolutionFailure, "expected a coin type");
  return type;
}

function pairedWith(coin: AbiStructType): string {
  return toHex(pairedMetadata(structTagOf(coin)));
}

function coinInfo(context: NativeContext, coin: AbiStructType): readonly Value[] {
  return requiredFields(context, toHex(coin.address), structType(FRAMEWORK, "coin", "CoinInfo", [coin]));
}

/** Supply of a fungible asset. */
function assetSupply(context: NativeContext, metadata: string): bigint | undefined {
  const concurrent = fieldsOf(context, metadata, CONCURRENT_SUPPLY);
  if (concurrent !== undefined) return amountInside(concurrent);
  const plain = fieldsOf(context, metadata, SUPPLY);
  return plain && asBig(field(plain, 0));
}

/** Supply of a coin without the fungible asset that it is paired with. */
function coinSupply(context: NativeContext, coin: AbiStructType): bigint | undefined {
  const supply = inside(field(coinInfo(context, coin), 3));
  if (supply === undefined) return undefined;
  const { fields } = asStruct(supply);
  const integer = inside(field(fields, 1));
  if (integer !== undefined) return asBig(asStruct(integer).fields[0] as Value);
  const aggregator = inside(field(fields, 0));
  if (aggregator === undefined) return undefined;
  const [handle, key] = asStruct(aggregator).fields;
  const { session, meter } = context;
  const slot = session.tableItem(addressOf(handle), bytesOf(addressOf(key)), { kind: "u128" }, (read) => {
    meter.chargeIo(meter.readPrice(read?.chargedBytes ?? 0));
  });
  if (!slot.exists) throw invariant("the aggregator of a supply has no value");
  return asBig(slot.place[0] as Value);
}

const metadataField =
  (index: number): Run =>
  (context, [object]) =>
    field(requiredFields(context, objectAddress(object), METADATA), index);

const coinField =
  (index: number): Run =>
  (context, _, typeArgs) =>
    field(coinInfo(context, coinOf(typeArgs)), index);

/** The only field of a resource at `0x1`. */
const frameworkField =
  (module: string, name: string): Run =>
  (context) =>
    field(requiredFields(context, FRAMEWORK, structType(FRAMEWORK, module, name)), 0);

const FUNCTIONS: Readonly<Record<string, Run>> = {
  "option::from_vec": (_, [vec]) => {
    if (asVec(vec as Value).items.length > 1) throw aborted(0x40000);
    return new Struct([vec as Value]);
  },
  "object::address_to_object": (context, [address], [type]) => {
    const at = addressOf(address);
    if (fieldsOf(context, at, OBJECT_CORE) === undefined) throw aborted(NO_OBJECT);
    if (type?.kind !== "struct" || fieldsOf(context, at, type) === undefined) throw aborted(NO_RESOURCE);
    return new Struct([at]);
  },
  "object::owner": (context, [object]) =>
    field(requiredFields(context, objectAddress(object), OBJECT_CORE), 1),
  "coin::name": coinField(0),
  "coin::symbol": coinField(1),
  "coin::decimals": coinField(2),
  "coin::is_coin_initialized": ({ session }, _, typeArgs) => {
    const coin = coinOf(typeArgs);
    return session.resource(toHex(coin.address), structType(FRAMEWORK, "coin", "CoinInfo", [coin])).exists;
  },
  "coin::balance": (context, [owner], typeArgs) => {
    const coin = coinOf(typeArgs);
    const at = addressOf(owner);
    const coinStore = fieldsOf(context, at, structType(FRAMEWORK, "coin", "CoinStore", [coin]));
    const inCoins = coinStore === undefined ? 0n : amountInside(coinStore);
    return inCoins + storeBalance(context, primaryStore(at, pairedWith(coin)));
  },
  "coin::supply": (context, _, typeArgs) => {
    const coin = coinOf(typeArgs);
    const amount = coinSupply(context, coin);
    // As the framework has it: a coin without a supply has none, whatever the asset has.
    const paired = amount === undefined ? undefined : (assetSupply(context, pairedWith(coin)) ?? 0n);
    return option("u128", amount === undefined ? undefined : amount + (paired ?? 0n));
  },
  "coin::coin_supply": (context, _, typeArgs) => option("u128", coinSupply(context, coinOf(typeArgs))),
  "coin::paired_coin": (context, [object]) => {
    const fields = fieldsOf(context, objectAddress(object), structType(FRAMEWORK, "coin", "PairedCoinType"));
    return option("other", fields && field(fields, 0));
  },
  "primary_fungible_store::balance": (context, [owner, object]) =>
    storeBalance(context, primaryStore(addressOf(owner), objectAddress(object))),
  "primary_fungible_store::primary_store_address": (_, [owner, object]) =>
    primaryStore(addressOf(owner), objectAddress(object)),
  "primary_fungible_store::primary_store_exists": (context, [owner, object]) =>
    fieldsOf(context, primaryStore(addressOf(owner), objectAddress(object)), STORE) !== undefined,
  "fungible_asset::balance": (context, [object]) => storeBalance(context, objectAddress(object)),
  "fungible_asset::supply": (context, [object]) =>
    option("u128", assetSupply(context, objectAddress(object))),
  "fungible_asset::metadata": (context, [object]) =>
    new Struct(requiredFields(context, objectAddress(object), METADATA).map(copyValue)),
  "fungible_asset::store_metadata": (context, [object]) =>
    field(requiredFields(context, objectAddress(object), STORE), 0),
  "fungible_asset::store_exists": (context, [store]) =>
    fieldsOf(context, addressOf(store), STORE) !== undefined,
  "fungible_asset::name": metadataField(0),
  "fungible_asset::symbol": metadataField(1),
  "fungible_asset::decimals": metadataField(2),
  "fungible_asset::icon_uri": metadataField(3),
  "fungible_asset::project_uri": metadataField(4),
  "account::exists_at": (context, [address]) => fieldsOf(context, addressOf(address), ACCOUNT) !== undefined,
  "account::get_authentication_key": (context, [address]) =>
    field(requiredFields(context, addressOf(address), ACCOUNT), 0),
  "account::get_sequence_number": (context, [address]) =>
    field(requiredFields(context, addressOf(address), ACCOUNT), 1),
  "chain_id::get": frameworkField("chain_id", "ChainId"),
  "timestamp::now_microseconds": frameworkField("timestamp", "CurrentTimeMicroseconds"),
  "timestamp::now_seconds": (context, args, typeArgs) =>
    asBig(frameworkField("timestamp", "CurrentTimeMicroseconds")(context, args, typeArgs)) / 1_000_000n,
  "block::get_current_block_height": frameworkField("block", "BlockResource"),
};

const NATIVES: ReadonlyMap<string, Native> = new Map(
  Object.entries(FUNCTIONS).map(([name, run]) => [
    `${FRAMEWORK}::${name}`,
    (context: NativeContext, args: readonly Value[], typeArgs: readonly AbiType[]) => [
      run(context, args, typeArgs),
    ],
  ]),
);

/** A native function on a chain whose framework has no code. */
export function findInterfaceNative(key: string): Native {
  const native = NATIVES.get(key) ?? findNative(key);
  if (native !== undefined) return native;
  return () => {
    const message = `this chain has no code of ${key}, and the node does not know the function`;
    throw new VmError(STATUS.missingDependency, message);
  };
}

const ABORTS: Readonly<Record<string, AbortInfo>> = {
  [`${FRAMEWORK}::object ${NO_OBJECT}`]: {
    reasonName: "EOBJECT_DOES_NOT_EXIST",
    description: "there is no object at the address",
  },
  [`${FRAMEWORK}::object ${NO_RESOURCE}`]: {
    reasonName: "ERESOURCE_DOES_NOT_EXIST",
    description: "the object has no resource of the type",
  },
};

/** What an abort of these functions means. */
export function interfaceAbortInfo(location: string, code: bigint): AbortInfo | undefined {
  return ABORTS[`${location} ${code}`];
}
