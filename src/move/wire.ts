// Codecs of addresses and module ids.
import { type Codec, converted } from "../bcs/codec.ts";
import { struct } from "../bcs/records.ts";
import { fixed, text } from "../bcs/scalars.ts";
import type { ModuleId } from "./abi.ts";
import { ADDRESS_LENGTH, type Address, addressFromBytes } from "./address.ts";

/** An address: 32 raw bytes, a view on the input when read. */
export const addressCodec: Codec<Address> = converted(fixed(ADDRESS_LENGTH), addressFromBytes);

/** A module's address and name. */
export const moduleIdCodec: Codec<ModuleId> = struct({ address: addressCodec, name: text });
