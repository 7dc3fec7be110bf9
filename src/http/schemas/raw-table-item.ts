// The body of a raw table item request: `{"key": "0x…"}` or the bare string.
import { ABSENT } from "../../json/document.ts";
import { parseJson } from "../../json/parse.ts";
import { HttpError } from "../errors.ts";
import type { BodyField } from "../operation.ts";
import { HEX_BYTES_SCHEMA, parseHexBytes } from "./hex-bytes.ts";

const KEY = "0x0619dc29a0aac8fa146714058e8dd6d2d0f3bdf5f6331907bf91f3acd81e6935";

/** The serialized key. */
export const rawTableItemBody: BodyField<Uint8Array> = {
  schema: {
    oneOf: [
      { type: "object", required: ["key"], properties: { key: HEX_BYTES_SCHEMA } },
      { ...HEX_BYTES_SCHEMA, example: KEY },
    ],
  },
  description: "The BCS bytes of the key in hex, as the member `key` of an object or as a bare string.",
  example: { key: KEY },
  parse(bytes) {
    const document = parseJson(bytes);
    let value = document.root;
    if (document.kind(value) === "object") {
      value = document.member(document.root, "key");
      if (value === ABSENT) {
        throw new HttpError("malformed_request", 'body: expected a member "key", got an object without it');
      }
    }
    if (document.kind(value) !== "string") {
      throw new HttpError(
        "malformed_request",
        `key: expected a string of hex digits, got ${document.excerpt(value)}`,
      );
    }
    return parseHexBytes("key", document.string(value));
  },
};

/** A serialized state key, sent the same way. */
export const rawStateValueBody: BodyField<Uint8Array> = {
  ...rawTableItemBody,
  description: "The BCS bytes of the state key in hex, as the member `key` of an object or as a bare string.",
};
