// All modules of an account, in pages.
import { compareBytes } from "../../base/bytes.ts";
import { encodeWith } from "../../bcs/codec.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { accountModulesRoute } from "../../interface/routes.ts";
import { isAddressKnown } from "../../ledger/account.ts";
import { type NamedModule, readModules } from "../../ledger/resource-item.ts";
import type { Address } from "../../move/address.ts";
import { moduleIdCodec } from "../../move/wire.ts";
import { moduleText } from "../move-json.ts";
import { operation } from "../operation.ts";
import { addressField } from "../schemas/address.ts";
import { itemLimitField, MAX_ITEMS } from "../schemas/integer.ts";
import { MODULE_SCHEMA } from "../schemas/module.ts";
import { cursorText, pageCursorField, pageStart } from "../schemas/page-cursor.ts";
import { readAtFields } from "../schemas/read-at.ts";
import { accountNotFound } from "./get-account.ts";

const MAX_IN_FLIGHT = 64;

/** A BCS map is in the order of its keys' bytes. */
function toBcs(address: Address, modules: readonly NamedModule[]): Uint8Array {
  const rows = modules
    .map(({ name, bytes }) => ({ id: encodeWith(moduleIdCodec, { address, name }), bytes }))
    .sort((a, b) => compareBytes(a.id, b.id));
  const writer = new BcsWriter(4096).uleb(rows.length);
  for (const { id, bytes } of rows) writer.fixed(id).byteString(bytes);
  return writer.take();
}

/** `GET /v1/accounts/{address}/modules` */
export const getAccountModules = operation({
  id: "get_account_modules",
  ...accountModulesRoute,
  summary: "Modules of an account",
  description:
    "All modules of an account at one version with their ABIs, in the order of the hashes of their state keys. Comes in pages, which all belong to the version of the first: while there is more, `X-NODE-CURSOR` gives the `start` of the next one, and a page may hold fewer modules than asked for, even none. 403 on a node that has no index, 503 while it builds one.",
  ledger: "required",
  switchable: true,
  switch: "index",
  isPaged: true,
  maxInFlight: MAX_IN_FLIGHT,
  params: { address: addressField },
  query: { ...readAtFields, limit: itemLimitField("modules"), start: pageCursorField },
  answer: {
    json: {
      schema: { type: "array", items: MODULE_SCHEMA },
      description: "The modules.",
      encode: (page: string | Uint8Array) => page,
    },
    bcs: {
      schema: { type: "string", format: "binary" },
      description: "A BCS map from module ids to bytecode.",
      encode: (page: string | Uint8Array) => page,
    },
  },
  errors: [
    "malformed_request",
    "unprintable",
    "disabled",
    "version_not_found",
    "account_not_found",
    "version_pruned",
    "internal",
    "unavailable",
    "overloaded",
  ],
  async handle(args, { view, services, form }) {
    const { address, limit = MAX_ITEMS } = args;
    const { version, timestampUsec, after } = await pageStart(view, args);
    const { items, next } = await readModules(view, { address, version, after, limit });
    if (items.length === 0 && !(await isAddressKnown(view, address, version))) {
      throw accountNotFound(address, version);
    }
    const about = { version, timestampUsec, cursor: cursorText(version, next) };
    if (form === "bcs") return { data: toBcs(address, items), ...about };
    const texts = items.map((module) => moduleText(services.types, { address, name: module.name }, module));
    return { data: `[${texts.join(",")}]`, ...about };
  },
});
