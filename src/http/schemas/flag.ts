// Yes or no in a query.
import { HttpError } from "../errors.ts";
import type { Field } from "../field.ts";

/** `true` or `false`. */
function flagField(description: string): Field<boolean> {
  return {
    schema: { type: "boolean", default: false },
    description,
    example: "true",
    expected: "true or false",
    parse(text) {
      if (text === "true") return true;
      if (text === "false") return false;
      throw new HttpError("malformed_request", "it is neither");
    },
  };
}

/** Digits in quotes. */
export const quotedField: Field<boolean> = {
  ...flagField(
    "`true` returns the digits as a JSON string, for clients whose JSON parser rounds integers above 2^53.",
  ),
  isUndocumented: true,
};

/** How a transaction ended. */
export const successField: Field<boolean> = {
  ...flagField("Only transactions that succeeded, or with `false` only those that failed."),
  schema: { type: "boolean" },
  omitExample: true,
};

/** Authentication keys in a proof. */
export const authenticationKeysField: Field<boolean> = flagField(
  "`true` proves the authentication key of each account too, so that a signature of its owner can be checked.",
);

/** A block with its transactions. */
export const withTransactionsField: Field<boolean> = flagField(
  "`true` returns the block's transactions too.",
);
