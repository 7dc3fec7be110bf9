// The outcome of a transaction in words.
import { ModulesAt } from "../../src/http/printing/modules-at.ts";
import { vmStatus } from "../../src/http/printing/vm-status.ts";
import type { ExecutionStatus } from "../../src/ledger/formats/transaction-info.ts";
import { StateTypes } from "../../src/ledger/items/state-types.ts";
import type { LedgerView } from "../../src/ledger/view.ts";
import { ModuleCache } from "../../src/move/module-cache.ts";

export function statusText(status: ExecutionStatus, view: LedgerView): Promise<string> {
  return vmStatus(status, new ModulesAt(new StateTypes(new ModuleCache()), view, view.position.version));
}
