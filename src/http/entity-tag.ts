// Entity tags of immutable responses: 32 hex digits that identify exact bytes in one form.
import { toHex } from "../base/hex.ts";
import { sha3 } from "../base/sha3.ts";
import type { Form } from "./negotiation.ts";

const DIGITS = 32;
/** Bodies up to this size are their own tag, which costs a fifth of a hash. */
const SHORT_BYTES = 14;
/** Prefixes of tags that are not hashes, by form; the length follows. */
const MARKS: Readonly<Record<Form, string>> = {
  json: "1",
  bcs: "2",
  html: "3",
  yaml: "4",
  text: "5",
  csv: "6",
  ndjson: "7",
  events: "8",
};

/** The tag of a body, with its quotes. */
export function entityTag(body: string | Uint8Array, form: Form): string {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  if (bytes.length > SHORT_BYTES) return `"${toHex(sha3(bytes)).slice(0, DIGITS)}"`;
  // Zeros up to a mark of form and length: two short bodies never share a tag.
  const mark = `${MARKS[form]}${bytes.length.toString(16)}`;
  return `"${toHex(bytes).padEnd(DIGITS - mark.length, "0")}${mark}"`;
}
