// One resource of an account.
import { andThen } from "../../base/maybe-promise.ts";
import { accountResourceRoute } from "../../interface/routes.ts";
import { readResource } from "../../ledger/items/resource-item.ts";
import { formatAddress } from "../../move/address.ts";
import { HttpError } from "../errors.ts";
import { encodedAnswer, operation } from "../operation.ts";
import { StoredValuePrinter } from "../printing/move-json.ts";
import { addressField } from "../schemas/address.ts";
import { MOVE_STRUCT_SCHEMA, resourceTypeField, STRUCT_TYPE_SCHEMA } from "../schemas/move-type.ts";
import { named } from "../schemas/named.ts";
import { readAtFields, readPointOf } from "../schemas/read-at.ts";

/** Schema of a resource. */
export const RESOURCE_SCHEMA = named("MoveResource", {
  type: "object",
  required: ["type", "data"],
  properties: { type: STRUCT_TYPE_SCHEMA, data: MOVE_STRUCT_SCHEMA },
});

/** `GET /v1/accounts/{address}/resource/{resource_type}` */
export const getAccountResource = operation({
  id: "get_account_resource",
  ...accountResourceRoute,
  summary: "Resource of an account",
  description:
    "One resource of an account by its type, at the latest or a chosen version, decoded by the modules as of that version. Finds members of resource groups too.",
  ledger: "required",
  switchable: true,
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
});
