// Schema of the body of every error.
import { ERROR_CODES } from "../error-catalogue.ts";
import type { JsonSchema } from "../field.ts";
import { U64_NUMBER_SCHEMA, U64_SCHEMA } from "./integer.ts";
import { named, object } from "./named.ts";

/** The body of every error. */
export const ERROR_SCHEMA: JsonSchema = named(
  "Error",
  object(
    {
      message: {
        type: "string",
        description: "Names the wrong part of the request, what was expected and what was received.",
      },
      error_code: { type: "string", enum: ERROR_CODES },
    },
    {
      vm_error_code: {
        ...U64_NUMBER_SCHEMA,
        description:
          "Status code of the virtual machine: why it refused a transaction, or how a view function failed.",
      },
      archival_endpoint: {
        type: "string",
        format: "uri",
        description: "On 410, if configured: a node that keeps more versions.",
      },
      ledger_version: {
        ...U64_SCHEMA,
        description: "On 503 because of `min_ledger_version`: the latest version.",
      },
      versions_behind: {
        ...U64_SCHEMA,
        description: "On 503 because of `min_ledger_version`: how many versions are missing.",
      },
    },
  ),
);
