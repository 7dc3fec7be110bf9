// View functions that only read balances, supplies and names of assets, without a virtual machine: each is written here as
// the framework defines it today. A function that the modules of the asked version do not have as a view is refused.
import { type Codec, decodeWith, encodeWith, type ValueOf } from "../bcs/codec.ts";
import { BcsError } from "../bcs/errors.ts";
import { text, u64, u128 } from "../bcs/scalars.ts";
import { coinAsset, pairedMetadata, parseAsset } from "../ledger/asset.ts";
import { readBalance } from "../ledger/balance.ts";
import { LedgerError } from "../ledger/errors.ts";
import { readResource } from "../ledger/resource-item.ts";
import { assetMetadataCodec, coinInfoCodec, fungibleStoreCodec } from "../ledger/resources.ts";
import { type StateTypes, structTypeOf } from "../ledger/state-types.ts";
import { readTableItem } from "../ledger/table-item.ts";
import type { LedgerView } from "../ledger/view.ts";
import type { ModuleId } from "../move/abi.ts";
import {
  ADDRESS_LENGTH,
  type Address,
  addressFromBytes,
  formatAddress,
  formatAddressLong,
} from "../move/address.ts";
import { MoveError } from "../move/errors.ts";
import { formatTypeTag, type StructTag, type TypeTag } from "../move/type-tag.ts";
import { parseStructTag, parseTypeTag } from "../move/type-text.ts";
import { HttpError } from "./errors.ts";

/** A call of a view function. */
export interface ViewCall {
  readonly module: ModuleId;
  readonly name: string;
  readonly typeArgs: readonly TypeTag[];
  /** BCS of each argument; undefined for JSON that is no address. */
  readonly args: readonly (Uint8Array | undefined)[];
}

/** What a view function returned. */
export interface ViewResult {
  readonly type: TypeTag;
  readonly bytes: Uint8Array;
}

/** A call whose function is known and whose arguments have the right number. */
interface Call {
  readonly view: LedgerView;
  readonly types: StateTypes;
  readonly version: bigint;
  readonly typeArgs: readonly TypeTag[];
  readonly args: readonly Address[];
}

interface ViewFunction {
  readonly typeParams: number;
  /** All parameters are addresses, or objects, which are addresses too. */
  readonly params: number;
  readonly returns: TypeTag;
  run(call: Call): Promise<Uint8Array>;
}

function refuse(message: string): never {
  throw new HttpError("invalid_view", message);
}

function argument({ args }: Call, index: number): Address {
  const arg = args[index];
  if (arg === undefined) throw new Error("arguments are counted before");
  return arg;
}

async function resource({ view, types, version }: Call, address: Address, tag: StructTag) {
  return readResource(view, types, address, structTypeOf(tag), version);
}

const framework = (name: string): StructTag => parseStructTag(`0x1::${name}`);
const METADATA = framework("fungible_asset::Metadata");
const STORE = framework("fungible_asset::FungibleStore");
const CONCURRENT_BALANCE = framework("fungible_asset::ConcurrentFungibleBalance");
const CONCURRENT_SUPPLY = framework("fungible_asset::ConcurrentSupply");
const SUPPLY = framework("fungible_asset::Supply");
const PAIRED_COIN = framework("coin::PairedCoinType");

const NONE = Uint8Array.of(0);

function some(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of(1), bytes]);
}

/** The coin type of a call. Throws for one that the chain does not have. */
async function coinOf({ view, types, version, typeArgs }: Call): Promise<StructTag> {
  const [type] = typeArgs;
  if (type?.kind !== "struct") refuse("type_arguments[0]: expected a coin type");
  try {
    await types.layoutOf(view, type, version);
  } catch (error) {
    if (!(error instanceof MoveError)) throw error;
    refuse(`type_arguments[0]: ${error.message}`);
  }
  return type.struct;
}

