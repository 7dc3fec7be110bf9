// What is made of a body: its entity tag, 32 hex digits that identify exact bytes in one form, and its compressed form.
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { toHex } from "../../base/hex.ts";
import { sha3 } from "../../base/sha3.ts";
import { Slices } from "../../base/wait.ts";
import type { Coding, Form } from "./negotiation.ts";

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

/** Bytes that are hashed at once. */
const HASHED_BYTES = 512 << 10;

/** As `entityTag`, in slices. */
export async function entityTagInSlices(bytes: Uint8Array): Promise<string> {
  const hasher = createHash("sha3-256");
  const slices = new Slices();
  for (let at = 0; at < bytes.length; at += HASHED_BYTES) {
    hasher.update(bytes.subarray(at, at + HASHED_BYTES));
    await slices.pause();
  }
  return `"${hasher.digest("hex").slice(0, DIGITS)}"`;
}

/** True for a body whose tag is to be made in slices. */
export function isLongBody(body: string | Uint8Array): body is Uint8Array {
  return typeof body !== "string" && body.length > HASHED_BYTES;
}

/** The tag of a body, with its quotes. */
export function entityTag(body: string | Uint8Array, form: Form): string {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  if (bytes.length > SHORT_BYTES) return `"${toHex(sha3(bytes)).slice(0, DIGITS)}"`;
  // Zeros up to a mark of form and length: two short bodies never share a tag.
  const mark = `${MARKS[form]}${bytes.length.toString(16)}`;
  return `"${toHex(bytes).padEnd(DIGITS - mark.length, "0")}${mark}"`;
}

/** Bodies up to this many bytes are never compressed. */
const COMPRESSION_THRESHOLD_BYTES = 1024;

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);

/** BCS is dense already and is not compressed. */
export function isCompressible(form: Form, sizeBytes: number): boolean {
  return form !== "bcs" && sizeBytes > COMPRESSION_THRESHOLD_BYTES;
}

/** Compresses a body. */
export function compress(body: Uint8Array, coding: Coding): Promise<Uint8Array> {
  if (coding === "gzip") return gzipAsync(body);
  // Quality 4 packs about as well as gzip's default in less time.
  return brotliAsync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
}

/** Compresses documents once per coding. */
export class CompressedDocuments {
  readonly #byDocument = new WeakMap<Uint8Array, Map<Coding, Promise<Uint8Array>>>();

  compress(document: Uint8Array, coding: Coding): Promise<Uint8Array> {
    const codings = this.#byDocument.get(document) ?? new Map<Coding, Promise<Uint8Array>>();
    this.#byDocument.set(document, codings);
    const compressed = codings.get(coding) ?? compress(document, coding);
    codings.set(coding, compressed);
    return compressed;
  }
}
