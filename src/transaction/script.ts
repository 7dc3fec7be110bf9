// A script call: bytecode with its type arguments and tagged arguments.
import type { ValueOf } from "../bcs/codec.ts";
import { struct, variants } from "../bcs/records.ts";
import {
  bool,
  byteString,
  i8,
  i16,
  i32,
  i64,
  i128,
  i256,
  u8,
  u16,
  u32,
  u64,
  u128,
  u256,
} from "../bcs/scalars.ts";
import { vector } from "../bcs/sequences.ts";
import { typeTagCodec } from "../move/type-tag.ts";
import { addressCodec } from "../move/wire.ts";

/** One script argument. `serialized` holds the BCS of a value of any type. */
export const scriptArgumentCodec = variants("ScriptArgument", {
  u8: { value: u8 },
  u64: { value: u64 },
  u128: { value: u128 },
  address: { value: addressCodec },
  bytes: { value: byteString },
  bool: { value: bool },
  u16: { value: u16 },
  u32: { value: u32 },
  u256: { value: u256 },
  serialized: { value: byteString },
  i8: { value: i8 },
  i16: { value: i16 },
  i32: { value: i32 },
  i64: { value: i64 },
  i128: { value: i128 },
  i256: { value: i256 },
});
export type ScriptArgument = ValueOf<typeof scriptArgumentCodec>;

/** A script to run. */
export const scriptCodec = struct({
  code: byteString,
  typeArgs: vector(typeTagCodec),
  args: vector(scriptArgumentCodec),
});
export type Script = ValueOf<typeof scriptCodec>;
