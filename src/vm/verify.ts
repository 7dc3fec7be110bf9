// Checks of a module's code before it is published.
import type { Linker } from "./linker.ts";
import type { NewModule } from "./publish.ts";

/** Throws VmError for a module that is not well formed in itself. */
export function assertWellFormed(_module: NewModule): void {}

/** Throws VmError unless a module uses others as they are. */
export function assertLinks({ program }: NewModule, linker: Linker): void {
  void program;
  void linker;
}
