// A call of an entry function.
import type { Codec } from "../bcs/codec.ts";
import { struct } from "../bcs/records.ts";
import { byteString, text } from "../bcs/scalars.ts";
import { vector } from "../bcs/sequences.ts";
import type { ModuleId } from "../move/abi.ts";
import { type TypeTag, typeTagCodec } from "../move/type-tag.ts";
import { moduleIdCodec } from "../move/wire.ts";

/** An entry function to call. */
export interface EntryFunction {
  readonly module: ModuleId;
  readonly function: string;
  readonly typeArgs: readonly TypeTag[];
  /** BCS of each argument. */
  readonly args: readonly Uint8Array[];
}

/** Entry function calls on the wire. */
export const entryFunctionCodec: Codec<EntryFunction> = struct({
  module: moduleIdCodec,
  function: text,
  typeArgs: vector(typeTagCodec),
  args: vector(byteString),
});
