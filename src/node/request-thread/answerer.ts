// Answers what the thread for large submissions asks of the ledger.
import { createAccountReader } from "../../ledger/items/account-reader.ts";
import { readModuleItem } from "../../ledger/items/module-item.ts";
import type { LedgerView } from "../../ledger/view.ts";
import { addressFromBytes } from "../../move/address.ts";
import type { StoredModule } from "../../move/module-cache.ts";
import type { QuestionAnswerer } from "./thread.ts";

/** Answers from a view, which must stay open meanwhile. */
export function createQuestionAnswerer(view: LedgerView): QuestionAnswerer {
  const accounts = createAccountReader(view);
  return async (question) => {
    switch (question.kind) {
      case "module":
        return copied(
          await readModuleItem(view, { address: addressFromBytes(question.address), name: question.name }),
        );
      case "sequenceNumber":
        return accounts.sequenceNumber(addressFromBytes(question.address));
      case "balance":
        return accounts.balance(addressFromBytes(question.owner), question.asset);
    }
  };
}

/** A message would take along the buffer that the bytes are a part of: a page of the store. */
function copied(module: StoredModule | undefined): StoredModule | undefined {
  return module && { ...module, bytes: new Uint8Array(module.bytes) };
}
