// One module of an account, with its ABI.
import { accountModuleRoute } from "../../interface/routes.ts";
import { readModuleItem } from "../../ledger/items/module-item.ts";
import { formatAddress } from "../../move/address.ts";
import { HttpError } from "../errors.ts";
import { encodedAnswer, operation } from "../operation.ts";
import { AnswerText, addPieces } from "../printing/answer-text.ts";
import { moduleText } from "../printing/move-json.ts";
import { addressField } from "../schemas/address.ts";
import { MODULE_SCHEMA } from "../schemas/module.ts";
import { moduleNameField } from "../schemas/move-type.ts";
import { readAtFields, readPointOf } from "../schemas/read-at.ts";

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
  answer: encodedAnswer(
    { schema: MODULE_SCHEMA, description: "The bytecode in hex, and the ABI." },
    "The bytecode, verbatim.",
  ),
  errors: ["unprintable", "module_not_found"],
  async handle(args, { view, services, form, slices }) {
    const module = { address: args.address, name: args.module_name };
    const { version, timestampUsec } = await readPointOf(view, args);
    const stored = await readModuleItem(view, module, version);
    if (stored === undefined) {
      throw new HttpError(
        "module_not_found",
        `no module ${module.name} at address ${formatAddress(module.address)} at ledger version ${version}`,
      );
    }
    if (form === "bcs") return { data: Buffer.from(stored.bytes), version, timestampUsec };
    const pieces = moduleText(services.types, module, stored);
    const text = await addPieces(new AnswerText(), pieces, slices);
    return { data: await text.finish(), version, timestampUsec };
  },
});
