// Modules as state items.
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import type { ModuleId } from "../../move/abi.ts";
import type { StoredModule } from "../../move/module-cache.ts";
import { stateValueData } from "../formats/state-value.ts";
import { moduleKeyHash } from "../key-hash.ts";
import type { LedgerView } from "../view.ts";

/** A module's bytes at a version, the latest when left out, and the version that wrote them. */
export function readModuleItem(
  view: LedgerView,
  module: ModuleId,
  version = view.position.version,
): MaybePromise<StoredModule | undefined> {
  const keyHash = moduleKeyHash(module.address, module.name, view.keyTrace);
  return andThen(view.getItems([keyHash], version), ([item]) =>
    item?.value === undefined
      ? undefined
      : {
          version: item.version,
          bytes: stateValueData(item.value),
          origin: view.originOf?.(item.version),
        },
  );
}
