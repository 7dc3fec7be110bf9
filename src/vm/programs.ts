// A byte-bounded cache of modules with their code, one for a node. The key has a cryptographic hash of the bytes, so no
// module ever runs the code of another one.
import { hash } from "node:crypto";
import type { CacheStats } from "../base/cache-stats.ts";
import { RecentMap } from "../base/recent.ts";
import { estimateAbiBytes } from "../move/bytecode/abi-size.ts";
import type { LoadedModule } from "./linker.ts";
import { loadModule } from "./state.ts";

/** Some ten times the framework. */
const MAX_BYTES = 128 << 20;
const ENTRY_BYTES = 1024;
/** Memory of an instruction and its operand, by each byte of the file. */
const BYTES_PER_BYTE = 24;

/** Estimated memory of a module. */
function sizeOf(key: string, { program, codeBytes }: LoadedModule): number {
  const abi = program.abi === undefined ? 0 : estimateAbiBytes(program.abi);
  return ENTRY_BYTES + key.length + abi + codeBytes * BYTES_PER_BYTE;
}

export function createModuleMap(maxBytes = MAX_BYTES): RecentMap<string, LoadedModule> {
  const sizes = new WeakMap<LoadedModule, number>();
  return new RecentMap<string, LoadedModule>({
    maxBytes,
    sizeOf: (key, module) => {
      let size = sizes.get(module);
      if (size === undefined) {
        size = sizeOf(key, module);
        sizes.set(module, size);
      }
      return size;
    },
  });
}

/** Modules by their bytes. */
export class Programs {
  readonly #modules: RecentMap<string, LoadedModule>;

  constructor(maxBytes?: number) {
    this.#modules = createModuleMap(maxBytes);
  }

  /** A module of some bytes, which are copied. Throws VmError for bytes that are no module. */
  get(key: string, bytes: Uint8Array): LoadedModule {
    const name = `${key}/${hash("sha256", bytes, "binary")}`;
    let module = this.#modules.get(name);
    if (module === undefined) {
      module = loadModule(key, new Uint8Array(bytes));
      this.#modules.set(name, module);
    }
    return module;
  }

  stats(): CacheStats {
    return this.#modules.stats();
  }
}
