// JSON without loss: JSON.parse rounds integers above 2^53, and a balance is a bare integer of up to 20 digits.

/** Digits that every number of JavaScript has exactly. */
const SAFE_DIGITS = 15;

/** Strings, so that nothing inside them is taken for a number; then integers. */
const STRING_OR_INTEGER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** JSON text in which integers of more than 15 digits are strings. */
function quoteLongIntegers(text: string): string {
  return text.replace(STRING_OR_INTEGER, (token) =>
    /^-?\d+$/.test(token) && token.length > SAFE_DIGITS ? `"${token}"` : token,
  );
}

/** The value of a JSON text; integers of more than 15 digits become strings. Throws SyntaxError. */
export function parseExactJson(text: string): unknown {
  return JSON.parse(quoteLongIntegers(text));
}
