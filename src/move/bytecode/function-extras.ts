// Access specifiers and attributes of a function handle. Neither reaches the ABI. The format does not check the indices
// inside them, so this reader does not either.
import { bytecodeError, type Cursor, MAX_INDEX } from "./cursor.ts";

const MAX_ACCESS_SPECIFIERS = 64;
const MAX_ATTRIBUTES = 16;

// Number of indices after each resource tag: any, address, module, struct, struct with type arguments.
const RESOURCE_INDICES: readonly (number | undefined)[] = [undefined, 0, 1, 1, 1, 2];

function skipFlag(cursor: Cursor, what: string): boolean {
  const at = cursor.offset;
  const byte = cursor.u8(what);
  if (byte !== 1 && byte !== 2) cursor.fail("MALFORMED", `${what} is 1 or 2, not ${byte}`, at);
  return byte === 2;
}

function skipSpecifier(cursor: Cursor): void {
  skipFlag(cursor, "access kind");
  skipFlag(cursor, "access negation");
  const resourceAt = cursor.offset;
  const indices = RESOURCE_INDICES[cursor.u8("resource tag")];
  if (indices === undefined) throw bytecodeError("MALFORMED", resourceAt, "unknown resource tag");
  for (let i = 0; i < indices; i++) cursor.uleb(MAX_INDEX, "resource index");
  const addressAt = cursor.offset;
  switch (cursor.u8("address tag")) {
    case 1:
      return;
    case 2:
      cursor.uleb(MAX_INDEX, "address index");
      return;
    case 3:
      cursor.uleb(255, "parameter position");
      if (skipFlag(cursor, "option")) cursor.uleb(MAX_INDEX, "function instantiation index");
      return;
    default:
      cursor.fail("MALFORMED", "unknown address tag", addressAt);
  }
}

/** Skips the access specifiers of a function handle or script. */
export function skipAccessSpecifiers(cursor: Cursor): void {
  if (!skipFlag(cursor, "option")) return;
  const count = cursor.uleb(MAX_ACCESS_SPECIFIERS, "access specifier count");
  for (let i = 0; i < count; i++) skipSpecifier(cursor);
}

/** Reads the attributes of a function handle. */
export function readAttributeCodes(cursor: Cursor): readonly number[] {
  return cursor.list(MAX_ATTRIBUTES, "attribute", () => {
    const at = cursor.offset;
    const code = cursor.u8("attribute");
    const known = code >= 1 && code <= (cursor.version >= 10 ? 9 : 2);
    if (!known) {
      cursor.fail("MALFORMED", `attribute ${code} does not exist in format version ${cursor.version}`, at);
    }
    if (code === 4 || code >= 6) cursor.skip(2, "BAD_U16", "attribute operand");
    return code;
  });
}
