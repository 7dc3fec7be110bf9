// The one error of the JSON reader.
import { CodedError } from "../base/errors.ts";

/** Bytes that are not JSON; says what was expected and names the line and column, both from 1. */
export class JsonError extends CodedError<"json"> {
  readonly line: number;
  readonly column: number;

  constructor(reason: string, bytes: Uint8Array, offset: number) {
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
    super("json", `${reason} at line ${line} column ${column}`, {
      details: { reason, line, column, offset },
    });
    this.line = line;
    this.column = column;
  }
}
