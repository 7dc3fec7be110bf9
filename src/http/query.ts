// Reads single parameters out of a raw query string: the first of repeated ones counts, unknown ones are
// never looked at.
import { decodeQueryText } from "./percent.ts";

/** What a query says about one parameter; `invalid` when its value is not UTF-8. */
export type QueryValue = { readonly text: string } | "absent" | "invalid";

/** Finds a parameter in the text behind the question mark. */
export function findQuery(search: string, name: string): QueryValue {
  let start = 0;
  while (start < search.length) {
    const ampersand = search.indexOf("&", start);
    const end = ampersand < 0 ? search.length : ampersand;
    const equals = search.indexOf("=", start);
    const nameEnd = equals < 0 || equals > end ? end : equals;
    if (decodeQueryText(search.slice(start, nameEnd)) === name) {
      const text = decodeQueryText(search.slice(Math.min(nameEnd + 1, end), end));
      return text === undefined ? "invalid" : { text };
    }
    start = end + 1;
  }
  return "absent";
}
