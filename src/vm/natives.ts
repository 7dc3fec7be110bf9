// Native functions: what the chain's framework leaves to the machine.
import type { Pieces } from "../base/pieces.ts";
import type { AbiType } from "../move/abi.ts";
import type { Meter } from "./gas.ts";
import type { FunctionInstance, Linker, LoadedModule } from "./linker.ts";
import type { Session } from "./session.ts";
import type { Value } from "./values.ts";

/** What a native function sees of the run. */
export interface NativeContext {
  readonly linker: Linker;
  readonly session: Session;
  readonly meter: Meter;
  /** The native function itself. */
  readonly self: FunctionInstance;
  /** Modules whose code is running: first the one that calls the native function, then its caller, and so on. */
  callers(): readonly LoadedModule[];
}

/** A function to run in place of the native one, with its arguments. */
export class Dispatch {
  readonly target: FunctionInstance;
  readonly args: Value[];

  constructor(target: FunctionInstance, args: Value[]) {
    this.target = target;
    this.args = args;
  }
}

/** Runs a native function; one that may take long runs in pieces. Throws VmError. */
export type Native = (
  context: NativeContext,
  args: readonly Value[],
  typeArgs: readonly AbiType[],
) => readonly Value[] | Dispatch | Pieces<readonly Value[]>;

/** Native functions of a module, by name. */
export type NativeModule = Readonly<Record<string, Native>>;
