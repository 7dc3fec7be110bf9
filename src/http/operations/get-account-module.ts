// One module of an account, with its ABI.
import { toPrefixedHex } from "../../base/hex.ts";
import { accountModuleRoute } from "../../interface/routes.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { readModuleItem } from "../../ledger/module-item.ts";
import type { StateTypes } from "../../ledger/state-types.ts";
import type { ModuleId } from "../../move/abi.ts";
import { moduleAbiToJson } from "../../move/abi-json.ts";
import { formatAddress } from "../../move/address.ts";
import { MoveError } from "../../move/errors.ts";
import type { StoredModule } from "../../move/module-cache.ts";
import { HttpError } from "../errors.ts";
import { operation } from "../operation.ts";
import { addressField } from "../schemas/address.ts";
import { MODULE_SCHEMA } from "../schemas/module.ts";
import { moduleNameField } from "../schemas/move-type.ts";
import { readAtFields, readPointOf } from "../schemas/read-at.ts";

/** The JSON text of a module. Throws LedgerError, and HttpError `unprintable`. */
export function moduleText(types: StateTypes, module: ModuleId, stored: StoredModule): string {
  try {
    const abi = moduleAbiToJson(types.abiOf(module, stored));
    return `{"bytecode":"${toPrefixedHex(stored.bytes)}","abi":${JSON.stringify(abi)}}`;
  } catch (error) {
    if (!(error instanceof MoveError)) throw error;
    const name = `${formatAddress(module.address)}::${module.name}`;
    if (error.details.status === "ABI_TOO_LARGE") {
      throw new HttpError("unprintable", `${name}: ${error.message}`, { cause: error });
    }
    throw new LedgerError("corrupt", `stored module ${name} does not decode: ${error.message}`, {
      cause: error,
    });
  }
}

/** `GET /v1/accounts/{address}/module/{module_name}` */
export const getAccountModule = operation({
  id: "get_account_module",
  ...accountModuleRoute,
  summary: "Module of an account",
  description:
    "The bytecode of one module and its ABI: its structs, and its functions that are public, friend, entry or view. At the latest or a chosen version.",
  ledger: "required",
  switchable: true,
  params: { address: addressField, module_name: moduleNameField },
  query: { ...readAtFields },
  answer: {
    json: {
      schema: MODULE_SCHEMA,
      description: "The bytecode in hex, and the ABI.",
      encode: (module: string | Uint8Array) => module,
    },
    bcs: {
      schema: { type: "string", format: "binary" },
      description: "The bytecode, verbatim.",
      encode: (module: string | Uint8Array) => module,
    },
  },
  errors: [
    "malformed_request",
    "unprintable",
    "disabled",
    "version_not_found",
    "module_not_found",
    "version_pruned",
    "internal",
    "unavailable",
    "overloaded",
  ],
  async handle(args, { view, services, form }) {
    const module = { address: args.address, name: args.module_name };
    const { version, timestampUsec } = await readPointOf(view, args);
    const stored = await readModuleItem(view, module, version);
    if (stored === undefined) {
      throw new HttpError(
        "module_not_found",
        `no module ${module.name} at address ${formatAddress(module.address)} at ledger version ${version}`,
      );
    }
    const data = form === "bcs" ? Buffer.from(stored.bytes) : moduleText(services.types, module, stored);
    return { data, version, timestampUsec };
  },
});
