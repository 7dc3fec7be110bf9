// The one error of the JSON reader.
import { CodedError } from "../base/errors.ts";

/** A place in a text, counted from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

function placeOf(bytes: Uint8Array, offset: number): TextPlace {
  let line = 1;
  let lineStart = 0;
  for (let i = 0; i < offset; i++) {
    if (bytes[i] === 10) {
      line++;
      lineStart = i + 1;
    }
  }
  // Columns count characters, so continuation bytes of UTF-8 are skipped.
  let column = 1;
  for (let i = lineStart; i < offset; i++) if (((bytes[i] ?? 0) & 0xc0) !== 0x80) column++;
  return { line, column };
}

/** Bytes that are not JSON; says what was expected and names the line and column, both from 1. */
export class JsonError extends CodedError<"json"> {
  readonly line: number;
  readonly column: number;

  /** Finds the place of the offset in the text, unless it is known already. */
  constructor(reason: string, text: Uint8Array | TextPlace, offset: number) {
    const { line, column } = text instanceof Uint8Array ? placeOf(text, offset) : text;
    super("json", `${reason} at line ${line} column ${column}`, {
      details: { reason, line, column, offset },
    });
    this.line = line;
    this.column = column;
  }
}
