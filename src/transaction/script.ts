// A script call: bytecode with its type arguments and arguments.
import type { ValueOf } from "../bcs/codec.ts";
import { struct } from "../bcs/records.ts";
import { byteString } from "../bcs/scalars.ts";
import { vector } from "../bcs/sequences.ts";
import { typeTagCodec } from "../move/type-tag.ts";
import { scriptArgumentCodec } from "./script-argument.ts";

/** A script to run. */
export const scriptCodec = struct({
  code: byteString,
  typeArgs: vector(typeTagCodec),
  args: vector(scriptArgumentCodec),
});
export type Script = ValueOf<typeof scriptCodec>;
