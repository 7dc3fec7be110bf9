// Assets: coin types and fungible assets, and the addresses derived from them.
import { sha3Short } from "../../base/keccak.ts";
import { sha3Parts } from "../../base/sha3.ts";
import { encodeWith } from "../../bcs/codec.ts";
import {
  ADDRESS_LENGTH,
  type Address,
  addressFromBytes,
  FRAMEWORK,
  parseAddress,
} from "../../move/address.ts";
import { MoveError } from "../../move/errors.ts";
import { formatStructTag, type StructTag, structTagCodec, type TypeTag } from "../../move/type-tag.ts";
import { MAX_TYPE_TEXT_DEPTH, parseStructTag } from "../../move/type-text.ts";

/** An asset, as the balance rule needs it. */
export interface Asset {
  /** Short unique text. A coin and the fungible asset paired with it have different ids. */
  readonly id: string;
  /** The one spelling of a coin's type; undefined for a pure fungible asset. */
  readonly coinType: string | undefined;
  /** BCS of the struct tag `0x1::coin::CoinStore<T>`; undefined for a pure fungible asset. */
  readonly coinStoreTag: Uint8Array | undefined;
  /** Metadata address of the fungible asset; for a coin, of the paired one. */
  readonly metadata: Address;
}

export const NATIVE_METADATA: Address = parseAddress("0xa");
const NATIVE_COIN = "0x1::aptos_coin::AptosCoin";
const OBJECT_FROM_SEED = Uint8Array.of(0xfe);
const DERIVED_FROM_OBJECT = 0xfc;

/** Metadata address of the fungible asset paired with a coin type. Computed, not looked up on chain. */
export function pairedMetadata(coin: StructTag): Address {
  return metadataOf(formatStructTag(coin));
}

function metadataOf(text: string): Address {
  if (text === NATIVE_COIN) return NATIVE_METADATA;
  return addressFromBytes(sha3Parts(NATIVE_METADATA, new TextEncoder().encode(text), OBJECT_FROM_SEED));
}

const DERIVATION = Uint8Array.of(DERIVED_FROM_OBJECT);

/** Address of an owner's primary store of a fungible asset. */
export function primaryStoreAddress(owner: Address, metadata: Address): Address {
  return addressFromBytes(sha3Short(owner, metadata, DERIVATION));
}

/** Bytes that `primaryStoreAddress` hashes. */
export const PRIMARY_STORE_INPUT_BYTES: number = 2 * ADDRESS_LENGTH + DERIVATION.length;

/** The bytes that `primaryStoreAddress` hashes, with zeros for the owner, which comes first. */
export function primaryStoreInput(metadata: Address): Uint8Array {
  const bytes = new Uint8Array(PRIMARY_STORE_INPUT_BYTES);
  bytes.set(metadata, ADDRESS_LENGTH);
  bytes.set(DERIVATION, 2 * ADDRESS_LENGTH);
  return bytes;
}

/** One character per byte: the cheapest text form of a byte string. */
function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

function depthOf(type: TypeTag): number {
  if (type.kind === "vector") return 1 + depthOf(type.item);
  return type.kind === "struct" ? structDepth(type.struct) : 0;
}

function structDepth(tag: StructTag): number {
  let deepest = 0;
  for (const argument of tag.typeArgs) deepest = Math.max(deepest, 1 + depthOf(argument));
  return deepest;
}

/** The asset of a coin type. Throws MoveError for a type that is nested too deeply. */
export function coinAsset(coin: StructTag): Asset {
  // CoinStore<T> nests one level deeper than T, and must stay within the limit too.
  if (structDepth(coin) + 1 > MAX_TYPE_TEXT_DEPTH) {
    throw new MoveError("type", `a coin type has fewer than ${MAX_TYPE_TEXT_DEPTH} levels of nesting`);
  }
  const coinStore: StructTag = {
    address: FRAMEWORK,
    module: "coin",
    name: "CoinStore",
    typeArgs: [{ kind: "struct", struct: coin }],
  };
  const coinType = formatStructTag(coin);
  const metadata = metadataOf(coinType);
  const coinStoreTag = encodeWith(structTagCodec, coinStore);
  return { id: `coin ${latin1(metadata)}`, coinType, coinStoreTag, metadata };
}

/** The fungible asset of a metadata address. */
export function metadataAsset(metadata: Address): Asset {
  return { id: latin1(metadata), coinType: undefined, coinStoreTag: undefined, metadata };
}

/** Parses an asset type: a metadata address or the struct tag of a coin. */
export function parseAsset(text: string): Asset {
  // Every struct tag has a colon and no address has one.
  if (text.includes(":")) return coinAsset(parseStructTag(text));
  return metadataAsset(parseAddress(text));
}
