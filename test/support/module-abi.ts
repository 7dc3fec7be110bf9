// The ABI of a module as clients get it.
import { type FunctionAbiJson, moduleAbiPieces, type StructAbiJson } from "../../src/move/abi-json.ts";

interface ModuleAbiJson {
  readonly address: string;
  readonly name: string;
  readonly friends: readonly string[];
  readonly exposed_functions: readonly FunctionAbiJson[];
  readonly structs: readonly StructAbiJson[];
}

/** The JSON text of a module's ABI; throws as `moduleAbiPieces` does. */
export function moduleAbiText(...args: Parameters<typeof moduleAbiPieces>): string {
  return [...moduleAbiPieces(...args)].join("");
}

/** The same, parsed. */
export function moduleAbiToJson(...args: Parameters<typeof moduleAbiPieces>): ModuleAbiJson {
  return JSON.parse(moduleAbiText(...args)) as ModuleAbiJson;
}
