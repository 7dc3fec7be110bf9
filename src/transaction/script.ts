// A script call: bytecode with its type arguments and arguments.
import type { Codec } from "../bcs/codec.ts";
import { struct } from "../bcs/records.ts";
import { byteString } from "../bcs/scalars.ts";
import { vector } from "../bcs/sequences.ts";
import { type TypeTag, typeTagCodec } from "../move/type-tag.ts";
import { type ScriptArgument, scriptArgumentCodec } from "./script-argument.ts";

/** A script to run. */
export interface Script {
  readonly code: Uint8Array;
  readonly typeArgs: readonly TypeTag[];
  readonly args: readonly ScriptArgument[];
}

/** Scripts on the wire. */
export const scriptCodec: Codec<Script> = struct({
  code: byteString,
  typeArgs: vector(typeTagCodec),
  args: vector(scriptArgumentCodec),
});
