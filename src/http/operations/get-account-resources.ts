// All resources of an account, in pages.

import { accountResourcesRoute } from "../../interface/routes.ts";
import { readResources } from "../../ledger/items/resource-item.ts";
import type { ReadOptions } from "../calls/options.ts";
import { StoredValuePrinter } from "../printing/move-json.ts";
import { RESOURCE_SCHEMA, type ResourceAnswer } from "./get-account-resource.ts";
import { accountItemsOperation } from "./shared/account-items.ts";

export interface ResourcesCall {
  /** All resources of an account at one version, read page by page as they are taken. */
  resources(address: string, options?: ReadOptions): AsyncIterable<ResourceAnswer>;
}

/** `GET /v1/accounts/{address}/resources` */
export const getAccountResources = accountItemsOperation({
  id: "get_account_resources",
  route: accountResourcesRoute,
  summary: "Resources of an account",
  description:
    "All resources of an account at one version, members of resource groups among them, in the order of the hashes of their state keys.",
  name: "resources",
  limited: "resources, a resource group counting as one",
  schema: RESOURCE_SCHEMA,
  bcsDescription: "A BCS map from struct tags to the stored bytes.",
  read: readResources,
  toEntry: ({ type, bytes }) => [type.bytes, bytes],
  async print(out, resources, { types, view, version, slices }) {
    const printer = new StoredValuePrinter(types, view, version, slices);
    for (const [i, { type, bytes }] of resources.entries()) {
      if (i > 0) out.add(",");
      out.append(await printer.resource(bytes, type));
      await slices.pause();
    }
  },
  calls: (resources): ResourcesCall => ({ resources }),
});