/** The object of a call: the chain checks that it holds what its type says. */
async function objectOf(call: Call, index: number): Promise<Address> {
  const address = argument(call, index);
  const [type] = call.typeArgs;
  if (type?.kind !== "struct") refuse("type_arguments[0]: expected a struct type");
  if ((await resource(call, address, type.struct)) === undefined) {
    refuse(`arguments[${index}]: no object with ${formatTypeTag(type)} at ${formatAddress(address)}`);
  }
  return address;
}

async function metadataBytes(call: Call, address: Address): Promise<Uint8Array> {
  const bytes = await resource(call, address, METADATA);
  return bytes ?? refuse(`arguments[0]: no fungible asset at ${formatAddress(address)}`);
}

async function metadataOf(call: Call): Promise<ValueOf<typeof assetMetadataCodec>> {
  return stored(assetMetadataCodec, await metadataBytes(call, await objectOf(call, 0)));
}

function stored<T>(codec: Codec<T>, bytes: Uint8Array): T {
  try {
    return decodeWith(codec, bytes);
  } catch (error) {
    if (!(error instanceof BcsError)) throw error;
    throw new LedgerError("corrupt", `stored resource does not decode: ${error.message}`, { cause: error });
  }
}

/** Supply of a fungible asset; both forms begin with the amount. */
async function assetSupply(call: Call, metadata: Address): Promise<bigint | undefined> {
  const bytes =
    (await resource(call, metadata, CONCURRENT_SUPPLY)) ?? (await resource(call, metadata, SUPPLY));
  return bytes && stored(u128, bytes.subarray(0, u128.minBytes));
}

/** Supply of a coin without the fungible asset that it is paired with. */
async function coinSupply(call: Call, coin: StructTag): Promise<bigint | undefined> {
  const type: StructTag = { ...framework("coin::CoinInfo"), typeArgs: [{ kind: "struct", struct: coin }] };
  const bytes = await resource(call, coin.address, type);
  if (bytes === undefined) {
    refuse(`type_arguments[0]: no coin ${formatTypeTag({ kind: "struct", struct: coin })} is initialised`);
  }
  const { supply } = stored(coinInfoCodec, bytes);
  if (supply?.aggregator === undefined) return supply?.integer?.value;
  const { handle, key } = supply.aggregator;
  const item = await readTableItem(call.view, addressFromBytes(handle), key, call.version);
  if (item === undefined) throw new LedgerError("corrupt", "the aggregator of a supply has no value");
  return stored(u128, item);
}

const optionalAmount = (amount: bigint | undefined): Uint8Array =>
  amount === undefined ? NONE : some(encodeWith(u128, amount));

const U64 = parseTypeTag("u64");
const STRING = parseTypeTag("0x1::string::String");
const OPTIONAL_AMOUNT = parseTypeTag("0x1::option::Option<u128>");

function textOf(name: "name" | "symbol" | "iconUri" | "projectUri"): ViewFunction {
  return {
    typeParams: 1,
    params: 1,
    returns: STRING,
    run: async (call) => encodeWith(text, (await metadataOf(call))[name]),
  };
}

