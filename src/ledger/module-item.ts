// Modules as state items.
import type { ModuleId } from "../move/abi.ts";
import type { StoredModule } from "../move/module-cache.ts";
import { moduleKeyHash } from "./key-hash.ts";
import { stateValueData } from "./state-value.ts";
import type { LedgerView } from "./view.ts";

/** A module's bytes at a version, the latest when left out, and the version that wrote them. */
export async function readModuleItem(
  view: LedgerView,
  module: ModuleId,
  version = view.position.version,
): Promise<StoredModule | undefined> {
  const keyHash = moduleKeyHash(module.address, module.name, view.keyTrace);
  const [item] = await view.getItems([keyHash], version);
  if (item?.value === undefined) return undefined;
  return { version: item.version, bytes: stateValueData(item.value) };
}
