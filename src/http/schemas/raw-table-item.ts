// The body of a raw table item request: `{"key": "0x…"}` or the bare string.
import { nextTurn } from "../../base/wait.ts";
import { ABSENT, type JsonDocument } from "../../json/document.ts";
import { parseJson, parseJsonInSlices } from "../../json/parse.ts";
import { assertBodySize, HttpError } from "../errors.ts";
import type { BodyField } from "../operation.ts";
import { tableHandleField } from "./address.ts";
import { HEX_BYTES_SCHEMA, hexBytesInSlices, parseHexField } from "./hex-bytes.ts";
import { named, object } from "./named.ts";

/** A key of the table that stands in the documentation: the text `APT`. */
const KEY = "0x03415054";
/** The same item by its state key: the kind, the table's handle, and the key with its length. */
const STATE_KEY = `0x01${tableHandleField.example.slice(2)}04${KEY.slice(2)}`;

/** Hex of the longest state key: no write of the network, key and value together, has more than 1 MiB. */
const MAX_STATE_KEY_BODY_BYTES = 2 * 1024 * 1024 + 1024;

/** Larger bodies have nothing but the key, which needs no parser. */
const MAX_PARSED_BYTES = 1024 * 1024;

/** Bodies from this size on are parsed in slices. */
const LARGE_BODY_BYTES = 64 * 1024;

/** The serialized key. */
export const rawTableItemBody: BodyField<Uint8Array> = {
  // Without the bare string: a union of an object and a text is a type that most clients cannot tell apart.
  schema: named("RawTableItemRequest", object({ key: HEX_BYTES_SCHEMA })),
  description: "The BCS bytes of the key in hex. A bare JSON string instead of the object is taken too.",
  example: { key: KEY },
  parse(bytes) {
    return bytes.length < LARGE_BODY_BYTES
      ? parseHexField("key", keyText(parseJson(bytes)))
      : parseLarge(bytes);
  },
};

const PLAIN_START = /^[ \t\r\n]{0,9}(\{[ \t\r\n]{0,9}"key"[ \t\r\n]{0,9}:[ \t\r\n]{0,9})?"(0x)?/;
const PLAIN_END = /"[ \t\r\n]{0,9}(\}[ \t\r\n]{0,9})?$/;
/** Blanks and the name around a plain key fit into this; a body with more blanks is parsed. */
const EDGE_BYTES = 64;

/** Reads the key of a large body in several turns of the event loop. */
async function parseLarge(bytes: Uint8Array): Promise<Uint8Array> {
  const key = await plainKey(bytes);
  if (key !== undefined) return key;
  if (bytes.length > MAX_PARSED_BYTES) {
    throw new HttpError(
      "malformed_request",
      `body: expected {"key": "0x…"} with an even number of hex digits and nothing else, because it has more than ${MAX_PARSED_BYTES} bytes`,
    );
  }
  const document = await parseJsonInSlices(bytes);
  await nextTurn();
  return parseHexField("key", keyText(document));
}

/** The key of a body that has nothing else; undefined for any other body. */
async function plainKey(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const start = PLAIN_START.exec(latin1(bytes.subarray(0, EDGE_BYTES)));
  const end = PLAIN_END.exec(latin1(bytes.subarray(-EDGE_BYTES)));
  if (start === null || end === null || (start[1] === undefined) !== (end[1] === undefined)) return undefined;
  return hexBytesInSlices(bytes.subarray(start[0].length, bytes.length - end[0].length));
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
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
  parse(bytes) {
    assertBodySize(bytes, MAX_STATE_KEY_BODY_BYTES);
    return rawTableItemBody.parse(bytes);
  },
};
