// The resources of an account: one, and all in pages.
import { andThen } from "../../base/maybe-promise.ts";
import { accountResourceRoute, accountResourcesRoute } from "../../interface/routes.ts";
import { readResource, readResources } from "../../ledger/items/resource-item.ts";
import { formatAddress } from "../../move/address.ts";
import { type Asker, fromJson, orNone } from "../calls/asker.ts";
import { readAtArgs, toText } from "../calls/operands.ts";
import type { ReadOptions } from "../calls/options.ts";
import { HttpError } from "../errors.ts";
import { parseField } from "../field.ts";
import { encodedAnswer, operation } from "../operation.ts";
import { StoredValuePrinter } from "../printing/move-json.ts";
import { addressField } from "../schemas/address.ts";
import { MOVE_STRUCT_SCHEMA, resourceTypeField, STRUCT_TYPE_SCHEMA } from "../schemas/move-type.ts";
import { named, object } from "../schemas/named.ts";
import { readAtFields, readPointOf } from "../schemas/read-at.ts";
import { accountItemsOperation } from "./shared/account-items.ts";

/** Schema of a resource. */
const RESOURCE_SCHEMA = named("MoveResource", object({ type: STRUCT_TYPE_SCHEMA, data: MOVE_STRUCT_SCHEMA }));

/** A resource, as `GET …/resource/{resource_type}` answers. */
export interface ResourceAnswer {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface ResourceCall {
  /** A resource; undefined if the address has none of this type. */
  resource(address: string, type: string, options?: ReadOptions): Promise<ResourceAnswer | undefined>;
}

/** `GET /v1/accounts/{address}/resource/{resource_type}` */
export const getAccountResource = operation({
  id: "get_account_resource",
  ...accountResourceRoute,
  summary: "Resource of an account",
  description:
    "One resource of an account by its type, at the latest or a chosen version, decoded by the modules as of that version. Finds members of resource groups too.",
  params: { address: addressField, resource_type: resourceTypeField },
  query: { ...readAtFields },
  answer: encodedAnswer(
    { schema: RESOURCE_SCHEMA, description: "The type and the fields." },
    "The stored bytes, verbatim.",
  ),
  errors: ["unprintable", "resource_not_found"],
  handle(args, { view, services, form, slices }) {
    const { address, resource_type: type } = args;
    return andThen(readPointOf(view, args), ({ version, timestampUsec }) =>
      andThen(readResource(view, services.types, address, type, version), (bytes) => {
        if (bytes === undefined) {
          throw new HttpError(
            "resource_not_found",
            `no resource ${type.text} at address ${formatAddress(address)} at ledger version ${version}`,
          );
        }
        // Copy: the view's bytes are invalid after release, and the socket may write later.
        if (form === "bcs") return { data: Buffer.from(bytes), version, timestampUsec };
        const printer = new StoredValuePrinter(services.types, view, version, slices);
        return andThen(printer.resource(bytes, type), (text) =>
          andThen(text.finish(), (data) => ({ data, version, timestampUsec })),
        );
      }),
    );
  },
  calls: (node: Asker): ResourceCall => ({
    resource: async (address, type, options = {}) => {
      const resource_type = parseField("type", resourceTypeField, toText("type", type));
      const args = { address: node.args.address(address), resource_type, ...readAtArgs(options) };
      return orNone(
        "resource_not_found",
        node.run(getAccountResource, args, options, fromJson<ResourceAnswer>),
      );
    },
  }),
});

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
