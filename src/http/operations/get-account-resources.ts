// All resources of an account, in pages.
import { compareBytes } from "../../base/bytes.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { accountResourcesRoute } from "../../interface/routes.ts";
import { isAddressKnown } from "../../ledger/account.ts";
import { type Resource, readResources } from "../../ledger/resource-item.ts";
import { resourceText, StoredValuePrinter } from "../move-json.ts";
import { operation } from "../operation.ts";
import { addressField } from "../schemas/address.ts";
import { itemLimitField, MAX_ITEMS } from "../schemas/integer.ts";
import { cursorText, pageCursorField, pageStart } from "../schemas/page-cursor.ts";
import { readAtFields } from "../schemas/read-at.ts";
import { accountNotFound } from "./get-account.ts";
import { RESOURCE_SCHEMA } from "./get-account-resource.ts";

const MAX_IN_FLIGHT = 64;

/** A BCS map is in the order of its keys' bytes. */
function toBcs(resources: readonly Resource[]): Uint8Array {
  const sorted = resources.toSorted((a, b) => compareBytes(a.type.bytes, b.type.bytes));
  const writer = new BcsWriter(4096).uleb(sorted.length);
  for (const { type, bytes } of sorted) writer.fixed(type.bytes).byteString(bytes);
  return writer.take();
}

/** `GET /v1/accounts/{address}/resources` */
export const getAccountResources = operation({
  id: "get_account_resources",
  ...accountResourcesRoute,
  summary: "Resources of an account",
  description:
    "All resources of an account at one version, members of resource groups among them, in the order of the hashes of their state keys. Comes in pages, which all belong to the version of the first: while there is more, `X-NODE-CURSOR` gives the `start` of the next one, and a page may hold fewer resources than asked for, even none. 403 on a node that has no index, 503 while it builds one.",
  ledger: "required",
  switchable: true,
  switch: "index",
  isPaged: true,
  maxInFlight: MAX_IN_FLIGHT,
  params: { address: addressField },
  query: {
    ...readAtFields,
    limit: itemLimitField("resources, a resource group counting as one"),
    start: pageCursorField,
  },
  answer: {
    json: {
      schema: { type: "array", items: RESOURCE_SCHEMA },
      description: "The resources.",
      encode: (page: string | Uint8Array) => page,
    },
    bcs: {
      schema: { type: "string", format: "binary" },
      description: "A BCS map from struct tags to the stored bytes.",
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
    const { items, next } = await readResources(view, { address, version, after, limit });
    if (items.length === 0 && !(await isAddressKnown(view, address, version))) {
      throw accountNotFound(address, version);
    }
    const about = { version, timestampUsec, cursor: cursorText(version, next) };
    if (form === "bcs") return { data: toBcs(items), ...about };
    const printer = new StoredValuePrinter(services.types, view, version);
    const texts: string[] = [];
    for (const { type, bytes } of items) {
      texts.push(resourceText(type.text, await printer.print(bytes, type.type, type.text)));
    }
    return { data: `[${texts.join(",")}]`, ...about };
  },
});
