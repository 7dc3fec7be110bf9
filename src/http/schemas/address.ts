// Addresses in paths: accounts and table handles.
import { type Address, parseAddress } from "../../move/address.ts";
import type { Field, JsonSchema } from "../field.ts";
import { named } from "./named.ts";
import { ADDRESS_PATTERN } from "./patterns.ts";

const EXPECTED = "1 to 64 hex digits, with or without 0x";

/** Schema of an address. */
export const ADDRESS_SCHEMA: JsonSchema = named("Address", {
  type: "string",
  format: "hex",
  pattern: ADDRESS_PATTERN,
  description: "A 32-byte address: 1 to 64 hex digits behind `0x`, leading zeros may be left out.",
  example: "0x1",
});

/** Schema of an address in an answer: without a pattern that has a comma, at which generated readers in Go cut it. */
export const ANSWER_ADDRESS_SCHEMA: JsonSchema = {
  type: "string",
  format: "hex",
  description: "A 32-byte address: 1 to 64 hex digits behind `0x`, without leading zeros.",
  example: "0x1",
};

/** Schema of 32 bytes in full, as answers give them. */
export const LONG_ADDRESS_SCHEMA = { type: "string", pattern: "^0x[0-9a-f]{64}$" } as const;

/** An account address. */
export const addressField: Field<Address> = {
  schema: ADDRESS_SCHEMA,
  description: "The account address, with or without `0x`; leading zeros may be left out.",
  example: "0x1",
  expected: EXPECTED,
  parse: parseAddress,
};

/** The address of a table. */
export const tableHandleField: Field<Address> = {
  schema: ADDRESS_SCHEMA,
  description: "The table's handle: a 32-byte address, with or without `0x`.",
  example: "0xc90662174ea9bb138a86766c054f89c33eb636eb910a05ea69cc888a8cc96815",
  expected: EXPECTED,
  parse: parseAddress,
};
