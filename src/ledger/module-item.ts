// Modules as state items.
import type { ModuleId } from "../move/abi.ts";
import type { StoredModule } from "../move/module-cache.ts";
import { moduleKeyHash } from "./key-hash.ts";
import { stateValueData } from "./state-value.ts";
import type { LedgerView } from "./view.ts";

/** A module's bytes at the view's latest version, and the version that wrote them. */
export async function readModuleItem(view: LedgerView, module: ModuleId): Promise<StoredModule | undefined> {
  const keyHash = moduleKeyHash(module.address, module.name, view.keyTrace);
  const [item] = await view.getItems([keyHash], view.position.version);
  if (item?.value === undefined) return undefined;
  return { version: item.version, bytes: stateValueData(item.value) };
}
