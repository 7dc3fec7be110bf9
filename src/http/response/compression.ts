// Compresses large text responses. For small ones compression costs more than it saves.
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Coding, Form } from "./negotiation.ts";

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
