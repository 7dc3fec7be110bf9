// Integers in query texts: decimal digits, leading zeros and one plus sign allowed, nothing else.
import { U64_MAX } from "../../base/numbers.ts";
import { HttpError } from "../errors.ts";
import type { Field, JsonSchema } from "../field.ts";
import { named } from "./named.ts";
import { U64_PATTERN } from "./patterns.ts";

const U16_MAX = 0xffffn;
const U32_MAX = 0xffff_ffffn;
/** More digits than any value in range needs, zeros in front included. */
const MAX_DIGITS = 100;

function parseUnsigned(text: string, max: bigint): bigint {
  const start = text.startsWith("+") ? 1 : 0;
  if (text.length === start) throw new HttpError("malformed_request", "it has no digits");
  if (text.length - start > MAX_DIGITS)
    throw new HttpError("malformed_request", `it has over ${MAX_DIGITS} digits`);
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 48 || code > 57) {
      throw new HttpError("malformed_request", `invalid digit ${JSON.stringify(text[i])} at position ${i}`);
    }
  }
  const value = BigInt(text.slice(start));
  if (value > max) throw new HttpError("malformed_request", `it is above ${max}`);
  return value;
}

/** Schema of a u64 in JSON. */
export const U64_SCHEMA = {
  type: "string",
  format: "uint64",
  // Without a comma, at which generated readers in Go cut a pattern.
  pattern: "^[0-9]+$",
  maxLength: 20,
} as const;

/**
 * Schema of a u64 that is a JSON number. Generators read an integer of an unknown format as one of 32 bits. Where such a
 * client meets a number above 2^63, it fails and does not round.
 */
export const U64_NUMBER_SCHEMA = { type: "integer", format: "int64", minimum: 0 } as const;

/** Schema of an amount in JSON. */
export const AMOUNT_SCHEMA: JsonSchema = {
  ...U64_SCHEMA,
  description: "An amount in the asset's smallest unit.",
};

/** Schema of a u64 in a request, where more digits than it has would be refused. */
export const U64_REQUEST_SCHEMA: JsonSchema = named("U64", {
  type: "string",
  format: "uint64",
  pattern: U64_PATTERN,
  description: "A 64-bit unsigned integer as a string of decimal digits.",
});

/** The version to read at. */
export const ledgerVersionField: Field<bigint> = {
  schema: U64_REQUEST_SCHEMA,
  description: "The ledger version to read at: the state after that transaction. The latest when left out.",
  // Genesis, which has no time, is behind every window of time.
  example: "1",
  expected: "a u64 in decimal digits",
  parse: (text) => parseUnsigned(text, U64_MAX),
};

/** The height of a block. */
export const blockHeightField: Field<bigint> = {
  ...ledgerVersionField,
  description: "The height of the block; that of genesis is 0.",
};

/** A number of seconds. */
export const durationSecsField: Field<bigint> = {
  schema: { type: "integer", format: "int64", minimum: 0, maximum: 4294967295 },
  description: "How old, in seconds, the ledger's time may be for the node to be healthy.",
  example: "30",
  expected: "a u32 in decimal digits",
  parse: (text) => parseUnsigned(text, U32_MAX),
};

/** The first version of a page. */
export const startField: Field<bigint> = {
  schema: U64_REQUEST_SCHEMA,
  description: "The version of the first record. When left out, the page ends with the latest version.",
  example: "1",
  expected: "a u64 in decimal digits",
  parse: (text) => parseUnsigned(text, U64_MAX),
};

/** A whole number within bounds. */
export function countField(min: number, max: number, example: number, description: string): Field<number> {
  return {
    schema: { type: "integer", minimum: min, maximum: max },
    description,
    example: `${example}`,
    expected: `a whole number from ${min} to ${max}`,
    parse(text) {
      const value = Number(parseUnsigned(text, BigInt(max)));
      if (value < min) throw new HttpError("malformed_request", `it is below ${min}`);
      return value;
    },
  };
}

/** The size of a page. */
export const limitField: Field<number> = {
  schema: { type: "integer", format: "int32", minimum: 1, maximum: 65535 },
  description: "How many at most: 25 when left out; above 100 counts as 100.",
  example: "25",
  expected: "a u16 in decimal digits",
  parse: (text) => Number(parseUnsigned(text, U16_MAX)),
};

/** Items of an account in a page: as many when nothing is said, and at most. */
export const MAX_ITEMS = 9999;

/** How many items of an account a page has at most. */
export function itemLimitField(what: string): Field<number> {
  return {
    ...limitField,
    description: `How many ${what} at most: ${MAX_ITEMS} when left out; more counts as ${MAX_ITEMS}.`,
    example: "100",
    parse(text) {
      const limit = limitField.parse(text);
      if (limit === 0) throw new HttpError("malformed_request", "it is below 1");
      return Math.min(limit, MAX_ITEMS);
    },
  };
}
