// A call of an entry function.
import type { ValueOf } from "../bcs/codec.ts";
import { struct } from "../bcs/records.ts";
import { byteString, text } from "../bcs/scalars.ts";
import { vector } from "../bcs/sequences.ts";
import { typeTagCodec } from "../move/type-tag.ts";
import { moduleIdCodec } from "../move/wire.ts";

/** An entry function to call. */
export const entryFunctionCodec = struct({
  module: moduleIdCodec,
  function: text,
  typeArgs: vector(typeTagCodec),
  /** BCS of each argument. */
  args: vector(byteString),
});
export type EntryFunction = ValueOf<typeof entryFunctionCodec>;