const FUNCTIONS: Readonly<Record<string, ViewFunction>> = {
  "coin::balance": {
    typeParams: 1,
    params: 1,
    returns: U64,
    run: async (call) => {
      const asset = coinAsset(await coinOf(call));
      return encodeWith(u64, await readBalance(call.view, argument(call, 0), asset, call.version));
    },
  },
  "coin::supply": {
    typeParams: 1,
    params: 0,
    returns: OPTIONAL_AMOUNT,
    run: async (call) => {
      const coin = await coinOf(call);
      const amount = await coinSupply(call, coin);
      const paired = await assetSupply(call, pairedMetadata(coin));
      // As the framework has it: a coin without a supply has none, whatever the asset has.
      return optionalAmount(amount === undefined ? undefined : amount + (paired ?? 0n));
    },
  },
  "coin::paired_coin": {
    typeParams: 0,
    params: 1,
    returns: parseTypeTag("0x1::option::Option<0x1::type_info::TypeInfo>"),
    run: async (call) => {
      const metadata = argument(call, 0);
      await metadataBytes(call, metadata);
      const bytes = await resource(call, metadata, PAIRED_COIN);
      return bytes === undefined ? NONE : some(bytes);
    },
  },
  "primary_fungible_store::balance": {
    typeParams: 1,
    params: 2,
    returns: U64,
    run: async (call) => {
      const asset = parseAsset(formatAddressLong(await objectOf(call, 1)));
      return encodeWith(u64, await readBalance(call.view, argument(call, 0), asset, call.version));
    },
  },
  "fungible_asset::balance": {
    typeParams: 1,
    params: 1,
    returns: U64,
    run: async (call) => {
      const store = await objectOf(call, 0);
      const bytes = await resource(call, store, STORE);
      if (bytes === undefined) return encodeWith(u64, 0n);
      const { balance } = stored(fungibleStoreCodec, bytes);
      const concurrent = balance === 0n ? await resource(call, store, CONCURRENT_BALANCE) : undefined;
      return concurrent?.subarray(0, u64.minBytes) ?? encodeWith(u64, balance);
    },
  },
  "fungible_asset::supply": {
    typeParams: 1,
    params: 1,
    returns: OPTIONAL_AMOUNT,
    run: async (call) => optionalAmount(await assetSupply(call, await objectOf(call, 0))),
  },
  "fungible_asset::metadata": {
    typeParams: 1,
    params: 1,
    returns: parseTypeTag("0x1::fungible_asset::Metadata"),
    run: async (call) => metadataBytes(call, await objectOf(call, 0)),
  },
  "fungible_asset::decimals": {
    typeParams: 1,
    params: 1,
    returns: parseTypeTag("u8"),
    run: async (call) => Uint8Array.of((await metadataOf(call)).decimals),
  },
  "fungible_asset::name": textOf("name"),
  "fungible_asset::symbol": textOf("symbol"),
  "fungible_asset::icon_uri": textOf("iconUri"),
  "fungible_asset::project_uri": textOf("projectUri"),
};

/** Names of the functions that are answered. */
export const VIEW_FUNCTIONS: readonly string[] = Object.keys(FUNCTIONS).map((name) => `0x1::${name}`);

/** Runs a view function at a version. Throws HttpError `invalid_view`, and LedgerError. */
export async function runViewFunction(
  view: LedgerView,
  types: StateTypes,
  { module, name, typeArgs, args }: ViewCall,
  version: bigint,
): Promise<ViewResult> {
  const id = `${formatAddress(module.address)}::${module.name}::${name}`;
  const known = id.startsWith("0x1::") ? `${module.name}::${name}` : "";
  const definition = Object.hasOwn(FUNCTIONS, known) ? FUNCTIONS[known] : undefined;
  if (definition === undefined) {
    refuse(
      `function: this node has no virtual machine and cannot run ${id}; it answers only ${VIEW_FUNCTIONS.join(", ")}`,
    );
  }
  const abi = await types.loaderAt(view, version)(module);
  if (abi?.functions.find((one) => one.name === name)?.isView !== true) {
    refuse(`function: ${id} is no view function at ledger version ${version}`);
  }
  if (typeArgs.length !== definition.typeParams) {
    refuse(`type_arguments: ${id} takes ${definition.typeParams}, got ${typeArgs.length}`);
  }
  if (args.length !== definition.params) {
    refuse(`arguments: ${id} takes ${definition.params}, got ${args.length}`);
  }
  const addresses = args.map((arg, i) => {
    if (arg?.length !== ADDRESS_LENGTH) refuse(`arguments[${i}]: expected an address`);
    return addressFromBytes(arg);
  });
  const bytes = await definition.run({ view, types, version, typeArgs, args: addresses });
  return { type: definition.returns, bytes };
}
