// The body of a raw table item request: `{"key": "0x…"}` or the bare string.
import { nextTurn } from "../../base/wait.ts";
import { ABSENT, type JsonDocument } from "../../json/document.ts";
import { parseJson, parseJsonInSlices } from "../../json/parse.ts";
import { assertBodySize, HttpError } from "../errors.ts";
import type { BodyField } from "../operation.ts";
import { tableHandleField } from "./address.ts";
import { HEX_BYTES_SCHEMA, parseHexField } from "./hex-bytes.ts";
import { named, object } from "./named.ts";

/** A key of the table that stands in the documentation: the text `APT`. */
const KEY = "0x03415054";
/** The same item by its state key: the kind, the table's handle, and the key with its length. */
const STATE_KEY = `0x01${tableHandleField.example.slice(2)}04${KEY.slice(2)}`;

/** Hex of the longest key: no write of the network, key and value together, has more than 1 MiB. */
const MAX_BODY_BYTES = 2 * 1024 * 1024 + 1024;

/** Bodies from this size on are parsed in slices. */
const LARGE_BODY_BYTES = 64 * 1024;

/** The serialized key. */
export const rawTableItemBody: BodyField<Uint8Array> = {
  // Without the bare string: a union of an object and a text is a type that most clients cannot tell apart.
  schema: named("RawTableItemRequest", object({ key: HEX_BYTES_SCHEMA })),
  description:
    "The BCS bytes of the key in hex, at most 2 MiB. A bare JSON string instead of the object is taken too.",
  example: { key: KEY },
  parse(bytes) {
    return bytes.length < LARGE_BODY_BYTES
      ? parseHexField("key", keyText(parseJson(bytes)))
      : parseLarge(bytes);
  },
};

/** Reads the key of a large body in several turns of the event loop. */
async function parseLarge(bytes: Uint8Array): Promise<Uint8Array> {
  assertBodySize(bytes, MAX_BODY_BYTES);
  const document = await parseJsonInSlices(bytes);
  await nextTurn();
  return parseHexField("key", keyText(document));
}

function keyText(document: JsonDocument): string {
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
  return document.string(value);
}

/** A serialized state key, sent the same way. */
export const rawStateValueBody: BodyField<Uint8Array> = {
  ...rawTableItemBody,
  schema: named("RawStateValueRequest", object({ key: HEX_BYTES_SCHEMA })),
  description:
    "The BCS bytes of the state key in hex, at most 2 MiB. A bare JSON string instead of the object is taken too.",
  example: { key: STATE_KEY },
};
