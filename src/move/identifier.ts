// Move identifiers: names of modules, structs, functions and fields.

/** Longest identifier in compiled code; text forms have no limit. */
export const MAX_IDENTIFIER_LENGTH = 255;

function isWordCode(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 36
  );
}

/**
 * True for a letter followed by letters, digits, `_` or `$`; for `_` or `$` followed by at least one of these; for
 * `<SELF>`, and for `<SELF>_` followed by digits.
 */
export function isIdentifier(text: string): boolean {
  if (text.startsWith("<SELF>")) return text.length === 6 || isSelfNumber(text);
  if (text.length === 0) return false;
  for (let i = 0; i < text.length; i++) if (!isWordCode(text.charCodeAt(i))) return false;
  const first = text.charCodeAt(0);
  if (first >= 48 && first <= 57) return false;
  return first === 95 || first === 36 ? text.length > 1 : true;
}

function isSelfNumber(text: string): boolean {
  if (text.length < 8 || text[6] !== "_") return false;
  for (let i = 7; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 48 || code > 57) return false;
  }
  return true;
}
