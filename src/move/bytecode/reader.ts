// Reads the ABI of compiled modules and scripts: the only entry to bytecode. Accepts exactly the files that the chain's
// deserializer and bounds checker accept, except for limits on the size of a file and of a table. Time and memory are
// linear in the input.
import type { ModuleAbi, ScriptAbi } from "../abi.ts";
import { readFunctionTypeParams } from "./abilities.ts";
import { assertTypeParams, skipCode } from "./code.ts";
import { createScriptCodePools, readCodePools, readFunctions, readStructs } from "./definitions.ts";
import { readDirectory, TABLE } from "./directory.ts";
import { skipAccessSpecifiers } from "./function-extras.ts";
import { decodeAttributes } from "./metadata.ts";
import { readModuleId, readPools, readTable } from "./pools.ts";

/** An ABI and the end of its file. The format ignores bytes after the end. */
export interface WithEnd<T> {
  readonly abi: T;
  readonly end: number;
}

/** Reads a module and its end. */
export function readModuleWithEnd(bytes: Uint8Array): WithEnd<ModuleAbi> {
  const directory = readDirectory(bytes, "module");
  const { tail, version } = directory;
  const pools = readPools(directory);
  if (pools.modules.length === 0) tail.fail("NO_MODULE_HANDLES", "a module has at least one module handle");
  const self = tail.pick(pools.modules, "self module handle index");
  const attributes = decodeAttributes(pools.metadata, version);
  const friends = readTable(directory.table(TABLE.friends), (cursor) => readModuleId(cursor, pools));
  const structs = readStructs(directory, pools, attributes);
  const codePools = readCodePools(directory, pools, structs);
  const functions = readFunctions(directory, pools, codePools, attributes);
  const { address, name } = self;
  return { abi: { address, name, formatVersion: version, friends, functions, structs }, end: tail.offset };
}

/** Reads a script and its end. */
export function readScriptWithEnd(bytes: Uint8Array): WithEnd<ScriptAbi> {
  const directory = readDirectory(bytes, "script");
  const { tail, version } = directory;
  const pools = readPools(directory);
  const typeParams = readFunctionTypeParams(tail);
  const at = tail.offset;
  const params = tail.pick(pools.signatures, "parameters signature index");
  assertTypeParams(tail, params.highestParam, typeParams.length, at);
  if (version >= 8) skipAccessSpecifiers(tail);
  skipCode(tail, createScriptCodePools(pools, version), {
    typeParamCount: typeParams.length,
    paramCount: params.length,
  });
  return { abi: { typeParams, params: params.types }, end: tail.offset };
}

/** Reads the ABI of a compiled module. */
export function readModule(bytes: Uint8Array): ModuleAbi {
  return readModuleWithEnd(bytes).abi;
}

/** Reads the ABI of a compiled script's entry point. */
export function readScript(bytes: Uint8Array): ScriptAbi {
  return readScriptWithEnd(bytes).abi;
}
