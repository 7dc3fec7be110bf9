// Strict JSON (RFC 8259) from bytes, in one pass and without an object graph: the text is checked and a tape
// of offsets is written, from which a JsonDocument reads on demand. Stricter than the RFC in three points:
// at most 127 containers deep, no unpaired surrogate escapes, no byte order mark.
import { isUtf8 } from "node:buffer";
import { JsonDocument, type Tape } from "./document.ts";
import { JsonError } from "./errors.ts";
import { literalEnd, numberEnd, skipBlanks, stringEnd } from "./scan.ts";

/** Words up to which the tape is a plain array. */
const SMALL_TAPE = 1024;

/** Most containers that may stand inside one another. */
export const MAX_JSON_DEPTH = 127;

const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;
const COMMA = 44;
const COLON = 58;
const QUOTE = 34;

/**
 * Parses one JSON text. The document reads from `bytes` when asked, so they must not change while it is in
 * use. Throws JsonError.
 */
export function parseJson(bytes: Uint8Array): JsonDocument {
  if (!isUtf8(bytes)) throw new JsonError("text is not valid UTF-8", bytes, invalidUtf8Offset(bytes));
  return new JsonDocument(bytes, new TapeBuilder(bytes).build());
}

/** Offset where decoding and encoding again first gives other bytes. */
function invalidUtf8Offset(bytes: Uint8Array): number {
  const again = Buffer.from(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8"),
    "utf8",
  );
  let at = 0;
  while (at < bytes.length && bytes[at] === again[at]) at++;
  return at;
}

/**
 * Writes the tape: one word for a scalar or member name (its offset), two for a container (its offset, and
 * the tape index behind its last word). Member names stand right before their values.
 */
class TapeBuilder {
  readonly #bytes: Uint8Array;
  // Small texts stay in a plain array, which costs no memory outside the heap.
  #tape: Tape = [];
  #length = 0;
  readonly #open: number[] = [];

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  build(): Tape {
    const bytes = this.#bytes;
    let pos = skipBlanks(bytes, 0);
    if (pos >= bytes.length) throw new JsonError("expected a JSON value, found nothing", bytes, pos);
    for (;;) {
      const code = bytes[pos];
      if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
        this.#openContainer(pos);
        pos = skipBlanks(bytes, pos + 1);
        if (bytes[pos] !== code + 2) {
          if (code === OPEN_OBJECT) pos = this.#name(pos);
          continue;
        }
      } else {
        this.#push(pos);
        pos = this.#scalarEnd(pos);
        if (this.#open.length > 0) pos = skipBlanks(bytes, pos);
      }
      pos = this.#closeContainers(pos);
      if (this.#open.length === 0) break;
      pos = skipBlanks(bytes, pos + 1);
      if (bytes[this.#tape[this.#open.at(-1) ?? 0] ?? 0] === OPEN_OBJECT) pos = this.#name(pos);
    }
    pos = skipBlanks(bytes, pos);
    if (pos < bytes.length) throw new JsonError("expected the end of the text", bytes, pos);
    return this.#tape;
  }

  /** Closes what closes at `at`; returns the offset of the comma that follows, or of the end. */
  #closeContainers(at: number): number {
    const bytes = this.#bytes;
    let pos = at;
    while (this.#open.length > 0) {
      const container = this.#open.at(-1) ?? 0;
      const code = bytes[pos];
      if (code === COMMA) return pos;
      const close = bytes[this.#tape[container] ?? 0] === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY;
      if (code !== close) {
        const wanted = close === CLOSE_OBJECT ? "`,` or `}`" : "`,` or `]`";
        throw new JsonError(
          code === undefined ? `text ends where ${wanted} is expected` : `expected ${wanted}`,
          bytes,
          pos,
        );
      }
      this.#tape[container + 1] = this.#length;
      this.#open.pop();
      pos++;
      if (this.#open.length > 0) pos = skipBlanks(bytes, pos);
    }
    return pos;
  }

  /** Reads a member name and its colon; returns where the value begins. */
  #name(at: number): number {
    const bytes = this.#bytes;
    if (bytes[at] !== QUOTE) throw new JsonError("expected a member name in double quotes", bytes, at);
    this.#push(at);
    const colon = skipBlanks(bytes, stringEnd(bytes, at));
    if (bytes[colon] !== COLON) throw new JsonError("expected `:` after a member name", bytes, colon);
    return skipBlanks(bytes, colon + 1);
  }

  #scalarEnd(at: number): number {
    const bytes = this.#bytes;
    const code = bytes[at];
    if (code === undefined) throw new JsonError("text ends where a value is expected", bytes, at);
    if (code === QUOTE) return stringEnd(bytes, at);
    if (code === 45 || (code >= 48 && code <= 57)) return numberEnd(bytes, at);
    const end = literalEnd(bytes, at);
    if (end === undefined) throw new JsonError("expected a JSON value", bytes, at);
    return end;
  }

  #openContainer(at: number): void {
    if (this.#open.length >= MAX_JSON_DEPTH) {
      throw new JsonError(`nested deeper than ${MAX_JSON_DEPTH} containers`, this.#bytes, at);
    }
    this.#open.push(this.#length);
    this.#push(at);
    this.#push(0);
  }

  #push(word: number): void {
    if (this.#length >= SMALL_TAPE && this.#length === this.#tape.length) {
      // No text needs more words than it has bytes.
      const next = new Uint32Array(Math.min(this.#length * 2, this.#bytes.length));
      next.set(this.#tape);
      this.#tape = next;
    }
    this.#tape[this.#length++] = word;
  }
}
