// Strict JSON (RFC 8259) from bytes, in one pass and without an object graph: the text is checked and a tape
// of offsets is written, from which a JsonDocument reads on demand. Stricter than the RFC in three points:
// at most 127 containers deep, no unpaired surrogate escapes, no byte order mark.
import { isUtf8 } from "node:buffer";
import { Slices } from "../base/wait.ts";
import { JsonDocument, type Tape } from "./document.ts";
import { JsonError } from "./errors.ts";
import { literalEnd, numberEnd, skipBlanks, stringEnd } from "./scan.ts";

/** Where every tape begins; one that fits in does not stay. One kind of array keeps the loop that writes it fast. */
const scratch = new Uint32Array(1024);

/** Most words that one step writes: a member name and a container. */
const MOST_WORDS = 3;

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
  return new JsonDocument(bytes, buildTape(bytes, startOf(bytes), Infinity) as Tape);
}

/** Bytes of a large text that are parsed before the event loop may go on. */
const STEP_BYTES = 32 << 10;

/** As `parseJson`, in slices: other work of the process runs while a large text is parsed. */
export async function parseJsonInSlices(bytes: Uint8Array, stepBytes = STEP_BYTES): Promise<JsonDocument> {
  if (!isUtf8(bytes)) throw new JsonError("text is not valid UTF-8", bytes, invalidUtf8Offset(bytes));
  const slices = new Slices();
  // Other texts are parsed between the slices, so this tape must not begin in the scratch.
  let state: TapeState = { ...startOf(bytes), tape: new Uint32Array(scratch.length) };
  for (;;) {
    const built = buildTape(bytes, state, state.pos + stepBytes);
    if (!("pos" in built)) return new JsonDocument(bytes, built);
    state = built;
    await slices.pause();
  }
}

/** Bytes that are looked at together for one that is not UTF-8. */
const UTF8_BLOCK = 16 << 10;

/** Offset where decoding and encoding again first gives other bytes: in the first block that is not UTF-8. */
function invalidUtf8Offset(bytes: Uint8Array): number {
  let [start, end] = [0, 0];
  do {
    start = end;
    end = Math.min(start + UTF8_BLOCK, bytes.length);
    // A block ends before a character, unless it has nothing but the rest of one.
    while (end > start && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
    if (end === start) end = Math.min(start + UTF8_BLOCK, bytes.length);
  } while (isUtf8(bytes.subarray(start, end)));
  const block = bytes.subarray(start, end);
  const again = Buffer.from(Buffer.from(block.buffer, block.byteOffset, block.length).toString());
  let at = 0;
  while (at < block.length && block[at] === again[at]) at++;
  return start + at;
}

/** An unfinished tape: what is written, the containers that are open, and where the next value begins. */
interface TapeState {
  readonly tape: Uint32Array<ArrayBuffer>;
  readonly length: number;
  readonly open: number[];
  readonly depth: number;
  readonly inObject: boolean;
  readonly pos: number;
}

function startOf(bytes: Uint8Array): TapeState {
  const pos = skipBlanks(bytes, 0);
  if (pos >= bytes.length) throw new JsonError("expected a JSON value, got nothing", bytes, pos);
  return { tape: scratch, length: 0, open: [], depth: 0, inObject: false, pos };
}

/**
 * Writes the tape: one word for a scalar or member name (its offset), two for a container (its offset, and
 * the tape index behind its last word). Member names stand right before their values. Stops before a value that begins at
 * `stopAt` or behind it.
 */
function buildTape(bytes: Uint8Array, state: TapeState, stopAt: number): Tape | TapeState {
  let { tape, length, depth, inObject, pos } = state;
  const { open } = state;
  do {
    if (pos >= stopAt) return { tape, length, open, depth, inObject, pos };
    if (length + MOST_WORDS > tape.length) {
      // No text needs more words than it has bytes, but for one with each container that is still open.
      const next = new Uint32Array(Math.min(length * 2, bytes.length) + MAX_JSON_DEPTH + MOST_WORDS);
      next.set(tape);
      tape = next;
    }
    if (inObject) {
      tape[length++] = pos;
      pos = valueStart(bytes, pos);
    }
    const code = bytes[pos];
    if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      if (depth >= MAX_JSON_DEPTH) {
        throw new JsonError(`nested deeper than ${MAX_JSON_DEPTH} containers`, bytes, pos);
      }
      open[depth++] = length;
      tape[length++] = pos;
      tape[length++] = 0;
      inObject = code === OPEN_OBJECT;
      pos = skipBlanks(bytes, pos + 1);
      if (bytes[pos] !== code + 2) continue;
    } else {
      tape[length++] = pos;
      pos = skipBlanks(bytes, scalarEnd(bytes, pos));
    }
    while (depth > 0 && bytes[pos] !== COMMA) {
      if (bytes[pos] !== (inObject ? CLOSE_OBJECT : CLOSE_ARRAY)) throw unclosed(bytes, pos, inObject);
      tape[(open[--depth] ?? 0) + 1] = length;
      // An index of -1 would be looked up by its text.
      inObject = depth > 0 && bytes[tape[open[depth - 1] ?? 0] ?? 0] === OPEN_OBJECT;
      pos = skipBlanks(bytes, pos + 1);
    }
    if (depth > 0) pos = skipBlanks(bytes, pos + 1);
  } while (depth > 0);
  if (pos < bytes.length) throw new JsonError("expected the end of the text", bytes, pos);
  return tape === scratch ? plainTape(length) : tape;
}

/** The first words of the scratch tape, in a plain array, which costs no memory outside the heap. */
function plainTape(length: number): Tape {
  const tape: number[] = [];
  for (let i = 0; i < length; i++) tape.push(scratch[i] ?? 0);
  return tape;
}

function unclosed(bytes: Uint8Array, at: number, inObject: boolean): JsonError {
  const wanted = inObject ? "`,` or `}`" : "`,` or `]`";
  const reason = at >= bytes.length ? `text ends where ${wanted} is expected` : `expected ${wanted}`;
  return new JsonError(reason, bytes, at);
}

/** Reads the member name at `at` and its colon; returns where the value begins. */
function valueStart(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== QUOTE) throw new JsonError("expected a member name in double quotes", bytes, at);
  const colon = skipBlanks(bytes, stringEnd(bytes, at));
  if (bytes[colon] !== COLON) throw new JsonError("expected `:` after a member name", bytes, colon);
  return skipBlanks(bytes, colon + 1);
}

function scalarEnd(bytes: Uint8Array, at: number): number {
  const code = bytes[at];
  if (code === undefined) throw new JsonError("text ends where a value is expected", bytes, at);
  if (code === QUOTE) return stringEnd(bytes, at);
  if (code === 45 || (code >= 48 && code <= 57)) return numberEnd(bytes, at);
  const end = literalEnd(bytes, at);
  if (end === undefined) throw new JsonError("expected a JSON value", bytes, at);
  return end;
}
