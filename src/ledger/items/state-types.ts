// What the modules on chain say about the types of stored values: where a resource is kept, and what its bytes mean. Both
// are read from the modules as of the version of the value, because an upgrade may add to them.
import type { CacheStats } from "../../base/cache-stats.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { RecentMap } from "../../base/recent.ts";
import { encodeWith } from "../../bcs/codec.ts";
import type { ModuleAbi, ModuleId, ModuleLoader } from "../../move/abi.ts";
import { MoveError } from "../../move/errors.ts";
import { createValueLayout, type Layout, type SizedLayout } from "../../move/layout.ts";
import type { ModuleCache, StoredModule } from "../../move/module-cache.ts";
import {
  formatStructTag,
  formatTypeTag,
  type StructTag,
  structTagCodec,
  type TypeTag,
} from "../../move/type-tag.ts";
import { parseStructTag } from "../../move/type-text.ts";
import { createType } from "../../transaction/requests/type-arguments.ts";
import type { LedgerPosition, LedgerView } from "../view.ts";
import { readModuleItem } from "./module-item.ts";

const MAX_BYTES = 8 << 20;
/** Bytes of an entry besides its text and nodes. */
const ENTRY_BYTES = 256;
/** Estimated bytes of a node of a layout: an object, a name, and its slots in an array and a map. */
const NODE_BYTES = 200;

/** A concrete struct type in the forms that reads need. */
export interface StructType {
  readonly tag: StructTag;
  readonly type: TypeTag;
  /** BCS of the tag. */
  readonly bytes: Uint8Array;
  /** The printed type. */
  readonly text: string;
}

/** The forms of a struct tag. */
export function structTypeOf(tag: StructTag, bytes = encodeWith(structTagCodec, tag)): StructType {
  return { tag, type: { kind: "struct", struct: tag }, bytes, text: formatStructTag(tag) };
}

/** Where resources of a type are kept: BCS of the tag of their group, if they are kept in one. */
interface Kept {
  readonly group: Uint8Array | undefined;
}

/** Reads types, and keeps those of the latest version until the next one. */
export class StateTypes {
  readonly #modules: ModuleCache;
  #position: LedgerPosition | undefined;
  #layouts = createLayouts();
  #kept = createKept();

  constructor(modules: ModuleCache) {
    this.#modules = modules;
  }

  /** A loader of modules as of a version. */
  loaderAt(view: LedgerView, version: bigint): ModuleLoader {
    return this.#modules.createLoader((module) => readModuleItem(view, module, version));
  }

  /** The ABI of a module that was read. Throws ModuleError. */
  abiOf(module: ModuleId, stored: StoredModule): ModuleAbi {
    return this.#modules.get(module, stored);
  }

  /**
   * BCS of the tag of the group that resources of a type are kept in; undefined where they are items of their own. That
   * includes types of which the chain knows nothing. Throws LedgerError, and ModuleError: a module that does not decode may
   * name a group.
   */
  groupOf(view: LedgerView, type: StructType, version: bigint): MaybePromise<Uint8Array | undefined> {
    const cache = this.#isKept(view, version) ? this.#kept : undefined;
    const known = cache?.get(type.text);
    if (known !== undefined) return known.group;
    return this.#readGroup(view, type.tag, version).then((group) => {
      cache?.set(type.text, { group });
      return group;
    });
  }

  async #readGroup(view: LedgerView, tag: StructTag, version: bigint): Promise<Uint8Array | undefined> {
    const load = this.loaderAt(view, version);
    try {
      const module = await load({ address: tag.address, name: tag.module });
      const text = module?.structs.find(({ name }) => name === tag.name)?.groupMemberOf;
      return text === undefined ? undefined : encodeWith(structTagCodec, parseStructTag(text));
    } catch (error) {
      // A text that is no type names no group.
      if (error instanceof MoveError) return undefined;
      throw error;
    }
  }

  /** Layout of a type's stored values. Throws MoveError where there is none, LedgerError and ModuleError. */
  layoutOf(
    view: LedgerView,
    type: TypeTag,
    version: bigint,
    text = formatTypeTag(type),
  ): MaybePromise<Layout> {
    const cache = this.#isKept(view, version) ? this.#layouts : undefined;
    const known = cache?.get(text);
    if (known !== undefined) return known.layout;
    return createValueLayout(createType(type), this.loaderAt(view, version)).then((sized) => {
      cache?.set(text, sized);
      return sized.layout;
    });
  }

  stats(): CacheStats {
    return this.#layouts.stats();
  }

  /**
   * Whether the kept types are those of a read; forgets those of an earlier version. A view that fetches from other nodes
   * must fetch the modules too: what its answer rests on depends on them.
   */
  #isKept({ position, fetchedTrust }: LedgerView, version: bigint): boolean {
    if (version !== position.version || fetchedTrust !== undefined) return false;
    // A store hands out the same object until something is written; a rewind may lead to another ledger of the same version.
    if (this.#position !== position) {
      this.#position = position;
      this.#layouts = createLayouts();
      this.#kept = createKept();
    }
    return true;
  }
}

function createLayouts(): RecentMap<string, SizedLayout> {
  const sizeOf = (text: string, { nodes }: SizedLayout): number =>
    ENTRY_BYTES + text.length + nodes * NODE_BYTES;
  return new RecentMap({ maxBytes: MAX_BYTES, sizeOf });
}

function createKept(): RecentMap<string, Kept> {
  const sizeOf = (text: string, { group }: Kept): number => ENTRY_BYTES + text.length + (group?.length ?? 0);
  return new RecentMap({ maxBytes: MAX_BYTES / 8, sizeOf });
}
