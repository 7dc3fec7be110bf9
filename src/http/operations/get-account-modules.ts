// All modules of an account, in pages.

import { encodeWith } from "../../bcs/codec.ts";
import { accountModulesRoute } from "../../interface/routes.ts";
import { readModules } from "../../ledger/items/resource-item.ts";
import { moduleIdCodec } from "../../move/wire.ts";
import type { ReadOptions } from "../calls/options.ts";
import { addPieces } from "../printing/answer-text.ts";
import { moduleText } from "../printing/move-json.ts";
import { MODULE_SCHEMA } from "../schemas/module.ts";
import type { ModuleAnswer } from "./get-account-module.ts";
import { accountItemsOperation } from "./shared/account-items.ts";

export interface ModulesCall {
  modules(address: string, options?: ReadOptions): AsyncIterable<ModuleAnswer>;
}

/** `GET /v1/accounts/{address}/modules` */
export const getAccountModules = accountItemsOperation({
  id: "get_account_modules",
  route: accountModulesRoute,
  summary: "Modules of an account",
  description:
    "All modules of an account at one version with their ABIs, in the order of the hashes of their state keys.",
  name: "modules",
  limited: "modules",
  schema: MODULE_SCHEMA,
  bcsDescription: "A BCS map from module ids to bytecode.",
  read: readModules,
  toEntry: ({ name, bytes }, address) => [encodeWith(moduleIdCodec, { address, name }), bytes],
  async print(out, modules, { types, address, slices }) {
    for (const [i, module] of modules.entries()) {
      if (i > 0) out.add(",");
      await addPieces(out, moduleText(types, { address, name: module.name }, module), slices);
      await slices.pause();
    }
  },
  calls: (modules): ModulesCall => ({ modules }),
});
