// The input of the assembler: a module's interface, written by hand or taken from an ABI.
import type { Ability, AbiType, ModuleAbi, ModuleId, Visibility } from "../../src/move/abi.ts";
import type { Address } from "../../src/move/address.ts";
import type { StructTypeParam } from "../../src/move/bytecode/abilities.ts";

/** A type, structured or in the text notation. */
export type TypeSource = AbiType | string;

export interface FieldDefinition {
  readonly name: string;
  readonly type: TypeSource;
}

/** A struct or, with variants, an enum. */
export interface StructDefinition {
  readonly name: string;
  readonly abilities?: readonly Ability[];
  readonly typeParams?: readonly StructTypeParam[];
  readonly fields?: readonly FieldDefinition[];
  readonly variants?:
    | readonly { readonly name: string; readonly fields?: readonly FieldDefinition[] }[]
    | undefined;
  readonly isNative?: boolean;
  readonly isEvent?: boolean;
  readonly groupMemberOf?: string | undefined;
  readonly groupScope?: string | undefined;
}

export interface FunctionDefinition {
  readonly name: string;
  /** Public by default. */
  readonly visibility?: Visibility;
  readonly isEntry?: boolean;
  readonly isView?: boolean;
  readonly isNative?: boolean;
  /** Locks its module against reentrancy while it runs. */
  readonly isModuleLock?: boolean;
  readonly typeParams?: readonly (readonly Ability[])[];
  readonly params?: readonly TypeSource[];
  readonly returns?: readonly TypeSource[];
  /** By default the body aborts with code 0; `return` is for functions without results. */
  readonly body?: "abort" | "return" | CodeDefinition;
}

/** A body of instructions. */
export interface CodeDefinition {
  /** Types of the locals after the parameters. */
  readonly locals: readonly TypeSource[];
  /** Instructions by their names, as code-writer.ts reads them, or the bytes of each. */
  readonly code: string | readonly (readonly number[])[];
}

/** A struct of another module, as its handle describes it. */
export interface ImportedStruct {
  readonly address: Address;
  readonly module: string;
  readonly name: string;
  readonly abilities: readonly Ability[];
  readonly typeParams: readonly StructTypeParam[];
}

/** A function of another module that code calls. */
export interface ImportedFunction
  extends Pick<FunctionDefinition, "name" | "typeParams" | "params" | "returns"> {
  readonly module: ModuleId;
}

/** Name and description of an abort code without its category. */
export interface ModuleError {
  readonly reason: bigint;
  readonly name: string;
  readonly description: string;
}

export interface ModuleDefinition extends ModuleId {
  /** Format version, 5 to 10; 10 by default. */
  readonly formatVersion?: number;
  readonly friends?: readonly ModuleId[];
  readonly structs?: readonly StructDefinition[];
  readonly functions?: readonly FunctionDefinition[];
  readonly errors?: readonly ModuleError[];
  /** Marked by its compiler as not for the main network. */
  readonly isUnstable?: boolean;
  /** Structs of other modules that types use. */
  readonly imports?: readonly ImportedStruct[];
  /** Functions of other modules that code names in full. */
  readonly importedFunctions?: readonly ImportedFunction[];
}

/** The structs of a module, as other modules import them. */
export function importsOf(module: ModuleDefinition | ModuleAbi): ImportedStruct[] {
  return (module.structs ?? []).map((struct) => ({
    address: module.address,
    module: module.name,
    name: struct.name,
    abilities: struct.abilities ?? [],
    typeParams: struct.typeParams ?? [],
  }));
}
