// Yes or no in a query.
import { HttpError } from "../errors.ts";
import type { Field } from "../operation.ts";

/** `true` or `false`. */
export const quotedField: Field<boolean> = {
  schema: { type: "boolean", default: false },
  description:
    "`true` returns the digits as a JSON string, for clients whose JSON parser rounds integers above 2^53.",
  example: "true",
  expected: "true or false",
  parse(text) {
    if (text === "true") return true;
    if (text === "false") return false;
    throw new HttpError("malformed_request", "it is neither");
  },
};
