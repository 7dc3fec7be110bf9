// A byte-bounded cache of modules with their code, one for a node. The key has a cryptographic hash of the bytes, so no
// module ever runs the code of another one.
import { hash } from "node:crypto";
import type { CacheStats } from "../base/cache-stats.ts";
import type { Pieces } from "../base/pieces.ts";
import { RecentMap } from "../base/recent.ts";
import { readProgram } from "../move/bytecode/program.ts";
import { MoveError } from "../move/errors.ts";
import type { LoadedModule } from "./linker.ts";
import { parseFault } from "./state.ts";

/** Some ten times the framework. */
const MAX_BYTES = 128 << 20;
const ENTRY_BYTES = 1024;
/** Memory of code and ABI, by each byte of the file. Walking through an ABI would take longer than reading it. */
const BYTES_PER_BYTE = 32;

export function createModuleMap<T extends LoadedModule | MoveError>(
  maxBytes = MAX_BYTES,
): RecentMap<string, T> {
  return new RecentMap<string, T>({
    maxBytes,
    sizeOf: (key, module) => {
      const bytes = module instanceof MoveError ? 0 : module.codeBytes * BYTES_PER_BYTE;
      // A run that waited for a module finds it: none is too large to be kept.
      return Math.min(ENTRY_BYTES + key.length + bytes, maxBytes / 2);
    },
  });
}

function* readModule(key: string, bytes: Uint8Array): Pieces<LoadedModule | MoveError> {
  const [address = "", name = ""] = key.split("::");
  try {
    const { program } = yield* readProgram(new Uint8Array(bytes));
    return { key, address, name, program, codeBytes: bytes.length };
  } catch (error) {
    if (error instanceof MoveError) return error;
    throw error;
  }
}

/** Modules by their bytes, and what is wrong with bytes that are none: they never will be. */
export class Programs {
  readonly #modules: RecentMap<string, LoadedModule | MoveError>;

  constructor(maxBytes?: number) {
    this.#modules = createModuleMap(maxBytes);
  }

  /** A module of some bytes, which are copied, in one piece unless it is large. Throws VmError for bytes that are no module. */
  *get(key: string, bytes: Uint8Array): Pieces<LoadedModule> {
    const id = `${key}/${hash("sha256", bytes, "binary")}`;
    let module = this.#modules.get(id);
    const pieces = readModule(key, bytes);
    while (module === undefined) {
      const { done, value } = pieces.next();
      if (done === true) {
        module = value;
        this.#modules.set(id, module);
      } else {
        yield;
        // Another run may have read it meanwhile.
        module = this.#modules.get(id);
      }
    }
    if (module instanceof MoveError) throw parseFault(key, module);
    return module;
  }

  stats(): CacheStats {
    return this.#modules.stats();
  }
}
